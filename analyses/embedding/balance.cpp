// Tokens beside positions: small tables beside sinusoids, with and without the factor; and the two
// parts in real systems, what the factor does to their ratio and for which it balances them.
#include "properties/embedding/balance.hpp"

#include <numbers>
#include <stdexcept>

#include "atlas/atlas.hpp"
#include "embedding/sections.hpp"

namespace embedscale::embedding_analysis {
namespace {

using atlas::System, atlas::installed, atlas::multiplier_of, atlas::ratio_of, audit::is_within,
    atlas::linked;
using properties::conventions::token_to_position;

constexpr std::int64_t position = 511;
constexpr const char* by_audit = "closed form, over the atlas";
constexpr const char* measured_on = "look-up and sinusoid at position 511";

/// Token energy over that of the sinusoid.
double measured(double sigma, double m, std::uint64_t d) {
  return energy_ratio(sigma, m, {d, position}, primitives);
}

/// How many systems of the atlas start near that deviation.
void measure_systems(Section& s) {
  std::vector<std::pair<double, std::string>> known;
  for (const auto& system : atlas::installed())
    if (const auto& sigma = system.scales.input.entry_rms.value)
      known.emplace_back(*sigma, system.configuration.name);
  if (known.empty()) throw std::invalid_argument("no system of the atlas records its deviation");
  const auto near =
      over<Tally>(known, [](const auto& one) { return is_within(2, one.first / 0.01); });
  s.measure("systems_near_deviation", {{"standard_deviation", 0.01}, {"factor", 2}}, near,
            by_audit);
  const auto [low, high] = std::ranges::minmax_element(known);
  s.measure("smallest_deviation", {{"system", low->second}}, low->first);
  s.measure("largest_deviation", {{"system", high->second}}, high->first);
}

void measure_energies(Section& s, const Options& options, const std::vector<double>& deviations) {
  const auto widths = axis("d_model", points(options.widths, shown_widths));
  const auto multipliers = axis("multiplier", std::array{bare, scaled}, &Program::name);
  s.sweep(measured_on, axis("standard_deviation", deviations), widths, multipliers,
          [](double sigma, std::uint64_t d, const Program& program) {
            const double ratio = measured(sigma, program.factor(d), d);
            return Values{{"energy_ratio", ratio}, {"energy_curve", ratio}};
          });
  s.measure("equal_energies", {}, 1.0);
  s.sweep("", {{"d_model", 512}}, multipliers, [&](const Program& program) {
    return Values{{"energy_at_512", measured(deviations.front(), program.factor(512), 512)}};
  });
}

constexpr std::array<double, 3> factors{std::numbers::sqrt2, 2, 4};

/// A system whose two parts can be compared: their ratio, and what it were without the factor.
struct Compared {
  const System* system;
  double ratio, factor;
  double bare() const { return ratio / factor; }
  bool scaled() const { return factor != 1; }
  bool is_learned() const {
    return system->configuration.position.kind == audit::PositionKind::learned;
  }
};

/// By ratio.
std::vector<Compared> comparable() {
  std::vector<Compared> found;
  for (const auto& one : atlas::installed())
    if (ratio_of(one)) found.push_back({&one, *ratio_of(one), std::abs(*multiplier_of(one))});
  if (found.empty()) throw std::invalid_argument("no system of the atlas has both parts");
  std::ranges::stable_sort(found, {}, &Compared::ratio);
  return found;
}

void measure_systems(Section& s, const std::vector<Compared>& all) {
  const auto yes_or_no = [](bool within) { return within ? "yes" : "no"; };
  for (const Compared& one : all) {
    const auto& c = one.system->configuration;
    const auto d = c.model.d_model;  // some sources leave it to the user
    const Place at{{"system", c.name}};
    s.measure("token_to_position",
              Place(at)
                  .set("d_model", d ? Coordinate(*d) : Coordinate(nullptr))
                  .set("multiplier", one.factor),
              one.ratio, by_audit);
    s.measure("compared_system",
              Place(at)
                  .set("link", linked(c))
                  .set("position", std::string(audit::name_of(c.position.kind)))
                  .set("root_two", yes_or_no(is_within(factors[0], one.ratio)))
                  .set("two", yes_or_no(is_within(factors[1], one.ratio)))
                  .set("four", yes_or_no(is_within(factors[2], one.ratio))),
              one.ratio);
    if (!one.scaled()) continue;
    s.measure("factor", at, one.factor);
    s.measure("ratio_without", at, one.bare());
    s.measure("ratio_with", at, one.ratio);
  }
}

void measure_counts(Section& s, const std::vector<Compared>& all,
                    const std::vector<Compared>& scaled) {
  for (const double factor : factors) {
    const Place at{{"factor", factor}};
    const auto in = [&](const std::vector<Compared>& these, bool balanced) {
      return over<Tally>(
          these, [=](const Compared& one) { return is_within(factor, one.ratio) == balanced; });
    };
    s.measure("unbalanced_systems", at, in(scaled, false), by_audit);
    s.measure("balanced_systems", at, in(all, true), by_audit);
    s.measure("scaled_balanced_systems", at, in(scaled, true));
  }
}

/// Of the systems with a factor: balanced without it or not, and with it or not.
void measure_effects(Section& s, const std::vector<Compared>& scaled) {
  const auto name = [](bool balanced) { return balanced ? "balanced" : "unbalanced"; };
  constexpr std::array both{false, true};
  s.sweep(by_audit, axis("without", both, name), axis("with", both, name),
          [&](bool before, bool after) {
            const auto these = over<Tally>(scaled, [=](const Compared& one) {
              return is_within(2, one.bare()) == before && is_within(2, one.ratio) == after;
            });
            return Values{{"systems_by_effect", these}};
          });
  Tally lost;
  for (const auto& one : scaled)
    if (one.is_learned())
      lost.evaluate([&] { return is_within(2, one.bare()) && !is_within(2, one.ratio); });
  s.measure("learned_lost", {}, lost);
  if (scaled.empty() || is_within(2, scaled.back().ratio)) return;
  const Place at{{"system", scaled.back().system->configuration.name}};
  s.measure("farthest_ratio", Place(at).set("factor", "without"), scaled.back().bare());
  s.measure("farthest_ratio", Place(at).set("factor", "with"), scaled.back().ratio);
}

/// Ratios with √d by width, beside sinusoids and beside learned positions that are drawn as tokens
/// are.
void measure_starts(Section& s, const Options& options) {
  struct Tables {
    const char* name;
    double (*ratio)(double m, const Start& at);
  };
  constexpr Tables starts[] = {
      {"σ = d^−½, sinusoids",
       [](double m, const Start& at) { return token_to_position(1 / m, m, at, primitives); }},
      {"σ = 0.02, sinusoids",
       [](double m, const Start& at) { return token_to_position(0.02, m, at, primitives); }},
      {"σ = 1, sinusoids",
       [](double m, const Start& at) { return token_to_position(1.0, m, at, primitives); }},
      {"learned, of the tokens' distribution",
       [](double m, const Start& at) { return ratio_to_table(0.02, 0.02, m, at.d, primitives); }}};
  s.sweep(
      "", axis("start", starts, &Tables::name),
      axis("d_model", points(options.widths, shown_widths)),
      [](const Tables& tables, std::uint64_t d) {
        return Values{{"ratio_of_start", tables.ratio(root_multiplier<double>(d), {d, position})}};
      });
  s.measure("balance_ends", {{"end", "upper"}}, 2.0);
  s.measure("balance_ends", {{"end", "lower"}}, 0.5);
}

}  // namespace

void small_tables_stay_dominated(Section& s, const Options& options) {
  s.sweep("closed form: 1/(2σ²)",
          axis("standard_deviation", points(options.deviations, std::array{0.01, 0.02})),
          [](double sigma) {
            return Values{{"break_even_width", expected::break_even_width(sigma)}};
          });
  const auto deviations = points(options.deviations, std::array{0.01});
  const Place hundredth{{"standard_deviation", 0.01}};
  s.measure_failures("belief_fails_on_condition", hundredth,
                     "a_hundredth_is_made_up_for_from_width_5000");
  s.measure_failures("belief_holds_elsewhere", hundredth, "a_hundredth_is_not_made_up_for_below");
  s.measure_worst("worst_share_of_bound", {}, "energy_is_two_m_squared_sigma_squared");
  measure_energies(s, options, deviations);
  measure_systems(s);
}

void balances_the_two_parts(Section& s, const Options& options) {
  s.measure_failures("share_disagreements", {}, "the_factor_divides_the_positions_share");
  const auto all = comparable();
  std::vector<Compared> scaled;
  std::ranges::copy_if(all, std::back_inserter(scaled), &Compared::scaled);
  measure_systems(s, all);
  measure_counts(s, all, scaled);
  measure_effects(s, scaled);
  measure_starts(s, options);
}

}  // namespace embedscale::embedding_analysis
