// Two ways to spell the scale of a shared table, and which systems spell it which way.
#include "conventions/sections.hpp"
#include "report/table.hpp"

namespace embedscale::conventions_analysis {
namespace {

enum class Spelled { first, second, otherwise };

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

void measure_systems(Section& s, Spelled spelled) {
  const Systems& all = atlas::installed();
  const bool first = spelled == Spelled::first;
  const auto those =
      over<Tally>(all, [=](const System& one) { return spelling_of(one) == spelled; });
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

void two_spellings_one_model(Section& s, const Options&) {
  s.measure_failures("function_disagreements", {{"logits_times", "1/m"}}, "one_function");
  for (const auto& [step, property] : {std::pair("by gradient", "gradient_steps_follow_m_squared"),
                                       {"by sign", "sign_steps_follow_the_size_of_m"}}) {
    s.measure_failures("step_disagreements", {{"step", step}, {"rate", "follows"}}, property);
    s.measure_passes("step_disagreements", {{"step", step}, {"rate", "the same"}}, property);
  }
  for (const auto spelled : {Spelled::first, Spelled::second}) measure_systems(s, spelled);
}

}  // namespace embedscale::conventions_analysis
