#pragma once
// Does a normalisation layer hide the common factor? The claims about the layer itself, and the
// primitives they are about. Their measures stand in normalization_exact.hpp and
// normalization_rounding.hpp; the claims about whole blocks in normalization_block.hpp.
#include <embedscale/expected/normalization.hpp>
#include <embedscale/normalization.hpp>

#include <array>
#include <span>

#include "claim.hpp"

namespace embedscale::properties::normalization {

inline constexpr Claim absorbs_the_factor{
    .id = "normalization.absorbs_the_factor",
    .said = "It makes no interesting difference, since layer normalisation follows.",
    .states =
        "with ε = 0, N(c·x) = sign(c)·N(x) over the reals for LayerNorm and RMSNorm and every "
        "c ≠ 0; what passes the norm by keeps c: c·x + W·N(c·x) ∥ x + W·N(x), c > 0, only where "
        "c = 1 or W·N(x) ∥ x; with ε > 0, N(c·x) = N(x) only where c = 1 or nothing comes out; in "
        "floating point, where nothing under- or overflows, N(c·x) has the bits of N(x) where c is "
        "a power of two; else RMSNorm's channels differ by at most (γ_(n+6) + γ_(n+8))·|N(x)|, "
        "and LayerNorm's by what the same roundings and those of the mean make of them",
    .kind = Kind::exact,
    .asked_in = {"S0", "onmt1722"},
    .cites = {"ba2016", "zhang2019", "higham2002"},
    .measures = {"exact_disagreements", "outputs_changed", "directions_that_stay",
                 "outputs_that_stay", "bit_disagreements", "worst_share_of_bound", "largest_change",
                 "systems"}};

inline constexpr Claim epsilon_is_rescaled{
    .id = "normalization.epsilon_is_rescaled",
    .said = "ε is too small to matter, whatever the scale of the input.",
    .states =
        "for c > 0, N_ε(c·x) = N_ε′(x), with ε′ = ε/c² where ε is added to the mean square and "
        "ε/c where it is added to its root; N_ε(x) is N_0(x) times √(s/(s + ε)), or √s/(√s + ε), "
        "with s the mean square that N divides by: one factor below 1 for all channels; of x/c, "
        "c > 1, it is smaller than of x, by 1 − √((s + ε)/(s + c²ε)), or ε(c − 1)/(√s + cε)",
    .kind = Kind::exact,
    .cites = {"ba2016", "zhang2019", "rush2018"},
    .measures = {"rescaling_disagreements", "shrinkage_disagreements", "epsilon_deviation",
                 "epsilon_deviation_of_draws", "width_of_deviation", "systems_over",
                 "worst_share_of_bound"}};

inline constexpr std::array claims{absorbs_the_factor, epsilon_is_rescaled};

/// The primitives of the library, as the properties take them: a type with these operations. Write
/// such a type of your own to put your own code under the same properties.
struct Library {
  template <AnalyticScalar Real>
  static void layer_norm(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                         std::span<Real> out) {
    embedscale::layer_norm(x, epsilon, placement, out);
  }
  template <AnalyticScalar Real>
  static void rms_norm(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                       std::span<Real> out) {
    embedscale::rms_norm(x, epsilon, placement, out);
  }
  /// ε′ with N_ε(c·x) = N_ε′(x).
  template <Scalar Real>
  static Real rescaled_epsilon(const Real& epsilon, const Real& c, EpsilonPlacement placement) {
    return expected::rescaled_epsilon(epsilon, c, placement);
  }
};

}  // namespace embedscale::properties::normalization
