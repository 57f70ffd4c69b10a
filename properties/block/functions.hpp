#pragma once
// The measures of the facts. Each compares two numbers that are equal over the reals, in units of
// what their roundings may have made of them, which RunningError counts: a block and its formulas;
// <J v, g>, J v by Boost.Math's forward automatic differentiation along v, and <v, Jᵀ g>, Jᵀ g by
// the gradient written by hand.
//
// The functions whose gradients the library has, of a Sample: f(x, out) over any number, and the
// gradient by the operations under test, by.…(x, upstream, out). All spans. Each says where it is
// tried, how many outputs it has and, if it has kinks, how far they are from there: x is to be
// further from one than rounding leads.
#include <embedscale/block_gradient.hpp>
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "primitives.hpp"
#include "sample.hpp"

namespace embedscale::properties::block {

template <class Span>
using Number = std::remove_const_t<typename Span::element_type>;

/// A function of rows of d_model channels, which gives as many.
struct OfRows {
  Sample sample;
  std::size_t rows;
  std::vector<double> point() const {
    return Normals(sample.draw, "x")(rows * sample.shape.d_model);
  }
  std::size_t outputs() const { return rows * sample.shape.d_model; }
};

/// One token through a norm.
struct OneNorm : OfRows {
  explicit OneNorm(const Sample& s) : OfRows{s, 1} {}
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    const auto norm = sample.kind == NormKind::layer_norm ? layer_norm<Real> : rms_norm<Real>;
    norm(x, Real(sample.epsilon), sample.placement, out);
  }
  template <class Real>
  void gradient(const Operations<Real>& by, auto x, auto g, auto out) const {
    const auto back =
        sample.kind == NormKind::layer_norm ? by.layer_norm_gradient : by.rms_norm_gradient;
    back(x, g, Real(sample.epsilon), sample.placement, out);
  }
};

/// A function that takes the sample's block, or a part of it.
struct OfBlock : OfRows {
  EncoderBlock<double> block;
  OfBlock(const Sample& s, std::size_t rows) : OfRows{s, rows}, block(block_of(s)) {}
  template <class Real>
  EncoderBlock<Real> in() const {
    return as<Real>(block);
  }
};

/// One token through the feed-forward network.
struct Network : OfBlock {
  explicit Network(const Sample& s) : OfBlock(s, 1) {}
  double distance_to_kink(const std::vector<double>& x) const {
    return block::distance_to_kink(block.weights, x.size(), x);
  }
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    feed_forward<Real>(sample.shape, in<Real>().weights, x, out);
  }
  template <class Real>
  void gradient(const Operations<Real>& by, auto x, auto g, auto out) const {
    const auto w = in<Real>().weights;
    by.feed_forward_gradient({w.inner, w.inner_bias}, {w.outer, w.outer_bias}, x, g, out);
  }
};

struct Attention : OfBlock {
  explicit Attention(const Sample& s) : OfBlock(s, s.tokens) {}
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    self_attention<Real>(sample.shape, in<Real>().weights, x, out);
  }
  template <class Real>
  void gradient(const Operations<Real>& by, auto x, auto g, auto out) const {
    by.self_attention_gradient(sample.shape, in<Real>().weights, x, g, out);
  }
};

struct Block : OfBlock {
  explicit Block(const Sample& s) : OfBlock(s, s.tokens) {}
  double distance_to_kink(const std::vector<double>& x) const {
    return block::distance_to_kink(block, x);
  }
  void operator()(auto x, auto out) const {
    using Real = Number<decltype(out)>;
    embedscale::apply<Real>(in<Real>(), x, out);
  }
  template <class Real>
  void gradient(const Operations<Real>& by, auto x, auto g, auto out) const {
    by.apply_gradient(in<Real>(), x, g, out);
  }
};

/// The whole way from the token table: x_l = m·E[token_l] + p_l through the block, and a smooth
/// loss Σ(y − t)²/2. Three tokens in the vocabulary, so that more than three repeat one.
struct TokenPath : OfBlock {
  static constexpr std::size_t vocabulary = 3;
  double m;
  std::vector<std::size_t> tokens;
  std::vector<double> positions, target;

  explicit TokenPath(const Sample& s)
      : OfBlock(s, s.tokens), m(root_multiplier<double>(s.shape.d_model)) {
    const Stream stream(s.draw, "tokens");
    for (std::size_t l = 0; l < s.tokens; ++l)
      tokens.push_back(static_cast<std::size_t>(stream.below(vocabulary, l)));
    Normals normals(s.draw, "positions and targets");
    positions = normals(s.tokens * s.shape.d_model);
    target = normals(s.tokens * s.shape.d_model);
  }
  std::vector<double> point() const {
    return Normals(sample.draw, "table")(vocabulary * sample.shape.d_model, 1.0 / m);
  }
  static std::size_t outputs() { return 1; }
  double distance_to_kink(const std::vector<double>& table) const {
    return block::distance_to_kink(block, input<double>(table));
  }
  bool repeats_a_token() const {
    return std::ranges::any_of(
        tokens, [&](std::size_t token) { return std::ranges::count(tokens, token) > 1; });
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
    embedscale::apply<Real>(in<Real>(), x, y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = y[i] - Real(target[i]);
    return y;
  }
  void operator()(auto table, auto loss) const {
    using Real = Number<decltype(loss)>;
    const auto r = residuals<Real>(input<Real>(table));
    loss[0] = dot<Real>(r, r) / Real(2);
  }
  template <class Real>
  void gradient(const Operations<Real>& by, auto table, auto g, auto out) const {
    const auto x = input<Real>(table);
    auto slopes = residuals<Real>(x);
    for (Real& slope : slopes) slope = slope * g[0];
    by.apply_gradient(in<Real>(), x, slopes, slopes);
    by.add_look_up_gradient(tokens, slopes, Real(m), sample.shape.d_model, out);
  }
};

/// The derivative of <f(x), g> along v, by automatic differentiation: compiled once, in
/// taylor.cpp.
template <class Function>
Tracked derivative_along(const Function& f, const std::vector<double>& x,
                         const std::vector<double>& v, const std::vector<double>& g);

/// The adjoint identity's two sides.
template <class Function>
double adjoint_share(const Function& f, const PrimitivesIn<Tracked>& primitives,
                     const std::vector<double>& x, const std::vector<double>& v,
                     const std::vector<double>& g) {
  const auto point = as<Tracked>(x), upstream = as<Tracked>(g);
  std::vector<Tracked> out(x.size());
  f.gradient(primitives, std::span<const Tracked>(point), std::span<const Tracked>(upstream),
             std::span<Tracked>(out));
  return share_of_errors(derivative_along(f, x, v, g), dot<Tracked>(as<Tracked>(v), out));
}

// A block by its formulas, written a second time: sums over explicit indices from the last to the
// first, softmax without a shift, the variance as E x² − (E x)². Tracked says by itself how far
// these other roundings may lead.

using Rows = std::vector<std::vector<Tracked>>;  ///< one for each token

/// W x + b for each row.
inline Rows reference_linear(const std::vector<Tracked>& w, const std::vector<Tracked>& b,
                             const Rows& x) {
  Rows out;
  for (const auto& row : x) {
    const std::size_t d = row.size();
    std::vector<Tracked> y(w.size() / d, Tracked(0));
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!b.empty()) y[i] = b[i];
      for (std::size_t j = d; j-- > 0;) y[i] = y[i] + w[i * d + j] * row[j];
    }
    out.push_back(y);
  }
  return out;
}

/// A(x). The scale is the number that the library takes, as both mean the same function.
inline Rows reference_attention(const EncoderBlock<Tracked>& block, const Rows& x) {
  const auto& w = block.weights;
  const std::size_t n = x.size(), d_k = block.shape.d_model / block.shape.heads;
  const auto q = reference_linear(w.query, w.query_bias, x);
  const auto k = reference_linear(w.key, w.key_bias, x);
  const auto v = reference_linear(w.value, w.value_bias, x);
  Rows means(n, std::vector<Tracked>(block.shape.d_model, Tracked(0)));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < block.shape.d_model; ++c) {
      const std::size_t first = c / d_k * d_k;  // the head's
      Tracked above(0), below(0);
      for (std::size_t j = n; j-- > 0;) {
        Tracked product(0);
        for (std::size_t l = first; l < first + d_k; ++l) product = product + q[i][l] * k[j][l];
        const Tracked power = exp(Tracked(product * attention_scale<Tracked>(d_k)));
        above = above + power * v[j][c];
        below = below + power;
      }
      means[i][c] = above / below;
    }
  return reference_linear(w.output, w.output_bias, means);
}

/// N(x).
inline Rows reference_norm(const BlockNorm<Tracked>& norm, Rows x) {
  for (auto& row : x) {
    const Tracked n(static_cast<int>(row.size()));
    Tracked sum(0), squares(0);
    for (const auto& value : row) sum = sum + value, squares = squares + value * value;
    const Tracked mean = norm.kind == NormKind::layer_norm ? Tracked(sum / n) : Tracked(0);
    const Tracked variance = squares / n - mean * mean;
    const Tracked size = norm.placement == EpsilonPlacement::variance
                             ? Tracked(sqrt(Tracked(variance + norm.epsilon)))
                             : Tracked(sqrt(variance) + norm.epsilon);
    for (auto& value : row) value = (value - mean) / size;
  }
  return x;
}

inline Rows operator+(Rows a, const Rows& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] = a[i][j] + b[i][j];
  return a;
}

/// The block of x.
inline Rows reference_block(const EncoderBlock<Tracked>& block, const Rows& x) {
  const auto& w = block.weights;
  const auto norm = [&](const Rows& rows) { return reference_norm(block.norm, rows); };
  const auto network = [&](const Rows& rows) {
    auto hidden = reference_linear(w.inner, w.inner_bias, rows);
    for (auto& row : hidden)
      for (auto& value : row) value = value > Tracked(0) ? value : Tracked(0);
    return reference_linear(w.outer, w.outer_bias, hidden);
  };
  if (block.norms == NormPlacement::pre) {
    const auto y = x + reference_attention(block, norm(x));
    return y + network(norm(y));
  }
  const auto y = norm(x + reference_attention(block, x));
  return norm(y + network(y));
}

/// The largest share of any channel of the block against its formulas written a second time.
inline double forward_share(const Block& f, const PrimitivesIn<Tracked>& primitives) {
  const auto block = f.in<Tracked>();
  const auto x = as<Tracked>(f.point());
  std::vector<Tracked> out(x.size());
  primitives.apply(block, x, out);
  const std::size_t d = f.sample.shape.d_model;
  Rows rows(f.rows, std::vector<Tracked>(d));
  for (std::size_t i = 0; i < x.size(); ++i) rows[i / d][i % d] = x[i];
  const auto expected = reference_block(block, rows);
  double worst = 0.0;
  for (std::size_t i = 0; i < out.size(); ++i)
    worst = std::max(worst, share_of_errors(out[i], expected[i / d][i % d]));
  return worst;
}

}  // namespace embedscale::properties::block
