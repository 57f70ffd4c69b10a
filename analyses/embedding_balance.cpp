// Tokens beside positions: small tables beside sinusoids, with and without the factor.
#include <fmt/format.h>
#include <embedscale/properties/embedding_balance.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "embedding.hpp"
#include "report/table.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;
using properties::Part;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;
constexpr std::int64_t position = 511;

/// Energies as measured, where a ratio within its rounding of 1 counts as 1.
struct Measured {
  double without, with;
  double doubt;
  bool dominates(double ratio) const { return ratio < 1.0 - doubt; }
  bool factor_makes_up() const { return dominates(without) && !dominates(with); }
};

Measured measured(double sigma, std::uint64_t width) {
  const auto d = static_cast<std::size_t>(width);
  const double without = energy_ratio(sigma, 1.0, {d, position}, library);
  return {without, energy_ratio(sigma, root_multiplier<double>(d), {d, position}, library),
          properties::conventions::doubt_of_balance(d)};
}

/// The belief at every width, and whether it stands exactly where the statement says.
void measure_belief(const cli::Options& options, report::Section& section, double told) {
  std::vector<std::uint64_t> every;
  for (std::uint64_t d = 8; d <= 1 << 14; d += 8) every.push_back(d);
  const Rational sigma = fraction_of(told);
  std::uint64_t on = 0, elsewhere = 0;
  double fails = 0, holds = 0;
  for (const auto d : even_widths(options, every)) {
    const bool believed = measured(told, d).factor_makes_up();
    const Rational width(static_cast<int>(d));
    if (factor_makes_up(sigma, width)) {
      ++on;
      fails += believed ? 0 : 1;
    } else {
      ++elsewhere;
      holds += believed ? 1 : 0;
    }
  }
  const report::Place at = {{"standard_deviation", told}};
  constexpr const char* method = "look-up and sinusoid at position 511";
  section.measure_none("belief_fails_on_condition", at, fails, on, Part::belief, method);
  section.measure_none("belief_holds_elsewhere", at, holds, elsewhere, Part::belief_elsewhere,
                       method);
  section.text("on", report::count(on));
  section.text("elsewhere", report::count(elsewhere));
}

/// How many systems of the atlas start near that deviation.
void measure_systems(report::Section& section, const std::vector<System>& all) {
  std::vector<std::pair<double, std::string>> known;
  double near = 0;
  for (const System& s : all) {
    if (!s.scales.input.entry_rms.value) continue;
    const double sigma = *s.scales.input.entry_rms.value;
    known.emplace_back(sigma, s.configuration.name);
    near += 0.005 <= sigma && sigma <= 0.02 * (1 + 1e-12) ? 1 : 0;
  }
  if (known.empty()) throw std::invalid_argument("no system of the atlas records its deviation");
  section.measure({.quantity = "systems_near_deviation",
                   .at = {{"standard_deviation", 0.01}, {"factor", 2}},
                   .value = near,
                   .samples = known.size(),
                   .method = "closed form, over the atlas",
                   .unit = report::counted,
                   .field = "near"});
  const auto [low, high] = std::ranges::minmax_element(known);
  section.text("systems", report::count(known.size()));
  section.text("smallest", report::significant(low->first, 2));
  section.text("smallest_name", low->second);
  section.text("largest", report::significant(high->first, 2));
  section.text("largest_name", high->second);
}

void measure_energies(const cli::Options& options, report::Section& section,
                      const std::vector<double>& deviations) {
  std::vector<Table::Column> columns{{"d_model", Table::Align::right}};
  Figure figure{.name = "embedding_energy",
                .title = "Token energy over the energy of a sinusoid",
                .x_label = "d_model",
                .y_label = "token energy over position energy",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {},
                .levels = {{.label = "equal energies", .y = 1.0}}};
  for (const double sigma : deviations)
    for (const char* factor : {"without", "times √d_model"}) {
      const auto label = fmt::format("σ = {:.3g}, {}", sigma, factor);
      columns.push_back({label, Table::Align::right});
      if (figure.series.size() < 8) figure.series.push_back({.label = label, .x = {}, .y = {}});
    }
  Table table(columns);
  double worst = 0;
  std::uint64_t cases = 0;
  for (const auto d : even_widths(options, shown_widths)) {
    std::vector<std::string> row{report::count(d)};
    std::size_t series = 0;
    for (const double sigma : deviations)
      for (const bool scaled : {false, true}) {
        const Measured found = measured(sigma, d);
        const double ratio = scaled ? found.with : found.without;
        auto& m = section.measure({.quantity = "energy_ratio",
                                   .at = {{"standard_deviation", sigma},
                                          {"d_model", d},
                                          {"multiplier", scaled ? "sqrt(d_model)" : "1"}},
                                   .value = ratio,
                                   .samples = 1,
                                   .method = "look-up and sinusoid at position 511"});
        if (sigma == deviations.front() && d == 512) m.field = scaled ? "with_512" : "without_512";
        const double factor = scaled ? root_multiplier<double>(d) : 1.0;
        const double share = energy_share_of_bound(sigma, factor, {d, position}, library);
        if (!(share <= worst)) worst = share;
        ++cases;
        row.push_back(report::significant(ratio, 4));
        if (series >= figure.series.size()) continue;
        figure.series[series].x.push_back(static_cast<double>(d));
        figure.series[series++].y.push_back(ratio);
      }
    table.row(row);
  }
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = cases,
                   .method = "energy against 2·m²·σ²",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, cases},
                   .field = "worst",
                   .digits = 2});
  section.table(table);
  section.figure(figure);
}

}  // namespace

report::Section small_tables_stay_dominated(const cli::Options& options,
                                            const std::vector<System>& all) {
  report::Section section(properties::embedding::small_tables_stay_dominated);
  const auto deviations = points(options.deviations, std::array{0.01});
  for (const double sigma : points(options.deviations, std::array{0.01, 0.02})) {
    auto& width = section.measure({.quantity = "break_even_width",
                                   .at = {{"standard_deviation", sigma}},
                                   .value = expected::break_even_width(sigma),
                                   .samples = 1,
                                   .method = "closed form: 1/(2σ²)"});
    if (sigma == deviations.front()) width.field = "break_even";
    section.text("last_break_even", report::significant(width.value, 4));
    section.text("last_sigma", fmt::format("{:.3g}", sigma));
  }
  section.text("sigma", fmt::format("{:.3g}", deviations.front()));
  for (const double sigma : deviations) measure_belief(options, section, sigma);
  section.condition(fmt::format("d_model ≥ 1/(2σ²), {} at σ = {}",
                                report::significant(expected::break_even_width(deviations[0]), 4),
                                deviations.front()));
  measure_energies(options, section, deviations);
  measure_systems(section, all);
  const double at_512 = measured(deviations.front(), 512).with;
  section.counterexample(
      fmt::format("σ = {}, d_model = 512: tokens times √512 have {} of the positions' energy",
                  deviations.front(), report::significant(at_512, 4)));
  section.text("energy_512", report::significant(at_512, 2));
  section.text("energy_without", report::significant(measured(deviations.front(), 512).without, 2));
  return section;
}

}  // namespace embedscale::embedding_analysis
