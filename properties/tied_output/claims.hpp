#pragma once
// Is the factor there because the table is shared with the output? The claims.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::tied_output {

inline constexpr Claim one_table_two_scales{
    .id = "tied_output.one_table_two_scales",
    .said = "The factor is there because the table is shared with the output projection.",
    .states =
        "Over the rows of a table with uncorrelated entries of mean 0 and standard deviation σ, "
        "the token part m·e has RMS |m|·σ and a logit c·⟨e, h⟩ the standard deviation |c|·σ·‖h‖, "
        "‖h‖ = √d for a state of RMS 1. Both are 1 if and only if σ = 1/|m| and |m| = |c|·√d. "
        "Without a factor on the logits that is σ = d^−½ and |m| = √d. Without any factor it is "
        "never so for d > 1",
    .kind = Kind::exact,
    .asked_in = {"S0", "S1", "t2t1718"},
    .cites = {"vaswani2017", "press2017", "sylvester1867", "higham2002"},
    .measures =
        "input_rms, logit_std, unit_scale_disagreements:count, parted_by_a_logit_factor:count, "
        "unit_parametrisations:count, worst_share_of_bound:2",
    .shows = "larger_over_smaller, equal_scales, named_parametrisations:count, root_of_width:3"};

inline constexpr Claim initial_loss{
    .id = "tied_output.initial_loss",
    .said = "A shared N(0, 1) table without 1/√d starts at a loss near 110.",
    .states =
        "For V independent normal logits of standard deviation s = |c|·σ·√d and a target that does "
        "not depend on them, E[loss] = f(s) = E ln Σ exp(s·z), which rises in s, d and V. ln V + "
        "s²/2 − f lies between s²/(2V) and (exp(s²) − 1)/(2V). From s₁ = √(2 ln V) on it is at "
        "least (s − s₁)²/2, and there f ≤ s·s₁",
    .kind = Kind::quadrature,
    .asked_in = {"hf26441"},
    .cites = {"derrida1981", "press2017"},
    .measures =
        "initial_loss:4:nat, loss_over_uniform:4:nat, annealed_error:3:nat, widths_near_110:count, "
        "near_110_missed:count, worst_share_of_bound:2",
    .shows =
        "annealed_loss:4:nat, uniform_loss:4:nat, said_loss:3:nat, loss_curve:4:nat, "
        "annealed_curve:3:nat, change_of_regime:3"};

inline constexpr Claim multipliers_trade_places{
    .id = "tied_output.multipliers_trade_places",
    .said = "√d at the input and 1/√d at the output are interchangeable.",
    .states =
        "(m, c) on E and (m′, c′) on E·m/m′ give one input m·e + p. They give one logit for all "
        "rows and states if and only if m·c′ = m′·c, as √d and 1 beside 1 and 1/√d do. On one and "
        "the same table the inputs are parallel for m ≠ m′ only if e ∥ p, and the "
        "token-to-position ratio changes by m/m′. Relative to σ a step by signs is 1/σ, so |m/m′| "
        "times as large on E as on E·m/m′",
    .kind = Kind::exact,
    .asked_in = {"jadore138", "t2t1718"},
    .cites = {"vaswani2017", "press2017", "kingma2015"},
    .measures =
        "function_disagreements:count, quotient_disagreements:count, kept_table_agreements:count, "
        "token_to_position, adam_relative_step",
    .shows = "ratio_of_usual_table, logit_std, balance, by_hand"};

inline constexpr Claim sharing_is_not_needed{
    .id = "tied_output.sharing_is_not_needed",
    .said = "Many keep the factor without sharing, so sharing cannot be the reason.",
    .states =
        "Some systems multiply by √d that never share, and some that always do. The token part's "
        "RMS |m|·σ does not depend on the output. A separate output matrix of standard deviation "
        "d^−½ gives logits of standard deviation 1 beside a table of standard deviation 1 without "
        "any factor. If one table of standard deviation d^−½ serves both, √d at the input is what "
        "makes both 1",
    .kind = Kind::read,
    .asked_in = {"S1", "t2t1718"},
    .cites = {"vaswani2017", "press2017", "tensor2tensor"},
    .measures =
        "systems_by_sharing:count, multiplying_without_sharing:count, "
        "shared_with_both_scales_one:count, census_disagreements:count",
    .shows =
        "told_system:count, untold_system:count, never_repositories:count, place_in_figure:count"};

inline constexpr Claim copies_its_input{
    .id = "tied_output.copies_its_input",
    .said = "At initialisation a tied model prefers no token.",
    .states =
        "Without blocks and behind RMSNorm, E⟨e, m·e + p⟩ = m·d·σ² (less 1/d of it if the mean "
        "over channels is taken off) and the other rows' mean is 0. For normal entries the own "
        "logit is sgn(m)·J(d, ‖p‖/(|m|σ)) standard deviations c·σ·√d of theirs, J(n, μ) = (n − "
        "1)·E 1/‖N(μ, I_n)‖. To leading order that is √d times the token's share |m|σ/RMS(x). "
        "Behind pre-norm blocks at initialisation E⟨e, x⟩ is the same, as each branch's last "
        "matrix has mean 0 and is drawn independently. E RMS(x)² grows by A + 2r/(1 + r)² with "
        "each block of Xavier matrices, r = d_ff/d, with 0 < A ≤ 1 for its attention",
    .kind = Kind::quadrature,
    .cites = {"press2017", "stein1981", "vaswani2017", "glorot2010", "xiong2020"},
    .measures =
        "own_logit, other_logit_std, own_over_others, own_logit_to_leading_order, "
        "leading_order_error:2, loss_on_another:4:nat, loss_on_itself:4:nat, "
        "loss_on_another_lower_bound:4:nat, loss_on_itself_lower_bound:4:nat, "
        "points_without_preference:count, mean_squares_outside_bounds:count, "
        "worst_share_of_bound:2",
    .shows =
        "largest_of_others:3, uniform_loss:4:nat, stream_mean_square, leading_order_curve, "
        "blocks_above_the_largest:count, network_mean_square, system_ratio, system_logit_std, "
        "system_loss:4:nat, systems_beyond:count, state_by_hand, logit_by_hand"};

inline constexpr std::array claims{one_table_two_scales, initial_loss, multipliers_trade_places,
                                   sharing_is_not_needed, copies_its_input};

inline constexpr Claim logits_are_scaled_products = primitives::fact(
    "tied_output.logits_are_scaled_products",
    "a logit is c·⟨e, h⟩ within γ of d + 1 roundings, in any order of summation", Kind::bounded);
inline constexpr Claim inputs_are_scaled_rows =
    primitives::fact("tied_output.inputs_are_scaled_rows",
                     "a look-up is m·e in each channel, the input m·e + p, and what the final norm "
                     "gives is the standardised row",
                     Kind::bounded);

inline constexpr std::array facts{logits_are_scaled_products, inputs_are_scaled_rows};

}  // namespace embedscale::properties::tied_output
