// Steps relative to the table: with the factor and without, by width, and in real systems.
#include <fmt/format.h>
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/optimizer_step.hpp>

#include <cmath>

#include "optimizer.hpp"
#include "report/table.hpp"

namespace embedscale::optimizer_analysis {
namespace {

using namespace properties::optimizer;
using properties::Part;
using properties::domain::Rational;
using report::Figure;
using report::Relation;
using report::Table;

const Library library;

/// Gradient descent, momentum, Adam and AdamW at rate 1, ε = 0, no decay.
Optimiser<double> plain(std::size_t which) {
  const Adam<double> adam{1.0, 0.9, 0.999, 0.0};
  switch (which) {
    case 0: return Sgd<double>{1.0};
    case 1: return Momentum<double>{1.0, 0.9};
    case 2: return adam;
    default: return AdamW<double>{adam, 0.0};
  }
}

/// ∂L/∂x of RMS 1, of sizes that differ by a factor 16.
std::vector<double> gradients(double m) {
  std::vector<double> g{0.125, -0.25, 0.5, -1.0, 2.0, -0.125, 0.25, -2.0};
  double square = 0;
  for (const double x : g) square += x * x;
  for (double& x : g) x *= m / std::sqrt(square / static_cast<double>(g.size()));
  return g;
}

/// Per learning rate; the rate is small beside σ, so that little is lost in the subtraction.
double per_rate(std::size_t which, double sigma, double m) {
  const double rate = sigma / 1024.0;
  auto by = plain(which);
  std::visit(
      [&](auto& settings) {
        if constexpr (requires { settings.rate; })
          settings.rate = rate;
        else
          settings.adam.rate = rate;
      },
      by);
  return relative_step_of<double>(by, rate, sigma, gradients(m), library);
}

/// Whether whole runs of twelve gradients ignore a power of two, or carry a rational, exactly.
void measure_exact(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, section.claim().id);
  double seen = 0, lost = 0;
  for (std::uint64_t i = 0; i < options.samples; ++i) {
    std::vector<double> g;
    std::vector<Rational> exact;
    for (std::uint64_t k = 0; k < 12; ++k) {
      g.push_back(2.0 * stream.uniform(32 * i + k) - 1.0);
      exact.push_back(properties::domain::rational(stream, 32 * i + k));
    }
    const Adam<double> adam{0.01, 0.999 * stream.uniform(32 * i + 12),
                            0.999 * stream.uniform(32 * i + 13), 0.0};
    const double factor = std::ldexp(1.0, static_cast<int>(i % 15) - 7);
    const bool ignored = ignores_a_factor_of_the_gradients<double>(adam, 0.5, g, factor, library) &&
                         ignores_a_factor_of_the_gradients<double>(AdamW<double>{adam, 0.1}, 0.5, g,
                                                                   factor, library);
    seen += ignored ? 0 : 1;
    const Rational m = properties::domain::positive_rational(stream, 32 * i + 14);
    const Rational rate(Rational(1) / Rational(3)), mu(Rational(9) / Rational(10));
    const bool carried = carries_a_factor_of_the_gradients<Rational>(
                             Sgd<Rational>{rate}, Rational(1), exact, m, library) &&
                         carries_a_factor_of_the_gradients<Rational>(
                             Momentum<Rational>{rate, mu}, Rational(1), exact, m, library);
    lost += carried ? 0 : 1;
  }
  const auto add = [&](const char* optimiser, const char* method, double value, const char* field) {
    section.measure({.quantity = "factor_disagreements",
                     .at = {{"optimiser", optimiser}, {"steps", 12}},
                     .value = value,
                     .samples = options.samples,
                     .method = method,
                     .unit = report::counted,
                     .rule = report::Rule{Part::statement, Relation::equals, 0, options.samples},
                     .field = field});
  };
  add("Adam, AdamW", "binary64, same bits at gradients times 2^k", seen, "seen");
  add("gradient descent, momentum", "exact rationals: steps are the factor's times", lost, "lost");
  section.text("samples", report::count(options.samples));
}

void measure_bound(const cli::Options& options, report::Section& section) {
  const Stream stream(options.seed, std::string(section.claim().id) + "/first steps");
  double worst = 0;
  const auto in = [&]<class Real>(Real) {
    for (std::uint64_t i = 0; i < options.samples; ++i) {
      const auto real = [](double x) { return static_cast<Real>(x); };
      std::vector<Real> g;
      for (std::uint64_t k = 0; k < 4; ++k) g.push_back(real(2 * stream.uniform(16 * i + k) - 1));
      const Adam<Real> by{real(0.01 * stream.uniform(16 * i + 4)),
                          real(0.999 * stream.uniform(16 * i + 5)),
                          real(0.999 * stream.uniform(16 * i + 6)), Real(0)};
      const Real sigma = real(std::ldexp(0.5 + stream.uniform(16 * i + 7), -int(i % 10)));
      worst = std::max(worst, relative_step_share<Real>(by, sigma, g, library));
    }
  };
  in(0.0f);
  in(0.0);
  section.measure({.quantity = "worst_share_of_bound",
                   .value = worst,
                   .samples = 2 * options.samples,
                   .method = "first steps of Adam against 1/σ, binary32 and binary64",
                   .rule = report::Rule{Part::statement, Relation::at_most, 1, 2 * options.samples},
                   .field = "worst",
                   .digits = 2});
}

/// With the factor over without, from one table: m, or 1.
void measure_ratios(const cli::Options& options, report::Section& section) {
  std::vector<Table::Column> columns{{"d_model", Table::Align::right}};
  for (const char* name : optimiser_names) columns.push_back({name, Table::Align::right});
  Table table(columns);
  for (const auto d : points(options.widths, shown_widths)) {
    std::vector<std::string> row{report::count(d)};
    for (std::size_t k = 0; k < optimiser_names.size(); ++k) {
      const double ratio = relative_step_ratio(plain(k), 1.0, root_multiplier<double>(d), library);
      section.measure(
          {.quantity = "relative_step_ratio",
           .at = {{"d_model", d}, {"optimiser", optimiser_names[k]}},
           .value = ratio,
           .samples = 1,
           .method = "first step of one entry, ∂L/∂x = 1, ε = 0",
           // 1 + 10^-9 is far above its 20 roundings and far below any root
           .rule = k < 2 ? report::Rule{Part::belief, Relation::at_least, 1 + 1e-9, 1}
                         : report::Rule{Part::belief_elsewhere, Relation::at_most, 1 + 1e-9, 1}});
      row.push_back(report::significant(ratio, 4));
    }
    table.row(row);
  }
  section.table(table);
  const auto at_512 = [](std::size_t k) {
    return report::significant(
        relative_step_ratio(plain(k), 1.0, root_multiplier<double>(512), library), 3);
  };
  section.text("descent_512", at_512(0));
  section.text("adam_512", at_512(2));
}

void measure_deviations(const cli::Options& options, report::Section& section) {
  for (const double sigma : points(options.deviations, std::array{0.01, 0.02, 1.0}))
    section.measure({.quantity = "relative_step",
                     .at = {{"standard_deviation", sigma}},
                     .value = per_rate(2, sigma, 1),
                     .samples = 1,
                     .method = "first step of Adam, ε = 0, per learning rate"});
  Figure figure{.name = "optimizer_relative_step",
                .title = "First step relative to the table, per learning rate",
                .x_label = "d_model",
                .y_label = "RMS of the step over RMS of the table",
                .x_scale = Figure::Scale::log2,
                .y_scale = Figure::Scale::log10,
                .series = {{.label = "gradient descent, σ = d^−½, × √d", .x = {}, .y = {}},
                           {.label = "gradient descent, σ = 1, no factor", .x = {}, .y = {}},
                           {.label = "Adam, σ = d^−½, × √d", .x = {}, .y = {}},
                           {.label = "Adam, σ = d^−½, no factor",
                            .x = {},
                            .y = {},
                            .mark = report::Series::Mark::points},
                           {.label = "Adam, σ = 0.02, any factor", .x = {}, .y = {}},
                           {.label = "Adam, σ = 1, any factor",
                            .x = {},
                            .y = {},
                            .mark = report::Series::Mark::points}},
                .levels = {}};
  for (const auto d : points(options.widths, shown_widths)) {
    const double m = root_multiplier<double>(d);
    const double steps[] = {per_rate(0, 1 / m, m), per_rate(0, 1, 1),    per_rate(2, 1 / m, m),
                            per_rate(2, 1 / m, 1), per_rate(2, 0.02, m), per_rate(2, 1, m)};
    for (std::size_t k = 0; k < 6; ++k) {
      figure.series[k].x.push_back(static_cast<double>(d));
      figure.series[k].y.push_back(steps[k]);
    }
    section.measure({.quantity = "relative_step",
                     .at = {{"d_model", d},
                            {"standard_deviation", "d_model^-1/2"},
                            {"multiplier", "sqrt(d_model)"}},
                     .value = steps[2],
                     .samples = 1,
                     .method = "first step of Adam, ε = 0, per learning rate"});
  }
  section.text("small_512", report::significant(per_rate(2, 1 / std::sqrt(512.0), 1), 3));
  section.text("unit_512", report::significant(per_rate(2, 1, 1), 3));
  section.figure(figure);
}

void measure_systems(const std::vector<System>& all, report::Section& section) {
  Table table({{"System"},
               {"σ", Table::Align::right},
               {"m", Table::Align::right},
               {"Adam: 1/σ", Table::Align::right},
               {"Gradient descent: m/σ", Table::Align::right}});
  struct Row {
    const System* system;
    double sigma, m, adam;
  };
  std::vector<Row> rows;
  for (const System& s : all) {
    if (!s.scales.input.entry_rms.value || !s.configuration.token.multiplier) continue;
    const double sigma = *s.scales.input.entry_rms.value;
    const double m = std::abs(*s.configuration.token.multiplier);
    rows.push_back({&s, sigma, m, per_rate(2, sigma, m)});
  }
  std::ranges::stable_sort(rows, {}, &Row::adam);
  for (const Row& row : rows) {
    section.measure({.quantity = "relative_step",
                     .at = {{"system", row.system->configuration.name},
                            {"standard_deviation", report::rounded(row.sigma, 4)},
                            {"multiplier", report::rounded(row.m, 4)}},
                     .value = row.adam,
                     .samples = 1,
                     .method = "first step of Adam, ε = 0, per learning rate, over the atlas"});
    table.row({conventions_analysis::linked(row.system->configuration),
               report::significant(row.sigma, 4), row.m == 1 ? "—" : report::significant(row.m, 4),
               report::significant(row.adam, 4),
               report::significant(per_rate(0, row.sigma, row.m), 4)});
  }
  section.text("systems", report::count(rows.size()));
  if (rows.empty()) return;
  section.text("slowest", report::significant(rows.front().adam, 3));
  section.text("slowest_name", rows.front().system->configuration.name);
  section.text("fastest", report::significant(rows.back().adam, 3));
  section.text("fastest_name", rows.back().system->configuration.name);
  section.table(table);
}

}  // namespace

report::Section relative_step(const cli::Options& options, const std::vector<System>& all) {
  report::Section section(properties::optimizer::relative_step);
  measure_exact(options, section);
  measure_bound(options, section);
  measure_ratios(options, section);
  measure_deviations(options, section);
  measure_systems(all, section);
  section.condition("the step grows with the gradient, as under gradient descent and momentum");
  return section;
}

}  // namespace embedscale::optimizer_analysis
