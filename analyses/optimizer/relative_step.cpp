// Steps relative to the table: with the factor and without, by width, and in real systems.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>

#include "conventions/atlas.hpp"
#include "optimizer/cases.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/optimizer/step.hpp"

namespace embedscale::optimizer_analysis {
namespace {

using properties::domain::Rational, properties::domain::RationalDraws;

constexpr std::size_t descent = 0, adam = first_adam;
constexpr const char* first_step = "first step of Adam, ε = 0, per learning rate";

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

/// Whether whole runs of twelve gradients ignore a power of two.
void measure_ignored(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  s.decide("factor_disagreements", none_of(Part::statement, options.samples),
           "binary64, same bits at gradients times 2^k",
           [&](std::uint64_t i) {
             std::vector<double> g;
             for (std::uint64_t k = 0; k < 12; ++k)
               g.push_back(2.0 * stream.uniform(32 * i + k) - 1.0);
             const Adam<double> by{0.01, 0.999 * stream.uniform(32 * i + 12),
                                   0.999 * stream.uniform(32 * i + 13), 0.0};
             const double factor = std::ldexp(1.0, static_cast<int>(i % 15) - 7);
             const auto ignored = [&](const Optimiser<double>& of) {
               return ignores_a_factor_of_the_gradients(of, 0.5, g, factor, library<double>);
             };
             return !ignored(by) || !ignored(AdamW<double>{by, 0.1});
           },
           {{"optimiser", "Adam, AdamW"}, {"steps", 12}});
}

/// Or carry a rational, exactly.
void measure_carried(Section& s, const Options& options) {
  const RationalDraws draws(options.seed, s.claim().id, 32);
  const Rational rate(Rational(1) / Rational(3)), mu(Rational(9) / Rational(10));
  s.decide("factor_disagreements", none_of(Part::statement, options.samples),
           "exact rationals: steps are the factor's times",
           [&](std::uint64_t i) {
             const auto carried = [&](const Optimiser<Rational>& of) {
               return carries_a_factor_of_the_gradients(of, Rational(1), draws.channels(i, 0, 12),
                                                        draws.positive(i, 14), library<Rational>);
             };
             return !carried(Sgd<Rational>{rate}) || !carried(Momentum<Rational>{rate, mu});
           },
           {{"optimiser", "gradient descent, momentum"}, {"steps", 12}});
}

template <class Real>
Greatest worst_first_step(const Stream& stream, std::uint64_t samples) {
  const auto real = [](double x) { return static_cast<Real>(x); };
  return over<Greatest>(samples, [&](std::uint64_t i) {
    std::vector<Real> g;
    for (std::uint64_t k = 0; k < 4; ++k) g.push_back(real(2 * stream.uniform(16 * i + k) - 1));
    const Adam<Real> by{real(0.01 * stream.uniform(16 * i + 4)),
                        real(0.999 * stream.uniform(16 * i + 5)),
                        real(0.999 * stream.uniform(16 * i + 6)), Real(0)};
    const Real sigma = real(std::ldexp(0.5 + stream.uniform(16 * i + 7), -int(i % 10)));
    return relative_step_share<Real>(by, sigma, g, library<Real>);
  });
}

void measure_bound(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/first steps");
  auto worst = worst_first_step<float>(stream, options.samples);
  worst += worst_first_step<double>(stream, options.samples);
  s.measure("worst_share_of_bound", {}, worst,
            "first steps of Adam against 1/σ, binary32 and binary64",
            at_most(Part::statement, 1, 2 * options.samples));
}

/// With the factor over without, from one table: m, or 1, told apart by what rounding may do.
void measure_ratios(Section& s, const Options& options) {
  constexpr double one = 1 + step_ratio_roundings * unit_roundoff<double>;
  s.sweep("first step of one entry, ∂L/∂x = 1, ε = 0",
          axis("d_model", points(options.widths, shown_widths)),
          axis("optimiser", std::array<std::size_t, 4>{0, 1, 2, 3},
               [](std::size_t k) { return optimiser_names[k]; }),
          [](std::uint64_t d, std::size_t k) {
            return Values{
                {"relative_step_ratio",
                 relative_step_ratio(plain(k), 1.0, root_multiplier<double>(d), library<double>),
                 k < adam ? at_least(Part::belief, one, 1) : at_most(Part::necessity, one, 1)}};
          });
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
  s.sweep(first_step,
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
              per_rate(adam, 1 / m, m), first_step);
  }
}

/// The table of a system of the atlas whose deviation and factor are known.
struct SystemTable {
  const conventions_analysis::System* system;
  double sigma;       ///< RMS of the entries at the start
  double multiplier;  ///< its size
  double step() const { return per_rate(adam, sigma, multiplier); }
};

void measure_systems(Section& s) {
  std::vector<SystemTable> all;
  for (const auto& system : conventions_analysis::installed_atlas()) {
    const auto& sigma = system.scales.input.entry_rms.value;
    const auto& multiplier = conventions_analysis::multiplier_of(system);
    if (sigma && multiplier) all.push_back({&system, *sigma, std::abs(*multiplier)});
  }
  std::ranges::stable_sort(all, {}, &SystemTable::step);
  for (const auto& of : all) {
    const auto& c = of.system->configuration;
    s.measure("relative_step",
              {{"system", c.name}, {"standard_deviation", of.sigma}, {"multiplier", of.multiplier}},
              of.step(), std::string(first_step) + ", over the atlas");
    const Place at{{"system", c.name}, {"address", conventions_analysis::linked(c)}};
    s.measure("deviation", at, of.sigma);
    if (of.multiplier != 1) s.measure("multiplier", at, of.multiplier);
    // The audit has 1/σ by its own way.
    s.measure("step_over_audited", at, of.step() / *of.system->scales.adam_relative_step.value);
    s.measure("descent_step", at, per_rate(descent, of.sigma, of.multiplier));
  }
}

}  // namespace

void relative_step(Section& s, const Options& options) {
  measure_ignored(s, options);
  measure_carried(s, options);
  measure_bound(s, options);
  measure_ratios(s, options);
  measure_deviations(s, options);
  measure_systems(s);
}

}  // namespace embedscale::optimizer_analysis
