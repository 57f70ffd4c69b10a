#pragma once
// What does the factor do to the token part? The claims.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::embedding {

inline constexpr Claim root_d_restores_unit_variance{
    .id = "embedding.root_d_restores_unit_variance",
    .said = "Times √d, a table of standard deviation d^−½ becomes one of standard deviation 1.",
    .states =
        "Over the reals m·e has mean m·E e and variance m²·Var e, whatever the distribution, so "
        "variance 1 for every distribution of variance 1/d and m = √d. With m = fl(√d) in a "
        "format of unit roundoff u the variance is 1 if and only if √d is a number of the format. "
        "Otherwise it is within 2u of 1, and the standard deviation within u",
    .kind = Kind::exact,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "glorot2010"},
    .measures =
        "moment_disagreements:count, worst_share_of_bound:3, token_variance, "
        "widths_of_variance_1:count, other_than_stated:count, largest_error_of_deviation:3",
    .shows = "largest_error_of_variance:3, token_deviation, error_of_root:3"};

inline constexpr Claim small_tables_stay_dominated{
    .id = "embedding.small_tables_stay_dominated",
    .said =
        "Tables start small, about 0.01, so without the factor positions would dominate; with it "
        "they do not.",
    .states =
        "Beside sinusoids a table of RMS σ has 2σ² times their energy, and 2σ²d times with the "
        "factor √d. Positions dominate without the factor if and only if σ < 1/√2, and with it if "
        "and only if d < 1/(2σ²)",
    .kind = Kind::exact,
    .asked_in = {"S0"},
    .cites = {"vaswani2017"},
    .measures =
        "energy_ratio, break_even_width, belief_fails_on_condition:count, "
        "belief_holds_elsewhere:count, worst_share_of_bound:2, systems_near_deviation:count",
    .shows =
        "energy_curve, equal_energies, energy_at_512, smallest_deviation:2, largest_deviation:2"};

inline constexpr Claim balances_the_two_parts{
    .id = "embedding.balances_the_two_parts",
    .said = "The factor always balances the two parts.",
    .states =
        "The factor m divides the ratio of position to token by |m|, so |m| > 1 makes positions "
        "relatively smaller, whatever they are. It balances two parts of RMS σ and s within a "
        "factor 2 if and only if s/(2σ) ≤ |m| ≤ 2s/σ. Beside a position table of the tokens' own "
        "distribution √d does so if and only if d ≤ 4",
    .kind = Kind::exact,
    .asked_in = {"S1", "S2"},
    .cites = {"vaswani2017"},
    .measures =
        "share_disagreements:count, token_to_position, unbalanced_systems:count, "
        "balanced_systems:count, systems_by_effect:count",
    .shows =
        "compared_system, factor, ratio_without, ratio_with:3, scaled_balanced_systems:count, "
        "learned_lost:count, farthest_ratio:3, ratio_of_start, balance_ends"};

inline constexpr Claim depends_on_initialisation{
    .id = "embedding.depends_on_initialisation",
    .said = "The factor does the same whatever the table was initialised with.",
    .states =
        "√d times a (V, d) table has an RMS of 1 for a standard deviation of d^−½, σ√d for a fixed "
        "σ (uniform on ±√3σ), √(2d/(V+d)) for Xavier's, √d for a standard deviation of 1, and "
        "0.8796·σ√d for a normal one of nominal σ cut at ±2σ. Two of these are equal if and only "
        "if their variances are: 1/d, σ², 2/(V+d), 1 and 0.7737σ²",
    .kind = Kind::bounded,
    .asked_in = {"S3"},
    .cites = {"glorot2010", "vaswani2017"},
    .measures =
        "token_rms, families_that_differ:count, worst_share_of_bound:2, other_than_stated:count",
    .shows = "rms_at_middle_width, rms_curve, position_rms"};

inline constexpr Claim lookup_has_unit_fan_in{
    .id = "embedding.lookup_has_unit_fan_in",
    .said = "The input is sparse, so it needs no scaling.",
    .states =
        "A one-hot vector times a table is a row of it, for every V and in every format, apart "
        "from the sign of a zero. Over tables of independent entries of mean 0 and variance σ², "
        "x·E has variance σ²·‖x‖² in every channel. That is σ² for a one-hot x, kσ² for one with k "
        "ones, and Vσ² for a dense one of mean square 1",
    .kind = Kind::exact,
    .asked_in = {"S2"},
    .cites = {"glorot2010"},
    .measures =
        "row_disagreements:count, variance_disagreements:count, lookup_variance, dense_variance"};

inline constexpr Claim norm_concentrates{
    .id = "embedding.norm_concentrates",
    .said = "The length of a token vector is as random as its entries.",
    .states =
        "For independent entries of any distribution ‖t‖² has relative variance (κ − 1)/d, κ = E "
        "e⁴/(E e²)². For a normal table ‖t‖² is m²σ²·χ²_d, and its root, the length, has a "
        "relative standard deviation of about 1/√(2d), less than an entry's size for every d ≥ 2. "
        "For a normal table beside a sinusoid, ‖p‖² = d/2, P(‖t‖ < ‖p‖) = P(d/2, d/(4m²σ²)), the "
        "regularised incomplete gamma function",
    .kind = Kind::quadrature,
    .cites = {"vershynin2018"},
    .measures =
        "spread_disagreements:count, worst_share_of_bound:2, length_disagreements:count, "
        "relative_deviation, widths_as_random:count, probability_token_shorter",
    .shows =
        "cut_kurtosis, deviation_by_hand, shorter_at_paper_law, shorter_curve, break_even_width"};

inline constexpr Claim gradient_scale{
    .id = "embedding.gradient_scale",
    .said = "Scaling prevents gradients from becoming too large or too small.",
    .states =
        "The gradient of a table's row is m times the sum of ∂L/∂x over the positions that looked "
        "it up, and 0 for every other row, exactly. So m = √d makes it √d times as large, whether "
        "it was small or large",
    .kind = Kind::exact,
    .asked_in = {"S0", "S1", "t2t1718"},
    .cites = {"vaswani2017", "jeannerod2018"},
    .measures =
        "gradient_disagreements:count, worst_share_of_bound:2, gradient_ratio, "
        "large_gradients_enlarged:count",
    .shows = "gradient_elsewhere, gradient_without, gradient_at_512:3, by_hand"};

inline constexpr std::array claims{root_d_restores_unit_variance,
                                   small_tables_stay_dominated,
                                   balances_the_two_parts,
                                   depends_on_initialisation,
                                   lookup_has_unit_fan_in,
                                   norm_concentrates,
                                   gradient_scale};

inline constexpr Claim tables_give_their_products = primitives::fact(
    "embedding.tables_give_their_products",
    "a look-up is m·e, a product with the table Σ x·e, the gradient of an entry grows by m times "
    "each slope, the multiplier is √d, and the input m·e + p: in any order of summation",
    Kind::bounded);

inline constexpr std::array facts{tables_give_their_products};

}  // namespace embedscale::properties::embedding
