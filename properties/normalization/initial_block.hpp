#pragma once
// Blocks and inputs at initialisation, for how much a factor changes: Xavier matrices, a drawn
// token table, sinusoids.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "block.hpp"

namespace embedscale::properties::normalization {

/// Where the factor √d stands.
enum class Scaled {
  up,     ///< √d·e + p
  down,   ///< e + p/√d
  folded  ///< e′ + p, with e′ = √d·e as the table
};

/// Tokens at positions 0 … n−1, from a normal table of deviation sigma, and paper frequencies.
struct InitialTokens {
  std::size_t d, n;
  double sigma;
};

/// Token i of them, which stands at position i mod n; the three ways have the same draws.
///
/// Requires  an even d, and its frequencies.
inline std::vector<double> initial_token(const InitialTokens& at, Scaled way, std::size_t i,
                                         std::span<const double> frequencies,
                                         const Stream& tokens) {
  const double m = root_multiplier<double>(at.d);
  std::vector<double> x(at.d), p(at.d);
  fill<double>(Normal{at.sigma}, tokens, x, i * at.d);
  encode_position<double>(static_cast<std::int64_t>(i % at.n), frequencies,
                          SinusoidalLayout::interleaved, p);
  for (std::size_t j = 0; j < at.d; ++j)
    x[j] = way == Scaled::up     ? embedscale::up(x[j], p[j], m)
           : way == Scaled::down ? embedscale::down(x[j], p[j], m)
                                 : embedscale::sum(m * x[j], p[j]);
  return x;
}

/// (n, d): all n.  Requires  an even d.
inline std::vector<double> initial_input(const InitialTokens& at, Scaled way,
                                         const Stream& tokens) {
  const auto w = sinusoidal_frequencies<double>(at.d, FrequencyRule::paper);
  std::vector<double> x;
  for (std::size_t i = 0; i < at.n; ++i) {
    const auto token = initial_token(at, way, i, w, tokens);
    x.insert(x.end(), token.begin(), token.end());
  }
  return x;
}

/// A block as it starts: every matrix uniform by Xavier; biases none, or uniform with half range
/// 1/√fan_in, the default of PyTorch's linear layers. (Its attention starts with zeros, which count
/// as none.)
inline EncoderBlock<double> initial_block(const BlockShape& shape, NormPlacement norms,
                                          const BlockNorm<double>& norm, Biases biases,
                                          const Stream& stream) {
  const std::size_t d = shape.d_model, d_ff = shape.d_ff;
  EncoderBlock<double> block{shape, norms, norm, {}};
  std::uint64_t next = 0;
  // Midpoints of 2^52 equal cells of (−a, a), from all four words of an index: blocks are large.
  const auto filled = [&](std::size_t size, const Uniform& law) {
    std::vector<double> out(size);
    for (std::size_t i = 0; i < size; ++next)
      for (const auto word : stream.block(next))
        if (i < size)
          out[i++] = law.half_range * ((static_cast<double>(word >> 12) + 0.5) * 0x1p-51 - 1.0);
    return out;
  };
  auto& w = block.weights;
  for (auto* matrix : {&w.query, &w.key, &w.value, &w.output})
    *matrix = filled(d * d, XavierUniform{d, d});
  for (auto* matrix : {&w.inner, &w.outer}) *matrix = filled(d * d_ff, XavierUniform{d_ff, d});
  if (biases == Biases::none) return block;
  const auto bias = [&](std::size_t size, std::size_t fan_in) {
    return filled(size, Uniform{1 / std::sqrt(static_cast<double>(fan_in))});
  };
  for (auto* b : {&w.query_bias, &w.key_bias, &w.value_bias, &w.output_bias}) *b = bias(d, d);
  w.inner_bias = bias(d_ff, d);
  w.outer_bias = bias(d, d_ff);
  return block;
}

}  // namespace embedscale::properties::normalization
