#pragma once
// What does the multiplier have to do with 1/√d_k? The claims about products of queries and keys,
// their softmax and its gradient, and the primitives they are about. Their measures stand in
// attention_moments.hpp, attention_softmax.hpp and attention_gradient.hpp.
#include <embedscale/attention.hpp>

#include <array>
#include <span>

#include "claim.hpp"

namespace embedscale::properties::attention {

inline constexpr Claim dot_variance_is_d_k{
    .id = "attention.dot_variance_is_d_k",
    .said = "The product of a query and a key has variance d_k.",
    .states =
        "over draws of q and k with independent entries of mean 0 and variance 1, of any laws: "
        "E⟨q, k⟩ = 0, Var⟨q, k⟩ = d_k, and a kurtosis of 3 + (κ_q·κ_k − 3)/d_k, which is "
        "3 + 6/d_k for normal entries, whose product follows Bessel's density "
        "|x|^ν·K_ν(|x|)/(√π·Γ(d_k/2)·2^ν), ν = (d_k − 1)/2",
    .kind = Kind::exact,
    .asked_in = {"S3"},
    .cites = {"vaswani2017", "craig1936"},
    .measures = {"exact_disagreements", "dot_variance", "dot_kurtosis", "kurtosis_error",
                 "distance_to_normal", "dot_variance_drawn"}};

inline constexpr Claim scaling_gives_unit_variance{
    .id = "attention.scaling_gives_unit_variance",
    .said = "Dividing by √d_k makes the variance of the logits 1.",
    .states =
        "with entries of mean 0 and variance 1, channels independent and alike, ρ = E[q_i·k_i]: "
        "the mean of ⟨q, k⟩/√d_k is ρ·√d_k and its variance is E[q_i²·k_i²] − ρ², over draws of "
        "both; over independent keys alone, for a given query, it is ‖q‖²/d_k; in floating point "
        "|d_k·s² − 1| <= 4.1u for the rounded scale s",
    .kind = Kind::exact,
    .asked_in = {"S3"},
    .cites = {"vaswani2017"},
    .measures = {"statement_misses", "laws_on_condition_missed", "other_laws_met", "logit_variance",
                 "logit_mean_square", "variance_over_keys_deviation", "scale_share_of_bound"}};

inline constexpr Claim unscaled_softmax_saturates{
    .id = "attention.unscaled_softmax_saturates",
    .said = "Large dot products push the softmax into saturation.",
    .states =
        "over n independent normal logits of standard deviation s, with g(s) = E ln Σexp(z): the "
        "expected entropy is g − s·g′ and E Σa² = 1 − g′/s; entropy falls, largest weight and Σa² "
        "rise with s at every n, and change regime at s = √(2 ln n)",
    .kind = Kind::quadrature,
    .asked_in = {"S2"},
    .cites = {"vaswani2017", "derrida1981"},
    .measures = {"entropy", "largest_weight", "sum_of_squares", "entropy_drawn",
                 "saturating_deviation", "unscaled_largest_weight", "sharper_steps"}};

inline constexpr Claim gradients_vanish_unscaled{
    .id = "attention.gradients_vanish_unscaled",
    .said = "Without 1/√d_k the gradients are extremely small.",
    .states =
        "with J = diag(a) − a·aᵀ: ‖J‖² = Σa² − 2Σa³ + (Σa²)² and tr J = 1 − Σa², ‖J‖ <= tr J <= "
        "2(n − 1)·exp(−gap of the two largest logits): over n independent normal logits of "
        "deviation s the median of ‖J‖ falls exponentially in s at last, the mean of tr J as 1/s",
    .kind = Kind::statistical,
    .asked_in = {"S2"},
    .cites = {"vaswani2017"},
    .measures = {"jacobian_norm_mean", "jacobian_norm_median", "jacobian_trace_mean",
                 "query_gradient_mean", "query_gradient_median", "vanishing_width",
                 "unscaled_median_ratio", "trace_exponent_error"}};

inline constexpr Claim key_constant_cancels{
    .id = "attention.key_constant_cancels",
    .said = "A vector added to all keys changes what is attended to.",
    .states =
        "softmax_j ⟨q, k_j + c⟩ = softmax_j ⟨q, k_j⟩ over the reals, for every c; in floating "
        "point every logit is off by at most E = s·γ·Σ|q_i|·|k_ji + c_i|, with γ of d_k + 2 "
        "roundings, and every weight by a factor within exp(±2E), up to the softmax's own rounding",
    .kind = Kind::bounded,
    .cites = {"higham2002"},
    .measures = {"logit_differences_changed", "softmax_error", "worst_share_of_bound",
                 "weight_change"}};

inline constexpr Claim aligned_vectors_need_one_over_d_k{
    .id = "attention.aligned_vectors_need_one_over_d_k",
    .said = "1/√d_k is the right scale for trained queries and keys, too.",
    .states =
        "with ρ = E[q_i·k_i] the mean logit is ρ·√d_k behind 1/√d_k and ρ behind 1/d_k; for normal "
        "entries its standard deviation behind 1/√d_k is √(1 + ρ²), which the mean exceeds from "
        "d_k = 1 + 1/ρ² on; no one power of d_k keeps both the same at every width",
    .kind = Kind::exact,
    .asked_in = {"mup"},
    .cites = {"yang2022"},
    .measures = {"statement_misses", "widths_apart", "widths_that_agree", "aligned_logit",
                 "aligned_logit_deviation", "crossover_width"}};

inline constexpr std::array claims{dot_variance_is_d_k,        scaling_gives_unit_variance,
                                   unscaled_softmax_saturates, gradients_vanish_unscaled,
                                   key_constant_cancels,       aligned_vectors_need_one_over_d_k};

/// The primitives of the library, as the properties take them: a type with these six operations.
/// Write such a type of your own to put your own code under the same properties.
struct Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    return embedscale::dot(q, k);
  }
  /// 1/√d_k.
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_k) {
    return embedscale::attention_scale<Real>(d_k);
  }
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    Real z(0);
    embedscale::logits<Real>(q, k, scale, std::span<Real>(&z, 1));
    return z;
  }
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    embedscale::softmax(z);
  }
  template <AnalyticScalar Real>
  static Real entropy(std::span<const Real> weights) {
    return embedscale::entropy(weights);
  }
  /// J g, with the Jacobian of the softmax.
  template <Scalar Real>
  static void gradient(std::span<const Real> weights, std::span<const Real> upstream,
                       std::span<Real> out) {
    embedscale::softmax_gradient(weights, upstream, out);
  }
};

}  // namespace embedscale::properties::attention
