// The variance of a logit behind 1/√d_k: where it is 1, and the cases in which it is not.
#include <fmt/format.h>
#include <embedscale/properties/domain/formats.hpp>

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
constexpr std::array<std::uint64_t, 9> head_widths{1, 2, 4, 8, 16, 32, 64, 128, 256};
constexpr std::uint64_t model_width = 512;

/// Mean and variance of a logit behind 1/√d_k, in closed form.
struct Case {
  const char* name;
  double mean, variance;
  double mean_square() const { return mean * mean + variance; }
};

/// x of independent normal entries, W of variance 1/d_model. Given x and y, with one matrix,
/// E z² = (‖x‖²‖y‖² + (d_k + 1)⟨x,y⟩²)/d_model², as E(w·x)²(w·y)² = σ⁴(‖x‖²‖y‖² + 2⟨x,y⟩²); over
/// inputs E‖x‖⁴ = d_model² + 2d_model, and E⟨x,y⟩² = d_model.
std::vector<Case> cases(double d_k) {
  const double d = static_cast<double>(model_width), root = std::sqrt(d_k);
  return {{"independent", 0, 1},
          {"correlation 0.1, normal", 0.1 * root, 1.01},
          {"correlation 0.5, normal", 0.5 * root, 1.25},
          {"correlation 0.5, signs", 0.5 * root, 0.75},
          {"own key, two matrices", 0, 1 + 2 / d},
          {"own key, one matrix", root, (d_k + 2) * (1 + 2 / d) - d_k},
          {"other key, one matrix", 0, 1 + (d_k + 1) / d}};
}

/// The largest |d_k·s² − 1| of the rounded scale s over 4.1u, in all formats.
double worst_scale(std::uint64_t widest) {
  double worst = 0;
  for (std::uint64_t d = 1; d <= widest; ++d)
    properties::domain::for_each_format([&]<class Real>() {
      const auto s = static_cast<long double>(static_cast<double>(library.of<Real>().scale(d)));
      const long double off = std::abs(static_cast<long double>(d) * s * s - 1);
      worst = std::max(worst, static_cast<double>(off) / (4.1 * unit_roundoff<Real>));
    });
  return worst;
}

}  // namespace

report::Section scaling_gives_unit_variance(const cli::Options& options) {
  report::Section section(properties::attention::scaling_gives_unit_variance);
  section.condition(
      "E[q_i²·k_i²] = 1 + E[q_i·k_i]² in each channel, as where queries and keys are independent");
  const Stream stream(options.seed, section.claim().id);
  double misses = 0, missed = 0, met = 0;
  std::uint64_t on = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto law = drawn_law(stream, i);
    const std::size_t d = 1 + i % 2;
    const auto moments = dot_moments(law, d, library);
    const bool unit = moments.variance() == Rational(static_cast<int>(d));
    const bool stated = products_square_as_if_independent(law);
    misses += are_as_stated(moments, law, d) ? 0 : 1;
    on += stated ? 1 : 0;
    missed += stated && !unit ? 1 : 0;
    met += !stated && unit ? 1 : 0;
  }
  section.measure({.quantity = "statement_misses",
                   .value = misses,
                   .samples = options.samples,
                   .method = "exact rationals, all outcomes of 1 or 2 channels",
                   .unit = report::counted,
                   .rule = report::Rule{Part::statement, Relation::equals, 0, options.samples},
                   .field = "misses"});
  section.measure_none("laws_on_condition_missed", report::Place{}, missed, on, Part::belief,
                       "exact rationals");
  section.measure_none("other_laws_met", report::Place{}, met, options.samples - on,
                       Part::belief_elsewhere, "exact rationals");
  constexpr std::uint64_t widest = 1024;
  section.measure({.quantity = "scale_share_of_bound",
                   .value = worst_scale(widest),
                   .samples = widest,
                   .method = "every d_k to 1024, four formats; the bound is derived",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, widest},
                   .digits = 3});
  Table table({{"d_k", Table::Align::right},
               {"Over keys, one query", Table::Align::right},
               {"Correlation 0.1: mean", Table::Align::right},
               {"variance", Table::Align::right},
               {"Own key, two matrices: variance", Table::Align::right},
               {"Own key, one matrix: mean", Table::Align::right},
               {"variance", Table::Align::right},
               {"Other key, one matrix: variance", Table::Align::right}});
  Figure figure{.name = "attention_unit_variance",
                .title = "Mean square of a logit behind 1/√d_k",
                .x_label = "d_k",
                .y_label = "mean square",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {}};
  const auto all = points(options.head_widths, head_widths);
  for (const auto d : all) {
    const double width = static_cast<double>(d), spread = std::sqrt(2 / width);
    const auto list = cases(width);
    for (std::size_t k = 0; k < list.size(); ++k) {
      const report::Place at = {{"d_k", d}, {"case", list[k].name}};
      section.measure({.quantity = "logit_variance",
                       .at = at,
                       .value = list[k].variance,
                       .samples = 1,
                       .method = "closed form"});
      section.measure({.quantity = "logit_mean_square",
                       .at = at,
                       .value = list[k].mean_square(),
                       .samples = 1,
                       .method = "closed form"});
      if (figure.series.size() <= k)
        figure.series.push_back({.label = list[k].name, .x = {}, .y = {}});
      figure.series[k].x.push_back(width);
      figure.series[k].y.push_back(list[k].mean_square());
    }
    section.measure({.quantity = "variance_over_keys_deviation",
                     .at = {{"d_k", d}},
                     .value = spread,
                     .samples = 1,
                     .method = "closed form, normal entries"});
    const auto number = [](double x) { return report::significant(x, 3); };
    table.row({report::count(d), fmt::format("1 ± {}", number(spread)), number(list[1].mean),
               number(list[1].variance), number(list[4].variance), number(list[5].mean),
               number(list[5].variance), number(list[6].variance)});
  }
  section.text("cases", report::count(options.samples));
  section.text("on", report::count(on));
  section.text("d_model", report::count(model_width));
  const double last = static_cast<double>(all.back());
  section.text("last_width", report::count(all.back()));
  section.text("own_mean", report::significant(cases(last)[5].mean, 3));
  section.text("spread_64", report::significant(std::sqrt(2.0 / 64), 2));
  section.text("mean_64", report::significant(cases(64)[1].mean, 2));
  section.text("own_two", report::significant(cases(64)[4].variance, 4));
  section.counterexample(
      "q and k of entries ±1, alike with probability 3/4: ρ = 1/2, and the variance behind 1/√d_k "
      "is "
      "3/4 at every d_k");
  section.table(table);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::attention_analysis
