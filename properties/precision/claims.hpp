#pragma once
// What does low precision do to the multiplier, the positions and their sum? The claims.
#include <array>

#include "../claim.hpp"

namespace embedscale::properties::precision {
inline constexpr Claim rounded_root_d{
    .id = "precision.rounded_root_d",
    .said = "√d_model is the same number in every precision.",
    .states =
        "fl(√d) = √d if √d is a number of the format. Otherwise the two are at most u/(1+u)·√d "
        "apart, and not equal. For d ≤ 2²⁴ a root that is rounded to binary32 first is the same "
        "number in a format of at most 11 digits. fl(√fl(d)) is within 1.5u·√d of √d",
    .kind = Kind::exhaustive,
    .asked_in = {"gemma29402"},
    .cites = {"jeannerod2018", "ieee754"},
    .measures =
        "inexact_on_condition:count, other_widths_that_are_exact:count, share_of_bound:5, "
        "largest_error:3, power_of_two_roots:count, moved_by_two_roundings:count, "
        "moved_by_rounded_width:count, share_of_rounded_width_bound:3, error_at_width:3, "
        "moved_activations:3, error_in_system:3, systems_by_rounding:count",
    .shows =
        "exact_roots:count, largest_error_of_rounded_width:3, first_width_by_two_roundings:count, "
        "root, system_root, exact_root:6, rms:3, epsilon:1, moved_stream:3, moved_norm:2, "
        "output_multiplier:1"};

inline constexpr Claim sum_loses_the_smaller_part{
    .id = "precision.sum_loses_the_smaller_part",
    .said = "Something of the smaller of two numbers survives their sum.",
    .states =
        "Where nothing overflows, |fl(t + p) − (t + p)| ≤ min(u/(1+u)·|t + p|, |t|, |p|), and the "
        "error is 0 for −p between t/2 and 2t. While t + p is in t's binade, the error is p's "
        "distance from the whole multiples of t's ulp. The sum is t itself, without a trace of p, "
        "if and only if t + p falls short of the midpoint between t and its neighbour on p's side, "
        "or on it for an even t: never for |t| < |p|/u, always for |t| ≥ 2|p|/u",
    .kind = Kind::exhaustive,
    .asked_in = {"dreamer4"},
    .cites = {"higham2002", "jeannerod2018", "ieee754"},
    .measures =
        "lost_on_condition:count, kept_elsewhere:count, other_than_the_ratio_says:count, "
        "over_a_part:count, other_than_the_distance:count, inexact_when_cancelling:count, "
        "worst_share_of_bound:4, ratio_of_loss:enough:3, ratio_kept_below:count, "
        "ratio_lost_from:count, loss_in_system:3",
    .shows =
        "loss:3, distance_of_limit:2, falling_losses:count, loss_at_scale:3, ratio:4, "
        "other_systems:count, example_sum:count"};

inline constexpr Claim difference_follows_the_significand{
    .id = "precision.difference_follows_the_significand",
    .said = "Up and down differ by the same rounding noise at every width.",
    .states =
        "Let f be the significand of m = fl(√d), 1 ≤ f < 2. Where nothing under- or overflows, "
        "|fl(fl(m·e) + p) − fl(m·fl(e + fl(p/m)))| ≤ (8/f)·u·max(|m·e|, |p|) for f > 1, and the "
        "difference is 0 for f = 1; in bfloat16 and binary16 this holds for every pair (e, p) at "
        "the widths tried",
    .kind = Kind::bounded,
    .asked_in = {"S0", "gemma29402"},
    .cites = {"higham2002", "ieee754"},
    .measures =
        "largest_error:4:u, share_of_bound:4, largest_found:4:u, agreeing_pairs:3, left_out:3, "
        "widths_told_apart:count",
    .shows =
        "derived_bound:4:u, multiplier:9, largest_ulps:3:ulp, worst_pair:4:u, largest_relative:3, "
        "bound_curve:5:u"};

inline constexpr Claim positions_in_low_precision{
    .id = "precision.positions_in_low_precision",
    .said = "A sinusoidal table may be computed in half precision.",
    .states =
        "Sines and cosines of angles that are kept as fractions of a turn, rounded once, are "
        "within 0.501 ulp in binary32, binary16 and bfloat16 and within 0.508 in binary64, at "
        "every position up to 2¹⁷ whose angle is not within 2⁻⁴⁶ of a multiple of π/2 (at d = 64, "
        "512 and 1024 only position 0 is). With frequency, position, angle and sine each rounded "
        "to a format of roundoff u, an entry of frequency w = e^−L ≥ 10⁻⁴ at position p is off by "
        "at most (p·w·(3L + 7) + 2)·u, and all positions that round to one number have one row",
    .kind = Kind::bounded,
    .asked_in = {"hf13665", "neox1003", "diffusers13920"},
    .cites = {"vaswani2017", "ieee754", "higham2002"},
    .measures =
        "once_rounded_ulps:4:ulp, worst_share_of_bound:3, entries_off:count, largest_error:3, "
        "largest_error_in_ulps:3:ulp, first_position_off:count, distinct_rows:count, "
        "no_numbers:count",
    .shows = "error_curve:3, one_rounding:3"};

inline constexpr Claim angle_reduction{
    .id = "precision.angle_reduction",
    .said = "binary32 is always enough for the angles of a sinusoid.",
    .states =
        "With roundoff u, and to first order, the angle of position p at frequency w_i = e^−L is "
        "off by at most p·w·u·(L + 3) if the frequency is a rounded power. The bound is p·w·u·(4L "
        "+ 3) if the frequency is exp(−i·c) with a rounded logarithm in c, and p·w·u·(L + 3i + 1) "
        "if each frequency is the one before times a rounded factor. At w = 1 the angle is off by "
        "nothing",
    .kind = Kind::bounded,
    .asked_in = {"neox1003", "hf25681"},
    .cites = {"vaswani2017", "higham2002"},
    .measures =
        "largest_angle_error:3:radian, first_position_off:count, worst_share_of_bound:3, "
        "angles_off:count",
    .shows =
        "angle_error_curve:3, bound_curve:3, rounding_of_bfloat16:3, first_past_a_rounding:count"};

inline constexpr Claim overflow_limits{
    .id = "precision.overflow_limits",
    .said = "Scaling up is safe in half precision.",
    .states =
        "Let m = fl(√d), Ω a format's largest number, T = Ω + ulp(Ω)/2, and η its smallest number. "
        "For |p| ≤ 1, fl(fl(m·e) + p) is finite if and only if |m·e| < T (or = T in e4m3, whose Ω "
        "is even), and fl(e + fl(p/m)) always is. m is finite if and only if √d is below that "
        "bound. ⟨q, k⟩ of n terms is finite if A(1 + u)ⁿ < T, A = Σ|q_i·k_i|, and overflows if all "
        "terms have one sign and A(1 − u)ⁿ ≥ T. fl(p/m) is 0 if and only if |p/m| ≤ η/2, and "
        "fl(m·e) is no closer to 0 than e",
    .kind = Kind::exhaustive,
    .asked_in = {"gemma37226"},
    .cites = {"ieee754", "ofp8", "higham2002"},
    .measures =
        "overflows_below:count, numbers_beyond:count, down_overflows:count, "
        "faint_disagreements:count, overflows_from:5, largest_entry:5, largest_width:count, "
        "largest_in_product:4, most_ones:count, least_headroom:3, positions_lost:3",
    .shows =
        "token_headroom:3, largest_token:3, input_headroom:3, product_deviations:3, "
        "own_logit_headroom:3, tokens_below_normal:3, lost_in_half_ulps:2, systems:count, "
        "example_entry:count, example_product:7"};

inline constexpr std::array claims{
    rounded_root_d,
    sum_loses_the_smaller_part,
    difference_follows_the_significand,
    positions_in_low_precision,
    angle_reduction,
    overflow_limits,
};

}  // namespace embedscale::properties::precision
