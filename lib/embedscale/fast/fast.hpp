#pragma once
// Primitives on rows of binary32 as fast as the processor's vectors make them: Highway chooses
// AVX-512, AVX2 or neither when the program starts, and rows are divided among oneTBB's threads
// (tbb::global_control limits them). Results are the same bits by each of them, on any number, but
// for those of NaNs.
#include <Random123/philox.h>
#include <embedscale/block.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/linear.hpp>
#include <embedscale/turn.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace embedscale::fast {

/// Positions first … first + count − 1, row after row: out is (count, 2·turns.size()), each entry
/// what encode_position_once_rounded gives, to the bit.
///
/// Rows are rotated from one to the next in binary64; an entry that this leaves undecided between
/// two numbers of binary32 is evaluated by itself: sines below 2^−17 or so, and of the others one
/// in 10^4.
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
/// place, and subnormal weights as far as there are; where they are asked for, each row's entropy
/// and Σ w(1 − w) of these weights, the trace of the Jacobian diag(w) − w wᵀ and the sum of its
/// singular values. Where one weight is near 1, that is what rounding has left of the others.
///
/// Errors    std::invalid_argument where z is no whole number of rows, or every entry of one is −∞;
///           where entropy or trace is neither empty nor a number a row.
void softmax(std::span<float> z, std::size_t n, std::span<float> entropy = {},
             std::span<float> trace = {});

/// out[i] = scale·⟨q, row i of keys⟩, as in attention.hpp, sums in another order.
///
/// Errors    std::invalid_argument where keys are not (out.size(), q.size()).
void logits(std::span<const float> q, std::span<const float> keys, float scale,
            std::span<float> out);

/// Each row of d numbers as in linear.hpp, sums in another order.
///
/// Errors    std::invalid_argument where x or the weights are no whole number of rows, or the sizes
///           disagree.
void linear(const LinearLayer<float>& layer, std::size_t d, std::span<const float> x,
            std::span<float> out);

/// As in block.hpp, of these primitives.
///
/// Requires  what layer_norm and rms_norm do here.
/// Errors    std::invalid_argument where the sizes disagree, or ε is not on the variance.
void self_attention(const BlockShape& shape, const BlockWeights<float>& weights,
                    std::span<const float> x, std::span<float> out);
void feed_forward(const BlockShape& shape, const BlockWeights<float>& weights,
                  std::span<const float> x, std::span<float> out);
void apply(const EncoderBlock<float>& block, std::span<const float> x, std::span<float> out);

/// Random words of 32 bits, another stream than embedscale::Stream: 64 words are of 16 blocks of
/// Philox4x32-10, first the first word of each, then the second …, as vectors hold them.
///
/// Ensures   equal (seed, name, index) give equal words on every machine.
/// Source    Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
class Stream {
 public:
  constexpr Stream(std::uint64_t seed, std::string_view name) : seed_(seed), name_(hash_of(name)) {}
  std::uint64_t seed() const { return seed_; }
  std::uint64_t name() const { return name_; }

  std::uint32_t word(std::uint64_t index) const {
    const std::uint64_t block = index / 64 * 16 + index % 16;
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    return r123::Philox4x32{}({{low(block), low(block >> 32), low(name_), low(name_ >> 32)}},
                              {{low(seed_), low(seed_ >> 32)}})[index / 16 % 4];
  }

 private:
  std::uint64_t seed_, name_;
};

/// out[i] = draw first + i of the distribution, times the scale, which is rounded to binary32. With
/// wᵢ for word(i):
///
///   normal      Box and Muller's pairs, draws i and i + 16 where ⌊i/16⌋ is even: the radius
///               √(−2 ln u) times the scale, u = (wᵢ + ½)/2^32 (wᵢ signed, and 1 more where it is
///               below 0), times the cosine, or the sine, of π/4·x, x in [−1, 1) of the low 30 bits
///               of wᵢ₊₁₆, bit 30 of which exchanges these two, and bit 31 negates both
///   uniform     the odd multiple of 2^−23 in (−1, 1) by the upper 24 bits of wᵢ, the last one set
///   truncated   √2·erf⁻¹(erf(√2)·wᵢ/2^31), wᵢ signed, within ±2
///
/// Draws are off by less than 2^−20.5 of their size.
///
/// Ensures   |x| < a for the uniform distributions, |x| <= 2σ (in binary32) for the truncated one.
/// Errors    std::invalid_argument as scale_of, and for a scale that is no normal number of
///           binary32.
void fill(const Initializer& law, const Stream& stream, std::span<float> out,
          std::uint64_t first = 0);

/// How many numbers, their mean, and the means of (x − mean)² and (x − mean)⁴.
struct Moments {
  std::uint64_t count;
  double mean, variance, fourth;
};

/// In one pass, with binary64 sums around the first number; NaNs of no numbers.
Moments moments(std::span<const float> x);
/// Of draws 0 … count − 1, none of which is kept: memory does not grow with them.
Moments moments_of_draws(const Initializer& law, const Stream& stream, std::uint64_t count);

}  // namespace embedscale::fast
