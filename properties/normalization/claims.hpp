#pragma once
// Does a normalisation layer, or a whole block around one, hide the common factor? The claims.
#include <array>

#include "../claim.hpp"

namespace embedscale::properties::normalization {

inline constexpr Claim absorbs_the_factor{
    .id = "normalization.absorbs_the_factor",
    .said = "It makes no interesting difference, since layer normalisation follows.",
    .states =
        "with ε = 0, N(c·x) = sign(c)·N(x) over the reals for LayerNorm and RMSNorm and every "
        "c ≠ 0; what passes the norm by keeps c: c·x + W·N(c·x) ∥ x + W·N(x), c > 0, only where "
        "c = 1 or W·N(x) ∥ x; with ε > 0, N(c·x) = N(x) only where c = 1 or nothing comes out; in "
        "floating point, where nothing under- or overflows, N(c·x) has the bits of N(x) where c is "
        "a power of two; else RMSNorm's channels differ by at most (γ_(n+6) + γ_(n+8))·|N(x)|, "
        "and LayerNorm's by what the same roundings and those of the mean make of them",
    .kind = Kind::exact,
    .asked_in = {"S0", "onmt1722"},
    .cites = {"ba2016", "zhang2019", "higham2002"},
    .measures = {"exact_disagreements", "outputs_changed", "directions_that_stay",
                 "outputs_that_stay", "bit_disagreements", "worst_share_of_bound", "largest_change",
                 "systems"}};

inline constexpr Claim epsilon_is_rescaled{
    .id = "normalization.epsilon_is_rescaled",
    .said = "ε is too small to matter, whatever the scale of the input.",
    .states =
        "for c > 0, N_ε(c·x) = N_ε′(x), with ε′ = ε/c² where ε is added to the mean square and "
        "ε/c where it is added to its root; N_ε(x) is N_0(x) times √(s/(s + ε)), or √s/(√s + ε), "
        "with s the mean square that N divides by: one factor below 1 for all channels; of x/c, "
        "c > 1, it is smaller than of x, by 1 − √((s + ε)/(s + c²ε)), or ε(c − 1)/(√s + cε)",
    .kind = Kind::exact,
    .cites = {"ba2016", "zhang2019", "rush2018"},
    .measures = {"rescaling_disagreements", "shrinkage_disagreements", "epsilon_deviation",
                 "epsilon_deviation_of_draws", "width_of_deviation", "systems_over",
                 "worst_share_of_bound"}};

inline constexpr Claim post_norm_block{
    .id = "normalization.post_norm_block",
    .said = "A post-norm block does not notice a common factor.",
    .states =
        "with ε = 0 and c > 0 a post-norm block gives c·x what it gives x if W_Q is divided by a "
        "and W_K by b with ab = c², b_Q multiplied by c/a, and W_O·b_V + b_O by c (so if b_V and "
        "b_O are), whatever b_K; nothing behind the first norm has to change; with ε > 0 the first "
        "norm's ε has to be multiplied by c², or by c beside the root; with weights as they were "
        "and no biases the block is that of x with W_Q·c², a softmax of temperature c^−2, in "
        "floating point to the bit where c and a are powers of two and nothing under- or overflows",
    .kind = Kind::bounded,
    .asked_in = {"S0", "sand3"},
    .cites = {"vaswani2017", "higham2002"},
    .measures = {"outputs_changed", "outputs_that_stay", "harmless_changes",
                 "temperature_disagreements", "bit_disagreements", "worst_share_of_bound",
                 "block_deviation"}};

inline constexpr Claim pre_norm_block{
    .id = "normalization.pre_norm_block",
    .said = "LayerNorm comes next, so it does not matter.",
    .states =
        "with ε = 0 and c > 0 the branch of a pre-norm block is that of x, A(N(c·x)) = A(N(x)), "
        "and the skip carries c: RMS of branch over RMS of skip is 1/c times that of x; so neither "
        "the next norm nor a final one absorbs c, unless W_O, b_O, W_2 and b_2 of every block are "
        "multiplied by c, too; with ε > 0 the branch is that of x with ε/c², or ε/c beside the "
        "root; in floating point all of this holds to the bit where c is a power of two and "
        "nothing under- or overflows",
    .kind = Kind::bounded,
    .asked_in = {"S0", "onmt1722"},
    .cites = {"xiong2020", "higham2002"},
    .measures = {"branch_disagreements", "absorbed_disagreements", "final_outputs_that_stay",
                 "bit_disagreements", "worst_share_of_bound", "branch_to_skip", "stack_deviation",
                 "branch_deviation"}};

inline constexpr std::array claims{absorbs_the_factor, epsilon_is_rescaled, post_norm_block,
                                   pre_norm_block};

}  // namespace embedscale::properties::normalization
