#pragma once
// The functions whose gradients the library has, and these gradients, of a Sample: functors over
// the type of number for the measures of block_differentiation.hpp.
#include <cmath>
#include <cstdint>
#include <vector>

#include "block_sample.hpp"

namespace embedscale::properties::block {

template <class Span>
using Number = std::remove_const_t<typename Span::element_type>;

/// One token through a norm.
struct OneNorm {
  Sample sample;
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    const auto norm = sample.kind == NormKind::layer_norm ? layer_norm<Real> : rms_norm<Real>;
    norm(x, Real(sample.epsilon), sample.placement, out);
  }
};
template <class Primitives>
struct OneNormGradient {
  Sample sample;
  Primitives primitives;
  void operator()(auto x, auto g, auto out) const {
    using Real = Number<decltype(out)>;
    const Real epsilon(sample.epsilon);
    if (sample.kind == NormKind::layer_norm)
      primitives.template layer_norm_gradient<Real>(x, g, epsilon, sample.placement, out);
    else
      primitives.template rms_norm_gradient<Real>(x, g, epsilon, sample.placement, out);
  }
};

/// One token through the feed-forward network.
struct Network {
  Sample sample;
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    const auto w = as<Real>(block_of(sample)).weights;
    feed_forward<Real>({w.inner, w.inner_bias}, {w.outer, w.outer_bias}, x, out);
  }
};
template <class Primitives>
struct NetworkGradient {
  Sample sample;
  Primitives primitives;
  void operator()(auto x, auto g, auto out) const {
    using Real = Number<decltype(out)>;
    const auto w = as<Real>(block_of(sample)).weights;
    primitives.template feed_forward_gradient<Real>({w.inner, w.inner_bias},
                                                    {w.outer, w.outer_bias}, x, g, out);
  }
};

struct Attention {
  Sample sample;
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    self_attention<Real>(sample.shape, as<Real>(block_of(sample)).weights, x, out);
  }
};
template <class Primitives>
struct AttentionGradient {
  Sample sample;
  Primitives primitives;
  void operator()(auto x, auto g, auto out) const {
    using Real = Number<decltype(out)>;
    primitives.template self_attention_gradient<Real>(
        sample.shape, as<Real>(block_of(sample)).weights, x, g, out);
  }
};

struct Block {
  Sample sample;
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    embedscale::apply<Real>(as<Real>(block_of(sample)), x, out);
  }
};
template <class Primitives>
struct BlockGradient {
  Sample sample;
  Primitives primitives;
  void operator()(auto x, auto g, auto out) const {
    using Real = Number<decltype(out)>;
    primitives.template apply_gradient<Real>(as<Real>(block_of(sample)), x, g, out);
  }
};

/// The whole way from the token table: x_l = m·E[token_l] + p_l through the block, and a smooth
/// loss Σ(y − t)²/2. Three tokens in the vocabulary, so that more than three repeat one.
struct TokenPath {
  static constexpr std::size_t vocabulary = 3;
  Sample sample;
  double m;
  std::vector<std::size_t> tokens;
  std::vector<double> positions, target;

  explicit TokenPath(const Sample& s) : sample(s), m(root_multiplier<double>(s.shape.d_model)) {
    const Stream stream(s.draw, "tokens");
    for (std::size_t l = 0; l < s.tokens; ++l)
      tokens.push_back(static_cast<std::size_t>(stream.below(vocabulary, l)));
    Normals normals(s.draw, "positions and targets");
    positions = normals(s.tokens * s.shape.d_model);
    target = normals(s.tokens * s.shape.d_model);
  }
  bool repeats_a_token() const {
    for (std::size_t l = 1; l < tokens.size(); ++l)
      if (std::count(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(l), tokens[l]) >
          0)
        return true;
    return false;
  }
  /// The block's input.
  template <class Real>
  std::vector<Real> input(std::span<const Real> table) const {
    const std::size_t d = sample.shape.d_model;
    const EmbeddingTable<Real> e(vocabulary, d, std::vector<Real>(table.begin(), table.end()));
    std::vector<Real> x(tokens.size() * d, Real(0));
    for (std::size_t l = 0; l < tokens.size(); ++l)
      e.look_up(tokens[l], Real(m), std::span(x).subspan(l * d, d));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] + Real(positions[i]);
    return x;
  }
  /// Output minus target.
  template <class Real>
  std::vector<Real> residuals(std::span<const Real> x) const {
    std::vector<Real> y(x.size(), Real(0));
    embedscale::apply<Real>(as<Real>(block_of(sample)), x, y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] - Real(target[i]);
    return y;
  }
  void operator()(auto table, auto loss) const {
    using Real = Number<decltype(loss)>;
    const auto r = residuals<Real>(input<Real>(table));
    loss[0] = dot<Real>(r, r) / Real(2);
  }
};
template <class Primitives>
struct TokenPathGradient {
  TokenPath path;
  Primitives primitives;
  void operator()(auto table, auto g, auto out) const {
    using Real = Number<decltype(out)>;
    const auto x = path.input<Real>(table);
    auto slopes = path.residuals<Real>(x);
    for (Real& slope : slopes) slope = slope * g[0];
    primitives.template apply_gradient<Real>(as<Real>(block_of(path.sample)), x, slopes, slopes);
    primitives.template add_look_up_gradient<Real>(path.tokens, slopes, Real(path.m),
                                                   path.sample.shape.d_model, out);
  }
};

}  // namespace embedscale::properties::block
