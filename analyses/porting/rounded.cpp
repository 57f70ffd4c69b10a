// A port by √d_model of a model that multiplies by the rounded root: what is off, and by how much.
#include <embedscale/format.hpp>

#include "atlas/atlas.hpp"
#include "porting/sections.hpp"
#include "properties/porting/unrounded.hpp"
#include "properties/precision/rounded_root.hpp"

namespace embedscale::porting_analysis {
namespace {

using properties::precision::rounded_root::error_of_root;

struct Kept {
  const char* name;
  Computing computing;
};
constexpr Kept formats[] = {{"binary32", Computing::binary32},
                            {"binary16", Computing::binary16},
                            {"bfloat16", Computing::bfloat16}};

constexpr std::array<std::uint64_t, 12> rounded_widths{512,  640,  768,  1024, 1152, 1536,
                                                       2048, 2304, 2560, 3072, 3584, 3840};

void measure_widths(Section& s, const Options& options) {
  for (const auto d : points(options.widths, rounded_widths)) {
    s.measure("unrounded", {{"d_model", d}}, std::sqrt(static_cast<double>(d)));
    for (const auto& [name, computing] : formats) {
      const double m = rounded_root(d, computing);
      s.measure("rounded", {{"format", name}, {"d_model", d}}, m);
      const double error = error_of_root(m, d);  // m/√d − 1
      s.measure("token_part_off", {{"format", name}, {"d_model", d}}, -error / (1 + error),
                "closed form");
    }
  }
}

/// Systems that multiply by a root that they round.
void measure_systems(Section& s) {
  for (const auto& system : atlas::installed()) {
    const auto& m = atlas::multiplier_of(system);
    const auto& meant = atlas::meant_multiplier_of(system);
    if (!m || !meant || !atlas::multiplies_by_root_d(system)) continue;
    const auto& c = system.configuration;
    s.measure("system_off",
              {{"system", c.name},
               {"format", std::string(audit::name_of(c.token.format))},
               {"address", atlas::linked(c)}},
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
void measure_models(Section& s, const Options& options) {
  for (const auto& of : arrangements) {
    Convention<double> from{.bias = false, .tied = false};
    from.multiplier = rounded_root(drawn_width, Computing::bfloat16);
    from.positions.source = of.positions;
    auto to = from, said = from;
    to.multiplier = 1;
    said.multiplier = std::sqrt(static_cast<double>(drawn_width));
    const Stream stream(options.seed, "porting/unrounded");
    properties::optimizer::Numbers numbers(stream, 0);
    const Body body{64, 8, drawn_width, Norm::rms_norm, of.norms, Loss::cross_entropy, 1e-6};
    const Port<double> port{drawn_checkpoint(from, body, numbers), to};
    const auto recipe = primitives.of<double>().recipe(said, to, {});
    const auto ported = port.by(recipe, primitives.of<double>()).model;
    const auto [input, normed, stream_off, logits] = off(port.from.model, ported, Norm::rms_norm);
    const Place at{{"model", of.name}, {"d_model", drawn_width}};
    const auto example = [&](const char* quantity, double value) {
      s.measure(quantity, at, Value::example(value), "one drawn model, binary64");
    };
    example("input_off", input), example("normed_off", normed);
    example("stream_off", stream_off), example("logits_off", logits);
  }
}

}  // namespace

void rounded_multiplier_is_the_function(Section& s, const Options& options) {
  s.measure_failures("function_disagreements", {}, "rounded_multiplier_keeps_the_function");
  s.measure_failures("misport_disagreements", {}, "another_multiplier_moves_inputs_as_stated");
  for (const auto* quantity : {"roots_off_on_condition", "other_roots_that_agree"})
    for (const auto& format : formats)
      s.measure_failures(quantity, {{"format", format.name}},
                         "the_multiplier_is_the_root_where_the_format_has_it");
  measure_widths(s, options);
  measure_systems(s);
  measure_models(s, options);
  // By what RMSNorm shows of ρ, over ρ: a token part of so many times the position's length, at a
  // right angle. ‖t‖·‖p‖/‖x‖², to first order in ρ.
  for (int k = -24; k <= 24; ++k) {
    const double ratio = std::exp2(k / 4.0);
    s.measure("turn", {{"ratio", ratio}}, ratio / (1 + ratio * ratio));
  }
}

}  // namespace embedscale::porting_analysis
