// √d at the input against 1/√d at the output: with the table rescaled along, and with it kept.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tied_output.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using namespace properties::tied_output;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

void measure_exactly(const cli::Options& options, report::Section& section) {
  const Draws draws(options.seed, section.claim().id);
  double apart = 0, off = 0, turned = 0;
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const auto at = draws.two_channels(i);
    const Rational m = draws.positive(i, 0), one(1);
    const Multipliers<Rational> in{m, one}, out{one, Rational(one / m)};
    apart += behaviour(at, in, library) == behaviour(rescaled(at, m), out, library) &&
                     behaves_as_meant(at, in, library)
                 ? 0
                 : 1;
    const Multipliers<Rational> any{draws.positive(i, 1), draws.positive(i, 2)};
    off += trade_follows_the_quotient(at, in, any, library) ? 0 : 1;
    if (m == one || minor_of(at.e, at.p) == 0) continue;
    ++cases;
    turned += minor_of(behaviour(at, in, library).x, behaviour(at, out, library).x) != 0 ? 1 : 0;
  }
  section.measure_none("function_disagreements", {{"table", "times m"}}, apart, options.samples,
                       Part::belief, "exact rationals");
  section.measure_none("quotient_disagreements", {{"table", "times m/m'"}}, off, options.samples,
                       Part::statement, "exact rationals");
  section.measure({.quantity = "kept_table_agreements",
                   .at = {{"table", "kept"}},
                   .value = static_cast<double>(cases) - turned,
                   .samples = cases,
                   .method = "exact rationals, directions of the inputs",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief_elsewhere, Relation::equals, 0, cases},
                   .field = "kept_agree"});
  section.text("samples", report::count(options.samples));
  section.text("kept_cases", report::count(cases));
}

/// One of three programs: with m in, with 1/m out on m times the table, and on the same table.
struct Spelled {
  const char* name;
  double sigma, m;
};

}  // namespace

report::Section multipliers_trade_places(const cli::Options& options) {
  report::Section section(properties::tied_output::multipliers_trade_places);
  section.condition("the table is multiplied by √d_model along with the change");
  measure_exactly(options, section);
  section.counterexample(
      "m = 2, e = (1, 0), p = (0, 1): 2·e + p = (2, 1), but e + p = (1, 1), another direction");

  Table table({{"d_model", Table::Align::right},
               {"Where the factor stands"},
               {"Table's σ", Table::Align::right},
               {"Token / position", Table::Align::right},
               {"Logit std", Table::Align::right},
               {"Adam's first step, over the rate", Table::Align::right}});
  Figure figure{.name = "tied_output_trade",
                .title = "Token-to-position ratio beside sinusoids, table of std d^−½ at first",
                .x_label = "d_model",
                .y_label = "token RMS over position RMS",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "balance", .y = 1.0}}};
  const auto widths = points(options.widths, usual_widths);
  const char* names[] = {"√d in", "1/√d out, table times √d", "1/√d out, table kept"};
  for (const char* name : names) figure.series.push_back({.label = name, .x = {}, .y = {}});
  std::vector<double> deviations{0};  // 0: d^−½
  deviations.insert(deviations.end(), options.deviations.begin(), options.deviations.end());
  for (const double told : deviations)
    for (const auto d : widths) {
      const double root = std::sqrt(static_cast<double>(d)), sigma = told > 0 ? told : 1 / root;
      const Spelled programs[] = {
          {names[0], sigma, root}, {names[1], sigma * root, 1}, {names[2], sigma, 1}};
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& [name, deviation, m] = programs[k];
        const double ratio = std::numbers::sqrt2 * m * deviation, c = k == 0 ? 1 : 1 / root;
        const report::Place at{{"multiplier", name},
                              {"d_model", d},
                              {"standard_deviation", report::rounded(deviation, 4)}};
        const bool shown = told == 0 && d == 512;
        section.measure({.quantity = "token_to_position",
                         .at = at,
                         .value = ratio,
                         .samples = 1,
                         .method = "closed form: a sinusoid has RMS 1/√2",
                         .field = shown && k == 0   ? "ratio_in"
                                  : shown && k == 2 ? "ratio_kept"
                                                    : ""});
        section.measure({.quantity = "adam_relative_step",
                         .at = at,
                         .value = 1 / deviation,
                         .samples = 1,
                         .method = "closed form: ε = 0"});
        if (told == 0) {
          figure.series[k].x.push_back(static_cast<double>(d));
          figure.series[k].y.push_back(ratio);
        }
        table.row({report::count(d), name, report::significant(deviation, 4),
                   report::significant(ratio, 4), report::significant(c * deviation * root, 4),
                   report::significant(1 / deviation, 4)});
      }
    }
  section.text("example_in", report::significant(std::numbers::sqrt2, 4));
  section.text("example_kept", report::significant(std::sqrt(2.0 / 512), 3));
  section.text("example_step", report::significant(std::sqrt(512.0), 3));
  section.table(table);
  section.figure(figure);
  return section;
}

}  // namespace embedscale::tied_output_analysis
