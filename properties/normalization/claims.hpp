#pragma once
// Does a normalisation layer, or a whole block around one, hide the common factor? The claims.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::normalization {

inline constexpr Claim absorbs_the_factor{
    .id = "normalization.absorbs_the_factor",
    .said = "It makes no interesting difference, since layer normalisation follows.",
    .states =
        "With ε = 0, N(c·x) = sign(c)·N(x) over the reals, for LayerNorm and RMSNorm and every c "
        "≠ 0. A residual stream around the norm keeps c: for c > 0, c·x + W·N(c·x) ∥ x + W·N(x) "
        "only if c = 1 or W·N(x) ∥ x. With ε > 0, N(c·x) = N(x) only if c = 1 or N(x) = 0. In "
        "floating point, where nothing under- or overflows, N(c·x) has the bits of N(x) if c is a "
        "power of two. For any other c, in the same range, RMSNorm's channels differ by at most "
        "(γ_(n+6) + γ_(n+8))·|N(x)|, with n channels and γ_k = ku/(1 − ku), and LayerNorm's by "
        "what the same roundings and those of the mean add up to",
    .kind = Kind::exact,
    .asked_in = {"S0", "onmt1722"},
    .cites = {"ba2016", "zhang2019", "higham2002"},
    .measures =
        "exact_disagreements:count, outputs_changed:count, directions_that_stay:count, "
        "outputs_that_stay:count, bit_disagreements:count, worst_share_of_bound:2, "
        "largest_change:3:u, systems:count",
    .shows = "directions_that_turn:count, outputs_that_change:count, first_layers:count"};

inline constexpr Claim epsilon_is_rescaled{
    .id = "normalization.epsilon_is_rescaled",
    .said = "ε is too small to matter, whatever the scale of the input.",
    .states =
        "For c > 0, N_ε(c·x) = N_ε′(x). Here ε′ = ε/c² if ε is added to the mean square s that N "
        "divides by, and ε′ = ε/c if it is added to √s. N_ε(x) is N_0(x) times √(s/(s + ε)), or "
        "√s/(√s + ε): one factor below 1 for all channels. For x/c, c > 1, the output is smaller "
        "than for x by the share 1 − √((s + ε)/(s + c²ε)), or ε(c − 1)/(√s + cε)",
    .kind = Kind::exact,
    .cites = {"ba2016", "zhang2019", "rush2018"},
    .measures =
        "rescaling_disagreements:count, shrinkage_disagreements:count, epsilon_deviation, "
        "epsilon_deviation_of_draws:3, width_of_deviation:count, systems_over:count, "
        "worst_share_of_bound:2",
    .shows =
        "expected_deviation_of_draws:3, mean_square_up, shrinkage_up:3, shrinkage_down:3, "
        "system_over_one_percent:3, start_not_told:count, epsilon_of_one_percent:3"};

inline constexpr Claim post_norm_block{
    .id = "normalization.post_norm_block",
    .said = "A post-norm block does not notice a common factor.",
    .states =
        "With ε = 0 and c > 0 a post-norm block gives c·x what it gives x if W_Q is divided by a "
        "and W_K by b with ab = c², b_Q is multiplied by c/a, and W_O·b_V + b_O by c (as when b_V "
        "and b_O are), whatever b_K is. Nothing behind the first norm has to change. With ε > 0 "
        "the first norm's ε has to be multiplied, too, by c² under the root or by c beside it. "
        "With unchanged weights and no biases the block is that of x with W_Q·c², a softmax of "
        "temperature c⁻². In floating point this holds to the bit if c and a are powers of two and "
        "nothing under- or overflows",
    .kind = Kind::bounded,
    .asked_in = {"S0", "sand3"},
    .cites = {"vaswani2017", "higham2002"},
    .measures =
        "outputs_changed:count, outputs_that_stay:count, harmless_changes:count, "
        "temperature_disagreements:count, bit_disagreements:count, worst_share_of_bound:2, "
        "block_deviation:3, block_deviation_bound:3",
    .shows = "blocks_changed:count, deviation_by_factor:3, bound_by_factor:2"};

inline constexpr Claim pre_norm_block{
    .id = "normalization.pre_norm_block",
    .said = "LayerNorm comes next, so it does not matter.",
    .states =
        "With ε = 0 and c > 0 the branch of a pre-norm block is that of x, A(N(c·x)) = A(N(x)), "
        "and the residual stream carries c: the RMS of the branch over that of the stream is 1/c "
        "times that for x. So neither the next norm nor a final one absorbs c, unless W_O, b_O, "
        "W_2 and b_2 of every block are multiplied by c, too. With ε > 0 the branch is that of x "
        "with ε/c² under the root, or ε/c beside it. In floating point all of this holds to the "
        "bit if c is a power of two and nothing under- or overflows",
    .kind = Kind::bounded,
    .asked_in = {"S0", "onmt1722"},
    .cites = {"xiong2020", "higham2002"},
    .measures =
        "branch_disagreements:count, absorbed_disagreements:count, final_outputs_that_stay:count, "
        "bit_disagreements:count, worst_share_of_bound:2, branch_to_skip:3, stack_deviation:3, "
        "branch_deviation:3",
    .shows =
        "down_over_up_and_root_d:6, as_large:1, deviation_by_factor:3, final_output_by_hand:3"};

inline constexpr Claim token_share_after_blocks{
    .id = "normalization.token_share_after_blocks",
    .said = "With rotary positions the factor has nothing to balance, so it does nothing.",
    .states =
        "Take no positions, no biases, ε = 0 and matrices of independent symmetric entries of "
        "variance 2/(fan-in + fan-out), and let r = d_ff/d and ν = 2r/(1 + r)². A pre-norm branch "
        "has mean 0 and a mean square of ν (network) or at most 1 (attention; 1 for a single "
        "token). So with s = (mσ)² the token's share of the expected mean square behind k blocks "
        "lies between s/(s + k(1 + ν)) and s/(s + kν). A norm on the embedding removes a common "
        "factor c. In post-norm c is only the first attention's temperature c⁻². Both hold to the "
        "bit if c is a power of two and nothing under- or overflows",
    .kind = Kind::bounded,
    .cites = {"xiong2020", "glorot2010"},
    .measures =
        "worst_share_of_bound:2, embedding_norm_disagreements:count, "
        "temperature_disagreements:count, shares_outside_bounds:count, shares_that_stay:count, "
        "token_share:3, blocks_that_outweigh:count",
    .shows =
        "expected_token_share:3, least_token_share:3, greatest_token_share:3, "
        "blocks_at_least:count, blocks_at_most:count, network_mean_square, share_by_hand:3"};

inline constexpr std::array claims{absorbs_the_factor, epsilon_is_rescaled, post_norm_block,
                                   pre_norm_block, token_share_after_blocks};

inline constexpr Claim layer_norm_is_the_standardised_row = primitives::fact(
    "normalization.layer_norm_is_the_standardised_row",
    "each channel is (x − mean)/√(Σ(x − mean)²/n + ε), or with ε beside the root, within what "
    "rounding may do to two passes in any order of summation",
    Kind::bounded);
inline constexpr Claim rms_norm_is_the_row_over_its_root_mean_square = primitives::fact(
    "normalization.rms_norm_is_the_row_over_its_root_mean_square",
    "each channel is x/√(Σx²/n + ε), or with ε beside the root, within what rounding may do in any "
    "order of summation",
    Kind::bounded);

inline constexpr std::array facts{layer_norm_is_the_standardised_row,
                                  rms_norm_is_the_row_over_its_root_mean_square};

}  // namespace embedscale::properties::normalization
