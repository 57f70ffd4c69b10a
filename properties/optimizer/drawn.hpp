#pragma once
// Random models and starts, from uniform draws alone: no function of the C library is in them.
#include <embedscale/random.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "model.hpp"

namespace embedscale::properties::optimizer {

/// V words, n inputs of d channels, C classes.
struct Shape {
  std::size_t vocabulary, inputs, d, classes;
};

/// A counter over the draws of a stream.
class Numbers {
 public:
  Numbers(const Stream& stream, std::uint64_t first) : stream_(stream), next_(first) {}
  /// Uniform, of mean 0 and this standard deviation.
  double operator()(double deviation) {
    return std::sqrt(3.0) * deviation * (2.0 * stream_.uniform(next_++) - 1.0);
  }
  template <Scalar Real>
  std::vector<Real> row(std::size_t size, double deviation) {
    std::vector<Real> out;
    for (std::size_t k = 0; k < size; ++k) out.push_back(static_cast<Real>((*this)(deviation)));
    return out;
  }
  std::uint64_t below(std::uint64_t n) { return stream_.below(n, next_++); }

 private:
  const Stream& stream_;
  std::uint64_t next_;
};

/// A table of standard deviation σ, positions of RMS 1/√2, a head of rows of length about 1; every
/// token occurs if there are as many inputs.
template <Scalar Real>
Start<Real> drawn_start(const Shape& shape, double sigma, Numbers& numbers) {
  Start<Real> start{
      shape.d,
      {},
      numbers.row<Real>(shape.inputs * shape.d, std::sqrt(0.5)),
      numbers.row<Real>(shape.vocabulary * shape.d, sigma),
      numbers.row<Real>(shape.classes * shape.d, 1.0 / std::sqrt(static_cast<double>(shape.d)))};
  for (std::size_t i = 0; i < shape.inputs; ++i) start.tokens.push_back(i % shape.vocabulary);
  return start;
}

template <AnalyticScalar Real>
Model<Real> drawn_model(const Shape& shape, Norm first, Loss loss, Numbers& numbers) {
  return {.d = shape.d,
          .first = first,
          .loss = loss,
          .targets = numbers.row<Real>(shape.inputs * shape.classes, 1.0),
          .inputs = shape.inputs};
}

/// A block with biases, of two heads and d inner channels.  Requires an even d.
template <AnalyticScalar Real>
EncoderBlock<Real> drawn_block(std::size_t d, NormPlacement norms, Numbers& numbers) {
  const double deviation = 1.0 / std::sqrt(static_cast<double>(d));
  const auto matrix = [&](std::size_t rows) { return numbers.row<Real>(rows * d, deviation); };
  const auto bias = [&](std::size_t size) { return numbers.row<Real>(size, 0.1); };
  EncoderBlock<Real> block{{d, 2, d}, norms, {NormKind::layer_norm, Real(0)}, {}};
  BlockWeights<Real>& w = block.weights;
  w.query = matrix(d), w.key = matrix(d), w.value = matrix(d), w.output = matrix(d);
  w.inner = matrix(d), w.outer = matrix(d);
  w.query_bias = bias(d), w.key_bias = bias(d), w.value_bias = bias(d), w.output_bias = bias(d);
  w.inner_bias = bias(d), w.outer_bias = bias(d);
  return block;
}

/// Learning rates at which x moves by a hundredth or so in a step, for a table with the factor m:
/// the gradient carries it once and x once more, and Adam's step m.
template <Scalar Real>
Optimiser<Real> settings_of(std::size_t which, double m, double epsilon) {
  const auto real = [](double x) { return static_cast<Real>(x); };
  const Adam<Real> adam{real(0.01 / m), real(0.9), real(0.999), real(epsilon)};
  switch (which) {
    case 0: return Sgd<Real>{real(0.05 / m / m), real(0.01 * m * m)};
    case 1: return Momentum<Real>{real(0.01 / m / m), real(0.9), real(0.01 * m * m)};
    case 2: return adam;
    default: return AdamW<Real>{adam, real(0.001), real(1)};
  }
}

/// The run with the factor m at the token; the head has none.
template <Scalar Real>
Run<Real> run_of(std::size_t which, const Real& m) {
  return {Placing::up, m, settings_of<Real>(which, static_cast<double>(m), 1e-8),
          settings_of<Real>(which, 1.0, 1e-8)};
}

}  // namespace embedscale::properties::optimizer
