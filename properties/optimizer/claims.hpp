#pragma once
// Does the factor change training, or only the initialisation? The claims.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::optimizer {

inline constexpr Claim same_function_same_path{
    .id = "optimizer.same_function_same_path",
    .said = "Whether tokens are scaled up or positions down does not affect training.",
    .states =
        "If all that follows the sum ignores a common factor, f(c·x) = f(x) for c > 0, then m·e + "
        "p and e + p/m are one function of the table over the reals: their gradients are equal, "
        "and so are their paths under any optimiser. In floating point gradients and paths have "
        "the same bits at m = 2^k, where nothing under- or overflows. With a residual stream, an "
        "ε in the norm, or no norm they part",
    .kind = Kind::exact,
    .asked_in = {"S0"},
    .cites = {"vaswani2017", "kingma2015", "loshchilov2019", "polyak1964"},
    .measures = "function_disagreements:count, path_deviation:3, bit_disagreements:count",
    .shows = "deviation_together:3, deviation_apart:3, path_distance"};

inline constexpr Claim folded_sgd_step{
    .id = "optimizer.folded_sgd_step",
    .said = "With the factor folded into the table, training takes the same path.",
    .states =
        "m·e + p with table E and e′ + p with table E′ = m·E are one function at initialisation, "
        "with gradients ∂L/∂e = m·∂L/∂e′. Under gradient descent and momentum E′ stays m·E if and "
        "only if its learning rate is m² times that of E and an L2 penalty λ is λ/m². At equal "
        "rates x moves m² times as far in the first step of E as in that of E′. In floating point "
        "the path keeps its bits at m = 2^k, where nothing under- or overflows",
    .kind = Kind::exact,
    .asked_in = {"S0"},
    .cites = {"polyak1964", "sutskever2013"},
    .measures =
        "path_disagreements:count, equal_rate_agreements:count, bit_disagreements:count, "
        "path_deviation:3, gradient_ratio, rate_ratio",
    .shows = "rate_ratio_of_adam"};

inline constexpr Claim folded_adam_step{
    .id = "optimizer.folded_adam_step",
    .said = "Adam does not care about the scale of a parameter.",
    .states =
        "Under Adam E′ stays m·E, exactly, if its learning rate is m times that of E and its ε is "
        "ε/m, with L2 in the gradient λ/m². AdamW's decay must take the same share of the table in "
        "each step: λ stays if the decay is not multiplied by that rate, else it is λ/m. At equal "
        "settings x moves m²(|g| + ε)/(m·|g| + ε) times as far in the first step of E, g = ∂L/∂x: "
        "m times for ε → 0, m² for |g| → 0. In floating point the path keeps its bits at m = 2^k, "
        "where nothing under- or overflows",
    .kind = Kind::exact,
    .asked_in = {"S0"},
    .cites = {"kingma2015", "loshchilov2019"},
    .measures =
        "equal_setting_agreements:count, ratio_disagreements:count, bit_disagreements:count, "
        "path_deviation:3, rate_ratio",
    .shows = "factor, factor_squared:count, ratio_at_gradient, step_by_hand"};

inline constexpr Claim relative_step{
    .id = "optimizer.relative_step",
    .said = "The factor makes embeddings learn faster.",
    .states =
        "With the factor m a table has m times the gradient at equal ∂L/∂x. Its step relative to "
        "its entries is m times as large under gradient descent and momentum, and the same under "
        "Adam with ε = 0, at every step. Adam's first step, with ε = 0, is the learning rate over "
        "σ, the entries' RMS, whatever m is. With ε > 0 it is m(|g| + ε)/(m·|g| + ε) times as "
        "large, g = ∂L/∂x: between 1 and m",
    .kind = Kind::exact,
    .asked_in = {"t2t1718", "speechbrain926"},
    .cites = {"kingma2015", "loshchilov2019"},
    .measures =
        "relative_step, relative_step_ratio, factor_disagreements:count, worst_share_of_bound:2",
    .shows = "step_of_table, deviation, multiplier, descent_step, step_over_audited"};

inline constexpr std::array claims{same_function_same_path, folded_sgd_step, folded_adam_step,
                                   relative_step};

using primitives::fact;
inline constexpr Claim steps_are_their_formulas =
    fact("optimizer.steps_are_their_formulas",
         "a step of each optimiser leaves the entry, and what it remembers, where its paper's "
         "formula puts them, in whichever way its factors are grouped, its moments β·a + (1 − β)·g "
         "or a + (1 − β)(g − a)",
         Kind::bounded);
inline constexpr Claim parts_are_summed =
    fact("optimizer.parts_are_summed",
         "up is m·e + p, down is e + p/m, the sum is e + p, and a slope adds m times itself to the "
         "gradient of its entry",
         Kind::bounded);
inline constexpr Claim norms_and_their_gradients =
    fact("optimizer.norms_and_their_gradients",
         "a norm is (x − mean)/√(var + ε) or x/√(ms + ε), and its gradient is that of these",
         Kind::bounded);

inline constexpr std::array facts{steps_are_their_formulas, parts_are_summed,
                                  norms_and_their_gradients};

}  // namespace embedscale::properties::optimizer
