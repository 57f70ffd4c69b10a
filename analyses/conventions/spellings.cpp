// Two ways to spell the scale of a shared table, and which systems spell it which way.
#include "properties/conventions/spellings.hpp"

#include <cmath>

#include "conventions/sections.hpp"
#include "properties/domain/rationals.hpp"
#include "report/table.hpp"

namespace embedscale::conventions_analysis {
namespace {

using namespace properties::conventions;

constexpr const char* exact = "exact rationals";
const Primitives primitives;

enum class Spelled { first, second, otherwise };

bool is_one(double x) { return std::abs(x - 1) < rounding_of_formulas; }

/// first: σ = d^−½, times √d. second: σ = 1, times 1.
Spelled spelling_of(const System& s) {
  const auto& sigma = s.scales.input.entry_rms.value;
  const auto& m = meant_multiplier_of(s);
  const auto& d = s.configuration.model.d_model;
  if (!sigma || !d || !m) return Spelled::otherwise;
  const double root = std::sqrt(static_cast<double>(*d));
  if (is_one(*sigma * root) && is_one(*m / root)) return Spelled::first;
  return is_one(*sigma) && is_one(*m) ? Spelled::second : Spelled::otherwise;
}

std::string output_of(const System& s) {
  const auto& output = s.configuration.output;
  if (!output.tied) return "not recorded";
  if (!*output.tied) return "separate";
  return "shared, × " + (output.multiplier ? significant(*output.multiplier, 3) : "?");
}

using Draws = properties::domain::RationalDraws;

/// At the rate that follows m the steps agree; at one rate they part wherever they could.
void measure_steps(Section& s, const Draws& draws, std::uint64_t n, Step step) {
  const char* kind = step == Step::by_gradient ? "by gradient" : "by sign";
  const auto upstream = [&](std::uint64_t i) {
    return Upstream{draws.any(i, 8), draws.any(i, 9), draws.any(i, 10)};
  };
  const auto agree = [&](std::uint64_t i, const Rational& rate_on_table) {
    return two_steps_agree(step, draws.any(i, 2), upstream(i), draws.positive(i, 0),
                           draws.positive(i, 1), rate_on_table, primitives);
  };
  s.decide("step_disagreements", none_of(Part::belief, n), exact,
           [&](std::uint64_t i) {
             return !agree(
                 i, following_rate(step, draws.positive(i, 1), draws.positive(i, 0), primitives));
           },
           {{"step", kind}, {"rate", "follows"}});
  const auto parted = over<Tally>(n, [&](std::uint64_t i) -> std::optional<bool> {
    const Rational m = draws.positive(i, 0);
    // One rate is the rate that follows, or nothing moves.
    if (m == 1 || upstream(i).slope(first_spelling(m), primitives) == 0) return {};
    return !agree(i, draws.positive(i, 1));
  });
  s.measure("step_disagreements", {{"step", kind}, {"rate", "the same"}}, parted, exact,
            all_of(Part::necessity, parted.cases()));
}

void measure_systems(Section& s, const Systems& all, Spelled spelled) {
  const bool first = spelled == Spelled::first;
  const auto those =
      over<Tally>(all.size(), [&](std::uint64_t i) { return spelling_of(all[i]) == spelled; });
  s.measure("systems_by_spelling", {{"deviation", first ? "d_model^-0.5" : "1"}}, those,
            read_in_sources);
  for (const System& system : all) {
    if (spelling_of(system) != spelled) continue;
    const auto& [c, scales, findings] = system;
    const auto& logit = scales.output.logit_std.value;
    const bool shared = c.output.tied == true;
    const Place at{{"system", c.name}};
    auto known = at;
    known.set("spelling", first ? "first" : "second")
        .set("link", linked(c))
        .set("output", output_of(system))
        .set("shared", shared)
        .set("unit_logits", shared && logit && is_one(*logit));
    s.measure("token_rms", known, *scales.input.token_rms.value);
    if (logit) s.measure("logit_std", at, *logit);
    s.measure("adam_relative_step", at, *scales.adam_relative_step.value, by_audit);
  }
}

}  // namespace

void two_spellings_one_model(Section& s, const Options& options, const Systems& all) {
  const Draws draws(options.seed, s.claim().id, 16);
  const std::uint64_t n = options.samples;
  s.decide("function_disagreements", none_of(Part::belief, n), exact,
           [&](std::uint64_t i) {
             const Rational m = draws.positive(i, 0);
             return !inputs_agree(draws.any(i, 1), draws.any(i, 2), m, primitives) ||
                    !logits_agree_by_the_factor(draws.channels(i, 1, 3), draws.channels(i, 4, 3), m,
                                                primitives);
           },
           {{"logits_times", "1/m"}});
  for (const auto step : {Step::by_gradient, Step::by_sign}) measure_steps(s, draws, n, step);
  for (const auto spelled : {Spelled::first, Spelled::second}) measure_systems(s, all, spelled);
}

}  // namespace embedscale::conventions_analysis
