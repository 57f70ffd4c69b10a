#pragma once
// A block by its formulas, written a second time: sums over explicit indices from the last to the
// first, softmax without a shift, the variance as E x² − (E x)². Of a RunningError it says by
// itself how far these other roundings may lead.
#include <embedscale/block.hpp>

#include <cmath>
#include <vector>

namespace embedscale::properties::block {

template <class Real>
using Rows = std::vector<std::vector<Real>>;  ///< one for each token

/// W x + b for each row.
template <class Real>
Rows<Real> reference_linear(const std::vector<Real>& w, const std::vector<Real>& b,
                            const Rows<Real>& x) {
  Rows<Real> out;
  for (const auto& row : x) {
    const std::size_t d = row.size();
    std::vector<Real> y(w.size() / d, Real(0));
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!b.empty()) y[i] = b[i];
      for (std::size_t j = d; j-- > 0;) y[i] = y[i] + w[i * d + j] * row[j];
    }
    out.push_back(y);
  }
  return out;
}

/// A(x). The scale is the number that the library takes, as both mean the same function.
template <class Real>
Rows<Real> reference_attention(const EncoderBlock<Real>& block, const Rows<Real>& x) {
  using std::exp;
  const auto& w = block.weights;
  const std::size_t n = x.size(), d_k = block.shape.d_model / block.shape.heads;
  const auto q = reference_linear(w.query, w.query_bias, x);
  const auto k = reference_linear(w.key, w.key_bias, x);
  const auto v = reference_linear(w.value, w.value_bias, x);
  Rows<Real> means(n, std::vector<Real>(block.shape.d_model, Real(0)));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < block.shape.d_model; ++c) {
      const std::size_t first = c / d_k * d_k;  // the head's
      Real above(0), below(0);
      for (std::size_t j = n; j-- > 0;) {
        Real product(0);
        for (std::size_t l = first; l < first + d_k; ++l) product = product + q[i][l] * k[j][l];
        const Real power = exp(Real(product * attention_scale<Real>(d_k)));
        above = above + power * v[j][c];
        below = below + power;
      }
      means[i][c] = above / below;
    }
  return reference_linear(w.output, w.output_bias, means);
}

/// N(x).
template <class Real>
Rows<Real> reference_norm(const BlockNorm<Real>& norm, Rows<Real> x) {
  using std::sqrt;
  for (auto& row : x) {
    const Real n(static_cast<int>(row.size()));
    Real sum(0), squares(0);
    for (const auto& value : row) sum = sum + value, squares = squares + value * value;
    const Real mean = norm.kind == NormKind::layer_norm ? Real(sum / n) : Real(0);
    const Real variance = squares / n - mean * mean;
    const Real size = norm.placement == EpsilonPlacement::variance
                          ? Real(sqrt(Real(variance + norm.epsilon)))
                          : Real(sqrt(variance) + norm.epsilon);
    for (auto& value : row) value = (value - mean) / size;
  }
  return x;
}

template <class Real>
Rows<Real> operator+(Rows<Real> a, const Rows<Real>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] = a[i][j] + b[i][j];
  return a;
}

/// The block of x.
template <class Real>
Rows<Real> reference_block(const EncoderBlock<Real>& block, const Rows<Real>& x) {
  const auto& w = block.weights;
  const auto norm = [&](const Rows<Real>& rows) { return reference_norm(block.norm, rows); };
  const auto network = [&](const Rows<Real>& rows) {
    auto hidden = reference_linear(w.inner, w.inner_bias, rows);
    for (auto& row : hidden)
      for (auto& value : row) value = value > Real(0) ? value : Real(0);
    return reference_linear(w.outer, w.outer_bias, hidden);
  };
  if (block.norms == NormPlacement::pre) {
    const auto y = x + reference_attention(block, norm(x));
    return y + network(norm(y));
  }
  const auto y = norm(x + reference_attention(block, x));
  return norm(y + network(y));
}

}  // namespace embedscale::properties::block
