#pragma once
// What is the position part of the input, when it is a table of sines and cosines? The claims.
#include <array>

#include "../claim.hpp"

namespace embedscale::properties::sinusoidal {

inline constexpr Claim stays_within_one{
    .id = "sinusoidal.stays_within_one",
    .said = "Positional encodings range from −1 to +1.",
    .states =
        "At every position and channel |p_j| ≤ 1. The rounded |p_j| is at most 1 as well, in any "
        "format, if sine and cosine are within one ulp, as no number beyond 1 lies within one ulp "
        "of a value below 1. But within L positions a channel of frequency w comes within 1 % of "
        "both −1 and 1 only if (L − 1)·w ≥ π − 2·arccos 0.99 = 2.858",
    .kind = Kind::bounded,
    .asked_in = {"S0", "S1"},
    .cites = {"vaswani2017", "higham2002"},
    .measures = "largest_magnitude, entries_beyond_one:count, channels_that_span:count",
    .shows = "share_that_spans, span_curve, half_turn:count"};

inline constexpr Claim mean_square_is_half{
    .id = "sinusoidal.mean_square_is_half",
    .said = "Positional encodings are as large as the tokens.",
    .states =
        "‖p‖² = d/2 at every position, for even d, both rules of frequencies and both layouts. "
        "That is an RMS of 1/√2, as large as tokens of RMS m·σ if and only if m·σ = 1/√2. When "
        "rounded, |‖p‖² − d/2| ≤ (2u + 2u²)·d. For odd d ‖p‖² is (d − 1)/2 if the last channel is "
        "0, and (d − 1)/2 + sin²(p·w) if a cosine is missing beside its sine, of frequency w",
    .kind = Kind::bounded,
    .asked_in = {"S0", "S1"},
    .cites = {"vaswani2017", "higham2002"},
    .measures =
        "rms, worst_share_of_bound:2, sizes_that_differ:count, other_sizes_that_agree:count, "
        "token_to_position, odd_width_excess",
    .shows = "as_large"};

inline constexpr Claim is_not_zero_mean{
    .id = "sinusoidal.is_not_zero_mean",
    .said = "A positional encoding has mean 0 and variance ½ per coordinate.",
    .states =
        "Over the channels of position k the mean is μ = (1/d)·Σ_i (sin k·w_i + cos k·w_i) and the "
        "variance 1/2 − μ². At k = 0 they are 1/2 and 1/4. For d → ∞, μ → (Si(k) − Si(k/b) + Ci(k) "
        "− Ci(k/b))/(2 ln b) with base b, and μ is at most √2·k/d away from that limit",
    .kind = Kind::quadrature,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "niederreiter1992"},
    .measures =
        "coordinate_mean, coordinate_variance, limit_of_the_mean, worst_share_of_bound:2, "
        "positions_of_mean_0:count",
    .shows = "mean_curve, limit_curve, zero"};

inline constexpr Claim constant_share{
    .id = "sinusoidal.constant_share",
    .said = "All of a positional encoding tells positions apart.",
    .states =
        "The mean of positions 0 … L−1 is the vector that they all have in common. It holds the "
        "share (2/d)·Σ_i (sin(L·w_i/2)/(L·sin(w_i/2)))² of the energy, and that share tells no "
        "position from another",
    .kind = Kind::quadrature,
    .cites = {"vaswani2017"},
    .measures = "constant_share, worst_share_of_bound:2, tables_without_a_constant:count",
    .shows = "share_curve, by_hand"};

inline constexpr Claim early_channels_move{
    .id = "sinusoidal.early_channels_move",
    .said = "The first channels are distorted a lot, the last only slightly.",
    .states =
        "Over positions 0 … L−1 a pair of frequency w has the variance v = 1 − D(w)² with D(w) = "
        "sin(Lw/2)/(L·sin(w/2)). The sine has (v + g)/2 of it and the cosine (v − g)/2, g = (D(w)² "
        "− D(2w))·cos((L − 1)w). The last pair's standard deviation is at most half of the first's "
        "while its frequency has L·w ≤ 1.83116, and no longer. That is where x = L·w/2 solves sin "
        "x/x = √3/2",
    .kind = Kind::quadrature,
    .asked_in = {"S4"},
    .cites = {"vaswani2017"},
    .measures =
        "channel_std, variance_share_of_first_channels, channels_that_move_less:count, "
        "loud_ends_of_short_tables:count, quiet_ends_of_long_tables:count, "
        "longest_quiet_table:count, worst_share_of_bound:2",
    .shows =
        "std_of, std_curve, quiet_turn:6, turn_reached, turn_passed, ends_as_stated:count, "
        "std_of_a_sine"};

inline constexpr Claim shift_is_linear{
    .id = "sinusoidal.shift_is_linear",
    .said = "The encoding of a shifted position is a linear function of the encoding.",
    .states =
        "p(k + δ) = R_δ·p(k) for every k, where R_δ turns each pair by δ·w and has the channels of "
        "p(δ) for its entries. When rounded, each channel is off by at most w·(|k| + |δ| + |k + "
        "δ|)·u + 7u",
    .kind = Kind::bounded,
    .asked_in = {"S4"},
    .cites = {"vaswani2017", "higham2002"},
    .measures = "worst_share_of_bound:2, digits_that_agree:count, error_of_the_shift:3",
    .shows = "error_curve:3"};

inline constexpr Claim product_depends_on_offset{
    .id = "sinusoidal.product_depends_on_offset",
    .said = "The product of two encodings depends on their distance alone.",
    .states =
        "⟨p(i), p(j)⟩ = Σ cos((i − j)·w) over the d/2 frequencies, the same for i − j and j − i. "
        "With the sines and cosines of one of them exchanged it is Σ sin((i + j)·w), so with a "
        "matrix between them it can depend on the positions, too",
    .kind = Kind::bounded,
    .cites = {"vaswani2017", "higham2002"},
    .measures = "offset_product, worst_share_of_bound:2, spread_at_one_offset",
    .shows = "product_curve, least_exchange:3, most_exchange:3, orthogonal"};

inline constexpr Claim layouts_are_permutations{
    .id = "sinusoidal.layouts_are_permutations",
    .said = "Interleaved and concatenated sines and cosines are equivalent.",
    .states =
        "At equal frequencies the two layouts are one fixed permutation of the same bits. The "
        "vectors of the two rules of frequencies are no permutation of each other at position 1, "
        "for any even d ≥ 4. In one layout they differ at position p by √((2/d)·Σ_i (1 − "
        "cos(p·(w_i − w′_i)))), root mean square over channels",
    .kind = Kind::bounded,
    .asked_in = {"t2t177"},
    .cites = {"vaswani2017", "tensor2tensor", "t2t177"},
    .measures =
        "layouts_that_differ:count, rules_that_permute:count, frequency_rule_rms_difference:3, "
        "worst_share_of_bound:2",
    .shows = "difference_curve:3, rms_of_a_vector"};

inline constexpr Claim effective_rank{
    .id = "sinusoidal.effective_rank",
    .said = "Positions occupy only a part of the space.",
    .states =
        "The position table of L positions has rank min(L, d), but few directions hold its energy. "
        "By the eigenvalues of its second moments, in closed form by Dirichlet's kernel, 99 % of "
        "the energy lies in at most d/2 directions for L ≤ 6d, and in more than d/2 for L ≥ 15d, "
        "with one change in between, at every even width tried",
    .kind = Kind::quadrature,
    .asked_in = {"S4"},
    .cites = {"vaswani2017", "golub2013"},
    .measures =
        "directions_for_energy:count, tables_in_half_the_space:count, longer_tables_in_half:count, "
        "worst_share_of_bound:2",
    .shows = "share_of_directions, half_the_space"};

inline constexpr std::array claims{
    stays_within_one,    mean_square_is_half, is_not_zero_mean,          constant_share,
    early_channels_move, shift_is_linear,     product_depends_on_offset, layouts_are_permutations,
    effective_rank};

}  // namespace embedscale::properties::sinusoidal
