#include "checkpoint/fingerprint.hpp"

#include <embedscale/sinusoidal.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "audit/error.hpp"
#include "audit/parts.hpp"
#include "checkpoint/reading.hpp"
#include "checkpoint/rows.hpp"

namespace embedscale::checkpoint {
namespace {

using audit::Configuration, audit::PositionKind;

double at_share(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(std::lround(share * (double(sorted.size()) - 1)))];
}

// NaN where nothing is among them.
double root_mean(double sum, double n) { return std::sqrt(sum / n); }

TableScale scale_of(const TableSums& sums, const std::vector<double>& row_rms) {
  const double rows = double(sums.rows - sums.left_out), entries = rows * double(sums.width);
  const double all = std::accumulate(sums.square.begin(), sums.square.end(), 0.0);
  double mean = 0;
  for (const double sum : sums.sum) mean += sum / rows * (sum / rows);
  TableScale scale;
  scale.rms = root_mean(all, entries);
  scale.mean_share = all > 0 ? mean * rows / all : 0;
  scale.centred = scale.rms * std::sqrt(std::max(0.0, 1 - scale.mean_share));
  for (std::size_t i = 0; i < quantile_shares.size(); ++i)
    scale.quantiles[i] = at_share(row_rms, quantile_shares[i]);
  const std::size_t bands = scale.by_id.size();
  for (std::size_t band = 0; band < bands; ++band) {
    const auto begin = band * sums.rows / bands, end = (band + 1) * sums.rows / bands;
    double square = 0, n = 0;
    for (auto i = begin; i < end; ++i)
      if (!sums.by_row[i].is_left_out()) square += sums.by_row[i].square, n += double(sums.width);
    scale.by_id[band] = root_mean(square, n);
  }
  return scale;
}

// Rows whose sums are the same bits: those of other rows never are but by accident.
RowGroup equal_rows(const TableSums& sums) {
  using Key = std::pair<double, std::uint64_t>;  // the row is looked at where squares are the same
  std::vector<Key> order;
  for (std::uint64_t i = 0; i < sums.rows; ++i)
    if (!sums.by_row[i].is_left_out()) order.emplace_back(sums.by_row[i].square, i);
  std::ranges::sort(order, [&](const Key& a, const Key& b) {
    if (a.first != b.first) return a.first < b.first;
    const auto &one = sums.by_row[a.second].sketch, &other = sums.by_row[b.second].sketch;
    return one != other ? one < other : a.second < b.second;
  });
  RowGroup largest;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const auto& first = sums.by_row[order[begin].second];
    while (end < order.size() && order[end].first == first.square &&
           sums.by_row[order[end].second].sketch == first.sketch)
      ++end;
    if (end - begin > std::max<std::size_t>(largest.rows, 1))
      largest = {end - begin, order[begin].second};
  }
  return largest;
}

// By their sketches, around some of the rows: a group of a share s of the rows is missed by all of
// n rows, were they drawn, with (1 − s)^n.
RowGroup rows_together(const TableSums& sums, double usual_square) {
  std::vector<std::uint64_t> tried(std::min<std::uint64_t>(128, sums.rows));
  for (std::size_t k = 0; k < tried.size(); ++k) tried[k] = k * sums.rows / tried.size();
  const auto near = rows_near(sums, tried, usual_square / 16);
  const auto most = std::ranges::max_element(near);
  return {*most, tried[static_cast<std::size_t>(most - near.begin())]};
}

// Of each channel over the first positions, for each number of them; `see` gives a position's
// vector.
class Variation {
 public:
  explicit Variation(std::size_t width) : mean_(width), square_(width) {}

  template <class Value>
  void add(std::span<const Value> vector) {
    ++n_;
    for (std::size_t j = 0; j < mean_.size(); ++j) {  // Welford's
      const double off = double(vector[j]) - mean_[j];
      mean_[j] += off / n_;
      square_[j] += off * (double(vector[j]) - mean_[j]);
    }
  }
  std::vector<double> variances() const {
    std::vector<double> all;
    for (const double square : square_) all.push_back(square / n_);
    return all;
  }

 private:
  double n_ = 0;
  std::vector<double> mean_, square_;
};

Bands medians_by_band(const std::vector<double>& by_channel,
                      const std::vector<std::size_t>& channels) {
  Bands all{};
  for (std::size_t band = 0; band < all.size(); ++band) {
    std::vector<double> of_band;
    for (auto k = band * channels.size() / all.size();
         k < (band + 1) * channels.size() / all.size(); ++k)
      of_band.push_back(by_channel[channels[k]]);
    std::ranges::sort(of_band);
    all[band] = of_band.empty() ? std::nan("") : at_share(of_band, 0.5);
  }
  return all;
}

PositionRatio ratio_of(std::uint64_t positions, const std::vector<double>& token,
                       const std::vector<double>& position,
                       const std::vector<std::size_t>& channels) {
  PositionRatio all;
  all.positions = positions;
  const std::size_t width = token.size();
  all.deviation = root_mean(std::accumulate(position.begin(), position.end(), 0.0), double(width));
  for (std::size_t j = 0; j < width; ++j) {
    all.by_channel.push_back(std::sqrt(token[j] / position[j]));
    all.tokens_exceed += double(token[j] > position[j]) / double(width);
  }
  all.by_band = medians_by_band(all.by_channel, channels);
  return all;
}

using See = std::function<void(std::uint64_t positions, const std::vector<double>& variances)>;

// The first positions' variance by channel at each of the lengths, which are sorted.
void over_sinusoids(const Configuration& c, std::size_t width,
                    const std::vector<std::uint64_t>& lengths, double k, const See& see) {
  const auto w = sinusoidal_frequencies<double>(width, c.position.frequencies, *c.position.base);
  Variation variation(width);
  std::vector<double> vector(width);
  for (std::uint64_t i = 0; i < lengths.back(); ++i) {
    encode_position<double>(c.position.first + std::int64_t(i), w, *c.position.layout, vector);
    for (double& x : vector) x *= k;
    variation.add(std::span<const double>(vector));
    if (std::ranges::binary_search(lengths, i + 1)) see(i + 1, variation.variances());
  }
}

void over_table(const Tensor& table, std::uint64_t first, const std::vector<std::uint64_t>& lengths,
                double k, const See& see) {
  Variation variation(table.shape.at(1));
  for_rows(table, first, first + lengths.back(), [&](std::uint64_t i, std::span<const float> row) {
    variation.add(row);
    if (!std::ranges::binary_search(lengths, i + 1 - first)) return;
    auto variances = variation.variances();
    for (double& x : variances) x *= k * k;
    see(i + 1 - first, variances);
  });
}

// Fast to slow.
std::vector<std::size_t> by_frequency(SinusoidalLayout layout, std::size_t width) {
  std::vector<std::size_t> channels;
  for (std::size_t i = 0; i < width / 2; ++i)
    for (const std::size_t half : {0u, 1u})
      channels.push_back(layout == SinusoidalLayout::halves ? i + half * (width / 2)
                                                            : 2 * i + half);
  return channels;
}

void see_positions(Fingerprint& f, const TableSums& sums, const std::optional<Tensor>& table,
                   std::vector<std::uint64_t> lengths, const std::optional<Configuration>& c) {
  const double rows = double(sums.rows - sums.left_out), m = f.multiplier;
  std::vector<double> token;
  for (std::size_t j = 0; j < f.width; ++j) {
    const double mean = sums.sum[j] / rows;
    token.push_back(m * m * std::max(0.0, sums.square[j] / rows - mean * mean));
  }
  f.channels.resize(f.width);
  std::iota(f.channels.begin(), f.channels.end(), std::size_t{0});
  const bool sinusoidal = c && c->position.kind == PositionKind::sinusoidal;
  const double k = c ? c->position.multiplier.value_or(1) : 1;
  const See see = [&](std::uint64_t positions, const std::vector<double>& variances) {
    f.ratios.push_back(ratio_of(positions, token, variances, f.channels));
  };
  std::ranges::sort(lengths);
  if (sinusoidal && c->position.base && c->position.layout && f.width % 2 == 0 && f.width > 3) {
    f.positions = fmt::format("sinusoids, {} frequencies of base {:.6g}",
                              audit::name_of(c->position.frequencies), *c->position.base);
    f.has_sinusoids = true;
    f.channels = by_frequency(*c->position.layout, f.width);
    over_sinusoids(*c, f.width, lengths, k, see);
  } else if (table && !sinusoidal) {
    if (!table->is_table() || table->shape[1] != f.width)
      refuse(table->file->path(),
             fmt::format("the position table \"{}\" is {}, and tokens have {} "
                         "channels",
                         audit::printable(table->name), words_of(table->shape), f.width));
    f.positions =
        fmt::format("the table \"{}\" {}", audit::printable(table->name), words_of(table->shape));
    const auto rows_of_table = table->shape[0];
    const auto first =
        c ? static_cast<std::uint64_t>(std::max<std::int64_t>(c->position.first, 0)) : 0;
    if (first + 2 > rows_of_table) refuse(table->file->path(), "has no positions behind the first");
    std::erase_if(lengths, [&](auto n) { return n > rows_of_table - first; });
    if (lengths.empty()) lengths.push_back(rows_of_table - first);
    f.positions += fmt::format(" from row {} on", first);
    over_table(*table, first, lengths, k, see);
  } else if (c) {
    f.positions = fmt::format(
        "none to compare: position.kind is {}{}", audit::name_of(c->position.kind),
        audit::adds_positions(c->position.kind) ? ", which is not told whole, or not there" : "");
  } else {
    f.positions = "no table of them was found, and no --config tells of others";
  }
  std::vector<double> deviations;
  for (const double x : token) deviations.push_back(std::sqrt(x));
  f.tokens = medians_by_band(deviations, f.channels);
}

std::optional<Tensor> token_table(const std::vector<Tensor>& tensors, const Patterns& patterns) {
  if (auto named = tensor_named(tensors, "token table", patterns)) return named;
  const auto is_table = [](const Tensor& one) { return one.is_table(); };
  if (std::ranges::count_if(tensors, is_table) != 1) return std::nullopt;
  return *std::ranges::find_if(tensors, is_table);
}

void require_width(const Fingerprint& f, const Configuration& c) {
  const auto width = c.token.width ? c.token.width : c.model.d_model;
  if (width && static_cast<std::uint64_t>(*width) != f.width)
    throw audit::ContentError(fmt::format("{}: its token table has {} channels, and {} says {}",
                                          f.file, f.width, audit::printable(c.file), *width));
}

}  // namespace

Fingerprint fingerprint_of(const std::vector<Tensor>& tensors, const Patterns& patterns,
                           const std::vector<std::uint64_t>& lengths,
                           const std::optional<Configuration>& configuration) {
  const auto table = token_table(tensors, patterns);
  if (!table) {
    std::vector<std::string> names;
    for (const auto& one : tensors)
      if (one.is_table() && names.size() < 8) names.push_back(audit::printable(one.name));
    throw audit::ContentError(fmt::format(
        "no tensor has the name of a token table: say --tensor 'token table=NAME'; tables are {}",
        fmt::join(names, ", ")));
  }
  const auto sums = sums_of(*table);
  Fingerprint f;
  f.file = table->file->path().string(), f.name = table->name, f.dtype = table->dtype;
  f.rows = sums.rows, f.width = sums.width, f.left_out = sums.left_out;
  if (f.left_out == f.rows) refuse(table->file->path(), "no row has finite entries alone");
  if (configuration) require_width(f, *configuration);
  for (const auto& row : sums.by_row)
    if (!row.is_left_out()) f.row_rms.push_back(root_mean(row.square, double(f.width)));
  std::ranges::sort(f.row_rms);
  f.table = scale_of(sums, f.row_rms);
  f.equal = equal_rows(sums);
  constexpr std::uint64_t least_width = 16;  // in fewer channels rows are near by accident
  if (f.width >= least_width)
    f.together = rows_together(sums, f.table.centred * f.table.centred * double(f.width));
  if (configuration) {
    f.multiplier = audit::factor_of(*configuration).value.value_or(1);
    if (const auto entry = audit::parts_of(*configuration).token_entry.value)
      f.beginnings.push_back({"token.law", *entry});
  }
  f.beginnings.push_back({"1/sqrt(d)", 1 / std::sqrt(double(f.width))});
  f.beginnings.push_back({"unit", 1});
  see_positions(f, sums, tensor_named(tensors, "position table", patterns), lengths, configuration);
  return f;
}

}  // namespace embedscale::checkpoint
