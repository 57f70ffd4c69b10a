// The atlas: who multiplies by √d_model, who shares the table, and whose input's own logit is how
// large.
#include <set>

#include "properties/tied_output/loss.hpp"
#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using atlas::System;
using audit::Sharing;

/// What is offered, in the audit's order.
constexpr std::array keys{"always", "by_default", "on_request", "optional", "never"};
constexpr std::size_t sharings = keys.size();
static_assert(static_cast<std::size_t>(Sharing::never) + 1 == sharings);

/// Equal but for the rounding of the system's √d, in bfloat16 at the coarsest.
bool is_nearly_one(double x) { return std::abs(x - 1) <= 0x1p-8; }

/// One table of deviation d^−½ for both, √d in and a bare output: both scales are 1 by √d alone.
bool has_both_scales_one_by_the_factor(const System& s) {
  const auto& c = s.configuration;
  return c.output.tied == true && c.output.multiplier == 1.0 && s.scales.input.token_rms.value &&
         is_nearly_one(*s.scales.input.token_rms.value) && s.scales.output.logit_std.value &&
         is_nearly_one(*s.scales.output.logit_std.value);
}

/// A system that tells enough.
struct KnownSystem {
  const System* system;
  Sharing offer;
  bool multiplies = atlas::multiplies_by_root_d(*system);

  const char* multiplier() const { return multiplies ? "sqrt(d_model)" : "other"; }
};

/// One measurement for each system, by which it is named.
std::vector<KnownSystem> known_systems(Section& s) {
  std::vector<KnownSystem> all;
  std::set<std::string> never;
  for (const System& system : atlas::installed()) {
    const auto& name = system.configuration.name;
    const auto offer = offer_of(system);
    if (!offer) {
      s.measure("untold_system", {{"system", name}}, 1);
      continue;
    }
    const auto& known = all.emplace_back(KnownSystem{&system, *offer});
    s.measure("told_system",
              {{"system", name},
               {"sharing", keys[static_cast<std::size_t>(known.offer)]},
               {"multiplier", known.multiplier()},
               {"both_scales_one", has_both_scales_one_by_the_factor(system)}},
              1);
    if (known.multiplies && known.offer == Sharing::never)
      never.insert(system.configuration.source.repository);
  }
  s.measure("never_repositories", {}, static_cast<double>(never.size()));
  return all;
}

}  // namespace

void sharing_is_not_needed(Section& s, const Options&) {
  constexpr const char* read = "read in their sources";
  const auto all = known_systems(s);
  for (std::size_t k = 0; k < sharings; ++k) {
    for (const bool multiplies : {true, false}) {
      const auto found = over<Tally>(all, [=](const KnownSystem& known) {
        return known.multiplies == multiplies && known.offer == static_cast<Sharing>(k);
      });
      s.measure("systems_by_sharing",
                {{"sharing", keys[k]}, {"multiplier", multiplies ? "sqrt(d_model)" : "other"}},
                found, read);
    }
    s.measure("place_in_figure", {{"sharing", keys[k]}}, static_cast<double>(k + 1));
  }
  s.measure_failures("census_disagreements", {{"classes", sharings}},
                     "some_multiply_and_never_share");
  const auto without = over<Tally>(all, [](const KnownSystem& known) {
    return known.multiplies && known.offer == Sharing::never;
  });
  s.measure("multiplying_without_sharing", {{"sharing", "never"}}, without, read);
  const auto both = over<Tally>(all, [](const KnownSystem& known) {
    return known.multiplies && has_both_scales_one_by_the_factor(*known.system);
  });
  s.measure("shared_with_both_scales_one", {{"tied", true}}, both, "closed form, over the atlas");
}

void measure_own_logits_of_systems(Section& s) {
  Tally beyond;
  for (const System& system : atlas::installed()) {
    const auto& output = system.scales.output;
    const auto& c = system.configuration;
    if (!output.own_logit.value || !output.logit_std.value) continue;
    const double ratio = *output.own_logit.value / *output.logit_std.value;
    if (const auto words = c.model.vocabulary)
      beyond.evaluate([&] { return ratio > change_of_regime(static_cast<std::uint64_t>(*words)); });
    const Place at{{"system", c.name}};
    s.measure("own_logit", at, *output.own_logit.value,
              "closed form to leading order, over the atlas");
    s.measure("system_ratio", Place(at).set("link", atlas::linked(c)), ratio);
    s.measure("system_logit_std", at, *output.logit_std.value);
    if (output.initial_loss.value) s.measure("system_loss", at, *output.initial_loss.value);
  }
  s.measure("systems_beyond", {}, beyond);
}

}  // namespace embedscale::tied_output_analysis
