// ε as the scale that a norm remembers: by how much up and down differ behind it.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include "normalization/sections.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/normalization/initial_block.hpp"
#include "properties/normalization/rounding.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using expected::Norm;

const Primitives primitives;
const std::vector<std::uint64_t> norm_widths{16,   32,   64,   128,  256,  512,
                                             1024, 2048, 4096, 8192, 16384};

/// The norms that the sweep goes over: RMSNorm's mean square is that of the input, so it needs no
/// sum over positions.
constexpr auto under = EpsilonPlacement::variance, beside = EpsilonPlacement::standard_deviation;
constexpr Norm swept[] = {
    {Norm::Kind::rms_norm, 1e-12, under}, {Norm::Kind::rms_norm, 1e-6, under},
    {Norm::Kind::rms_norm, 1e-5, under},  {Norm::Kind::rms_norm, 1e-3, under},
    {Norm::Kind::rms_norm, 1e-6, beside}, {Norm::Kind::rms_norm, 1e-3, beside}};

void measure_exactly(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  constexpr const char* exact = "exact numbers with a root";
  const properties::domain::RationalDraws draws(options.seed, s.claim().id, 32);
  const auto norm = [&](std::uint64_t i) {
    return NormOf<Surd>{i % 2 == 0 ? LayerKind::layer_norm : LayerKind::rms_norm,
                        i % 4 < 2 ? under : beside, Surd(draws.positive(i, 4))};
  };
  const auto x = [&](std::uint64_t i) { return surds(draws.channels(i, 0, 3)); };
  s.decide("rescaling_disagreements", none_of(Part::statement, n), exact, [&](std::uint64_t i) {
    return !epsilon_takes_the_factor(x(i), norm(i), Surd(draws.positive(i, 3)), primitives);
  });
  s.decide("shrinkage_disagreements", none_of(Part::statement, n), exact,
           [&](std::uint64_t i) { return !epsilon_only_shrinks(x(i), norm(i), primitives); });
  const Stream stream(options.seed, std::string(s.claim().id) + "/channels");
  Greatest worst;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(n, 1000); ++i)
    for (const auto& with : swept)
      worst.evaluate([&] {
        return deviation_share(drawn_channels<double>(stream, i),
                               {i % 2 == 0 ? LayerKind::layer_norm : LayerKind::rms_norm,
                                with.placement, with.epsilon},
                               root_multiplier<double>(norm_widths[i % norm_widths.size()]),
                               primitives);
      });
  s.measure("worst_share_of_bound", {}, worst,
            "the library's norms in 50 digits, on drawn channels",
            at_most(Part::statement, 1, worst.cases()));
}

/// The first width from 2 to 2^24 at which up and down differ by more than `much`.
std::optional<std::uint64_t> first_width(double much, const Norm& norm, const Options& options) {
  const auto more = [&](std::uint64_t d) {
    const double sigma = sigma_of(options, d), width = static_cast<double>(d);
    return deviation_down(width * sigma * sigma + 0.5, norm, d) > much;
  };
  std::uint64_t low = 1, high = 1 << 24;
  if (!more(high)) return {};
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (more(middle) ? high : low) = middle;
  }
  return high;
}

void sweep(Section& s, const Options& options) {
  const auto widths = axis("d_model", even_widths(options, norm_widths, 1 << 14));
  const std::uint64_t length = options.positions.empty() ? 512 : options.positions[0];
  for (const auto& norm : swept) {
    Place at{{"epsilon", norm.epsilon}, {"added", name_of(norm.placement)}};
    for (const double much : {0.001, 0.01})
      if (const auto from = first_width(much, norm, options))
        s.measure("width_of_deviation", Place(at).set("deviation", much),
                  static_cast<double>(*from), "closed form, the first width above");
    s.sweep("closed form", at.set("norm", "rms_norm"), widths, [&](std::uint64_t d) {
      const double square = mean_square_up(d, norm.kind, sigma_of(options, d), length);
      return Values{{"epsilon_deviation", deviation_down(square, norm, d)}};
    });
  }
}

/// 1 − RMS of what a norm makes of the tokens in `down` over that of `up`.
Value deviation_of_draws(const std::vector<double>& up, const std::vector<double>& down,
                         std::size_t d, const NormOf<double>& norm) {
  const auto squares = [&](const std::vector<double>& tokens) {
    return over<Sum>(tokens.size() / d, [&](std::uint64_t i) {
      const auto row = tokens.begin() + static_cast<std::ptrdiff_t>(i * d);
      return mean_square(
          normalized({row, row + static_cast<std::ptrdiff_t>(d)}, norm, library<double>));
    });
  };
  const auto of_down = squares(down);
  return {1 - std::sqrt(of_down.total() / squares(up).total()), of_down};
}

/// The same by running the norms on drawn tokens and sinusoids, for two ε in use.
void draw(Section& s, const Options& options) {
  const auto widths = even_widths(options, {64, 512, 1024, 4096}, 1 << 14);
  for (const auto d : widths) {
    const Start at{static_cast<std::size_t>(d), 64, sigma_of(options, d)};
    const Stream stream(options.seed, std::string(s.claim().id) + "/tokens/" + std::to_string(d));
    const auto up = initial_input(at, Way::up, stream), down = initial_input(at, Way::down, stream);
    for (const double epsilon : {1e-5, 1e-3})
      for (const auto kind : {LayerKind::layer_norm, LayerKind::rms_norm}) {
        const Place place{{"d_model", d},
                          {"epsilon", epsilon},
                          {"norm", kind == LayerKind::layer_norm ? "layer_norm" : "rms_norm"}};
        s.measure(
            "expected_deviation_of_draws", place,
            deviation_down(mean_square_up(d, kind, at.sigma, at.n), {kind, epsilon, under}, d));
        s.measure("epsilon_deviation_of_draws", place,
                  deviation_of_draws(up, down, at.d, {kind, under, epsilon}),
                  "64 drawn tokens at positions 0 … 63, through the norm");
      }
  }
}

}  // namespace

void epsilon_is_rescaled(Section& s, const Options& options) {
  measure_exactly(s, options);
  sweep(s, options);
  draw(s, options);
  measure_epsilons_of_systems(s);
  // ε/s at which √(s/(s + ε)) is 0.99, and ε/√s at which √s/(√s + ε) is.
  s.measure("epsilon_of_one_percent", {{"added", name_of(under)}}, 1 / (0.99 * 0.99) - 1);
  s.measure("epsilon_of_one_percent", {{"added", name_of(beside)}}, 1 / 0.99 - 1);
}

}  // namespace embedscale::normalization_analysis
