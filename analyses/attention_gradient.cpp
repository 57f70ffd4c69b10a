// What comes back through the softmax, against the same with scaled logits: the typical query and
// the average one, by draws.
#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <embedscale/properties/attention_gradient.hpp>
#include <embedscale/properties/evidence/median.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "attention.hpp"
#include "attention_jacobian.hpp"

namespace embedscale::attention_analysis {
namespace {

using namespace properties::attention;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Series;
using report::Table;

constexpr std::array<std::uint64_t, 6> key_counts{2, 4, 16, 64, 256, 1024};
constexpr std::array deviations{1.0, 2.0, 4.0, 8.0, 16.0};
constexpr std::array<std::uint64_t, 1> query_widths{64};
constexpr std::array<std::uint64_t, 10> head_widths{8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
constexpr double tenth = 0.1, hundredth = 0.01;

void put(report::Section& section, const char* quantity, report::Place at, const Summary& value,
         std::uint64_t draws, const char* method) {
  section.measure({.quantity = quantity,
                   .at = std::move(at),
                   .value = value.at,
                   .samples = draws,
                   .method = method,
                   .digits = 3,
                   .lower = value.lower,
                   .upper = value.upper,
                   .confidence = confidence});
}

/// The Jacobian at each deviation, and the gradient of the query in a head of each width.
Table record_points(report::Section& section, const Keys& keys, Table table,
                    const cli::Options& options) {
  auto sizes = points(options.deviations, deviations);
  const auto widths = points(options.head_widths, query_widths);
  if (options.deviations.empty() && options.head_widths.size() > 0)
    for (const auto d : widths) sizes.push_back(std::sqrt(static_cast<double>(d)));
  const auto reference = keys.sample(1, widths.front());
  for (const double s : sizes) {
    for (const auto d : widths) {
      const auto sample = keys.sample(s, d);
      const report::Place at = {{"std", s}, {"keys", keys.count}, {"d_k", d}};
      put(section, "query_gradient_mean", at, mean_of(sample.query), sample.query.size(), "draws");
      put(section, "query_gradient_median", at, median_of(sample.query), sample.query.size(),
          "draws, order statistics");
      if (d != widths.front()) continue;
      const report::Place jacobian = {{"std", s}, {"keys", keys.count}};
      const std::uint64_t n = sample.norm.size();
      put(section, "jacobian_norm_mean", jacobian, mean_of(sample.norm), n, "draws");
      put(section, "jacobian_norm_median", jacobian, median_of(sample.norm), n,
          "draws, order statistics");
      const double trace = 1 - expected::sum_of_squares(s, keys.count).value;
      section.measure({.quantity = "jacobian_trace_mean",
                       .at = jacobian,
                       .value = trace,
                       .samples = 1,
                       .method = "quadrature"});
      const auto over = [](const std::vector<double>& x, const std::vector<double>& y, auto of) {
        return report::significant(of(x).at / of(y).at, 2);
      };
      table.row({report::count(keys.count), fmt::format("{}", report::significant(s, 3)),
                 report::significant(trace, 3), report::significant(mean_of(sample.norm).at, 3),
                 over(sample.norm, reference.norm, mean_of),
                 over(sample.norm, reference.norm, median_of),
                 over(sample.query, reference.query, mean_of),
                 over(sample.query, reference.query, median_of)});
    }
  }
  return table;
}

/// Heads without the scale, on draws of their own: whether the median is below a hundredth of that
/// with the scale, from the width on at which the other draws say so, and not below.
void record_heads(report::Section& section, const Keys& fresh, const Summary& threshold,
                  const cli::Options& options) {
  const auto reference = median_of(fresh.norms(1));
  for (const auto d : points(options.head_widths, head_widths)) {
    const double width = static_cast<double>(d);
    const auto median = median_of(fresh.norms(std::sqrt(width)));
    report::Measurement m{.quantity = "unscaled_median_ratio",
                          .at = {{"d_k", d}, {"keys", fresh.count}},
                          .value = median.at / reference.at,
                          .samples = fresh.draws,
                          .method = "draws, order statistics",
                          .digits = 2,
                          .lower = median.lower / reference.upper,
                          .upper = median.upper / reference.lower,
                          .confidence = 1 - 2 * (1 - confidence)};
    if (width >= threshold.upper)
      m.rule = report::Rule{Part::belief, Relation::at_most, hundredth, fresh.draws};
    else if (width <= threshold.lower)
      m.rule = report::Rule{Part::belief_elsewhere, Relation::at_least, hundredth, fresh.draws};
    section.measure(m);
  }
}

/// d ln E tr J/d ln s between s = 64 and 128, which is −1 where the mean falls as 1/s.
double trace_exponent(std::uint64_t n) {
  const auto trace = [n](double s) { return 1 - expected::sum_of_squares(s, n).value; };
  return std::log2(trace(128) / trace(64));
}

Figure over_deviations(const std::vector<Keys>& all) {
  Figure figure{.name = "attention_gradient",
                .title = "Norm of the softmax's Jacobian, against logits of deviation 1",
                .x_label = "deviation of the logits, √d_k unscaled",
                .y_label = "norm over that at deviation 1",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {{.label = "a hundredth", .y = hundredth}}};
  std::vector<const Keys*> chosen{&all.front()};
  if (all.size() > 2) chosen.push_back(&all[all.size() / 2]);
  if (all.size() > 1) chosen.push_back(&all.back());
  for (const Keys* keys : chosen) {
    Series mean{.label = fmt::format("mean, n = {}", keys->count),
                .x = {},
                .y = {},
                .mark = Series::Mark::line};
    Series median = mean;
    median.label = fmt::format("median, n = {}", keys->count);
    const auto reference = keys->norms(1);
    for (int k = 0; k <= 12; ++k) {
      const double s = std::exp2(k / 2.0);
      const auto norms = keys->norms(s);
      const double typical = median_of(norms).at / median_of(reference).at;
      mean.x.push_back(s);
      mean.y.push_back(mean_of(norms).at / mean_of(reference).at);
      median.x.push_back(s);
      median.y.push_back(typical > 1e-6 ? typical : NAN);  // the line ends, not the axis
    }
    figure.series.push_back(mean);
    figure.series.push_back(median);
  }
  return figure;
}

}  // namespace

report::Section gradients_vanish_unscaled(const cli::Options& options) {
  report::Section section(properties::attention::gradients_vanish_unscaled);
  Table table({{"n", Table::Align::right},
               {"Deviation", Table::Align::right},
               {"tr J, mean", Table::Align::right},
               {"‖J‖, mean", Table::Align::right},
               {"over that at 1", Table::Align::right},
               {"‖J‖, median over that at 1", Table::Align::right},
               {"query's gradient, mean over that at 1", Table::Align::right},
               {"median over that at 1", Table::Align::right}});
  Figure widths{.name = "attention_vanishing_width",
                .title = "d_k from which the typical gradient is this small without 1/√d_k",
                .x_label = "number of keys n",
                .y_label = "d_k",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {{.label = "a tenth", .x = {}, .y = {}},
                           {.label = "a hundredth", .x = {}, .y = {}}},
                .levels = {{.label = "d_k = 64", .y = 64}}};
  std::vector<Keys> all;
  std::vector<std::string> tenths, hundredths;
  for (const auto n : points(options.keys, key_counts)) {
    if (n < 2)
      throw std::invalid_argument(
          "--keys: the gradient through one weight is 0 (attention.gradients_vanish_unscaled)");
    all.emplace_back(n, options, section.claim().id);
    const Keys& keys = all.back();
    table = record_points(section, keys, std::move(table), options);
    std::size_t k = 0;
    Summary last{};
    for (const double level : {tenth, hundredth}) {
      const auto width = last = keys.vanishing_width(level);
      put(section, "vanishing_width", {{"keys", n}, {"below", level}}, width, keys.draws,
          "draws, order statistics, bisection");
      (k == 0 ? tenths : hundredths)
          .push_back(fmt::format("{} at {}", two_digits(width.at), report::count(n)));
      widths.series[k].x.push_back(static_cast<double>(n));
      widths.series[k].y.push_back(width.at);
      ++k;
    }
    record_heads(section, Keys(n, options, "attention.heads without the scale"), last, options);
    section.measure({.quantity = "trace_exponent_error",
                     .at = {{"keys", n}},
                     .value = std::abs(trace_exponent(n) + 1),
                     .samples = 1,
                     .method = "quadrature, deviations 64 and 128",
                     .rule = report::Rule{Part::statement, Relation::at_most, 0.05, 1},
                     .digits = 2});
  }
  section.condition(
      fmt::format("the gradient is the typical query's (the median) and d_k is at least {} keys",
                  fmt::join(hundredths, ", ")));
  section.text("tenths", fmt::format("{}", fmt::join(tenths, ", ")));
  section.text("hundredths", fmt::format("{}", fmt::join(hundredths, ", ")));
  const auto ratios = [&](const Keys& keys, const char* suffix) {
    const auto here = keys.sample(8, 64), reference = keys.sample(1, 64);
    const auto set = [&](const char* name, double value) {
      section.text(fmt::format("{}_{}", name, suffix), report::significant(value, 2));
    };
    section.text(fmt::format("n_{}", suffix), report::count(keys.count));
    set("mean", mean_of(here.norm).at / mean_of(reference.norm).at);
    set("median", median_of(here.norm).at / median_of(reference.norm).at);
    set("query_mean", mean_of(here.query).at / mean_of(reference.query).at);
    set("query_median", median_of(here.query).at / median_of(reference.query).at);
  };
  ratios(all.front(), "few");
  ratios(all.back(), "many");
  section.table(table);
  section.figure(over_deviations(all));
  section.figure(widths);
  return section;
}

}  // namespace embedscale::attention_analysis
