// What a norm takes away of a common factor, and what it does not: exactly, and in floating point.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <optional>
#include <string>

#include "normalization/sections.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/normalization/rounding.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using properties::domain::RationalDraws;

constexpr const char* exact = "exact numbers with a root";
constexpr LayerKind kinds[] = {LayerKind::layer_norm, LayerKind::rms_norm};
const Primitives primitives;

/// One of the four norms by turns, without ε.
NormOf<Surd> norm_of(std::uint64_t i) {
  return {kinds[i % 2],
          i % 4 < 2 ? EpsilonPlacement::variance : EpsilonPlacement::standard_deviation, Surd(0)};
}

/// Three channels that are not all equal.
Surds channels_of(const RationalDraws& draws, std::uint64_t i) {
  auto x = draws.channels(i, 0, 3);
  if (!can_be_normalized(x, LayerKind::layer_norm)) x[0] = x[0] + 1;
  return surds(x);
}

/// Of cases that a norm's absorption does not reach, none may stay: how many do, and do not.
void decide_necessity(Section& s, const char* that_stay, const char* that_do_not,
                      const Tally& staying) {
  s.decide_none(that_stay, {}, staying, Part::necessity, exact);
  s.measure(that_do_not, {}, staying.misses());
}

void measure_exactly(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const RationalDraws draws(options.seed, s.claim().id, 32);
  s.decide("exact_disagreements", none_of(Part::statement, n), exact, [&](std::uint64_t i) {
    const Surd c(draws.positive(i, 3));
    return !forgets_the_factor(channels_of(draws, i), norm_of(i), i % 3 == 0 ? c : -c, primitives);
  });
  s.decide("outputs_changed", none_of(Part::belief, n), exact, [&](std::uint64_t i) {
    return !outputs_agree(channels_of(draws, i), norm_of(i), Surd(draws.positive(i, 3)),
                          primitives);
  });
  using Case = std::optional<bool>;
  decide_necessity(s, "directions_that_stay", "directions_that_turn",
                   over<Tally>(n, [&](std::uint64_t i) -> Case {
                     const auto x = channels_of(draws, i), w = surds(draws.channels(i, 4, 9));
                     const Surd c(draws.positive(i, 3));
                     const auto norm = norm_of(i);
                     if (c == Surd(1) || branch_is_along_the_skip(x, w, norm, primitives))
                       return std::nullopt;
                     return skip_forgets_the_factor(x, w, norm, c, primitives);
                   }));
  decide_necessity(s, "outputs_that_stay", "outputs_that_change",
                   over<Tally>(n, [&](std::uint64_t i) -> Case {
                     const Surd c(draws.positive(i, 3));
                     if (c == Surd(1)) return std::nullopt;
                     const auto norm = norm_of(i).with(Surd(draws.positive(i, 13)));
                     return outputs_agree(channels_of(draws, i), norm, c, primitives);
                   }));
}

template <class Real>
std::vector<Real> uniform_channels(std::uint64_t d, std::uint64_t i, const Stream& stream) {
  std::vector<Real> x;
  for (std::uint64_t j = 0; j < d; ++j)
    x.push_back(static_cast<Real>(2 * stream.uniform(i * d + j) - 1));
  return x;
}

/// The largest change over vectors of d channels; their shares of the bound go to `worst`. Where √d
/// is a power of two nothing changes: a quarter more is as good a factor.
template <class Real>
Values changes(std::uint64_t d, LayerKind kind, const Stream& stream, Greatest& worst) {
  const Real root = root_multiplier<Real>(d), c = root + root * Real(0.25);
  Greatest largest;
  for (std::uint64_t i = 0; i < std::clamp<std::uint64_t>(16384 / d, 2, 64); ++i) {
    const auto x = uniform_channels<Real>(d, i, stream);
    largest.evaluate([&] { return largest_change(x, kind, c, primitives); });
    worst.evaluate([&] { return share_of_bound(x, kind, c, primitives); });
  }
  return {{"largest_change", largest}};
}

void measure_rounding(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/channels");
  s.decide("bit_disagreements", none_of(Part::statement, options.samples),
           "drawn channels, c = 2^−20 … 2^20, binary64, binary32 and bfloat16",
           [&](std::uint64_t i) {
             const int k = static_cast<int>(i % 41) - 20;
             return std::ranges::any_of(kinds, [&](LayerKind kind) {
               const auto has_bits = [&]<class Real>(std::vector<Real> x) {
                 return has_bits_of_unscaled(x, kind, k, primitives);
               };
               return !has_bits(drawn_channels<double>(stream, i)) ||
                      !has_bits(drawn_channels<float>(stream, i)) ||
                      !has_bits(drawn_channels<bfloat16>(stream, i));
             });
           });
  const auto widths =
      points(options.widths,
             std::vector<std::uint64_t>{16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384});
  Greatest worst;
  const auto sweep = [&]<class Real>() {
    for (const auto kind : kinds)
      s.sweep("channels uniform on ±1, c = 1.25·√d_model",
              {{"norm", name_of(kind)}, {"format", FormatTraits<Real>::name}},
              axis("d_model", widths),
              [&](std::uint64_t d) { return changes<Real>(d, kind, stream, worst); });
  };
  sweep.template operator()<double>();
  sweep.template operator()<float>();
  s.measure("worst_share_of_bound", {}, worst,
            "channels uniform on ±1, c = 1.25·√d_model, binary64 and binary32",
            at_most(Part::statement, 1, worst.cases()));
}

}  // namespace

void absorbs_the_factor(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_first_layers(s);
  measure_rounding(s, options);
}

}  // namespace embedscale::normalization_analysis
