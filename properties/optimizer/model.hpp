#pragma once
// What follows the sum x of token and position, with its gradient: a norm or none, an encoder block
// or none, a norm or none, a linear layer, a loss.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>

#include <optional>
#include <span>
#include <utility>
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
  std::size_t classes() const { return inputs == 0 ? 0 : targets.size() / inputs; }
  std::size_t inputs = 0;  ///< n, rows of d channels
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
    return;
  }
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const Real r = logits[c] - model.targets[input * logits.size() + c];
    const Real q = Real(1) + Real(r * r);
    logits[c] = model.loss == Loss::quadratic ? r : Real(r / Real(q * q));
  }
}
}  // namespace detail

/// The model's gradients at the inputs x with the head's weights, (C, d).
template <AnalyticScalar Real>
Slopes<Real> slopes_at(const Model<Real>& model, const std::vector<Real>& x,
                       const std::vector<Real>& head, const PrimitivesIn<Real>& primitives) {
  const std::size_t d = model.d, n = model.inputs, classes = model.classes();
  const auto z = detail::normalized(model, model.first, x, primitives);
  std::vector<Real> y = z;
  if (model.block) embedscale::apply(*model.block, std::span<const Real>(z), std::span<Real>(y));
  const auto h = detail::normalized(model, model.last, y, primitives);
  Slopes<Real> slopes{std::vector<Real>(n * d, Real(0)), std::vector<Real>(classes * d, Real(0))};
  std::vector<Real> logits(classes, Real(0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < classes; ++c) {
      Real sum(0);
      for (std::size_t j = 0; j < d; ++j) sum = sum + Real(head[c * d + j] * h[i * d + j]);
      logits[c] = sum;
    }
    detail::loss_slopes<Real>(model, i, logits);
    for (std::size_t c = 0; c < classes; ++c)
      for (std::size_t j = 0; j < d; ++j) {
        Real& of_input = slopes.of_input[i * d + j];
        Real& of_head = slopes.of_head[c * d + j];
        of_input = of_input + Real(logits[c] * head[c * d + j]);
        of_head = of_head + Real(logits[c] * h[i * d + j]);
      }
  }
  detail::back_through(model, model.last, y, slopes.of_input, primitives);
  if (model.block) {
    const std::vector<Real> upstream = slopes.of_input;
    embedscale::apply_gradient(*model.block, std::span<const Real>(z),
                               std::span<const Real>(upstream), std::span<Real>(slopes.of_input));
  }
  detail::back_through(model, model.first, x, slopes.of_input, primitives);
  return slopes;
}

/// Whether a common positive factor of all inputs is invisible behind what comes first.
template <AnalyticScalar Real>
bool ignores_a_factor(const Model<Real>& model) {
  return model.first != Norm::none && model.epsilon == Real(0);
}

}  // namespace embedscale::properties::optimizer
