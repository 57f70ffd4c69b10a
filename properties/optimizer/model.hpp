#pragma once
// What follows the sum x of token and position, with its gradient: a norm or none, an encoder block
// or none, a norm or none, a linear layer, a loss. Random ones and random starts, from uniform
// draws alone: no function of the C library is in them.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>
#include <embedscale/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "path.hpp"

namespace embedscale::properties::optimizer {

/// Of the residuals r = logit − target, or of the logits: r²/2; r²/(2(1 + r²)), which is neither
/// convex nor unbounded; the cross-entropy of the softmax, where input i has class i mod C.
enum class Loss { quadratic, bounded, cross_entropy };

template <AnalyticScalar Real>
struct Model {
  std::size_t d;                ///< channels of an input
  Norm first = Norm::rms_norm;  ///< directly behind the sum
  Real epsilon = Real(0);       ///< of both norms here
  std::optional<EncoderBlock<Real>> block = {};
  Norm last = Norm::none;  ///< behind the block
  Loss loss = Loss::quadratic;
  std::vector<Real> targets = {};  ///< a row of C for each input
  std::size_t inputs = 0;          ///< n, rows of d channels
  Real loss_scale = Real(1);       ///< times the loss, as in training in few bits

  /// Its gradients at the inputs x with the head's weights, (C, d).
  Slopes<Real> operator()(const std::vector<Real>& x, const std::vector<Real>& head,
                          const PrimitivesIn<Real>& primitives) const;
};

namespace detail {
/// Row by row, N(x), or x itself without a norm.
template <AnalyticScalar Real>
std::vector<Real> normalized(const Model<Real>& model, Norm norm, const std::vector<Real>& x,
                             const PrimitivesIn<Real>& primitives) {
  std::vector<Real> out = x;
  for (std::size_t at = 0; norm != Norm::none && at < x.size(); at += model.d)
    primitives.normalize(norm, model.epsilon, std::span<const Real>(x).subspan(at, model.d),
                         std::span<Real>(out).subspan(at, model.d));
  return out;
}

/// What comes back through it: `slopes` in place.
template <AnalyticScalar Real>
void back_through(const Model<Real>& model, Norm norm, const std::vector<Real>& x,
                  std::vector<Real>& slopes, const PrimitivesIn<Real>& primitives) {
  const std::vector<Real> upstream = slopes;
  for (std::size_t at = 0; norm != Norm::none && at < x.size(); at += model.d)
    primitives.normalize_gradient(norm, model.epsilon,
                                  std::span<const Real>(x).subspan(at, model.d),
                                  std::span<const Real>(upstream).subspan(at, model.d),
                                  std::span<Real>(slopes).subspan(at, model.d));
}

/// ∂L/∂logit, in the place of the logits of one input.
template <AnalyticScalar Real>
void loss_slopes(const Model<Real>& model, std::size_t input, std::span<Real> logits) {
  if (model.loss == Loss::cross_entropy) {
    softmax(logits);
    Real& own = logits[input % logits.size()];
    own = own - Real(1);
  } else {
    for (std::size_t c = 0; c < logits.size(); ++c) {
      const Real r = logits[c] - model.targets[input * logits.size() + c];
      const Real q = Real(1) + Real(r * r);
      logits[c] = model.loss == Loss::quadratic ? r : Real(r / Real(q * q));
    }
  }
  for (Real& slope : logits) slope = model.loss_scale * slope;
}
}  // namespace detail

template <AnalyticScalar Real>
Slopes<Real> Model<Real>::operator()(const std::vector<Real>& x, const std::vector<Real>& head,
                                     const PrimitivesIn<Real>& primitives) const {
  const std::size_t n = inputs, classes = n == 0 ? 0 : targets.size() / n;
  const auto z = detail::normalized(*this, first, x, primitives);
  std::vector<Real> y = z;
  if (block) embedscale::apply(*block, std::span<const Real>(z), std::span<Real>(y));
  const auto h = detail::normalized(*this, last, y, primitives);
  Slopes<Real> slopes{std::vector<Real>(n * d, Real(0)), std::vector<Real>(classes * d, Real(0))};
  std::vector<Real> slope(classes, Real(0));
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = std::span(h).subspan(i * d, d);
    logits<Real>(row, head, Real(1), slope);
    detail::loss_slopes<Real>(*this, i, slope);
    weighted_sum<Real>(slope, head, std::span(slopes.of_input).subspan(i * d, d));
    for (std::size_t k = 0; k < slopes.of_head.size(); ++k)
      slopes.of_head[k] = slopes.of_head[k] + Real(slope[k / d] * row[k % d]);
  }
  detail::back_through(*this, last, y, slopes.of_input, primitives);
  if (block) {
    const std::vector<Real> upstream = slopes.of_input;
    embedscale::apply_gradient(*block, std::span<const Real>(z), std::span<const Real>(upstream),
                               std::span<Real>(slopes.of_input));
  }
  detail::back_through(*this, first, x, slopes.of_input, primitives);
  return slopes;
}

/// V words, n inputs of d channels, C classes.
struct Shape {
  std::size_t vocabulary, inputs, d, classes;
};

/// A counter over the draws of a stream.
class Numbers {
 public:
  Numbers(const Stream& stream, std::uint64_t first) : stream_(stream), next_(first) {}
  Numbers(Stream&&, std::uint64_t) = delete;  ///< it would be gone before the first draw
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

/// The first word's row is 0: beside it no step is too small to be seen.
template <Scalar Real>
void begin_at_zero(Start<Real>& start) {
  std::fill_n(start.table.begin(), start.d, Real(0));
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
/// the gradient carries it once and x once more, and Adam's step m. A penalty of 0.01·m² pulls as
/// 0.01·x would at x = m·e.
template <Scalar Real>
Optimiser<Real> settings_of(std::size_t which, double m, double epsilon) {
  const auto real = [](double x) { return static_cast<Real>(x); };
  const Real penalty = real(0.01 * m * m);
  Adam<Real> adam{real(0.01 / m), real(0.9), real(0.999), real(epsilon)};
  switch (which) {
    case 0: return Sgd<Real>{real(0.05 / m / m), penalty};
    case 1: return Momentum<Real>{real(0.01 / m / m), real(0.9), penalty};
    case 2: return adam;
    case 3: return AdamW<Real>{adam, real(0.001), real(1)};
    default: adam.penalty = penalty; return adam;
  }
}

/// As PyTorch has it: the learning rate multiplies this decay as well.
template <Scalar Real>
AdamW<Real> scheduled(AdamW<Real> by, const Real& decay) {
  by.schedule = by.adam.rate, by.adam.rate = Real(1), by.decay = decay;
  return by;
}

/// The run with the factor m at the token; the head has none.
template <Scalar Real>
Run<Real> run_of(std::size_t which, const Real& m) {
  return {Placing::up, m, settings_of<Real>(which, static_cast<double>(m), 1e-8),
          settings_of<Real>(which, 1.0, 1e-8)};
}

}  // namespace embedscale::properties::optimizer
