#pragma once
// What a factor at the input does to the first attention, where no normalisation stands between.
// The claims, and the primitives they are about. Their measures stand in attention_input_exact.hpp,
// attention_input_terms.hpp and attention_input_rounding.hpp.
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/projection.hpp>
#include <embedscale/initializer.hpp>

#include <array>
#include <span>
#include <vector>

#include "claim.hpp"

namespace embedscale::properties::attention {

inline constexpr Claim root_d_model_does_not_cancel{
    .id = "attention.root_d_model_does_not_cancel",
    .said = "The factor √d_model cancels with the 1/√d_k of attention.",
    .states =
        "for W_Q, W_K with independent entries of mean 0 and deviations σ_Q, σ_K: over them "
        "E z² = s²·d_k·σ_Q²·σ_K²·‖x_i‖²·‖x_j‖²; a multiplier m of the tokens multiplies z's "
        "token·token part by m², the scale s all of z; so, whatever the laws, √d_model adds 1 to "
        "the exponent in d_model of that part's deviation and 0 to that in d_k, 1/√d_k adds 0 and "
        "−½; both together make d_model/√d_k of it, which is 1 only at d_k = d_model²; of all of "
        "z, with sinusoids and a table of deviation d_model^−½, they make "
        "3·d_model/((d_model + 2)·√d_k), which among even d_model is 1 only at d_model = d_k = 4",
    .kind = Kind::exact,
    .asked_in = {"S1", "sand3"},
    .cites = {"vaswani2017", "glorot2010"},
    .measures = {"logit_std_exponent_in_d_model", "logit_std_exponent_in_d_k", "logit_std",
                 "scaling_disagreements", "moment_disagreements", "shapes_where_the_factors_cancel",
                 "shapes_where_all_logits_agree", "worst_share_of_bound"}};

inline constexpr Claim factor_is_a_temperature{
    .id = "attention.factor_is_a_temperature",
    .said = "A common factor of the input does nothing to attention.",
    .states =
        "without a norm before attention and without biases z(c·x) = c²·z(x): the weights are "
        "those of x at temperature c^−2, and the same as those of x only where c² = 1 or all "
        "logits of the query are equal; biases add terms in c and 1; ln n − H <= R²/8 for n "
        "logits of range R, so that c → 0 makes the weights uniform; in floating point, where "
        "nothing under- or overflows, z(c·x) has the bits of c²·z(x) where c is a power of two; "
        "else they differ by at most (γ_N + γ_(N+2))·c²·s·Σ|W_Q||x_i||W_K||x_j|, N = 2d + d_k + 1",
    .kind = Kind::exact,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "higham2002"},
    .measures = {"logit_disagreements", "biased_logit_disagreements", "weights_that_stay",
                 "bit_disagreements", "worst_share_of_bound", "worst_share_of_entropy_bound",
                 "logit_std", "entropy_share"}};

inline constexpr Claim projections_absorb_the_factor{
    .id = "attention.projections_absorb_the_factor",
    .said = "The projections can undo any factor.",
    .states =
        "for c ≠ 0, W_Q/c and W_K/c on c·x give every logit, hence every weight, that W_Q and W_K "
        "give on x, with any biases; the values keep c: the output is c times what it was, unless "
        "W_V is divided, too; and c·x passes by on the residual connection; in floating point the "
        "logits have the same bits where c is a power of two and nothing under- or overflows; else "
        "they differ by at most (γ_N + γ_(N+4))·s·Σ|W_Q||x_i||W_K||x_j|, N = 2d + d_k + 1",
    .kind = Kind::exact,
    .cites = {"vaswani2017", "higham2002"},
    .measures = {"logit_disagreements", "output_disagreements", "outputs_that_stay",
                 "block_outputs_that_stay", "bit_disagreements", "worst_share_of_bound",
                 "largest_change"}};

inline constexpr Claim first_layer_terms{
    .id = "attention.first_layer_terms",
    .said = "The first attention layer looks at tokens.",
    .states =
        "over independent W_Q, W_K and tokens of mean 0, with mean squares T of tokens and P of "
        "positions per channel, a first logit between different tokens has mean 0 and its E z² "
        "consists of token·token, token·position, position·token and position·position in the "
        "shares T², TP, PT, P² of (T + P)²: 4/9, 2/9, 2/9, 1/9 for √d_model·e + p, for "
        "e + p/√d_model and for e′ + p; the first exceeds ½ only where T/P > 1 + √2; for one token "
        "at two positions, or i = j, terms of order 1/d_model are added",
    .kind = Kind::exact,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "ke2021"},
    .measures = {"share_token_token", "share_token_position", "share_position_token",
                 "share_position_position", "moment_disagreements", "systems_not_led_by_tokens",
                 "second_moment_ratio", "worst_share_of_bound"}};

inline constexpr Claim first_projection_range{
    .id = "attention.first_projection_range",
    .said = "The factor keeps dot products within a reasonable range.",
    .states =
        "Var (W·x)_a = σ_W²·E‖x‖² over W and tokens, and the dot product of query and key has √d_k "
        "times that for its deviation: with σ_W² = c/d_model, c = 1 for Xavier on (d_model, "
        "d_model) and ½ for three of them packed, it is c·(m²·d_model^−1 + ½) for a table of "
        "deviation d_model^−½ and sinusoids, c·m²/d_model for the tokens alone; the factor makes "
        "3·d_model/(d_model + 2) < 3 of the first and d_model of the second; a fixed σ_W makes it "
        "grow as d_model",
    .kind = Kind::exact,
    .asked_in = {"S1"},
    .cites = {"glorot2010", "vaswani2017", "higham2002"},
    .measures = {"projection_variance", "drawn_projection_variance", "dot_product_std",
                 "moment_disagreements", "worst_share_of_bound", "settings_kept_by_the_factor",
                 "other_settings_kept_by_it"}};

inline constexpr std::array input_claims{root_d_model_does_not_cancel, factor_is_a_temperature,
                                         projections_absorb_the_factor, first_layer_terms,
                                         first_projection_range};

/// The primitives of the library, as the properties take them: from the two parts of an input to
/// the weights of the first attention. Write such a type of your own to put your own code under the
/// same properties.
struct InputLibrary {
  /// m = √d.
  template <Scalar Real>
  static Real multiplier(std::size_t d_model) {
    return root_multiplier<Real>(d_model);
  }
  /// One channel of the input.
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return up(e, p, m);
  }
  /// out = W·x + b; W holds (out.size(), x.size()) in row-major order.
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    for (std::size_t a = 0; a < out.size(); ++a)
      out[a] = dot(w.subspan(a * x.size(), x.size()), x) + b[a];
  }
  /// s = 1/√d_k. (d_model is there for programs that take it.)
  template <AnalyticScalar Real>
  static Real scale(std::size_t /*d_model*/, std::size_t d_k) {
    return attention_scale<Real>(d_k);
  }
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    return scale * dot(q, k);
  }
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    embedscale::softmax(z);
  }
  /// Σ_j weight_j·row_j, of `out.size()` channels each.
  template <Scalar Real>
  static void mix(std::span<const Real> weights, std::span<const Real> rows, std::span<Real> out) {
    for (std::size_t a = 0; a < out.size(); ++a) {
      out[a] = Real(0);
      for (std::size_t j = 0; j < weights.size(); ++j)
        out[a] = out[a] + weights[j] * rows[j * out.size() + a];
    }
  }
  /// An entry of the projection that undoes the factor c.
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real& c) {
    return w / c;
  }
  /// The law of a projection's entries, and its variance.
  static Initializer projection_law(expected::ProjectionLaw law,
                                    const expected::ProjectionShape& shape, double sigma) {
    return expected::initializer_of(law, shape, sigma);
  }
  static double variance(const Initializer& law) { return embedscale::variance(law); }
};

}  // namespace embedscale::properties::attention
