// The two parts in real systems: what the factor does to their ratio, and for which it balances
// them.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "conventions/atlas.hpp"
#include "embedding/sections.hpp"
#include "properties/embedding/balance.hpp"

namespace embedscale::embedding_analysis {
namespace {

using namespace properties::embedding;

const Primitives primitives;
constexpr const char* by_audit = "closed form, over the atlas";
constexpr std::array<double, 3> factors{std::numbers::sqrt2, 2, 4};

/// √2 itself is a common ratio (d^−½ beside sinusoids): within, up to the rounding of m.
bool within(double factor, double ratio) {
  return std::abs(std::log(ratio)) <= std::log(factor) * (1 + 1e-6);
}

/// A system whose two parts can be compared: their ratio, and what it were without the factor.
struct Compared {
  const conventions_analysis::System* system;
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
  for (const auto& one : conventions_analysis::installed_atlas())
    if (one.scales.input.token_to_position.value && one.configuration.token.multiplier)
      found.push_back({&one, *one.scales.input.token_to_position.value,
                       std::abs(*one.scales.scaled_down.factor.value)});
  if (found.empty()) throw std::invalid_argument("no system of the atlas has both parts");
  std::ranges::stable_sort(found, {}, &Compared::ratio);
  return found;
}

void measure_systems(Section& s, const std::vector<Compared>& all) {
  const auto is_within = [](double factor, double x) { return within(factor, x) ? "yes" : "no"; };
  for (const Compared& one : all) {
    const auto& c = one.system->configuration;
    const auto d = c.model.d_model;  // some sources leave it to the user
    const Place at{{"system", c.name}};
    s.measure("token_to_position",
              Place(at)
                  .set("d_model", d ? Coordinate(*d) : Coordinate(nullptr))
                  .set("multiplier", rounded(one.factor, 4)),
              one.ratio, by_audit);
    s.measure("compared_system",
              Place(at)
                  .set("link", conventions_analysis::linked(c))
                  .set("position", std::string(audit::name_of(c.position.kind)))
                  .set("root_two", is_within(factors[0], one.ratio))
                  .set("two", is_within(factors[1], one.ratio))
                  .set("four", is_within(factors[2], one.ratio)),
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
    const Place at{{"factor", rounded(factor, 4)}};
    const auto in = [&](const std::vector<Compared>& these, bool balanced) {
      return over<Tally>(these.size(), [&, balanced](std::uint64_t i) {
        return within(factor, these[i].ratio) == balanced;
      });
    };
    s.measure("unbalanced_systems", at, in(scaled, false), by_audit,
              factor == 2 ? std::optional(none_of(Part::belief, scaled.size())) : std::nullopt);
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
            const auto these = over<Tally>(scaled.size(), [&](std::uint64_t i) {
              return within(2, scaled[i].bare()) == before && within(2, scaled[i].ratio) == after;
            });
            return Values{{"systems_by_effect", these}};
          });
  Tally lost;
  for (const auto& one : scaled)
    if (one.is_learned())
      lost.evaluate([&] { return within(2, one.bare()) && !within(2, one.ratio); });
  s.measure("learned_lost", {}, lost);
  if (scaled.empty() || within(2, scaled.back().ratio)) return;
  const Place at{{"system", scaled.back().system->configuration.name}};
  s.measure("farthest_ratio", Place(at).set("factor", "without"), scaled.back().bare());
  s.measure("farthest_ratio", Place(at).set("factor", "with"), scaled.back().ratio);
}

double beside_sinusoid(double sigma, double m, const Start& at) {
  return properties::conventions::token_to_position(sigma, m, at, primitives);
}

/// Ratios with √d by width, beside sinusoids and beside learned positions of the tokens' law.
void measure_starts(Section& s, const Options& options) {
  struct Tables {
    const char* name;
    double (*ratio)(double m, const Start& at);
  };
  const std::vector<Tables> starts{
      {"σ = d^−½, sinusoids",
       [](double m, const Start& at) { return beside_sinusoid(1 / m, m, at); }},
      {"σ = 0.02, sinusoids",
       [](double m, const Start& at) { return beside_sinusoid(0.02, m, at); }},
      {"σ = 1, sinusoids", [](double m, const Start& at) { return beside_sinusoid(1, m, at); }},
      {"learned, of the tokens' law",
       [](double m, const Start& at) { return ratio_to_table(0.02, 0.02, m, at.d, primitives); }}};
  s.sweep("", axis("start", starts, &Tables::name), axis("d_model", even_widths(options)),
          [](const Tables& tables, std::uint64_t d) {
            const Start at{static_cast<std::size_t>(d), 511};
            return Values{{"ratio_of_start", tables.ratio(root_multiplier<double>(d), at)}};
          });
  s.measure("balance_ends", {{"end", "upper"}}, 2.0);
  s.measure("balance_ends", {{"end", "lower"}}, 0.5);
}

}  // namespace

void balances_the_two_parts(Section& s, const Options& options) {
  const Draws draws(options.seed, s.claim().id);
  s.decide("share_disagreements", none_of(Part::belief, options.samples), exact,
           [&](std::uint64_t i) {
             return !share_is_divided(draws.channels(i, 0, 2), draws.channels(i, 2, 2),
                                      draws.positive(i, 4), primitives);
           });
  const auto all = comparable();
  std::vector<Compared> scaled;
  std::ranges::copy_if(all, std::back_inserter(scaled), &Compared::scaled);
  measure_systems(s, all);
  measure_counts(s, all, scaled);
  measure_effects(s, scaled);
  measure_starts(s, options);
}

}  // namespace embedscale::embedding_analysis
