#pragma once
// Small blocks and inputs to try the facts on: each a function of a few whole numbers.
#include <embedscale/block.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace embedscale::properties::block {

enum class Biases { none, some, all };  ///< some: those of query, value and inner alone

/// A block of random weights, by its draw.
struct Sample {
  BlockShape shape;
  std::size_t tokens;
  NormPlacement norms;
  NormKind kind;
  EpsilonPlacement placement;
  double epsilon;
  Biases biases;
  std::uint64_t draw;
};

/// So many numbers of one stream, from the first on: normal, of deviation `size`.
class Normals {
 public:
  Normals(std::uint64_t draw, const char* name) : stream_(draw, name) {}
  std::vector<double> operator()(std::size_t n, double size = 1.0) {
    std::vector<double> x;
    for (std::size_t i = 0; i < n; ++i) x.push_back(size * stream_.normal(next_++));
    return x;
  }

 private:
  Stream stream_;
  std::uint64_t next_ = 0;
};

/// Weights of variance 1/fan-in, biases of variance 1/4.
inline EncoderBlock<double> block_of(const Sample& sample) {
  const auto& [d, heads, d_ff] = sample.shape;
  Normals normals(sample.draw, "a block");
  const double by_d = 1.0 / std::sqrt(static_cast<double>(d));
  const double by_d_ff = 1.0 / std::sqrt(static_cast<double>(std::max<std::size_t>(d_ff, 1)));
  BlockWeights<double> w;
  for (auto* square : {&w.query, &w.key, &w.value, &w.output}) *square = normals(d * d, by_d);
  w.inner = normals(d_ff * d, by_d);
  w.outer = normals(d * d_ff, by_d_ff);
  if (sample.biases != Biases::none) {
    w.query_bias = normals(d, 0.5), w.value_bias = normals(d, 0.5);
    w.inner_bias = normals(d_ff, 0.5);
  }
  if (sample.biases == Biases::all)
    for (auto* bias : {&w.key_bias, &w.output_bias, &w.outer_bias}) *bias = normals(d, 0.5);
  return {sample.shape, sample.norms, {sample.kind, sample.epsilon, sample.placement}, w};
}

template <class Real>
std::vector<Real> as(const std::vector<double>& x) {
  // No braces: anything converts to a number of Boost's automatic differentiation.
  return std::vector<Real>(x.begin(), x.end());
}

/// The same numbers as another type has them.
template <AnalyticScalar Real>
EncoderBlock<Real> as(const EncoderBlock<double>& block) {
  const auto& w = block.weights;
  return {
      block.shape,
      block.norms,
      {block.norm.kind, Real(block.norm.epsilon), block.norm.placement},
      {as<Real>(w.query), as<Real>(w.key), as<Real>(w.value), as<Real>(w.output), as<Real>(w.inner),
       as<Real>(w.outer), as<Real>(w.query_bias), as<Real>(w.key_bias), as<Real>(w.value_bias),
       as<Real>(w.output_bias), as<Real>(w.inner_bias), as<Real>(w.outer_bias)}};
}

/// How near the network comes to a kink of its ReLU at rows of d_model: the smallest |W_1 y + b_1|
/// of any unit and row; infinite without units.
inline double distance_to_kink(const BlockWeights<double>& weights, std::size_t d,
                               std::span<const double> rows) {
  double nearest = HUGE_VAL;
  for (std::size_t at = 0; at < rows.size(); at += d)
    for (const double z : embedscale::detail::before_relu<double>(
             {weights.inner, weights.inner_bias}, rows.subspan(at, d)))
      nearest = std::min(nearest, std::abs(z));
  return nearest;
}

/// The same of a block at x: its network sees N(y) or y, y being what attention's sub-layer gives.
inline double distance_to_kink(const EncoderBlock<double>& block, std::span<const double> x) {
  std::vector<double> y(x.size());
  const auto attention = [&](auto from, auto to) {
    self_attention<double>(block.shape, block.weights, from, to);
  };
  add_sublayer<double>(block, attention, x, y);
  if (block.norms == NormPlacement::pre) normalize<double>(block.shape, block.norm, y, y);
  return distance_to_kink(block.weights, block.shape.d_model, y);
}

}  // namespace embedscale::properties::block
