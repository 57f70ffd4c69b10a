#pragma once
// How does a checkpoint move between code that multiplies its tokens and code that does not? The
// claims: about the function, and about training that goes on.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::porting {

inline constexpr Claim function_is_kept{
    .id = "porting.function_is_kept",
    .said = "To move a checkpoint to a model without the factor, multiply the table.",
    .states =
        "Over the reals a table m·E keeps every activation and logit, if the output has a table "
        "of its own or tied logits get the factor c/m for c. Another first row, layout or "
        "frequency rule of positions is a step of its own, and rows of 0 stay 0. In floating "
        "point, with m > 0, fl(m·E) keeps the bits of every input at every m. Where nothing "
        "under- or overflows, fl(c/m) keeps those of every tied logit if and only if m = 2^i. At "
        "another m, in the same range, a logit of n channels moves by at most (γ_(n+1) + "
        "γ_(n+3))·|c|·Σ|E_j·h_j|. On the way back, again where nothing under- or overflows, "
        "m·fl(e/m) = e for every e if and only if m is 2^i or the number below it, 2^i·(1 − u)",
    .kind = Kind::exact,
    .asked_in = {"S1", "bugs"},
    .cites = {"higham2002", "goldberg1991"},
    .measures =
        "function_disagreements:count, table_alone_disagreements:count, "
        "table_alone_agreements:count, input_bit_disagreements:count, "
        "tied_bit_disagreements:count, zero_logits_kept:count, worst_share_of_bound:2, "
        "multipliers_misjudged:count, multipliers_that_come_back:count, "
        "widths_that_come_back:count, entries_lost:3, logits_changed:2",
    .shows = "multiplier:6, back_by_hand:8"};

inline constexpr Claim tied_output_needs_a_place_for_the_factor{
    .id = "porting.tied_output_needs_a_place_for_the_factor",
    .said = "Weights are weights.",
    .states =
        "If the output is tied and has no place for 1/m, m > 0, a table m·E makes every logit m "
        "times as large, in their old order. What keeps the logits is 1/m in a logit factor, 1/m "
        "in gain and bias of a final norm that has a gain, or an output table of its own that "
        "stays E, which adds V·d numbers. The last keeps the bits of every logit at every m. The "
        "others do if m = 2^i and nothing under- or overflows, except a gain g ≤ m/2 kept as w = "
        "fl(g/m − 1), which is off by up to u·m/(2g) of itself",
    .kind = Kind::exact,
    .asked_in = {"bugs"},
    .cites = {"press2017"},
    .measures =
        "logit_disagreements:count, logits_not_multiplied:count, logits_that_stay:count, "
        "order_disagreements:count, bit_disagreements:count, places:count, added_parameters:count, "
        "initial_loss:4:nat, calibrated_loss:4:nat, drawn_loss:3:nat, offset_gain_off:3",
    .shows = "multiplier:5, logit_by_hand:5"};

inline constexpr Claim optimizer_state_follows{
    .id = "porting.optimizer_state_follows",
    .said = "The optimiser's state is loaded as it is.",
    .states =
        "A parameter that is multiplied by s (the table by m; a gain and bias that took the factor "
        "by 1/m) has 1/s of the gradient. Training goes on as it would have, from any step, if "
        "state and settings follow. Under Adam the first moment, ε, and a decay that the rate "
        "multiplies are divided by s, second moment and L2 by s², and the rate is multiplied by s. "
        "Under gradient descent and momentum the velocity is divided by s, L2 by s², and the rate "
        "is multiplied by s². A table that became two, and the decay of a gain kept as 1 + w, "
        "part. In floating point every bit except a zero's sign stays if each s is ±2^k, gains are "
        "kept as g, channels in their order, and nothing under- or overflows",
    .kind = Kind::exact,
    .cites = {"kingma2015", "loshchilov2019", "polyak1964"},
    .measures =
        "path_disagreements:count, loaded_agreements:count, bit_disagreements:count, "
        "logit_distance:2",
    .shows = "token_distance:2, step_by_hand"};

inline constexpr Claim global_clipping_parts{
    .id = "porting.global_clipping_parts",
    .said = "Clipping does not care where the factor stands.",
    .states =
        "Clipping by the norm of all gradients multiplies them by min(1, C/N), N² = Σ‖g‖². In N² "
        "the part of a parameter that was multiplied by s is 1/s² of what it was. If a step clips "
        "in either code, its factor changes with N, and under gradient descent the step of every "
        "parameter changes in that ratio. Training goes on as it would have if no step clips, or "
        "if each part has the weight s. With weights every bit stays, except a zero's sign, if "
        "each s is ±2^k, gains are kept as g, channels in their order, and nothing under- or "
        "overflows",
    .kind = Kind::exact,
    .cites = {"pascanu2013"},
    .measures =
        "factor_disagreements:count, unclipped_disagreements:count, clipped_agreements:count, "
        "clipping_factor:3, bit_disagreements:count, logit_distance:2",
    .shows = "token_distance:2, table_share:3"};

inline constexpr Claim rounded_multiplier_is_the_function{
    .id = "porting.rounded_multiplier_is_the_function",
    .said = "√d_model is √d_model.",
    .states =
        "A model that multiplies by m = fl(√d) is kept by the table m·E. With √d·E, and ρ = √d/m − "
        "1, x moves by ρ·m·e, and turns by an angle of sine |ρ|·‖m·e‖·‖p‖·sin∠(m·e, p)/(‖x‖·‖x̂‖), "
        "x̂ being the new x. RMSNorm with ε = 0 shows that turn alone, so nothing without p, and "
        "LayerNorm the same of centred vectors. ρ is 0 if and only if √d is a number of the format",
    .kind = Kind::exact,
    .asked_in = {"gemma29402"},
    .cites = {"zhang2019"},
    .measures =
        "function_disagreements:count, misport_disagreements:count, roots_off_on_condition:count, "
        "other_roots_that_agree:count, token_part_off:3, input_off:3, normed_off:3, stream_off:3, "
        "logits_off:3",
    .shows = "system_off:3, rounded:6, unrounded:8, turn:3"};

inline constexpr std::array claims{function_is_kept, tied_output_needs_a_place_for_the_factor,
                                   optimizer_state_follows, global_clipping_parts,
                                   rounded_multiplier_is_the_function};

inline constexpr Claim clipping_is_by_the_weighted_norm = primitives::fact(
    "porting.clipping_is_by_the_weighted_norm",
    "the factor of clipping is min(1, C/N), N² = Σ weight²·‖gradient‖², in any order of summation, "
    "and an entry on its way back is e/m",
    Kind::bounded);

inline constexpr std::array facts{clipping_is_by_the_weighted_norm};

}  // namespace embedscale::properties::porting
