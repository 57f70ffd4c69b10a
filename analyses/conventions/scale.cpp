// Which scale real programs start from: the multiplier with its law, and one formula in four
// frameworks.
#include "properties/conventions/scale.hpp"

#include "conventions/sections.hpp"
#include "properties/conventions/moments.hpp"

namespace embedscale::conventions_analysis {
namespace {

/// What the ratio of a system comes from, for a reader to follow by hand.
void measure_arithmetic(Section& s, const System& of) {
  const Place at{{"system", of.configuration.name}};
  const auto& input = of.scales.input;
  s.measure("entry_rms", at, *input.entry_rms.value);
  s.measure("multiplier", at, *multiplier_of(of));
  s.measure("token_rms", at, *input.token_rms.value);
  s.measure("position_rms", at, *input.position_rms.value);
}

Place place_of(const System& s) {
  return {{"system", s.configuration.name}, {"d_model", *s.configuration.model.d_model}};
}

bool scales_beside_sinusoids(const System& s) {
  return multiplies_by_root_d(s) &&
         s.configuration.position.kind == audit::PositionKind::sinusoidal;
}

/// Those that multiply by √d_model and add sinusoids, by ratio.
std::vector<const System*> scaled_with_sinusoids(const Systems& all) {
  std::vector<const System*> chosen;
  for (const System& s : all)
    if (scales_beside_sinusoids(s) && ratio_of(s)) chosen.push_back(&s);
  if (chosen.empty()) throw std::invalid_argument("no system of the atlas multiplies by √d_model");
  std::ranges::stable_sort(chosen, {}, [](const System* s) { return *ratio_of(*s); });
  return chosen;
}

/// Those that add sinusoids to tokens that nothing multiplies.
void measure_unscaled(Section& s, const Systems& all) {
  for (const System& one : all)
    if (one.configuration.position.kind == audit::PositionKind::sinusoidal && ratio_of(one) &&
        multiplier_of(one) == 1.0)
      s.measure("unscaled_token_to_position",
                {{"system", one.configuration.name}, {"within_two", is_within(2, *ratio_of(one))}},
                *ratio_of(one), by_audit);
}

}  // namespace

void multiplier_sets_the_scale(Section& s, const Options&) {
  measure_scales(s, atlas::installed());
}

void measure_scales(Section& s, const Systems& all) {
  const auto chosen = scaled_with_sinusoids(all);
  for (const System* one : chosen) {
    const auto at = place_of(*one);
    s.measure("token_to_position", at, *ratio_of(*one), by_audit);
    auto known = at;
    known.set("link", linked(one->configuration))
        .set("within_root_two", is_within(std::numbers::sqrt2, *ratio_of(*one)))
        .set("within_two", is_within(2, *ratio_of(*one)))
        .set("within_four", is_within(4, *ratio_of(*one)));
    const auto d = static_cast<double>(*one->configuration.model.d_model);
    s.measure("sigma_times_root_d", known, *one->scales.input.entry_rms.value * std::sqrt(d));
  }
  measure_atlas(s, all);
  measure_unscaled(s, all);
  s.measure("systems_without_a_ratio", {}, over<Tally>(all, [](const System& one) {
              return scales_beside_sinusoids(one) && !ratio_of(one);
            }));
  const auto unbalanced =
      over<Tally>(chosen, [](const System* one) { return !is_within(2, *ratio_of(*one)); });
  s.measure("unbalanced_systems", {{"factor", 2}}, unbalanced, by_audit);
  s.measure("smallest_ratio", place_of(*chosen.front()), *ratio_of(*chosen.front()), by_audit);
  s.measure("largest_ratio", place_of(*chosen.back()), *ratio_of(*chosen.back()), by_audit);
  if (unbalanced.hits() > 0) measure_arithmetic(s, *chosen.back());
  s.measure_worst("worst_share_of_bound", {}, "ratio_is_root_two_m_sigma");
}

namespace {

/// "uniform on ±0.07", "normal, σ = 1": of the programs' laws.
std::string law_of(const audit::Distribution& law) {
  const bool uniform = law.kind == audit::Distribution::Kind::uniform;
  return std::string(audit::name_of(law.kind)) + (uniform ? " on ±" : ", σ = ") + law.written;
}

/// Dive into Deep Learning's programs, in the order of its tabs.
void measure_programs(Section& s) {
  const System* programs[] = {&atlas::named("d2l_pytorch"), &atlas::named("d2l_mxnet"),
                              &atlas::named("d2l_tensorflow"), &atlas::named("d2l_jax")};
  Tally different;
  for (const System* one : programs) {
    const auto& c = one->configuration;
    s.measure("token_to_position", place_of(*one), *ratio_of(*one), by_audit);
    measure_arithmetic(s, *one);
    s.measure("program", {{"system", c.name}, {"link", linked(c)}, {"law", law_of(*c.token.law)}},
              1);
    for (const System* other : programs) {
      if (other == one) break;
      different.evaluate([&] {
        const double quotient = *ratio_of(*one) / *ratio_of(*other);
        return std::abs(quotient - 1) > 2 * rounding_of_formulas;
      });
    }
  }
  s.measure("programs_that_differ", {{"pairs", different.cases()}}, different, by_audit);
  if (different.hits() > 0)
    s.measure(
        "quotient_of_ratios",
        {{"one", programs[0]->configuration.name}, {"other", programs[3]->configuration.name}},
        *ratio_of(*programs[0]) / *ratio_of(*programs[3]));
}

/// At which of the widths 1 … 2^14 the four laws have fewer than four second moments.
void measure_meeting(Section& s) {
  constexpr std::size_t widest = 1 << 14;
  std::string widths;
  Tally meeting;
  for (std::size_t d = 1; d <= widest; ++d)
    if (meeting.evaluate([&] { return second_moments(d, primitives) != 4; }))
      widths += (widths.empty() ? "" : " and ") + count(d);
  s.measure("widths_where_defaults_meet", {{"widths", "1 to " + std::to_string(widest)}}, meeting,
            "exhaustive");
  s.measure_failures("widths_where_defaults_meet", {{"other_than_stated", true}},
                     "default_laws_have_four_second_moments");
  s.measure("meeting", {{"widths", widths}}, meeting);
}

void measure_laws(Section& s, const Options& options) {
  constexpr std::array labels{"N(0, 1): PyTorch", "U(±0.07): MXNet", "U(±0.05): Keras",
                              "N(0, 1/d): Flax"};
  for (std::size_t k = 0; k < labels.size(); ++k)
    s.sweep(by_audit, {{"law", labels[k]}}, axis("d_model", even_widths(options)),
            [k](std::uint64_t d) {
              return Values{
                  {"ratio_of_law",
                   start_of(default_laws(d)[k], root_multiplier<double>(d), {d, 0}, primitives)}};
            });
  s.measure("balance", {}, 1.0);
}

}  // namespace

void one_text_one_start(Section& s, const Options& options) {
  measure_programs(s);
  s.measure_worst("worst_share_of_bound", {}, "variance_is_the_second_moment");
  measure_meeting(s);
  measure_laws(s, options);
}

}  // namespace embedscale::conventions_analysis
