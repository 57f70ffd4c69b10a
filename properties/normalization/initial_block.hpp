#pragma once
// Blocks and inputs at initialisation, for how much a factor changes: Xavier matrices, a drawn
// token table, sinusoids.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "block.hpp"

namespace embedscale::properties::normalization {

/// Where the factor √d stands.
enum class Way {
  up,     ///< √d·e + p
  down,   ///< e + p/√d
  folded  ///< e′ + p, with e′ = √d·e as the table
};

/// n tokens at positions 0 … n−1, from a normal table of deviation sigma, and paper frequencies.
struct Start {
  std::size_t d, n;
  double sigma;
};

/// (n, d); the three ways have the same draws.  Requires  an even d.
inline std::vector<double> initial_input(const Start& at, Way way, const Stream& tokens) {
  const auto w = sinusoidal_frequencies<double>(at.d, FrequencyRule::paper);
  const double m = root_multiplier<double>(at.d);
  std::vector<double> x(at.n * at.d), p(at.d);
  fill<double>(Normal{at.sigma}, tokens, x);
  for (std::size_t i = 0; i < at.n; ++i) {
    encode_position<double>(static_cast<std::int64_t>(i), w, SinusoidalLayout::interleaved, p);
    for (std::size_t j = 0; j < at.d; ++j) {
      double& e = x[i * at.d + j];
      e = way == Way::up     ? embedscale::up(e, p[j], m)
          : way == Way::down ? embedscale::down(e, p[j], m)
                             : embedscale::sum(m * e, p[j]);
    }
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
  const auto filled = [&](std::size_t size, const Initializer& law) {
    std::vector<double> out(size);
    fill<double>(law, stream, out, next);
    next += size;
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
