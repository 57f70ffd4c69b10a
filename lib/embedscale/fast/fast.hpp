#pragma once
// Primitives on rows of binary32 as fast as the processor's vectors make them: Highway chooses
// AVX-512, AVX2 or neither when the program starts. Results are the same bits by each of them.
#include <embedscale/embedding.hpp>
#include <embedscale/turn.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace embedscale::fast {

/// Positions first … first + count − 1, row after row: out is (count, 2·turns.size()), each entry
/// what encode_position_once_rounded gives, to the bit.
///
/// Rows are rotated from one to the next in binary64, from an exact one on; an entry that this
/// leaves undecided between two numbers of binary32 is evaluated by itself: sines below 2^−18 or
/// so, and of the others one in 10^5.
///
/// Requires  0 <= first, first + count <= 2^17, and what encode_position_once_rounded does.
/// Errors    std::invalid_argument where out is no whole number of rows.
void position_table(std::int64_t first, std::span<const Turn> turns, SinusoidalLayout layout,
                    std::span<float> out);

/// Row i of out: multiplier·(row tokens[i] of the table) + (row i of positions), as look_up and up
/// round.
///
/// Errors    std::invalid_argument where out and positions are not (tokens.size(), width), or a
///           token is not below the vocabulary.
void look_up_and_add(const EmbeddingTable<float>& table, std::span<const std::size_t> tokens,
                     float multiplier, std::span<const float> positions, std::span<float> out);

/// Each row of d numbers as in normalization.hpp with ε on the variance, sums in another order.
///
/// Requires  a variance, or mean square, that is above 0 together with ε: NaNs come of others.
/// Errors    std::invalid_argument where x is no whole number of rows, or out not of its size; it
///           may be x.
void layer_norm(std::span<const float> x, std::size_t d, float epsilon, std::span<float> out);
void rms_norm(std::span<const float> x, std::size_t d, float epsilon, std::span<float> out);

/// Each row of n logits as in attention.hpp, with an exponential of less than two units in the last
/// place, and subnormal weights as far as there are.
///
/// Errors    std::invalid_argument where z is no whole number of rows, or no entry of one exceeds
///           −∞.
void softmax(std::span<float> z, std::size_t n);

/// out[i] = scale·⟨q, row i of keys⟩, as in attention.hpp, sums in another order.
///
/// Errors    std::invalid_argument where keys are not (out.size(), q.size()).
void logits(std::span<const float> q, std::span<const float> keys, float scale,
            std::span<float> out);

}  // namespace embedscale::fast
