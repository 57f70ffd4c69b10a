#pragma once
// What does the multiplier have to do with 1/√d_k? The claims about products of queries and keys,
// their softmax and its gradient; and about what a factor at the input does to the first attention,
// where no normalisation stands between.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::attention {

inline constexpr Claim dot_variance_is_d_k{
    .id = "attention.dot_variance_is_d_k",
    .said =
        "If the entries of q and k are independent with mean 0 and variance 1, ⟨q, k⟩ has variance "
        "d_k.",
    .states =
        "For independent entries of mean 0 and variance 1, of any distributions, E⟨q, k⟩ = 0, "
        "Var⟨q, k⟩ = d_k, and the kurtosis is 3 + (κ_q·κ_k − 3)/d_k. For normal entries the "
        "kurtosis is 3 + 6/d_k, and the density is Bessel's, |x|^ν·K_ν(|x|)/(√π·Γ(d_k/2)·2^ν), ν = "
        "(d_k − 1)/2",
    .kind = Kind::exact,
    .asked_in = {"S3"},
    .cites = {"vaswani2017", "craig1936"},
    .measures =
        "exact_disagreements:count, dot_variance, dot_kurtosis, kurtosis_error:1, "
        "distance_to_normal, dot_variance_drawn",
    .shows = "excess_kurtosis, drawn_deviation, density"};

inline constexpr Claim scaling_gives_unit_variance{
    .id = "attention.scaling_gives_unit_variance",
    .said = "Dividing by √d_k makes the variance of the logits 1.",
    .states =
        "Entries have mean 0 and variance 1, channels are independent and alike, and ρ = "
        "E[q_i·k_i]. Over draws of both vectors, ⟨q, k⟩/√d_k has mean ρ·√d_k and variance "
        "E[q_i²·k_i²] − ρ². Over independent keys alone, for a given query, its variance is "
        "‖q‖²/d_k. In floating point the rounded scale s has |d_k·s² − 1| ≤ 4.1u",
    .kind = Kind::exact,
    .asked_in = {"S3"},
    .cites = {"vaswani2017"},
    .measures =
        "statement_misses:count, laws_on_condition_missed:count, other_laws_met:count, "
        "logit_variance, logit_mean_square, variance_over_keys_deviation, scale_share_of_bound:3",
    .shows = "logit_mean, model_width:count, variance_by_hand"};

inline constexpr Claim unscaled_softmax_saturates{
    .id = "attention.unscaled_softmax_saturates",
    .said = "Without 1/√d_k, large dot products push the softmax into saturation.",
    .states =
        "For n independent normal logits z of deviation s, with weights a and g(s) = E ln Σ "
        "exp(z), the expected entropy is g − s·g′, and E Σa² = 1 − g′/s. As s grows, the entropy "
        "falls and the largest weight and Σa² rise, at every n. The regime changes at s = √(2 ln "
        "n)",
    .kind = Kind::quadrature,
    .asked_in = {"S2"},
    .cites = {"vaswani2017", "derrida1981"},
    .measures =
        "entropy, largest_weight, sum_of_squares, entropy_drawn:3:nat, saturating_deviation, "
        "unscaled_largest_weight, sharper_steps:count",
    .shows =
        "regime_change:3, entropy_share:3, saturating_width:count, saturation_over_regime:3, "
        "example_largest_weight:2, example_entropy:2, entropy_curve, deviation_over_regime, "
        "largest_weight_curve, half"};

inline constexpr Claim gradients_vanish_unscaled{
    .id = "attention.gradients_vanish_unscaled",
    .said = "Without 1/√d_k the gradients through the softmax are extremely small.",
    .states =
        "Let J = diag(a) − a·aᵀ, the softmax's Jacobian at weights a. Then ‖J‖² = Σa² − 2Σa³ + "
        "(Σa²)², tr J = 1 − Σa², and ‖J‖ ≤ tr J ≤ 2(n − 1)·exp(−gap of the two largest logits). "
        "Over n independent normal logits of deviation s, for large s, the median of ‖J‖ falls "
        "exponentially in s, and the mean of tr J as 1/s",
    .kind = Kind::statistical,
    .asked_in = {"S2"},
    .cites = {"vaswani2017"},
    .measures =
        "jacobian_norm_mean:3, jacobian_norm_median:3, jacobian_trace_mean, "
        "jacobian_trace_median:3, query_gradient_mean:3, query_gradient_median:3, "
        "vanishing_width:3, unscaled_median_ratio:2, trace_exponent_error:2",
    .shows =
        "norm_mean_ratio:2, norm_median_ratio:2, query_mean_ratio:2, query_median_ratio:2, "
        "sufficient_width:enough:3, mean_curve, median_curve, small_share, common_width:count"};

inline constexpr Claim key_constant_cancels{
    .id = "attention.key_constant_cancels",
    .said = "A vector added to all keys changes what is attended to.",
    .states =
        "Over the reals softmax_j ⟨q, k_j + c⟩ = softmax_j ⟨q, k_j⟩ for every c. In floating point "
        "every logit is off by at most E = s·γ·Σ|q_i|·|k_ji + c_i|, with γ of d_k + 2 roundings. "
        "Every weight is off by a factor within exp(±2E), up to the softmax's own rounding",
    .kind = Kind::bounded,
    .cites = {"higham2002"},
    .measures =
        "logit_differences_changed:count, softmax_error:2, worst_share_of_bound:2, weight_change:2",
    .shows = "logit_by_hand"};

inline constexpr Claim aligned_vectors_need_one_over_d_k{
    .id = "attention.aligned_vectors_need_one_over_d_k",
    .said = "1/√d_k is the right scale for trained queries and keys, too.",
    .states =
        "With ρ = E[q_i·k_i], the mean logit is ρ·√d_k behind 1/√d_k and ρ behind 1/d_k. For "
        "normal entries of mean 0 and variance 1, the deviation behind 1/√d_k is √(1 + ρ²), which "
        "the mean reaches at d_k = 1 + 1/ρ². No power of d_k keeps both mean and deviation at "
        "every width",
    .kind = Kind::exact,
    .asked_in = {"mup"},
    .cites = {"yang2022"},
    .measures =
        "statement_misses:count, widths_apart:count, widths_that_agree:count, aligned_logit, "
        "aligned_logit_deviation, crossover_width",
    .shows = "logit_by_hand, sufficient_crossover:enough:5"};

inline constexpr std::array claims{dot_variance_is_d_k,        scaling_gives_unit_variance,
                                   unscaled_softmax_saturates, gradients_vanish_unscaled,
                                   key_constant_cancels,       aligned_vectors_need_one_over_d_k};

inline constexpr Claim root_d_model_does_not_cancel{
    .id = "attention.root_d_model_does_not_cancel",
    .said = "The factor √d_model cancels with the 1/√d_k of attention.",
    .states =
        "Over W_Q and W_K with independent entries of mean 0 and deviations σ_Q and σ_K, the "
        "logit z of x_i and x_j has E z² = s²·d_k·σ_Q²·σ_K²·‖x_i‖²·‖x_j‖². A multiplier m of the "
        "tokens multiplies the token·token part of z by m². The scale s multiplies all of z. So, "
        "whatever the deviations and the vectors are, √d_model adds 1 to that part's exponent in "
        "d_model alone, and 1/√d_k adds −½ to its exponent in d_k alone. Together they multiply "
        "that part by d_model/√d_k, which is 1 only if d_k = d_model². With sinusoids and a table "
        "of deviation d_model^−½ they multiply all of z by 3·d_model/((d_model + 2)·√d_k), which "
        "among even d_model is 1 only if d_model = d_k = 4",
    .kind = Kind::exact,
    .asked_in = {"S1", "sand3"},
    .cites = {"vaswani2017", "glorot2010"},
    .measures =
        "logit_std_exponent_in_d_model, logit_std_exponent_in_d_k, logit_std, "
        "scaling_disagreements:count, moment_disagreements:count, "
        "shapes_where_the_factors_cancel:count, shapes_where_all_logits_agree:count, "
        "worst_share_of_bound:2",
    .shows = "times_token_token, shape_where_all_logits_agree:count"};

inline constexpr Claim factor_is_a_temperature{
    .id = "attention.factor_is_a_temperature",
    .said = "A common factor of the input does nothing to attention.",
    .states =
        "Without a norm before attention and without biases, z(c·x) = c²·z(x), so the weights are "
        "those of x at temperature c⁻². They equal those of x only if c² = 1 or all logits of the "
        "query are equal. Biases add terms in c and 1. The entropy H of n logits of range R "
        "satisfies ln n − H ≤ R²/8, so c → 0 makes the weights uniform. In floating point, where "
        "nothing under- or overflows, z(c·x) has the bits of c²·z(x) if c is a power of two. For "
        "any other c, in the same range, they differ by at most (γ_N + "
        "γ_(N+2))·c²·s·Σ|W_Q||x_i||W_K||x_j|, N = 2d + d_k + 1",
    .kind = Kind::exact,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "higham2002"},
    .measures =
        "logit_disagreements:count, biased_logit_disagreements:count, weights_that_stay:count, "
        "bit_disagreements:count, worst_share_of_bound:2, worst_share_of_entropy_bound:3, "
        "logit_std, entropy_share",
    .shows =
        "example_logit_std:3, example_entropy_share, example_entropy_gap:2:nat, entropy_by_factor, "
        "first_logit_by_hand, second_logit_by_hand"};

inline constexpr Claim projections_absorb_the_factor{
    .id = "attention.projections_absorb_the_factor",
    .said = "The projections can undo any factor.",
    .states =
        "For c ≠ 0, W_Q/c and W_K/c on c·x give every logit, hence every weight, that W_Q and W_K "
        "give on x, with any biases. The output is c times what it was, unless W_V is divided by "
        "c, too. The residual stream carries c·x. In floating point, where nothing under- or "
        "overflows, the logits have the same bits if c is a power of two. For any other c, in the "
        "same range, they differ by at most (γ_N + γ_(N+4))·s·Σ|W_Q||x_i||W_K||x_j|, N = 2d + d_k "
        "+ 1",
    .kind = Kind::exact,
    .cites = {"vaswani2017", "higham2002"},
    .measures =
        "logit_disagreements:count, output_disagreements:count, outputs_that_stay:count, "
        "block_outputs_that_stay:count, bit_disagreements:count, worst_share_of_bound:2, "
        "largest_change:3:u·s·Σ|W_Q||x_i||W_K||x_j|"};

inline constexpr Claim first_layer_terms{
    .id = "attention.first_layer_terms",
    .said = "The first attention layer looks at tokens.",
    .states =
        "Take independent W_Q, W_K and tokens of mean 0, with mean squares T of tokens and P of "
        "positions per channel (behind a LayerNorm: of the centred parts). A first logit between "
        "different tokens has mean 0. Token·token, token·position, position·token and "
        "position·position make up T², TP, PT and P² over (T + P)² of its mean square: 4/9, 2/9, "
        "2/9 and 1/9 up, down and folded. The first exceeds ½ only if T/P > 1 + √2. For one token "
        "at two positions, or i = j, terms of order 1/d_model are added",
    .kind = Kind::exact,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "ke2021"},
    .measures =
        "share_token_token, share_token_position, share_position_token, share_position_position, "
        "moment_disagreements:count, systems_not_led_by_tokens:count, second_moment_ratio, "
        "worst_share_of_bound:2",
    .shows =
        "example_share, system_width:count, share_not_leading:3, systems_led_by_tokens:count, "
        "second_moment_excess:2, share_by_ratio, share_of_input, half, ratio_at_half:3, "
        "share_by_key:3"};

inline constexpr Claim first_projection_range{
    .id = "attention.first_projection_range",
    .said = "The factor keeps dot products within a reasonable range.",
    .states =
        "Over W and tokens Var (W·x)_a = σ_W²·E‖x‖², and the product of query and key has a "
        "deviation of √d_k times that. Let σ_W² = c/d_model: c = 1 for Xavier on (d_model, "
        "d_model), ½ for three of them packed, ⅓ for nn.Linear's default. For a table of deviation "
        "d_model^−½ the variance is c·(m²·d_model^−1 + ½) beside sinusoids and c·m²/d_model for "
        "the tokens alone. √d_model multiplies the first by 3·d_model/(d_model + 2) < 3 and the "
        "second by d_model. With a fixed σ_W it is σ_W²·(m² + d_model/2) beside sinusoids and "
        "σ_W²·m² for the tokens alone",
    .kind = Kind::exact,
    .asked_in = {"S1"},
    .cites = {"glorot2010", "vaswani2017", "higham2002"},
    .measures =
        "projection_variance, drawn_projection_variance:3, dot_product_std, "
        "moment_disagreements:count, worst_share_of_bound:2, settings_kept_by_the_factor:count, "
        "other_settings_kept_by_it:count",
    .shows =
        "example_variance, example_product, standard_errors_off:2, variance_curve, "
        "variance_of_fixed:3, end_of_range"};

inline constexpr std::array input_claims{root_d_model_does_not_cancel, factor_is_a_temperature,
                                         projections_absorb_the_factor, first_layer_terms,
                                         first_projection_range};

using primitives::fact;
inline constexpr Claim products_are_summed = fact(
    "attention.products_are_summed",
    "a product, a logit, a projected channel and a mixed value are scale·(Σ a·b + bias) within "
    "γ of as many roundings as a term meets, in any order of summation",
    Kind::bounded);
inline constexpr Claim weights_are_shares_of_exponentials = fact(
    "attention.weights_are_shares_of_exponentials",
    "a softmax gives e^(z − max)/Σe^(z − max), wherever the logits lie, and 0 for a masked one",
    Kind::bounded);
inline constexpr Claim gradient_is_that_of_the_softmax =
    fact("attention.gradient_is_that_of_the_softmax",
         "the gradient to logit j is w_j(g_j − ⟨w, g⟩)", Kind::bounded);
inline constexpr Claim entropy_is_in_nats =
    fact("attention.entropy_is_in_nats", "the entropy is −Σ w ln w", Kind::bounded);
inline constexpr Claim factors_are_roots = fact(
    "attention.factors_are_roots", "the multiplier is √d_model, the scale 1/√d_k", Kind::bounded);
inline constexpr Claim input_is_scaled_and_undone =
    fact("attention.input_is_scaled_and_undone",
         "a channel of the input is m·e + p, and an entry of a projection that undoes c is w/c",
         Kind::bounded);
inline constexpr Claim sums_run_from_left_to_right = fact(
    "attention.sums_run_from_left_to_right",
    "the library's own order: products are rounded and summed from the first to the last, then "
    "scaled; other orders are as right",
    Kind::exact);

inline constexpr std::array facts{
    sums_run_from_left_to_right,     products_are_summed, weights_are_shares_of_exponentials,
    gradient_is_that_of_the_softmax, entropy_is_in_nats,  factors_are_roots,
    input_is_scaled_and_undone};

}  // namespace embedscale::properties::attention
