// What a position loses when it is scaled down in a format of narrow range: alone, and after the
// sum.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/embedding.hpp>
#include <embedscale/properties/combination_rounding.hpp>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/domain/widths.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "combination.hpp"

namespace embedscale::combination_analysis {
namespace {

using namespace properties::combination;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// binary16's digits with bfloat16's range: what binary16 would do if nothing ever fell below.
using Binary16WithRange = Format<8, 10>;

/// To one significant digit, never below: what "at most" can be said of.
std::string rounded_up(double x) {
  if (x == 0.0) return "0";
  const double unit = std::pow(10.0, std::floor(std::log10(x)));
  return report::significant(std::ceil(x / unit) * unit, 1);
}

/// All channels of one position, or of many.
struct Loss {
  std::uint64_t below_up = 0, below_down = 0,
                vanished = 0;                     ///< components p, p/m, p/m rounded to 0
  double alone = 0;                               ///< worst relative loss of a p/m …
  std::uint64_t position = 0, channel = 0;        ///< … and where it is
  double over_half_ulp = 0;                       ///< worst underflow_over_half_ulp
  double up_error = 0, down_error = 0, size = 0;  ///< sums of squares

  void add(const Loss& other) {
    below_up += other.below_up;
    below_down += other.below_down;
    vanished += other.vanished;
    if (other.alone > alone) {
      alone = other.alone;
      position = other.position;
      channel = other.channel;
    }
    over_half_ulp = std::max(over_half_ulp, other.over_half_ulp);
    up_error += other.up_error;
    down_error += other.down_error;
    size += other.size;
  }
};

/// One channel: e and p as the format holds them; errors against the exact m·e + p of those.
template <class Real>
Loss loss_of(Real e, Real p, Real m) {
  Loss loss;
  const auto faint = faint_position(p, m, library);
  if (faint.below_normal()) {
    loss.below_down = 1;
    loss.vanished = faint.vanished() ? 1 : 0;
    loss.alone = faint.loss_alone();
  }
  loss.below_up = properties::is_normal_or_zero(p) ? 0 : 1;
  loss.over_half_ulp = underflow_over_half_ulp(e, p, m, library);
  const double exact = double(m) * double(e) + double(p);
  const auto [u, z] = two_ways(e, p, m, Division::by_m, library);
  loss.up_error = (double(u) - exact) * (double(u) - exact);
  loss.down_error = (double(z) - exact) * (double(z) - exact);
  loss.size = exact * exact;
  return loss;
}

/// Positions 0 … L−1 at one width; `by_channel` counts the positions at which p/m falls below.
template <class Real>
Loss loss_at(std::uint64_t d, const cli::Options& options, std::vector<double>* by_channel) {
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  const auto m = root_multiplier<Real>(d);
  const double half_range = std::sqrt(3.0 / static_cast<double>(d));
  const Stream tokens(
      options.seed,
      fmt::format("{}/{}", properties::combination::down_makes_positions_too_faint.id, d));
  std::vector<Loss> losses(options.positions);
  std::vector<std::vector<std::uint64_t>> below(options.positions);
  tbb::parallel_for(std::uint64_t{0}, options.positions, [&](std::uint64_t position) {
    std::vector<double> p(d);
    encode_position<double>(static_cast<std::int64_t>(position), w, SinusoidalLayout::interleaved,
                            p);
    for (std::uint64_t j = 0; j < d; ++j) {
      const double e = half_range * (2.0 * tokens.uniform(position * d + j) - 1.0);
      Loss loss = loss_of(static_cast<Real>(e), static_cast<Real>(p[j]), m);
      loss.position = position;
      loss.channel = j;
      if (loss.below_down != 0) below[position].push_back(j);
      losses[position].add(loss);
    }
  });
  // In the order of the positions, whatever the threads did: sums are the same bits every time.
  Loss total;
  for (const auto& loss : losses) total.add(loss);
  if (by_channel != nullptr) {
    by_channel->assign(d, 0.0);
    for (const auto& channels : below)
      for (const auto j : channels) (*by_channel)[j] += 1.0;
  }
  return total;
}

}  // namespace

report::Section down_makes_positions_too_faint(const cli::Options& options) {
  report::Section section(properties::combination::down_makes_positions_too_faint);
  const Stream stream(options.seed, section.claim().id);
  double fainter = 0;
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    using namespace properties::domain;
    const auto [up, down] =
        position_to_token(positive_rational(stream, 3 * i), rational(stream, 3 * i + 1),
                          positive_rational(stream, 3 * i + 2), library);
    ++cases;
    fainter += up == down ? 0 : 1;
  }
  section.measure({.quantity = "ratio_changes",
                   .value = fainter,
                   .samples = cases,
                   .method = "exact rationals",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::at_least, 1, cases},
                   .field = "ratio_changes"});
  const auto [up, down] = position_to_token<Rational>(1, 1, 2, library);
  section.counterexample(
      fmt::format("e = 1, p = 1, m = 2: the position is {} of the token scaled up, {} scaled down",
                  up.str(), down.str()));

  Table table({{"d_model", Table::Align::right},
               {"p below", Table::Align::right},
               {"p/m below", Table::Align::right},
               {"p/m → 0", Table::Align::right},
               {"worst loss alone", Table::Align::right},
               {"at position, channel", Table::Align::right},
               {"RMS error, up", Table::Align::right},
               {"down", Table::Align::right},
               {"down, wide range", Table::Align::right}});
  const auto scale = Figure::Scale::log2;
  const auto points = report::Series::Mark::points;
  Figure errors{.name = "combination_faint_error",
                .title = "Error of the input in binary16, after the sum",
                .x_label = "d_model",
                .y_label = "RMS error over RMS of the input, in u",
                .x_scale = scale,
                .series = {{.label = "up", .x = {}, .y = {}, .mark = points},
                           {.label = "down", .x = {}, .y = {}, .mark = points},
                           {.label = "down, if nothing fell below the range",
                            .x = {},
                            .y = {},
                            .mark = points}},
                .levels = {}};
  Figure channels{.name = "combination_faint_channels",
                  .title = "Where p/√d_model is below binary16's normal range",
                  .x_label = "channel, in % of d_model",
                  .y_label = "positions, in %",
                  .series = {},
                  .levels = {}};
  const auto all = widths(options, properties::domain::common_widths);
  double share = 0, alone = 0, over = 0, cost = 0, most_positions = 0;
  std::uint64_t vanished = 0;
  for (const auto d : all) {
    const std::uint64_t components = d * options.positions;
    std::vector<double> by_channel;
    const Loss half = loss_at<binary16>(d, options, &by_channel);
    const Loss wide = loss_at<Binary16WithRange>(d, options, nullptr);
    const Loss brain = loss_at<bfloat16>(d, options, nullptr);
    const auto in_u = [](double error, const Loss& loss) {
      return std::sqrt(error / loss.size) / unit_roundoff<binary16>;
    };
    const double relative[] = {in_u(half.up_error, half), in_u(half.down_error, half),
                               in_u(wide.down_error, wide)};
    const auto put = [&](const char* quantity, const char* format, double value,
                         std::optional<report::Rule> rule, const char* unit) {
      section.measure({.quantity = quantity,
                       .at = {{"format", format}, {"d_model", d}, {"positions", options.positions}},
                       .value = value,
                       .samples = components,
                       .method = "every component of the table, rounded once",
                       .unit = unit,
                       .rule = rule});
    };
    // sin 355 is 3·10^−5 away from 0, below 2^−14, and stands in channel 0 at every width.
    put("below_normal", "binary16", double(half.below_down),
        options.positions > 355
            ? std::optional(report::Rule{Part::statement, Relation::at_least, 1, components})
            : std::nullopt,
        report::counted);
    put("below_normal", "bfloat16", double(brain.below_down),
        report::Rule{Part::statement, Relation::equals, 0, components}, report::counted);
    put("vanished", "binary16", double(half.vanished), {}, report::counted);
    put("worst_loss_alone", "binary16", half.alone, {}, "1");
    put("underflow_over_half_ulp", "binary16", half.over_half_ulp,
        report::Rule{Part::statement, Relation::at_most, 1, components}, "1");
    put("rms_error", "binary16", relative[1], {}, "u");
    section.measurements().back().at["way"] = "down";
    put("rms_error", "binary16", relative[0], {}, "u");
    section.measurements().back().at["way"] = "up";
    put("rms_error_without_underflow", "binary16", relative[2], {}, "u");
    section.measurements().back().at["way"] = "down";
    share = std::max(share, double(half.below_down) / double(components));
    alone = std::max(alone, half.alone);
    over = std::max(over, half.over_half_ulp);
    vanished += half.vanished;
    cost = std::max(cost, std::abs(relative[1] / relative[2] - 1.0));
    const auto percent = [&](std::uint64_t n) {
      return fmt::format("{} %", report::significant(100.0 * double(n) / double(components), 3));
    };
    table.row({report::count(d), percent(half.below_up), percent(half.below_down),
               report::count(half.vanished),
               fmt::format("{} %", report::significant(100 * half.alone, 3)),
               fmt::format("{}, {}", half.position, half.channel),
               report::significant(relative[0], 3), report::significant(relative[1], 3),
               report::significant(relative[2], 3)});
    for (std::size_t k = 0; k < 3; ++k) {
      errors.series[k].x.push_back(double(d));
      errors.series[k].y.push_back(relative[k]);
    }
    if (d == 128 || d == 512 || d == 4096) {
      report::Series series{.label = fmt::format("d_model = {}", d),
                            .x = {},
                            .y = {},
                            .mark = report::Series::Mark::line};
      for (std::uint64_t j = 0; j < d; j += 2) {  // the sines
        series.x.push_back(100.0 * double(j) / double(d));
        series.y.push_back(100.0 * by_channel[j] / double(options.positions));
        most_positions = std::max(most_positions, series.y.back());
      }
      channels.series.push_back(series);
    }
  }
  section.text("largest_share", report::significant(100 * share, 2));
  section.text("worst_alone", report::significant(100 * alone, 3));
  section.text("worst_over_half_ulp", report::significant(over, 3));
  section.text("vanished", report::count(vanished));
  section.text("cost", rounded_up(100 * cost));
  section.text("cases", report::count(cases));
  section.text("positions", report::count(options.positions));
  const auto extremes = [&](std::size_t k) {
    const auto [low, high] = std::ranges::minmax(errors.series[k].y);
    return fmt::format("{} to {}", report::significant(low, 3), report::significant(high, 3));
  };
  section.text("up_errors", extremes(0));
  section.text("down_errors", extremes(1));
  section.text("most_positions", report::significant(most_positions, 2));
  section.table(table);
  section.figure(errors);
  if (!channels.series.empty()) section.figure(channels);
  return section;
}

}  // namespace embedscale::combination_analysis
