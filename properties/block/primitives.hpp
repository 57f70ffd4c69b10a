#pragma once
// What the facts about blocks are about: the library's functions, or others in their place. In
// binary64 numbers that carry a bound of their own rounding.
#include <embedscale/block_gradient.hpp>
#include <embedscale/embedding.hpp>

#include <span>
#include <type_traits>

#include "../evidence/running_error.hpp"
#include "../over.hpp"

namespace embedscale::properties::block {

using Tracked = RunningError<double>;

template <AnalyticScalar Real>
struct Operations {
  using In = std::span<const Real>;
  using Out = std::span<Real>;
  using NormGradient =
      Operation<void(In x, In upstream, const Real& epsilon, EpsilonPlacement placement, Out out)>;
  Operation<void(const EncoderBlock<Real>& block, In x, Out out)> apply = embedscale::apply<Real>;
  NormGradient layer_norm_gradient = embedscale::layer_norm_gradient<Real>;
  NormGradient rms_norm_gradient = embedscale::rms_norm_gradient<Real>;
  Operation<void(const LinearLayer<Real>& inner, const LinearLayer<Real>& outer, In x, In upstream,
                 Out out)>
      feed_forward_gradient = embedscale::feed_forward_gradient<Real>;
  Operation<void(const BlockShape& shape, const BlockWeights<Real>& weights, In x, In upstream,
                 Out out)>
      self_attention_gradient = embedscale::self_attention_gradient<Real>;
  Operation<void(const EncoderBlock<Real>& block, In x, In upstream, Out out)> apply_gradient =
      embedscale::apply_gradient<Real>;
  /// From the gradient to the block's input to that of the table.
  Operation<void(std::span<const std::size_t> tokens, In slopes, const Real& m, std::size_t d,
                 Out gradient)>
      add_look_up_gradient = embedscale::add_look_up_gradient<Real>;

  void list(Members& to) {
    EMBEDSCALE_LIST(to, apply, layer_norm_gradient, rms_norm_gradient, feed_forward_gradient,
                    self_attention_gradient, apply_gradient, add_look_up_gradient);
  }
};

/// The library's.
template <AnalyticScalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, Tracked> {};
/// What a measure takes; Primitives convert.
template <AnalyticScalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::block
