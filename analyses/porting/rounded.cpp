// A port by √d_model of a model that multiplies by the rounded root: what is off, and by how much.
#include <embedscale/format.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "conventions/atlas.hpp"
#include "porting/sections.hpp"
#include "properties/porting/unrounded.hpp"
#include "properties/precision/rounded_root.hpp"

namespace embedscale::porting_analysis {
namespace {

using namespace properties::porting;
using properties::Part;
using properties::precision::rounded_root::error_of_root,
    properties::precision::rounded_root::has_root_in_format;

constexpr const char *exact = "exact rationals", *exhaustive = "exhaustive";
const Primitives primitives;

struct Kept {
  const char* name;
  Computing computing;
};
constexpr Kept formats[] = {{"binary32", Computing::binary32},
                            {"binary16", Computing::binary16},
                            {"bfloat16", Computing::bfloat16}};

/// √d/m − 1.
double off_by(double m, std::uint64_t d) {
  const double error = error_of_root(m, d);  // m/√d − 1
  return -error / (1 + error);
}

void measure_exactly(Section& s, const Options& options) {
  const Stream stream(options.seed, s.claim().id);
  const auto& of = primitives.of<Rational>();
  s.decide("function_disagreements", none_of(Part::statement, options.samples), exact,
           [&](std::uint64_t i) {
             const std::uint64_t d = 1 + stream.below(16384, 128 * i + 1);
             auto from = convention_of<Rational>(stream.below(all_conventions, 128 * i));
             from.multiplier = Rational(rounded_root(d, formats[i % 3].computing));
             auto to = from;
             to.multiplier = Rational(1);
             to.logit_factor = from.logit_factor.value_or(Rational(1));
             const Port<Rational> at{exact_checkpoint(from, stream, 128 * i + 2), to};
             return function_distance(at, at.done(of).model) != 0;
           });
  const properties::domain::RationalDraws draws(options.seed, s.claim().id, 16);
  s.decide("misport_disagreements", none_of(Part::statement, options.samples), exact,
           [&](std::uint64_t i) {
             return !moves_as_stated<Rational>({draws.channels(i, 0, 3), draws.channels(i, 3, 3),
                                                draws.positive(i, 6), draws.positive(i, 7)},
                                               of);
           });
}

/// At every width up to 16384.
template <class Real>
void measure_roots(Section& s) {
  Tally off, alike;
  for (std::uint64_t d = 1; d <= 16384; ++d) {
    const bool same = error_of_root(root_multiplier<Real>(d), d) == 0.0;
    if (has_root_in_format<Real>(d))
      off.evaluate([&] { return !same; });
    else
      alike.evaluate([&] { return same; });
  }
  const Place at{{"format", FormatTraits<Real>::name}};
  s.decide_none("roots_off_on_condition", at, off, Part::belief, exhaustive);
  s.decide_none("other_roots_that_agree", at, alike, Part::necessity, exhaustive);
}

constexpr std::array<std::uint64_t, 12> shown_widths{512,  640,  768,  1024, 1152, 1536,
                                                     2048, 2304, 2560, 3072, 3584, 3840};

void measure_widths(Section& s, const Options& options) {
  for (const auto d : points(options.widths, shown_widths)) {
    s.measure("unrounded", {{"d_model", d}}, std::sqrt(static_cast<double>(d)));
    for (const auto& [name, computing] : formats) {
      const double m = rounded_root(d, computing);
      s.measure("rounded", {{"format", name}, {"d_model", d}}, m);
      s.measure("token_part_off", {{"format", name}, {"d_model", d}}, off_by(m, d), "closed form");
    }
  }
}

/// Systems that multiply by a root that they round.
void measure_systems(Section& s) {
  for (const auto& system : conventions_analysis::installed_atlas()) {
    const auto& m = conventions_analysis::multiplier_of(system);
    const auto& meant = conventions_analysis::meant_multiplier_of(system);
    if (!m || !meant || !conventions_analysis::multiplies_by_root_d(system)) continue;
    const auto& c = system.configuration;
    s.measure("system_off",
              {{"system", c.name},
               {"format", std::string(audit::name_of(c.token.format))},
               {"address", conventions_analysis::linked(c)}},
              *meant / *m - 1, "the atlas");
  }
}

/// A model of 48 channels whose root bfloat16 rounds as it rounds √3072, which is 8 times as large.
constexpr std::uint64_t drawn_width = 48;

struct Arrangement {
  const char* name;
  PositionVectors::Source positions;
  NormPlacement norms;
};
constexpr Arrangement arrangements[] = {
    {"pre-norm, no added positions", PositionVectors::Source::none, NormPlacement::pre},
    {"pre-norm, sinusoids", PositionVectors::Source::sinusoids, NormPlacement::pre},
    {"post-norm, sinusoids", PositionVectors::Source::sinusoids, NormPlacement::post}};

/// RMSNorm with Gemma's ε, an output of its own, 8 tokens.
Off off_of(std::uint64_t seed, const Arrangement& of) {
  const auto d = static_cast<std::size_t>(drawn_width);
  Convention<double> from{.bias = false, .tied = false};
  from.multiplier = rounded_root(drawn_width, Computing::bfloat16);
  from.positions.source = of.positions;
  auto to = from, said = from;
  to.multiplier = 1;
  said.multiplier = std::sqrt(static_cast<double>(drawn_width));
  const Stream stream(seed, "porting/unrounded");
  properties::optimizer::Numbers numbers(stream, 0);
  const Body body{64, 8, d, Norm::rms_norm, of.norms, Loss::cross_entropy, 1e-6};
  const Port<double> at{drawn_checkpoint(from, body, numbers), to};
  const auto recipe = primitives.of<double>().recipe(said, to, {});
  return off(at.from.model, at.by(recipe, primitives.of<double>()).model, Norm::rms_norm);
}

void measure_models(Section& s, const Options& options) {
  for (const auto& arrangement : arrangements) {
    const Off off = off_of(options.seed, arrangement);
    const Place at{{"model", arrangement.name}, {"d_model", drawn_width}};
    const auto example = [&](const char* quantity, double value) {
      s.measure(quantity, at, Value::example(value), "one drawn model, binary64");
    };
    example("input_off", off.input), example("normed_off", off.normed);
    example("stream_off", off.stream), example("logits_off", off.logits);
  }
}

/// By what RMSNorm shows of ρ, over ρ: a token part of so many times the position's length, at a
/// right angle. ‖t‖·‖p‖/‖x‖², to first order in ρ.
void measure_turn(Section& s) {
  for (int k = -24; k <= 24; ++k) {
    const double ratio = std::exp2(k / 4.0);
    s.measure("turn", {{"ratio", ratio}}, ratio / (1 + ratio * ratio));
  }
}

}  // namespace

void rounded_multiplier_is_the_function(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_roots<float>(s);
  measure_roots<binary16>(s);
  measure_roots<bfloat16>(s);
  measure_widths(s, options);
  measure_systems(s);
  measure_models(s, options);
  measure_turn(s);
}

}  // namespace embedscale::porting_analysis
