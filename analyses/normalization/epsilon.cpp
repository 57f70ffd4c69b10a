// ε as the scale that a norm remembers: by how much up and down differ behind it, in closed form,
// by running norms, and in real systems.
#include <embedscale/embedding.hpp>
#include <embedscale/expected/first_layer.hpp>

#include <functional>
#include <map>
#include <optional>
#include <ranges>

#include "atlas/atlas.hpp"
#include "audit/parts.hpp"
#include "normalization/sections.hpp"
#include "properties/normalization/initial_block.hpp"
#include "properties/normalization/rounding.hpp"
#include "report/loops.hpp"

namespace embedscale::normalization_analysis {
namespace {

using atlas::System;
using expected::Norm;

bool centres(const Norm& norm) { return norm.kind == Norm::Kind::layer_norm; }

/// The mean square that such a norm divides √d·e + p by: e of deviation d^−½, sinusoids over
/// positions 0 … L−1.
double mean_square_up(std::uint64_t d, const Norm& norm, std::uint64_t length) {
  const double width = static_cast<double>(d), sigma = usual_sigma(d);
  expected::Input input{.width = static_cast<std::size_t>(d),
                        .token_mean_square = width * sigma * sigma};
  input.position =
      expected::SinusoidalTable{sinusoidal_frequencies<double>(d, FrequencyRule::paper), 0,
                                static_cast<std::int64_t>(length), 1};
  return centres(norm) ? expected::centred_mean_square(input) : expected::mean_square(input);
}

/// 1 − RMS of what comes out for that input divided by √d over that for itself.
double deviation_down(double mean_square, const Norm& norm, std::uint64_t d) {
  return expected::epsilon_deviation(mean_square, norm, root_multiplier<double>(d));
}

const std::vector<std::uint64_t> norm_widths{16,   32,   64,   128,  256,  512,
                                             1024, 2048, 4096, 8192, 16384};

/// The norms that the sweep goes over: RMSNorm's mean square is that of the input, so it needs no
/// sum over positions.
constexpr auto under = EpsilonPlacement::variance, beside = EpsilonPlacement::standard_deviation;
constexpr Norm swept[] = {
    {Norm::Kind::rms_norm, 1e-12, under}, {Norm::Kind::rms_norm, 1e-6, under},
    {Norm::Kind::rms_norm, 1e-5, under},  {Norm::Kind::rms_norm, 1e-3, under},
    {Norm::Kind::rms_norm, 1e-6, beside}, {Norm::Kind::rms_norm, 1e-3, beside}};

/// The first width from 2 to 2^24 at which up and down differ by more than `much`.
std::optional<std::uint64_t> first_width(double much, const Norm& norm) {
  constexpr std::uint64_t end = (1 << 24) + 1;
  const auto first = first_that(2, end, [&](std::uint64_t d) {
    const double sigma = usual_sigma(d), width = static_cast<double>(d);
    return deviation_down(width * sigma * sigma + 0.5, norm, d) > much;
  });
  return first == end ? std::nullopt : std::optional(first);
}

void sweep(Section& s, const Options& options) {
  const auto widths = axis("d_model", points(options.widths, norm_widths));
  for (const auto& norm : swept) {
    const Place at{{"epsilon", norm.epsilon}, {"added", name_of(norm.placement)}};
    for (const double much : {0.001, 0.01})
      if (const auto from = first_width(much, norm))
        s.measure("width_of_deviation", Place(at).set("deviation", much),
                  static_cast<double>(*from), "closed form, the first width above");
    s.sweep("closed form", Place(at).set("norm", "rms_norm"), widths, [&](std::uint64_t d) {
      const double square = mean_square_up(d, norm, 1);
      return Values{{"epsilon_deviation", deviation_down(square, norm, d)}};
    });
  }
}

/// The norms that are run, for two ε in use.
constexpr BlockNorm<double> runs[] = {{NormKind::layer_norm, 1e-5},
                                      {NormKind::rms_norm, 1e-5},
                                      {NormKind::layer_norm, 1e-3},
                                      {NormKind::rms_norm, 1e-3}};

/// The mean squares of what each norm makes of a drawn token, down and up.
using Squares = std::array<std::pair<double, double>, std::size(runs)>;
std::vector<Squares> squares_of(const InitialTokens& at, std::uint64_t tokens,
                                const Stream& stream) {
  const auto frequencies = sinusoidal_frequencies<double>(at.d, FrequencyRule::paper);
  std::vector<Squares> all(tokens);
  in_parallel(tokens, [&](std::uint64_t i) {
    const auto token = [&](Scaled way) { return initial_token(at, way, i, frequencies, stream); };
    const auto up = token(Scaled::up), down = token(Scaled::down);
    for (std::size_t k = 0; k < all[i].size(); ++k) {
      const auto square = [&](const std::vector<double>& x) {
        return mean_square(normalized(x, runs[k], library<double>));
      };
      all[i][k] = {square(down), square(up)};
    }
  });
  return all;
}

/// The same by running the norms on drawn tokens and sinusoids: on the more tokens, the fewer
/// channels each has.
void draw(Section& s, const Options& options) {
  for (const auto d : points(options.widths, std::vector<std::uint64_t>{64, 512, 1024, 4096})) {
    const InitialTokens at{static_cast<std::size_t>(d), 64, usual_sigma(d)};
    const auto squares =
        squares_of(at, std::clamp<std::uint64_t>(options.samples / d, 1, 64) * at.n,
                   {options.seed, std::string(s.claim().id) + "/tokens/" + std::to_string(d)});
    for (std::size_t k = 0; k < std::size(runs); ++k) {
      const auto norm = expected_of(runs[k]);
      const Place place{{"d_model", d},
                        {"epsilon", norm.epsilon},
                        {"norm", centres(norm) ? "layer_norm" : "rms_norm"}};
      s.measure("expected_deviation_of_draws", place,
                deviation_down(mean_square_up(d, norm, at.n), norm, d));
      const auto ratio =
          over<Quotient>(squares, [=](const Squares& of_token) { return of_token[k]; });
      s.measure("epsilon_deviation_of_draws", place,
                ratio.with_error(NormalConfidence::p999).mapped([](double of_squares) {
                  return 1 - std::sqrt(std::max(0.0, of_squares));
                }),
                "drawn tokens at positions 0 … 63, through the norm");
    }
  }
}

/// What stands in for the sizes that a source leaves to its users.
constexpr std::int64_t usual_vocabulary = 32000, usual_positions = 512;

/// The first norm of a system, which reads √d·e + p at its own width, whatever it does itself; and
/// as it starts itself.
struct FirstNorm {
  const System* system;
  Norm norm;
  std::uint64_t d;
  double mean_square, of_paper;
  audit::Quantity own{};  ///< by how much up and down differ if it starts as it does
  Place filled_in{};      ///< the sizes that stand in

  bool is_told() const { return own.missing.empty(); }
  /// The audit's figure, with usual sizes where nothing else is missing.
  void start_as_itself() {
    own = system->scales.scaled_down.epsilon_deviation;
    if (own.value) return;
    auto c = system->configuration;
    Place filled;
    const auto fill = [&](const char* name, audit::Integer& size, std::int64_t usual) {
      if (size) return;
      size = usual;
      filled.set(name, usual);
    };
    fill("vocabulary", c.model.vocabulary, usual_vocabulary);
    fill("positions", c.model.positions, usual_positions);
    // What the record lacks stays said.
    own.value = audit::scales_of(c).scaled_down.epsilon_deviation.value;
    if (own.value) filled_in = filled;
  }
};

/// By how much ε makes of up against down with the paper's input, the most first.
std::vector<FirstNorm> first_norms() {
  std::vector<FirstNorm> all;
  std::map<std::pair<std::uint64_t, Norm::Kind>, double> squares;
  for (const System& system : atlas::installed()) {
    const auto& c = system.configuration;
    const auto norm = audit::first_norm(c).value;
    if (!norm || !c.model.d_model || *c.model.d_model % 2 != 0) continue;
    const auto d = static_cast<std::uint64_t>(*c.model.d_model);
    auto& square = squares[{d, norm->kind}];
    if (square == 0) square = mean_square_up(d, *norm, 512);
    all.push_back({&system, *norm, d, square, deviation_down(square, *norm, d)});
    all.back().start_as_itself();
  }
  if (all.empty()) throw std::invalid_argument("no system of the atlas has a norm with an epsilon");
  std::ranges::stable_sort(all, std::greater{}, &FirstNorm::of_paper);
  return all;
}

/// What a system may start from, by name; whether sizes stand in there.
struct Initialisation {
  const char* name;
  bool filled_in;
  std::optional<double> (*deviation)(const FirstNorm& of);
};
constexpr Initialisation starts[] = {
    {"the paper's", false, [](const FirstNorm& of) { return std::optional(of.of_paper); }},
    {"its own", false,
     [](const FirstNorm& of) { return of.is_told() ? of.own.value : std::nullopt; }},
    {"its own, filled in", true,
     [](const FirstNorm& of) { return of.is_told() ? std::nullopt : of.own.value; }}};

void measure_own_and_papers(Section& s, const Place& at, const FirstNorm& of) {
  for (const auto& start : starts) {
    const auto deviation = start.deviation(of);
    if (!deviation) continue;
    auto place = Place(at).set("start", start.name);
    if (start.filled_in)
      for (const auto& [size, usual] : of.filled_in) place.set(size, usual);
    s.measure("epsilon_deviation", place, *deviation, "closed form, over the atlas");
  }
  if (!of.is_told())
    s.measure("start_not_told",
              {{"system", at.at("system")},
               {"reason", of.own.missing},
               {"sizes_suffice", of.own.value.has_value()}},
              1);
}

/// How many of those that have such a start differ by more than so much.
void measure_counts(Section& s, const std::vector<FirstNorm>& all) {
  for (const auto& start : starts)
    for (const double much : {0.01, 0.001}) {
      const auto over_much = over<Tally>(all, [&](const FirstNorm& of) -> std::optional<bool> {
        const auto deviation = start.deviation(of);
        if (!deviation) return {};
        return *deviation > much;
      });
      s.measure("systems_over", {{"start", start.name}, {"deviation", much}}, over_much,
                "closed form, over the atlas");
    }
}

/// What ε makes of up against down in each system whose ε, even width and kind of norm are known.
void measure_epsilons_of_systems(Section& s) {
  const auto all = first_norms();
  for (const auto& of : all) {
    const auto& c = of.system->configuration;
    const Place at{{"system", c.name}, {"d_model", of.d}, {"epsilon", of.norm.epsilon}};
    measure_own_and_papers(s, at, of);
    auto known = at;
    known.set("address", atlas::linked(c))
        .set("norm", centres(of.norm) ? "LayerNorm" : "RMSNorm")
        .set("added", name_of(of.norm.placement));
    s.measure("mean_square_up", known, of.mean_square);
    const auto& own = of.system->scales.scaled_down;
    if (own.epsilon_shrinkage_up.value)
      s.measure("shrinkage_up", at, *own.epsilon_shrinkage_up.value);
    if (own.epsilon_shrinkage_down.value)
      s.measure("shrinkage_down", at, *own.epsilon_shrinkage_down.value);
    if (of.of_paper > 0.01) s.measure("system_over_one_percent", at, of.of_paper);
  }
  measure_counts(s, all);
}

}  // namespace

void epsilon_is_rescaled(Section& s, const Options& options) {
  s.measure_failures("rescaling_disagreements", {}, "by_the_square_or_by_the_factor");
  s.measure_failures("shrinkage_disagreements", {}, "it_only_shrinks");
  s.measure_worst("worst_share_of_bound", {}, "by_how_much_in_closed_form");
  sweep(s, options);
  draw(s, options);
  measure_epsilons_of_systems(s);
  // ε/s at which √(s/(s + ε)) is 0.99, and ε/√s at which √s/(√s + ε) is.
  s.measure("epsilon_of_one_percent", {{"added", name_of(under)}}, 1 / (0.99 * 0.99) - 1);
  s.measure("epsilon_of_one_percent", {{"added", name_of(beside)}}, 1 / 0.99 - 1);
}

}  // namespace embedscale::normalization_analysis
