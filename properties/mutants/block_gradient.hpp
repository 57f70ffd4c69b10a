#pragma once
// Wrong ways from a block's output back to its input, from the largest defect to the smallest.
#include <algorithm>
#include <span>
#include <vector>

#include "../block.hpp"

namespace embedscale::properties::mutants {

/// What a wrong way back does in the place of the right one, which is this.
struct RightWay {
  template <AnalyticScalar Real>
  static void norm(const EncoderBlock<Real>& b, std::span<const Real> x, std::span<const Real> g,
                   std::span<Real> out) {
    normalize_gradient<Real>(b.shape, b.norm, x, g, out);
  }
  template <Scalar Real>
  static Real past_attention(const Real& g) {
    return g;
  }
  template <Scalar Real>
  static Real past_network(const Real& g) {
    return g;
  }
};

/// apply_gradient with a Way's parts, sub-layer by sub-layer.
template <class Way, AnalyticScalar Real>
void way_back(const EncoderBlock<Real>& b, std::span<const Real> x, std::span<const Real> upstream,
              std::span<Real> out) {
  const bool pre = b.norms == NormPlacement::pre;
  const auto step = [&](std::span<const Real> at, std::span<const Real> g, const auto& f,
                        const auto& back, const auto& past) {
    std::vector<Real> s(at.begin(), at.end()), h(g.begin(), g.end());
    if (pre) {
      normalize<Real>(b.shape, b.norm, at, s);
    } else {
      f(at, std::span<Real>(s));
      for (std::size_t i = 0; i < s.size(); ++i) s[i] = at[i] + s[i];
      Way::template norm<Real>(b, s, g, h);
    }
    std::vector<Real> through = h;
    back(pre ? std::span<const Real>(s) : at, std::span<const Real>(h), std::span<Real>(through));
    if (pre) Way::template norm<Real>(b, at, through, through);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = past(h[i]) + through[i];
    return h;
  };
  const auto attention = [&](auto from, auto to) {
    self_attention<Real>(b.shape, b.weights, from, to);
  };
  const auto attention_back = [&](auto from, auto g, auto to) {
    self_attention_gradient<Real>(b.shape, b.weights, from, g, to);
  };
  const auto network = [&](auto from, auto to) {
    feed_forward<Real>(b.shape, b.weights, from, to);
  };
  const auto network_back = [&](auto from, auto g, auto to) {
    feed_forward_gradient<Real>(b.shape, b.weights, from, g, to);
  };
  std::vector<Real> y(x.size(), Real(0));
  add_sublayer<Real>(b, attention, x, y);
  const auto to_y =
      step(y, upstream, network, network_back, [](const Real& g) { return Way::past_network(g); });
  const auto to_x = step(x, to_y, attention, attention_back,
                         [](const Real& g) { return Way::past_attention(g); });
  std::copy(to_x.begin(), to_x.end(), out.begin());
}

template <class Way>
struct GoesBack : block::Library {
  template <AnalyticScalar Real>
  static void apply_gradient(const EncoderBlock<Real>& b, std::span<const Real> x,
                             std::span<const Real> upstream, std::span<Real> out) {
    way_back<Way, Real>(b, x, upstream, out);
  }
};

/// Through attention alone, not past it.
struct NotPastAttention : RightWay {
  template <Scalar Real>
  static Real past_attention(const Real&) {
    return Real(0);
  }
};
using forgets_the_skip_of_attention = GoesBack<NotPastAttention>;

/// Through the network alone, not past it.
struct NotPastTheNetwork : RightWay {
  template <Scalar Real>
  static Real past_network(const Real&) {
    return Real(0);
  }
};
using forgets_the_skip_of_the_network = GoesBack<NotPastTheNetwork>;

/// The norm as if its mean and its divisor were constants (detached): g/D alone.
struct DividesAlone : RightWay {
  template <AnalyticScalar Real>
  static void norm(const EncoderBlock<Real>& b, std::span<const Real> x, std::span<const Real> g,
                   std::span<Real> out) {
    const std::size_t d = b.shape.d_model;
    for (std::size_t at = 0; at < x.size(); at += d) {
      const auto row = x.subspan(at, d);
      const Real centre =
          b.norm.kind == NormKind::layer_norm ? embedscale::detail::mean(row) : Real(0);
      const Real divisor = embedscale::detail::divisor(
          embedscale::detail::mean_square_about(row, centre), b.norm.epsilon, b.norm.placement);
      for (std::size_t j = at; j < at + d; ++j) out[j] = g[j] / divisor;
    }
  }
};
using takes_the_divisor_for_a_constant = GoesBack<DividesAlone>;

/// What goes past attention is one part in 2^30 too large.
struct SlightlyMorePast : RightWay {
  template <Scalar Real>
  static Real past_attention(const Real& g) {
    return g * Real(1.0 + 0x1p-30);
  }
};
using passes_slightly_more = GoesBack<SlightlyMorePast>;

/// One part in 2^90 more: only 50 digits show it.
struct adds_a_part_in_2_to_the_90 : block::Library {
  template <AnalyticScalar Real>
  static void apply_gradient(const EncoderBlock<Real>& b, std::span<const Real> x,
                             std::span<const Real> upstream, std::span<Real> out) {
    block::Library::apply_gradient<Real>(b, x, upstream, out);
    for (Real& value : out) value = value + value * Real(0x1p-90);
  }
};

/// The norm's side in the gradient alone.
struct goes_back_on_the_other_side : block::Library {
  template <AnalyticScalar Real>
  static void apply_gradient(EncoderBlock<Real> b, std::span<const Real> x,
                             std::span<const Real> upstream, std::span<Real> out) {
    b.norms = b.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
    block::Library::apply_gradient<Real>(b, x, upstream, out);
  }
};

}  // namespace embedscale::properties::mutants
