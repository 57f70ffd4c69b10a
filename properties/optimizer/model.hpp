#pragma once
// What follows the sum x of token and position, with its gradient: a norm or none, encoder blocks
// or none, a norm or none, with or without gain and bias, a linear layer, a loss. Random ones and
// random starts, from uniform draws alone: no function of the C library is in them.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>
#include <embedscale/random.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "path.hpp"

namespace embedscale::properties::optimizer {

/// Of the residuals r = logit − target, or of the logits: r²/2; r²/(2(1 + r²)), which is neither
/// convex nor unbounded; the cross-entropy of the softmax, where input i has class i mod C.
enum class Loss { quadratic, bounded, cross_entropy };

/// There is none over the rationals.
template <Scalar Real>
struct Block {};
template <AnalyticScalar Real>
struct Block<Real> : EncoderBlock<Real> {};

/// On the way to the logits.
template <Scalar Real>
struct Activations {
  std::vector<std::vector<Real>> stream;  ///< behind the first norm, and behind each block: (n, d)
  std::vector<Real> normed, hidden, logits;  ///< N(y), h, and z, (n, C)
};

/// y = blocks(N(x)), h = g ⊙ N(y) + b, z = c·W·h. Over the rationals there are no norms, no blocks,
/// and no cross-entropy.
template <Scalar Real>
struct Model {
  std::size_t d;            ///< channels of an input
  Norm first = Norm::none;  ///< directly behind the sum
  Real epsilon = Real(0);   ///< of both norms here
  std::vector<Block<Real>> blocks = {};
  Norm last = Norm::none;            ///< behind the blocks
  std::vector<Real> gain{}, bias{};  ///< none where they are empty
  Real logit_factor = Real(1);
  Loss loss = Loss::quadratic;
  std::vector<Real> targets = {};  ///< a row of C for each input
  Real loss_scale = Real(1);       ///< times the loss, as in training in few bits
  Real tilt = Real(0);             ///< so much times each logit, + and − in turn, beside the loss

  /// Of the inputs x, (n, d), with the head's weights, (C, d).
  Activations<Real> activations(const std::vector<Real>& x, const std::vector<Real>& head,
                                const PrimitivesIn<Real>& primitives) const;
  /// Its gradients there.
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
    primitives.normalize(norm, model.epsilon, std::span(x).subspan(at, model.d),
                         std::span(out).subspan(at, model.d));
  return out;
}

/// What comes back through it: `slopes` in place.
template <AnalyticScalar Real>
void back_through(const Model<Real>& model, Norm norm, const std::vector<Real>& x,
                  std::vector<Real>& slopes, const PrimitivesIn<Real>& primitives) {
  const std::vector<Real> upstream = slopes;
  for (std::size_t at = 0; norm != Norm::none && at < x.size(); at += model.d)
    primitives.normalize_gradient(norm, model.epsilon, std::span(x).subspan(at, model.d),
                                  std::span(upstream).subspan(at, model.d),
                                  std::span(slopes).subspan(at, model.d));
}

/// ∂L/∂logit, in the place of the logits of one input.
template <Scalar Real>
void loss_slopes(const Model<Real>& model, std::size_t input, std::span<Real> logits) {
  const std::size_t first = input * logits.size();
  if (model.loss != Loss::cross_entropy)
    for (std::size_t c = 0; c < logits.size(); ++c) {
      const Real r = logits[c] - model.targets[first + c], q = Real(1) + Real(r * r);
      logits[c] = model.loss == Loss::quadratic ? r : Real(r / Real(q * q));
    }
  else if constexpr (AnalyticScalar<Real>) {
    softmax(logits);
    Real& own = logits[input % logits.size()];
    own = own - Real(1);
  }
  for (std::size_t c = 0; c < logits.size(); ++c) {
    logits[c] = model.loss_scale * logits[c];
    if (model.tilt != Real(0))
      logits[c] =
          (first + c) % 2 == 0 ? Real(logits[c] + model.tilt) : Real(logits[c] - model.tilt);
  }
}
}  // namespace detail

template <Scalar Real>
Activations<Real> Model<Real>::activations(const std::vector<Real>& x,
                                           const std::vector<Real>& head,
                                           const PrimitivesIn<Real>& primitives) const {
  Activations<Real> out{{x}, x, {}, {}};
  if constexpr (AnalyticScalar<Real>) {
    out.stream = {detail::normalized(*this, first, x, primitives)};
    for (const auto& block : blocks) {
      auto next = out.stream.back();
      apply<Real>(block, out.stream.back(), next);
      out.stream.push_back(std::move(next));
    }
    out.normed = detail::normalized(*this, last, out.stream.back(), primitives);
  }
  out.hidden = out.normed;
  for (std::size_t i = 0; i < out.hidden.size(); ++i) {
    if (!gain.empty()) out.hidden[i] = gain[i % d] * out.hidden[i];
    if (!bias.empty()) out.hidden[i] = out.hidden[i] + bias[i % d];
  }
  const std::size_t classes = head.size() / d, n = x.size() / d;
  out.logits.resize(n * classes, Real(0));
  for (std::size_t i = 0; i < n; ++i)
    logits<Real>(std::span<const Real>(out.hidden).subspan(i * d, d), head, logit_factor,
                 std::span(out.logits).subspan(i * classes, classes));
  return out;
}

template <Scalar Real>
Slopes<Real> Model<Real>::operator()(const std::vector<Real>& x, const std::vector<Real>& head,
                                     const PrimitivesIn<Real>& primitives) const {
  const auto of_size = [](const auto& of) { return std::vector<Real>(of.size(), Real(0)); };
  Slopes<Real> out{of_size(x), of_size(head), of_size(gain), of_size(bias)};
  auto& [back, of_head, of_gain, of_bias] = out;
  auto at = activations(x, head, primitives);
  const std::size_t classes = head.size() / d;
  for (std::size_t i = 0; i * d < x.size(); ++i) {
    const auto slope = std::span(at.logits).subspan(i * classes, classes);
    detail::loss_slopes<Real>(*this, i, slope);
    weighted_sum<Real>(slope, head, std::span(back).subspan(i * d, d));
    for (std::size_t k = 0; k < head.size(); ++k)
      of_head[k] = of_head[k] + Real(Real(logit_factor * slope[k / d]) * at.hidden[i * d + k % d]);
  }
  for (std::size_t i = 0; i < back.size(); ++i) {
    const std::size_t j = i % d;
    back[i] = logit_factor * back[i];
    if (!bias.empty()) of_bias[j] = of_bias[j] + back[i];
    if (gain.empty()) continue;
    of_gain[j] = of_gain[j] + Real(back[i] * at.normed[i]);
    back[i] = gain[j] * back[i];
  }
  if constexpr (AnalyticScalar<Real>) {
    detail::back_through(*this, last, at.stream.back(), back, primitives);
    for (std::size_t k = blocks.size(); k-- > 0;)
      apply_gradient<Real>(blocks[k], at.stream[k], back, back);
    detail::back_through(*this, first, x, back, primitives);
  }
  return out;
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

template <AnalyticScalar Real>
Model<Real> drawn_model(const Shape& shape, Norm first, Loss loss, Numbers& numbers) {
  return {.d = shape.d,
          .first = first,
          .loss = loss,
          .targets = numbers.row<Real>(shape.inputs * shape.classes, 1.0)};
}

/// A block with biases, of two heads and d inner channels.  Requires an even d.
template <AnalyticScalar Real>
Block<Real> drawn_block(std::size_t d, NormPlacement norms, Numbers& numbers) {
  const double deviation = 1.0 / std::sqrt(static_cast<double>(d));
  const auto matrix = [&](std::size_t rows) { return numbers.row<Real>(rows * d, deviation); };
  const auto bias = [&](std::size_t size) { return numbers.row<Real>(size, 0.1); };
  Block<Real> block{{{d, 2, d}, norms, {NormKind::layer_norm, Real(0)}, {}}};
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

/// From a table of standard deviation 1/m.
template <AnalyticScalar Real>
Problem<Real, Model<Real>> drawn_problem(const Shape& shape, const Real& m, std::size_t which,
                                         Norm first, Loss loss, Numbers& numbers) {
  auto start = drawn_start<Real>(shape, 1.0 / static_cast<double>(m), numbers);
  auto model = drawn_model<Real>(shape, first, loss, numbers);
  return {std::move(start), std::move(model), run_of(which, m)};
}

}  // namespace embedscale::properties::optimizer
