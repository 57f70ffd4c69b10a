// Steps relative to the table: with the factor and without, by width, and in real systems.
#include <embedscale/format.hpp>

#include "atlas/atlas.hpp"
#include "optimizer/cases.hpp"
#include "properties/optimizer/step.hpp"

namespace embedscale::optimizer_analysis {
namespace {

constexpr const char* by_first_step = "first step of Adam, ε = 0, per learning rate";

/// Gradient descent, momentum, Adam and AdamW, ε = 0, no decay.
Optimiser<double> plain(std::size_t which, double rate = 1.0) {
  const Adam<double> adam{rate, 0.9, 0.999, 0.0};
  switch (which) {
    case 0: return Sgd<double>{rate};
    case 1: return Momentum<double>{rate, 0.9};
    case 2: return adam;
    default: return AdamW<double>{adam, 0.0};
  }
}

/// ∂L/∂x of RMS 1, of sizes that differ by a factor 16; that of the table, m times as large.
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
  return relative_step_of<double>(plain(which, rate), rate, sigma, gradients(m), library<double>);
}

/// What the figure shows of a table: its deviation, and whether it comes with the factor.
struct Curve {
  std::size_t optimiser;
  const char *deviation, *multiplier;
  double (*sigma)(double m);
  bool has_factor;
};
constexpr const char *falls = "d_model^-1/2", *root = "sqrt(d_model)";
const Curve curves[] = {{descent, falls, root, [](double m) { return 1 / m; }, true},
                        {descent, "1", "1", [](double) { return 1.0; }, false},
                        {adam, falls, root, [](double m) { return 1 / m; }, true},
                        {adam, falls, "1", [](double m) { return 1 / m; }, false},
                        {adam, "0.02", "any", [](double) { return 0.02; }, true},
                        {adam, "1", "any", [](double) { return 1.0; }, true}};

void measure_deviations(Section& s, const Options& options) {
  s.sweep(by_first_step,
          axis("standard_deviation", points(options.deviations, std::array{0.01, 0.02, 1.0})),
          [](double sigma) {
            return Values{{"relative_step", per_rate(adam, sigma, 1)}};
          });
  for (const auto d : points(options.widths, shown_widths)) {
    const double m = root_multiplier<double>(d);
    for (const auto& [optimiser, deviation, multiplier, sigma, has_factor] : curves)
      s.measure("step_of_table",
                {{"optimiser", optimiser_names[optimiser]},
                 {"standard_deviation", deviation},
                 {"multiplier", multiplier},
                 {"d_model", d}},
                per_rate(optimiser, sigma(m), has_factor ? m : 1));
    s.measure("relative_step",
              {{"d_model", d}, {"standard_deviation", falls}, {"multiplier", root}},
              per_rate(adam, 1 / m, m), by_first_step);
  }
}

/// The table of a system of the atlas whose deviation and factor are known.
struct SystemTable {
  const atlas::System* system;
  double sigma;       ///< RMS of the entries at the start
  double multiplier;  ///< its size
  double step() const { return per_rate(adam, sigma, multiplier); }
};

void measure_systems(Section& s) {
  std::vector<SystemTable> all;
  for (const auto& system : atlas::installed()) {
    const auto& sigma = system.scales.input.entry_rms.value;
    const auto& multiplier = atlas::multiplier_of(system);
    if (sigma && multiplier) all.push_back({&system, *sigma, std::abs(*multiplier)});
  }
  std::ranges::stable_sort(all, {}, &SystemTable::step);
  for (const auto& of : all) {
    const auto& c = of.system->configuration;
    s.measure("relative_step",
              {{"system", c.name}, {"standard_deviation", of.sigma}, {"multiplier", of.multiplier}},
              of.step(), std::string(by_first_step) + ", over the atlas");
    const Place at{{"system", c.name}, {"address", atlas::linked(c)}};
    s.measure("deviation", at, of.sigma);
    if (of.multiplier != 1) s.measure("multiplier", at, of.multiplier);
    // The audit has 1/σ by its own way.
    s.measure("step_over_audited", at, of.step() / *of.system->scales.adam_relative_step.value);
    s.measure("descent_step", at, per_rate(descent, of.sigma, of.multiplier));
  }
}

}  // namespace

void relative_step(Section& s, const Options& options) {
  s.measure_failures("factor_disagreements", {{"optimiser", "Adam, AdamW"}, {"steps", 12}},
                     "adam_ignores_a_factor_of_the_gradients");
  s.measure_failures("factor_disagreements",
                     {{"optimiser", "gradient descent, momentum"}, {"steps", 12}},
                     "descent_carries_a_factor_of_the_gradients");
  s.measure_worst("worst_share_of_bound", {}, "first_step_is_the_rate_over_sigma");
  // With the factor over without, from one table: m, or 1.
  s.sweep("first step of one entry, ∂L/∂x = 1, ε = 0",
          axis("d_model", points(options.widths, shown_widths)),
          axis("optimiser", std::array<std::size_t, 4>{0, 1, 2, 3},
               [](std::size_t k) { return optimiser_names[k]; }),
          [](std::uint64_t d, std::size_t k) {
            return Values{
                {"relative_step_ratio",
                 relative_step_ratio(plain(k), 1.0, root_multiplier<double>(d), library<double>)}};
          });
  measure_deviations(s, options);
  measure_systems(s);
}

}  // namespace embedscale::optimizer_analysis
