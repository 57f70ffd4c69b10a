// What the first attention's logits consist of: products of tokens and positions.
#include <embedscale/expected/projection.hpp>

#include <numbers>

#include "atlas/atlas.hpp"
#include "attention/sections.hpp"

namespace embedscale::attention_analysis {
namespace {

using expected::TermShares;

Values values_of(const TermShares& shares) {
  return {{"share_token_token", shares.token_token},
          {"share_token_position", shares.token_position},
          {"share_position_token", shares.position_token},
          {"share_position_position", shares.position_position}};
}

/// The parametrisations; tables of other laws: N(0, σ²) with √d_model and without, Xavier on
/// (V, d_model) with it. Positions are sinusoids.
void measure_inputs(Section& s, const Options& options) {
  const std::string method = "closed form, over weights and tokens, i ≠ j";
  const auto widths = points(options.widths, few_widths);
  for (const auto d : widths)
    for (const auto& input : parametrisations(d)) {
      const Place at{{"input", input.name}, {"d_model", d}};
      const auto shares = expected::term_shares(input.token, input.position);
      s.sweep(method, at, [&] { return values_of(shares); });
      if (d != said_of(widths, 512)) continue;
      for (const auto& [term, share] : {std::pair("token·token", shares.token_token),
                                        {"token·position", shares.token_position},
                                        {"position·token", shares.position_token},
                                        {"position·position", shares.position_position}})
        s.measure("example_share", Place(at).set("term", term), share);
    }
  const auto shares_of = [](double token) { return values_of(expected::term_shares(token, 0.5)); };
  s.sweep(method, {{"input", "table of this std"}},
          axis("std", points(options.deviations, std::array{0.02, 1.0})),
          axis("multiplier", std::array{"1", "√d_model"}), axis("d_model", widths),
          [&](double sigma, std::string_view multiplier, std::uint64_t d) {
            const double squared = multiplier == "1" ? 1 : static_cast<double>(d);
            return shares_of(squared * sigma * sigma);
          });
  constexpr std::array<std::uint64_t, 4> vocabularies{100, 1000, 37000, 256000};
  s.sweep(method, {{"input", "Xavier table"}, {"multiplier", "√d_model"}},
          axis("vocabulary", points(options.vocabulary, vocabularies)), axis("d_model", widths),
          [&](std::uint64_t v, std::uint64_t d) {
            const auto width = static_cast<double>(d);
            return shares_of(width * 2 / (static_cast<double>(v) + width));
          });
}

double token_share(const audit::Audit& s) { return *s.scales.first_layer.token_token.value; }

/// Systems that add positions and record what their shares hang on, by their first share.
std::vector<audit::Audit> systems_with_first_logits() {
  auto systems = atlas::installed();
  std::erase_if(systems, [](const audit::Audit& s) {
    return !audit::adds_positions(s.configuration.position.kind) ||
           !s.scales.first_layer.token_token.value;
  });
  if (systems.empty()) throw std::invalid_argument("no system of the atlas tells its first logits");
  std::ranges::stable_sort(systems, {}, token_share);
  return systems;
}

void measure_systems(Section& s) {
  const auto systems = systems_with_first_logits();
  for (const auto& system : systems) {
    const auto& c = system.configuration;
    const auto& first = system.scales.first_layer;
    const Place at{{"system", c.name}};
    s.sweep("audit of the system's configuration", at, [&] {
      return values_of({*first.token_token.value, *first.token_position.value,
                        *first.position_token.value, *first.position_position.value});
    });
    s.measure("system_width", Place(at).set("link", atlas::linked(c)),
              static_cast<double>(c.model.d_model.value_or(0)));
    if (token_share(system) <= 0.5) s.measure("share_not_leading", at, token_share(system));
  }
  const auto led = over<Tally>(systems, [](const auto& one) { return token_share(one) > 0.5; });
  s.measure("systems_not_led_by_tokens", {{"systems", systems.size()}}, led.misses(),
            "closed form, over the atlas");
  s.measure("systems_led_by_tokens", {}, led);
}

/// E z² beside that of different tokens: normal tokens, up, positions 0 and 1 for one token.
void measure_ratios(Section& s, const Options& options) {
  for (const auto d : points(options.widths, few_widths)) {
    const auto width = static_cast<std::size_t>(d);
    double overlap = 0;
    for (const double w : sinusoidal_frequencies<double>(width, FrequencyRule::paper))
      overlap += std::cos(w) / static_cast<double>(d);
    for (const auto& [pair, ratio] :
         {std::pair("i = j", expected::at_one_position(1, 0.5, 3, width)),
          {"one token at positions 0 and 1", expected::of_one_token(1, 0.5, 3, overlap, width)}})
      s.sweep("closed form, normal tokens, up", {{"d_model", d}, {"pair", pair}}, [&, r = ratio] {
        return Values{{"second_moment_ratio", r}, {"second_moment_excess", r - 1}};
      });
  }
}

/// By the ratio of the parts' RMS, and where the inputs stand.
void measure_share_curves(Section& s) {
  const auto at = [](double ratio) { return expected::term_shares(ratio * ratio, 1); };
  for (int k = -24; k <= 24; ++k) {
    const double ratio = std::exp2(k / 4.0);
    const auto shares = at(ratio);
    for (const auto& [terms, share] :
         {std::pair("token·token", shares.token_token),
          {"token·position + position·token", shares.token_position + shares.position_token},
          {"position·position", shares.position_position}})
      s.measure("share_by_ratio", {{"terms", terms}, {"ratio", ratio}}, share);
  }
  for (const auto& [input, ratio] : {std::pair("up, down, folded", std::numbers::sqrt2),
                                     {"unscaled, d_model = 512", std::sqrt(2.0 / 512)}})
    s.measure("share_of_input", {{"input", input}, {"ratio", ratio}}, at(ratio).token_token);
  s.measure("half", {}, 0.5);
  s.measure("ratio_at_half", {}, std::sqrt(1 + std::numbers::sqrt2));
  const auto up = parametrisations(2)[0];
  s.measure("share_by_key", {{"input", up.name}}, up.token / up.all());
}

}  // namespace

void first_layer_terms(Section& s, const Options& options) {
  measure_inputs(s, options);
  measure_systems(s);
  measure_ratios(s, options);
  s.measure_failures("moment_disagreements", {}, "mean_squares_are_those_of_lengths");
  s.measure_worst("worst_share_of_bound", {}, "shares_are_those_of_the_ratio");
  measure_share_curves(s);
}

}  // namespace embedscale::attention_analysis
