#pragma once
// What the claims are about: norms and what rescales their ε; the two sub-layers of an encoder
// block, the first one's branch, a norm before them, and what undoes a factor. The library's
// functions, or others in their place.
#include <embedscale/block.hpp>
#include <embedscale/expected/normalization.hpp>
#include <embedscale/format.hpp>
#include <embedscale/normalization.hpp>

#include <span>
#include <type_traits>
#include <vector>

#include "../domain/surds.hpp"
#include "../exact/decimal50.hpp"
#include "../over.hpp"

namespace embedscale::properties::normalization {

using domain::Rational, domain::Surd;
using Wide = exact::Decimal50;

template <AnalyticScalar Real>
struct Operations {
  using Norm = Operation<void(std::span<const Real> x, const Real& epsilon,
                              EpsilonPlacement placement, std::span<Real> out)>;
  Norm layer_norm = embedscale::layer_norm<Real>;
  Norm rms_norm = embedscale::rms_norm<Real>;
  /// ε′ with N_ε(c·x) = N_ε′(x).
  Operation<Real(const Real& epsilon, const Real& c, EpsilonPlacement placement)> rescaled_epsilon =
      expected::rescaled_epsilon<Real>;

  void list(Members& to) { EMBEDSCALE_LIST(to, layer_norm, rms_norm, rescaled_epsilon); }
};

/// The library's.
template <AnalyticScalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, Surd, Wide, double, float, bfloat16> {};
/// What a measure takes; Primitives convert.
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

/// x + A(N(x)) or N(x + A(x)).
template <AnalyticScalar Real>
void attention_sublayer(const EncoderBlock<Real>& block, std::span<const Real> x,
                        std::span<Real> out) {
  add_sublayer<Real>(
      block, [&](auto... rows) { self_attention<Real>(block.shape, block.weights, rows...); }, x,
      out);
}

/// y + F(N(y)) or N(y + F(y)).
template <AnalyticScalar Real>
void network_sublayer(const EncoderBlock<Real>& block, std::span<const Real> y,
                      std::span<Real> out) {
  add_sublayer<Real>(
      block, [&](auto... rows) { feed_forward<Real>(block.shape, block.weights, rows...); }, y,
      out);
}

/// N(x): behind an embedding, before the first block.
template <AnalyticScalar Real>
void embedding_norm(const EncoderBlock<Real>& block, std::span<const Real> x, std::span<Real> out) {
  normalize<Real>(block.shape, block.norm, x, out);
}

/// A(N(x)) of a pre-norm block.
template <AnalyticScalar Real>
void branch(const EncoderBlock<Real>& block, std::span<const Real> x, std::span<Real> out) {
  normalize<Real>(block.shape, block.norm, x, out);
  self_attention<Real>(block.shape, block.weights, out, out);
}

template <Scalar Real>
void multiply(std::vector<Real>& values, const Real& by) {
  for (Real& value : values) value = value * by;
}
template <Scalar Real>
void divide(std::vector<Real>& values, const Real& by) {
  for (Real& value : values) value = value / by;
}

template <Scalar Real>
void clear_biases(BlockWeights<Real>& w) {
  for (auto* bias :
       {&w.query_bias, &w.key_bias, &w.value_bias, &w.output_bias, &w.inner_bias, &w.outer_bias})
    bias->clear();
}

/// The post-norm block that does with c·x what one of `weights` does with x: W_Q/a, W_K/(c²/a), and
/// the biases that hang on it. a = c divides both alike, a = c² the queries alone. b_K stays: it
/// adds the same number to a query's every logit.
///
/// Requires  a, c > 0.
template <AnalyticScalar Real>
BlockWeights<Real> compensated(BlockWeights<Real> weights, const Real& c, const Real& a) {
  const Real b = Real(c * c) / a, query = c / a;
  divide(weights.query, a);
  divide(weights.key, b);
  multiply(weights.query_bias, query);
  multiply(weights.value_bias, c);
  multiply(weights.output_bias, c);
  return weights;
}

/// The weights of a pre-norm block whose branches carry c as the skip does.
template <AnalyticScalar Real>
BlockWeights<Real> with_scaled_branches(BlockWeights<Real> weights, const Real& c) {
  for (auto* part : {&weights.output, &weights.output_bias, &weights.outer, &weights.outer_bias})
    multiply(*part, c);
  return weights;
}

template <AnalyticScalar Real>
struct BlockOperations {
  using Part = Operation<void(const EncoderBlock<Real>& block, std::span<const Real> x,
                              std::span<Real> out)>;
  using Weights = BlockWeights<Real>;
  Part attention_sublayer = normalization::attention_sublayer<Real>;
  Part network_sublayer = normalization::network_sublayer<Real>;
  Part branch = normalization::branch<Real>;
  Part embedding_norm = normalization::embedding_norm<Real>;
  Operation<Weights(Weights, const Real& c, const Real& a)> compensated =
      normalization::compensated<Real>;
  Operation<Weights(Weights, const Real& c)> with_scaled_branches =
      normalization::with_scaled_branches<Real>;

  void list(Members& to) {
    EMBEDSCALE_LIST(to, attention_sublayer, network_sublayer, branch, embedding_norm, compensated,
                    with_scaled_branches);
  }
};

/// The library's.
template <AnalyticScalar Real>
inline constexpr BlockOperations<Real> block_library{};

struct BlockPrimitives : Over<BlockOperations, Wide, double, float, bfloat16> {};
/// What a measure takes; BlockPrimitives convert.
template <AnalyticScalar Real>
using BlockPrimitivesIn = std::type_identity_t<BlockOperations<Real>>;

}  // namespace embedscale::properties::normalization
