#pragma once
// Is scaling the token up the same as scaling the position down? The claims.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::combination {

inline constexpr Claim up_is_down_times_root_d{
    .id = "combination.up_is_down_times_root_d",
    .said =
        "Scaling the tokens up or the positions down is mathematically the same, up to a common "
        "factor.",
    .states = "m·e + p = m·(e + p/m) over the reals, for every m ≠ 0",
    .kind = Kind::exact,
    .asked_in = {"S0", "icefall17"},
    .cites = {"vaswani2017"},
    .measures = "exact_disagreements:count, relative_rounding_difference:3:u"};

inline constexpr Claim only_the_ratio_sets_direction{
    .id = "combination.only_the_ratio_sets_direction",
    .said = "Both approaches bring the two signals to the same relative scale.",
    .states =
        "a·e + b·p ∥ a′·e + b′·p for all e and p if and only if a·b′ = a′·b. A positive common "
        "factor leaves every cosine as it was, and also every nearest neighbour if the candidates "
        "carry the factor",
    .kind = Kind::exact,
    .asked_in = {"S0"},
    .cites = {"vaswani2017"},
    .measures =
        "minor_disagreements:count, cosine_disagreements:count, neighbours_moved_together:count, "
        "neighbours_moved_alone:count, angle_to_up:3:degree",
    .shows = "angle_of_ratio:3:degree"};

inline constexpr Claim rounds_identically{
    .id = "combination.rounds_identically",
    .said = "Apart from their common factor, up and down give the same numbers.",
    .states =
        "Where nothing under- or overflows, with m = fl(√d), U = fl(fl(m·e) + p) and Z = "
        "fl(m·fl(e + fl(p/m))) are the same bits for all e and p if and only if m is a power of "
        "two. At another m, in the same range, they differ by at most 8u·max(|m·e|, |p|). The "
        "bound holds with fl(p·fl(1/m)) in place of fl(p/m), too",
    .kind = Kind::bounded,
    .asked_in = {"S0", "gemma29402"},
    .cites = {"higham2002", "jeannerod2018", "ieee754"},
    .measures =
        "power_of_two_roots:count, disagreements_at_powers_of_two:count, "
        "other_widths_that_agree:count, worst_share_of_bound:3, agreeing_pairs:3",
    .shows =
        "largest_difference:3:u, largest_of_all:3:u, derived_bound:1:u, further_roots:count, "
        "multiplier:9, example_e:count, example_p:count, example_up:9, example_down:9"};

inline constexpr Claim down_makes_positions_too_faint{
    .id = "combination.down_makes_positions_too_faint",
    .said = "Scaling positions down makes them too faint beside the tokens.",
    .states =
        "(p/m)/e = p/(m·e) over the reals: the ratio is that of scaling up. In binary16 p/m falls "
        "below the normal range at some (d, position, channel), which moves it by at most half an "
        "ulp of any sum that it enters. In bfloat16 nothing falls below the normal range",
    .kind = Kind::bounded,
    .asked_in = {"S0", "dreamer4"},
    .cites = {"ieee754"},
    .measures =
        "ratio_changes:count, below_normal:count, vanished:count, worst_loss_alone, "
        "underflow_over_half_ulp, rms_error:4:u, rms_error_without_underflow:4:u",
    .shows =
        "share_below_up:3, share_below_down:3, loss_alone_found, cost_of_underflow, "
        "positions_below, position_over_token"};

inline constexpr Claim dropout_commutes{
    .id = "combination.dropout_commutes",
    .said = "A factor before dropout may as well stand behind it.",
    .states =
        "The same mask before or after the factor gives the same result over the reals. Let s be "
        "the rounded 1/(1 − rate). In floating point, where nothing under- or overflows, the two "
        "orders give the same bits for every x if m or s is a power of two or both have the same "
        "significand, and at no other width and rate tried; there they are at most 4u·|m·s·x| "
        "apart",
    .kind = Kind::bounded,
    .cites = {"srivastava2014", "higham2002"},
    .measures =
        "exact_disagreements:count, disagreements_on_condition:count, "
        "other_cases_that_agree:count, worst_share_of_bound:3",
    .shows = "widths:count, widths_on_condition:count, worst_difference:3:u"};

inline constexpr Claim multiplier_commutes_with_order{
    .id = "combination.multiplier_commutes_with_order",
    .said = "The scaling could as well come after the sum.",
    .states =
        "m·(e + p) − (m·e + p) = (m − 1)·p. Scaling the sum leaves the token-to-position ratio at "
        "|e|/|p|, and scaling before it makes that m·|e|/|p|. They agree only if m = 1 or p = 0",
    .kind = Kind::exact,
    .asked_in = {"S2"},
    .cites = {"vaswani2017"},
    .measures = "gap_disagreements:count, orders_that_agree:count, token_to_position",
    .shows = "by_hand, balance"};

inline constexpr Claim merged_rows_share_the_factor{
    .id = "combination.merged_rows_share_the_factor",
    .said = "Dividing image features by √d_model makes up for the multiplier.",
    .states =
        "Behind the merge a multiplier m ≠ 0 makes m·(q/m) = q of features q that were divided by "
        "it; in the look-up it leaves them at q/m, which is q only where m = 1 or q = 0. Tokens "
        "are m·e at either place. In floating point, where nothing under- or overflows, "
        "fl(m·fl(q/m)) "
        "is within 2u·|q| of q, and is q for every q if and only if the significand of m is 1 or "
        "the format's largest, 2 − 2u",
    .kind = Kind::bounded,
    .asked_in = {"vllm52667", "opentau179"},
    .cites = {"goldberg1991", "ieee754"},
    .measures =
        "exact_disagreements:count, disagreements_on_condition:count, "
        "other_widths_that_agree:count, worst_share_of_bound:3, token_rms:3, feature_rms:3, "
        "token_to_feature:3",
    .shows = "mixed_logit:3, behind_norm:3, widths_on_condition:count, changed_features:2"};

inline constexpr std::array claims{up_is_down_times_root_d,
                                   only_the_ratio_sets_direction,
                                   rounds_identically,
                                   down_makes_positions_too_faint,
                                   dropout_commutes,
                                   multiplier_commutes_with_order,
                                   merged_rows_share_the_factor};

inline constexpr Claim sums_are_of_scaled_parts = primitives::fact(
    "combination.sums_are_of_scaled_parts",
    "up is m·e + p, down is e + p/m by either division, the sum is e + p: within a rounding for "
    "each operation",
    Kind::bounded);
inline constexpr Claim dropout_scales_what_it_keeps = primitives::fact(
    "combination.dropout_scales_what_it_keeps",
    "what dropout keeps is s·x within one rounding, what it drops is 0", Kind::bounded);

inline constexpr Claim merged_rows_are_scaled = primitives::fact(
    "combination.merged_rows_are_scaled",
    "a token behind a merge is m·e, a feature q, m·q, q/m or m·(q/m), within a rounding for each "
    "operation",
    Kind::bounded);

inline constexpr std::array facts{sums_are_of_scaled_parts, dropout_scales_what_it_keeps,
                                  merged_rows_are_scaled};

}  // namespace embedscale::properties::combination
