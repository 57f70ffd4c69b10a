// Tokens beside positions: small tables beside sinusoids, with and without the factor.
#include "properties/embedding/balance.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "conventions/atlas.hpp"
#include "embedding/sections.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;

const Primitives primitives;
constexpr std::int64_t position = 511;
constexpr const char* measured_on = "look-up and sinusoid at position 511";

/// Token energy over that of the sinusoid.
double measured(double sigma, double m, std::uint64_t d) {
  return energy_ratio(sigma, m, {static_cast<std::size_t>(d), position}, primitives);
}

struct Program {
  const char* name;
  double (*factor)(std::uint64_t d);
};
constexpr std::array<Program, 2> programs{
    {{without_factor, [](std::uint64_t) { return 1.0; }}, {with_factor, root_multiplier<double>}}};

/// Whether positions dominate without the factor and not with it, where a ratio within its rounding
/// of 1 counts as 1.
bool is_made_up(double sigma, std::uint64_t d) {
  const double doubt = properties::conventions::doubt_of_balance(static_cast<std::size_t>(d));
  const auto dominate = [&](double m) { return measured(sigma, m, d) < 1.0 - doubt; };
  return dominate(1.0) && !dominate(root_multiplier<double>(d));
}

/// The belief at every width, and whether it stands exactly where the statement says.
void measure_belief(Section& s, const Options& options, double told) {
  std::vector<std::uint64_t> every;
  for (std::uint64_t d = 8; d <= 1 << 14; d += 8) every.push_back(d);
  const Rational sigma = fraction_of(told);
  Tally fails, holds;
  for (const auto d : even_widths(options, every)) {
    const bool believed = is_made_up(told, d);
    if (factor_makes_up(sigma, Rational(static_cast<int>(d))))
      fails.evaluate([&] { return !believed; });
    else
      holds.evaluate([&] { return believed; });
  }
  const Place at{{"standard_deviation", told}};
  s.decide_none("belief_fails_on_condition", at, fails, Part::belief, measured_on);
  s.decide_none("belief_holds_elsewhere", at, holds, Part::belief_elsewhere, measured_on);
}

/// How many systems of the atlas start near that deviation.
void measure_systems(Section& s) {
  std::vector<std::pair<double, std::string>> known;
  for (const auto& system : conventions_analysis::installed_atlas())
    if (const auto& sigma = system.scales.input.entry_rms.value)
      known.emplace_back(*sigma, system.configuration.name);
  if (known.empty()) throw std::invalid_argument("no system of the atlas records its deviation");
  const auto near = over<Tally>(known.size(), [&](std::uint64_t i) {
    const double sigma = known[i].first;
    return 0.005 <= sigma && sigma <= 0.02 * (1 + 1e-12);
  });
  s.measure("systems_near_deviation", {{"standard_deviation", 0.01}, {"factor", 2}}, near,
            "closed form, over the atlas");
  const auto [low, high] = std::ranges::minmax_element(known);
  s.measure("smallest_deviation", {{"system", low->second}}, low->first);
  s.measure("largest_deviation", {{"system", high->second}}, high->first);
}

void measure_energies(Section& s, const Options& options, const std::vector<double>& deviations) {
  const auto widths = axis("d_model", even_widths(options));
  const auto multipliers = axis("multiplier", programs, &Program::name);
  Greatest worst;
  s.sweep(measured_on, axis("standard_deviation", deviations), widths, multipliers,
          [&](double sigma, std::uint64_t d, const Program& program) {
            const double m = program.factor(d);
            worst.evaluate([&] {
              return energy_share_of_bound(sigma, m, {static_cast<std::size_t>(d), position},
                                           primitives);
            });
            return Values{{"energy_ratio", measured(sigma, m, d)}};
          });
  s.measure("worst_share_of_bound", {}, worst, "energy against 2·m²·σ²",
            at_most(Part::statement, 1, 2 * deviations.size() * widths.points.size()));
  s.sweep("", axis("standard_deviation", first_of(4, deviations)), widths, multipliers,
          [](double sigma, std::uint64_t d, const Program& program) {
            return Values{{"energy_curve", measured(sigma, program.factor(d), d)}};
          });
  s.measure("equal_energies", {}, 1.0);
  s.sweep("", {{"d_model", 512}}, multipliers, [&](const Program& program) {
    return Values{{"energy_at_512", measured(deviations.front(), program.factor(512), 512)}};
  });
}

}  // namespace

void small_tables_stay_dominated(Section& s, const Options& options) {
  s.sweep("closed form: 1/(2σ²)",
          axis("standard_deviation", points(options.deviations, std::array{0.01, 0.02})),
          [](double sigma) {
            return Values{{"break_even_width", expected::break_even_width(sigma)}};
          });
  const auto deviations = points(options.deviations, std::array{0.01});
  for (const double sigma : deviations) measure_belief(s, options, sigma);
  measure_energies(s, options, deviations);
  measure_systems(s);
}

}  // namespace embedscale::embedding_analysis
