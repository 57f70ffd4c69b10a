// Two scales of one table: exact samples, floating point, and the common parametrisations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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

/// Three widths k², tables of any deviation: with both scales 1 and c = ±1, m is ±k and σ is 1/k;
/// with any other c, m is not.
void measure_exactly(const cli::Options& options, report::Section& section) {
  const Draws draws(options.seed, section.claim().id);
  double apart = 0, parted = 0;
  std::uint64_t cases = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    const int k = 1 + static_cast<int>(i % 3);
    const Rational sigma = draws.positive(i, 0), other = draws.positive(i, 1);
    const auto d = static_cast<std::size_t>(k * k);
    const auto table = uncorrelated_table(d, sigma);
    // Any m with c = 1, and the m and c that give 1 at both ends of this table.
    const Rational m = i % 2 == 0 ? other : Rational(1 / sigma), one(1), c = 1 / (sigma * k);
    const bool unit = both_are_one(table, table, i, m, one, library);
    const auto small = uncorrelated_table(d, Rational(one / k));
    apart += unit == (m == k && sigma * k == 1) &&
                     both_are_one(small, small, i, Rational(k), one, library)
                 ? 0
                 : 1;
    if (sigma * k == 1) continue;
    ++cases;
    const bool both = both_are_one(table, table, i, Rational(1 / sigma), c, library);
    parted += both && 1 / sigma != k ? 1 : 0;
  }
  section.measure_none("unit_scale_disagreements", {{"logits_times", "1"}}, apart, options.samples,
                       Part::belief, "exact rationals, d = 1, 4 and 9");
  section.measure({.quantity = "parted_by_a_logit_factor",
                   .at = {{"logits_times", "not 1"}},
                   .value = parted,
                   .samples = cases,
                   .method = "exact rationals, d = 1, 4 and 9",
                   .unit = report::counted,
                   .rule = report::Rule{Part::belief_elsewhere, Relation::at_least,
                                        static_cast<double>(cases), cases},
                   .field = "parted"});
  section.text("samples", report::count(options.samples));
}

void measure_rounding(const cli::Options& options, report::Section& section) {
  double worst = 0;
  std::uint64_t cases = 0;
  for (const auto d : points(options.widths, usual_widths)) {
    if (d > 1024) continue;  // V·d entries
    for (const std::uint64_t bits : {std::uint64_t{0}, std::uint64_t{0x5555555555555555}}) {
      worst = std::max({worst, unit_scales_share_of_bound<float>(d, bits, library),
                        unit_scales_share_of_bound<double>(d, bits, library)});
      cases += 2;
    }
  }
  if (cases == 0) return;
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = cases,
                   .method = "tables of uncorrelated signs, binary32 and binary64",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, cases},
                   .field = "worst",
                   .digits = 2});
}

std::vector<Parametrisation> parametrisations(std::uint64_t d, std::uint64_t V,
                                              const std::vector<double>& deviations) {
  const double root = std::sqrt(static_cast<double>(d));
  const double xavier = std::sqrt(2 / (static_cast<double>(V) + static_cast<double>(d)));
  std::vector<Parametrisation> all{{"up: √d·e + p", 1 / root, root, 1},
                                   {"down: e + p/√d", 1 / root, 1, 1},
                                   {"σ = 1", 1, 1, 1},
                                   {"σ = 1, logits/√d", 1, 1, 1 / root}};
  for (const double sigma : deviations) {
    const std::string name = "σ = " + report::significant(sigma, 2);
    all.push_back({name, sigma, 1, 1});
    all.push_back({name + ", √d·e + p", sigma, root, 1});
  }
  all.push_back({"Xavier", xavier, 1, 1});
  all.push_back({"Xavier, √d·e + p", xavier, root, 1});
  return all;
}

}  // namespace

report::Section one_table_two_scales(const cli::Options& options) {
  report::Section section(properties::tied_output::one_table_two_scales);
  section.condition("the logits have no factor of their own and both scales are to be 1");
  measure_exactly(options, section);
  measure_rounding(options, section);

  const auto widths = points(options.widths, usual_widths);
  const auto deviations = points(options.deviations, usual_deviations);
  Table table({{"Parametrisation"},
               {"d_model", Table::Align::right},
               {"Token RMS", Table::Align::right},
               {"Logit std", Table::Align::right},
               {"Both 1"}});
  const auto middle = std::ranges::find(widths, 512u) != widths.end() ? 512u : widths.front();
  std::map<std::string, report::Series> series;
  std::vector<std::string> order, unit;
  for (const auto V : points(options.vocabulary, usual_vocabulary))
    for (const auto d : widths)
      for (const auto& way : parametrisations(d, V, deviations)) {
        const report::Place at{{"parametrisation", way.name}, {"d_model", d}, {"vocabulary", V}};
        const double in = way.input_rms(), out = way.logit_std(d);
        section.measure({.quantity = "input_rms",
                         .at = at,
                         .value = in,
                         .samples = 1,
                         .method = "closed form"});
        section.measure({.quantity = "logit_std",
                         .at = at,
                         .value = out,
                         .samples = 1,
                         .method = "closed form, final state of RMS 1"});
        auto [found, fresh] =
            series.try_emplace(way.name, report::Series{.label = way.name, .x = {}, .y = {}});
        if (fresh) order.push_back(way.name);
        if (V == points(options.vocabulary, usual_vocabulary).front()) {
          found->second.x.push_back(static_cast<double>(d));
          found->second.y.push_back(std::max(in, out) / std::min(in, out));
        }
        if (d != middle) continue;
        const bool both = is_one(in) && is_one(out);
        if (both && std::ranges::find(unit, way.name) == unit.end()) unit.push_back(way.name);
        table.row({way.name, report::count(d), report::significant(in, 4),
                   report::significant(out, 4), both ? "yes" : "no"});
      }
  section.measure({.quantity = "unit_parametrisations",
                   .at = {{"d_model", middle}},
                   .value = static_cast<double>(unit.size()),
                   .samples = order.size(),
                   .method = "closed form",
                   .unit = report::counted,
                   .field = "unit"});
  section.text("ways", report::count(order.size()));
  section.text("unit_names", fmt::format("{}", fmt::join(unit, "; ")));
  section.text("middle", report::count(middle));
  section.text("middle_root", report::significant(std::sqrt(static_cast<double>(middle)), 3));
  section.table(table);

  Figure figure{.name = "tied_output_scales",
                .title = "How far the two scales of one table are apart",
                .x_label = "d_model",
                .y_label = "larger scale over smaller scale",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log2,
                .series = {},
                .levels = {{.label = "equal", .y = 1.0}}};
  for (const char* name : {"up: √d·e + p", "down: e + p/√d", "σ = 1", "σ = 1, logits/√d"})
    figure.series.push_back(series.at(name));
  section.figure(figure);
  return section;
}

}  // namespace embedscale::tied_output_analysis
