#pragma once
// Is adding a position as good as appending it? The claims.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::concatenation {

inline constexpr Claim is_a_padded_sum{
    .id = "concatenation.is_a_padded_sum",
    .said = "A sum is potentially a super-case of the concatenation.",
    .states =
        "[e; p] = [e; 0] + [0; p] over the reals, and to the bit in every floating-point format, "
        "except that a −0 becomes +0 (padding with −0 keeps the −0). So every model of "
        "concatenated tables is a model of summed ones of width d_t + d_p, whose tables are 0 in "
        "each other's channels",
    .kind = Kind::exact,
    .asked_in = {"S4"},
    .cites = {"vaswani2017", "ieee754"},
    .measures =
        "exact_disagreements:count, bit_disagreements:count, zeros_that_lose_their_sign:count",
    .shows = "share_of_negative_zeros, share_not_kept"};

inline constexpr Claim sum_is_a_tied_concatenation{
    .id = "concatenation.sum_is_a_tied_concatenation",
    .said = "A concatenated model cannot do what a summed one does.",
    .states =
        "W(e + p) = [W W][e; p] over the reals, for every W, e and p, so every summed model is a "
        "concatenated one of width 2d whose first weights are tied. In floating point, with sums "
        "from left to right and no overflow, the two differ by at most γ_(d+1)·Σ|w_j(e_j + p_j)| + "
        "γ_(2d)·Σ|w_j|(|e_j| + |p_j|) + 4dη, η half the smallest subnormal",
    .kind = Kind::bounded,
    .asked_in = {"S4"},
    .cites = {"higham2002", "vaswani2017"},
    .measures = "exact_disagreements:count, maps_reproduced:count, worst_share_of_bound:3",
    .shows = "by_hand"};

inline constexpr Claim first_channels_unusable{
    .id = "concatenation.first_channels_unusable",
    .said = "The first channels are completely unusable for the word.",
    .states =
        "Let the rows of a token table differ in some channels. A reader who knows the position "
        "reads the token from these channels of t + p without error, and also of fl(t + p) if 2u‖t "
        "+ p‖ is below the distance from t to the nearest other row. A reader who does not know it "
        "and takes the row nearest to x errs if and only if another row is nearer to x than t is. "
        "For normal rows of standard deviation s the probability of that is set by V, d and "
        "‖p‖²/s² alone",
    .kind = Kind::quadrature,
    .asked_in = {"S4"},
    .cites = {"vaswani2017", "higham2002", "johnson1995", "maurer2009"},
    .measures =
        "exact_misreadings:count, reader_error:3, readers_at_chance:count, "
        "misread_within_condition:count",
    .shows = "visible_error:3, pictured_error:3, chance:3, by_hand, by_hand_x:5, by_hand_read:1"};

inline constexpr Claim parts_are_nearly_orthogonal{
    .id = "concatenation.parts_are_nearly_orthogonal",
    .said = "The sum works since random high-dimensional vectors are nearly orthogonal.",
    .states =
        "For d independent channels of one distribution symmetric about 0 and any fixed p ≠ 0, E "
        "cos(e, p) = 0 and E cos² = 1/d exactly. For normal channels cos² ~ Beta(½, (d − 1)/2), so "
        "|cos| ≤ 0.1 has a probability of at least 0.99 from some d on and at no smaller one",
    .kind = Kind::quadrature,
    .cites = {"muirhead1982"},
    .measures =
        "exact_disagreements:count, cosine_std, cosine_99, largest_cosine, "
        "first_orthogonal_width:count, wide_exceptions:count, narrow_exceptions:count",
    .shows = "share_within, last_width:count"};

inline constexpr Claim costs{
    .id = "concatenation.costs",
    .said = "Appending smaller vectors would save memory.",
    .states =
        "With d_t channels for tokens and d_p for positions, w = d_t + d_p, the token table has "
        "V·d_t parameters and the first block 12w², without biases and norms. A token takes d_t "
        "operations for the multiplier and 24w² + 4Lw for the block, additions and multiplications "
        "counted apart. Against a sum of width d, with N blocks, it saves parameters if and only "
        "if V·(d − d_t) > 12N(w² − d²). With w = d it saves V·d_p parameters and no operation of a "
        "block. With d_t = d it saves none and adds 12d_p(2d + d_p) in the first block",
    .kind = Kind::exact,
    .asked_in = {"S4"},
    .cites = {"vaswani2017", "kaplan2020"},
    .measures =
        "parameters:count, operations:count, count_disagreements:count, "
        "shapes_that_do_not_save:count, shapes_that_save:count",
    .shows =
        "saved_parameters:count, saved_operations:count, added_parameters:count, "
        "added_operations:count, parameters_over_sum, operations_over_sum, equal_cost"};

inline constexpr std::array claims{is_a_padded_sum, sum_is_a_tied_concatenation,
                                   first_channels_unusable, parts_are_nearly_orthogonal, costs};

inline constexpr Claim sums_and_products_are_their_formulas =
    primitives::fact("concatenation.sums_and_products_are_their_formulas",
                     "the sum is e + p, what is left without the position x − p, a product Σ w·x, "
                     "in any order of summation, and the squared cosine ⟨e, p⟩²/(‖e‖²‖p‖²)",
                     Kind::bounded);
inline constexpr Claim parts_are_copied =
    primitives::fact("concatenation.parts_are_copied",
                     "a concatenation holds the channels of e and then those of p, a padding zeros "
                     "in the place of one, and a tied weight w twice: bit for bit",
                     Kind::bounded);

inline constexpr std::array facts{sums_and_products_are_their_formulas, parts_are_copied};

}  // namespace embedscale::properties::concatenation
