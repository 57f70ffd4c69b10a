// A constant in all keys, which cancels, and keys that are aligned with the query, which do not.
#include <fmt/format.h>
#include <embedscale/properties/attention_softmax.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "attention.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace properties::attention;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Series;
using report::Table;

const Library library;

std::vector<Rational> channels(const Stream& stream, std::uint64_t first, std::size_t size) {
  std::vector<Rational> out;
  for (std::size_t j = 0; j < size; ++j)
    out.push_back(properties::domain::rational(stream, first + j));
  return out;
}

/// n multiples of `step`, uniform up to `most` in size.
std::vector<double> multiples_of(double step, std::size_t n, const Stream& stream,
                                 std::uint64_t first, double most) {
  const auto steps = static_cast<std::uint64_t>(most / step);
  std::vector<double> x;
  for (std::size_t j = 0; j < n; ++j)
    x.push_back(step * (static_cast<double>(stream.below(2 * steps + 1, first + j)) -
                        static_cast<double>(steps)));
  return x;
}

/// A constant up to `size` in all keys of a format.
struct Change {
  double mean = 0, largest = 0, share = 0;
};

/// Queries up to 1 and keys up to 4, multiples of `step`; the constant has seven digits.
template <Scalar Real>
Change change_by(double size, double step, std::uint64_t n, std::uint64_t d_k, std::uint64_t draws,
                 const cli::Options& options) {
  const Stream stream(options.seed, properties::attention::key_constant_cancels.id);
  Change all;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const std::uint64_t first = i * (n + 2) * d_k;
    const auto q = multiples_of(step, d_k, stream, first, 1);
    const auto c = multiples_of(std::max(step, size / 128), d_k, stream, first + d_k, size);
    const auto keys = multiples_of(step, n * d_k, stream, first + 2 * d_k, 4);
    const auto [change, share] = shifted_keys<Real>(q, keys, c, library);
    all.mean += change / static_cast<double>(draws);
    all.largest = std::max(all.largest, change);
    all.share = std::max(all.share, share);
  }
  return all;
}

}  // namespace

report::Section key_constant_cancels(const cli::Options& options) {
  report::Section section(properties::attention::key_constant_cancels);
  const Stream stream(options.seed, fmt::format("{}/exact", section.claim().id));
  double changed = 0, worst = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const std::size_t d = 1 + i % 4;
    const std::uint64_t first = 32 * i;
    changed +=
        logit_differences_stay(channels(stream, first, d), channels(stream, first + 4, d),
                               channels(stream, first + 8, d), channels(stream, first + 12, d),
                               properties::domain::positive_rational(stream, first + 16), library)
            ? 0
            : 1;
    if (i % 8 != 0) continue;  // 50 digits take longer
    std::vector<double> z;
    for (const auto& x : channels(stream, first + 17, 4)) z.push_back(static_cast<double>(x));
    worst = std::max(
        worst,
        shift_share_of_bound(
            z, static_cast<double>(properties::domain::rational(stream, first + 21)), library));
  }
  section.measure({.quantity = "logit_differences_changed",
                   .value = changed,
                   .samples = options.samples,
                   .method = "exact rationals",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief, Relation::at_least, 1, options.samples},
                   .field = "changed"});
  const std::uint64_t shifts = (options.samples + 7) / 8;
  section.measure({.quantity = "softmax_error",
                   .value = worst,
                   .samples = shifts,
                   .method = "50 digits, share of their rounding",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, shifts},
                   .digits = 2});
  section.text("cases", report::count(options.samples));
  const std::uint64_t n = options.keys.empty() ? 16 : options.keys.front();
  const std::uint64_t d_k = options.head_widths.empty() ? 64 : options.head_widths.front();
  const std::uint64_t draws =
      std::clamp<std::uint64_t>(200'000 / (n * d_k), 1, (options.samples + 9) / 10);
  Table table({{"Constant up to", Table::Align::right},
               {"binary32, mean change", Table::Align::right},
               {"binary16", Table::Align::right},
               {"bfloat16", Table::Align::right}});
  Figure figure{.name = "attention_key_constant",
                .title = "What rounding makes of a constant in all keys",
                .x_label = "size of the constant",
                .y_label = "largest change of a weight, mean",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {{.label = "binary32", .x = {}, .y = {}},
                           {.label = "binary16", .x = {}, .y = {}},
                           {.label = "bfloat16", .x = {}, .y = {}}},
                .levels = {}};
  std::array<double, 3> share{};
  for (int k = -4; k <= 8; ++k) {
    const double size = std::ldexp(1.0, k);
    const std::array changes{change_by<float>(size, 0x1p-18, n, d_k, draws, options),
                             change_by<binary16>(size, 0x1p-6, n, d_k, draws, options),
                             change_by<bfloat16>(size, 0x1p-4, n, d_k, draws, options)};
    std::vector<std::string> cells{fmt::format("{}", size)};
    for (std::size_t f = 0; f < changes.size(); ++f) {
      auto& series = figure.series[f];
      section.measure(
          {.quantity = "weight_change",
           .at = {{"format", series.label}, {"constant", size}, {"keys", n}, {"d_k", d_k}},
           .value = changes[f].mean,
           .samples = draws,
           .method = "draws: the largest change of a weight, mean",
           .digits = 2});
      share[f] = std::max(share[f], changes[f].share);
      series.x.push_back(size);
      series.y.push_back(changes[f].mean);
      cells.push_back(report::significant(changes[f].mean, 2));
    }
    table.row(std::move(cells));
  }
  for (std::size_t f = 0; f < share.size(); ++f) {
    const auto& series = figure.series[f];
    section.measure({.quantity = "worst_share_of_bound",
                     .at = {{"format", series.label}},
                     .value = share[f],
                     .samples = 13 * draws,
                     .method = "draws at 13 sizes of the constant; the bound is derived",
                     .rule = report::Rule{Part::statement, Relation::at_most, 1, 13 * draws},
                     .digits = 2});
    section.text("small_" + series.label, report::significant(series.y.front(), 1));
    section.text("large_" + series.label, report::significant(series.y.back(), 1));
  }
  section.text("n", report::count(n));
  section.text("d_k", report::count(d_k));
  section.counterexample(
      "q = 1, 5 added to the keys 1 and 2: the logits 1 and 2 become 6 and 7, whose weights are "
      "the same");
  section.table(table);
  section.figure(figure);
  return section;
}

report::Section aligned_vectors_need_one_over_d_k(const cli::Options& options) {
  report::Section section(properties::attention::aligned_vectors_need_one_over_d_k);
  section.condition("E[q_i·k_i] = 0, as for independent queries and keys");
  const Stream stream(options.seed, section.claim().id);
  double misses = 0, apart = 0, agree = 0;
  std::uint64_t on = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto law = drawn_law(stream, i);
    const auto one = dot_moments(law, 1, library), two = dot_moments(law, 2, library);
    const bool same = two.second == 2 * one.second;  // the mean square behind 1/√d_k
    const bool stated = moment(law, 1, 1) == 0;
    misses += are_as_stated(one, law, 1) && are_as_stated(two, law, 2) ? 0 : 1;
    on += stated ? 1 : 0;
    apart += stated && !same ? 1 : 0;
    agree += !stated && same ? 1 : 0;
  }
  section.measure({.quantity = "statement_misses",
                   .value = misses,
                   .samples = options.samples,
                   .method = "exact rationals, all outcomes of 1 and 2 channels",
                   .unit = report::counted,
                   .rule = report::Rule{Part::statement, Relation::equals, 0, options.samples},
                   .field = "misses"});
  section.measure_none("widths_apart", report::Place{}, apart, on, Part::belief,
                       "exact rationals: mean squares at d_k = 1 and 2");
  section.measure_none("widths_that_agree", report::Place{}, agree, options.samples - on,
                       Part::belief_elsewhere, "exact rationals: mean squares at d_k = 1 and 2");
  constexpr std::array correlations{0.01, 0.03, 0.1, 0.3, 1.0};
  constexpr std::array<std::uint64_t, 8> head_widths{8, 16, 32, 64, 128, 256, 1024, 16384};
  std::vector<Table::Column> columns{{"d_k", Table::Align::right}};
  std::vector<std::string> crossovers;
  for (const double rho : correlations) {
    columns.push_back({fmt::format("ρ = {}: by 1/√d_k", rho), Table::Align::right});
    columns.push_back({"by 1/d_k", Table::Align::right});
    const double crossover = 1 + 1 / (rho * rho);
    section.measure({.quantity = "crossover_width",
                     .at = {{"correlation", rho}},
                     .value = crossover,
                     .samples = 1,
                     .method = "closed form: ρ·√d_k = √(1 + ρ²)"});
    crossovers.push_back(fmt::format("{} at ρ = {}", report::significant(crossover, 3), rho));
  }
  Table table(columns);
  Figure figure{.name = "attention_aligned",
                .title = "Mean logit of aligned queries and keys, ρ = 0.1",
                .x_label = "d_k",
                .y_label = "logit",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {{.label = "mean, by 1/√d_k", .x = {}, .y = {}},
                           {.label = "deviation, by 1/√d_k", .x = {}, .y = {}},
                           {.label = "mean, by 1/d_k", .x = {}, .y = {}},
                           {.label = "deviation, by 1/d_k", .x = {}, .y = {}}},
                .levels = {}};
  const auto all = points(options.head_widths, head_widths);
  for (const auto d : all) {
    const double width = static_cast<double>(d), root = std::sqrt(width);
    std::vector<std::string> cells{report::count(d)};
    for (const double rho : correlations) {
      const double deviation = std::sqrt(1 + rho * rho);
      const std::array<std::pair<const char*, std::pair<double, double>>, 2> scales{
          {{"1/sqrt(d_k)", {rho * root, deviation}}, {"1/d_k", {rho, deviation / root}}}};
      for (std::size_t k = 0; k < scales.size(); ++k) {
        const auto& [name, logit] = scales[k];
        const report::Place at = {{"d_k", d}, {"correlation", rho}, {"scale", name}};
        section.measure({.quantity = "aligned_logit",
                         .at = at,
                         .value = logit.first,
                         .samples = 1,
                         .method = "closed form"});
        section.measure({.quantity = "aligned_logit_deviation",
                         .at = at,
                         .value = logit.second,
                         .samples = 1,
                         .method = "closed form, normal entries"});
        cells.push_back(report::significant(logit.first, 3));
        if (rho != 0.1) continue;
        figure.series[2 * k].x.push_back(width);
        figure.series[2 * k].y.push_back(logit.first);
        figure.series[2 * k + 1].x.push_back(width);
        figure.series[2 * k + 1].y.push_back(logit.second);
      }
    }
    table.row(std::move(cells));
  }
  section.text("cases", report::count(options.samples));
  section.text("crossovers", fmt::format("{}", fmt::join(crossovers, ", ")));
  section.text("first_width", report::count(all.front()));
  section.text("last_width", report::count(all.back()));
  const auto mean = [&](std::uint64_t d) {
    return report::significant(0.1 * std::sqrt(static_cast<double>(d)), 2);
  };
  section.text("first_mean", mean(all.front()));
  section.text("last_mean", mean(all.back()));
  section.text("crossover", report::significant(1 + 1 / 0.01, 3));
  section.counterexample(
      "q = k of entries ±1 (ρ = 1): ⟨q, k⟩ = d_k, so the logit behind 1/√d_k is 1 at d_k = 1, and "
      "8 at "
      "d_k = 64");
  section.table(table);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::attention_analysis
