#pragma once
// How much of a residual stream its token is: what a branch adds to the mean square, over all signs
// of its matrices' columns; what is left of a factor behind a norm on the embedding, and in
// post-norm; and streams that are run with the token's part in them.
//
// A sub-layer whose matrices have entries of one size, the deviation of Xavier's law, has the means
// of the claim over the signs of their columns alone. W·D·u, with D of independent fair signs, has
// the mean 0, and each channel the mean square Σ W_ij² u_j² = ‖u‖²·2/(fan-in + fan-out). An
// attention is of this form in its values and, behind them, in its output; a network in its outer
// matrix, and ±D·N(x) are equally likely before its ReLU, so that it keeps half the mean square.
// Any law of independent symmetric entries of that variance has the same means. What holds beside
// every stream holds behind any number of blocks.
#include <embedscale/expected/residual_stream.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "block.hpp"

namespace embedscale::properties::normalization {

/// A pre-norm block whose values, outputs and network have entries of one size.
inline BlockCase<double> signed_block(const Stream& stream, std::uint64_t index,
                                      const BlockShape& shape, std::size_t n) {
  auto drawn = drawn_block<double>(stream, index, shape, n, NormPlacement::pre, Biases::none);
  const auto resize = [](std::vector<double>& matrix, std::size_t fans) {
    for (double& entry : matrix)
      entry = std::copysign(std::sqrt(2 / static_cast<double>(fans)), entry);
  };
  auto& w = drawn.block.weights;
  for (auto* matrix : {&w.value, &w.output}) resize(*matrix, 2 * shape.d_model);
  for (auto* matrix : {&w.inner, &w.outer}) resize(*matrix, shape.d_model + shape.d_ff);
  return drawn;
}

/// Means of what leaves a sub-layer: of each channel, and of each token's mean square.
struct Moments {
  std::vector<double> channels, squares;
};

/// Over all signs of the columns of two of the block's matrices.
inline Moments over_all_signs(EncoderBlock<double> block, const std::vector<double>& x,
                              std::vector<double> BlockWeights<double>::*first,
                              std::vector<double> BlockWeights<double>::*last,
                              BlockOperations<double>::Part sublayer) {
  const std::size_t d = block.shape.d_model, columns = (block.weights.*last).size() / d;
  const auto flip = [](std::vector<double>& matrix, std::size_t of, std::size_t column) {
    for (std::size_t at = column; at < matrix.size(); at += of) matrix[at] = -matrix[at];
  };
  const std::uint64_t patterns = 1ull << (d + columns);
  Moments means{std::vector<double>(x.size()), std::vector<double>(x.size() / d)};
  std::vector<double> y(x.size());
  for (std::uint64_t i = 0; i < patterns; ++i) {
    // From one pattern to the next one column changes: Gray's code.
    const auto changed = static_cast<std::size_t>(std::countr_zero(i));
    if (i > 0 && changed < d) flip(block.weights.*first, d, changed);
    if (i > 0 && changed >= d) flip(block.weights.*last, columns, changed - d);
    sublayer(block, x, y);
    for (std::size_t j = 0; j < y.size(); ++j) {
      means.channels[j] += y[j] / static_cast<double>(patterns);
      means.squares[j / d] += y[j] * y[j] / static_cast<double>(patterns * d);
    }
  }
  return means;
}

/// By how much the mean of a sub-layer's output is not x, or what it adds to a token's mean square
/// below `least` or above `most`, as a share of what doubles allow: 2^12·u·(1 + 1/D)·max(1, c²), D
/// the norm's divisor for x/c, of a signed block of 2 channels and at most 4 hidden ones.
///
/// Requires  |x/c| <= 1.
///
/// Channels off by 12u make E = 96u·(1 + 1/D) of N at most, as in share_of_bound. With entries a,
/// a² = 2/(2 + d_ff), and |N_1| + |N_2| <= 2, a hidden channel is at most 2a and off by 2aE + 6u, a
/// branch at most 2.7 and off by 2.7E + 50u; of attention's weights only the sum counts, and what
/// they make is less. A square of |y| <= c + 2.7 is off by 2(c + 2.7)(2.7E + 58u), a mean of 64 of
/// them by 66u·(c + 2.7)² more: 3300u·(1 + 1/D)·max(1, c²).
inline double share_of_moments(const BlockCase<double>& drawn, double c,
                               const std::vector<double>& x, const Moments& means, double least,
                               double most) {
  const std::size_t d = drawn.block.shape.d_model;
  double worst = 0;
  const auto see = [&](double off) {
    if (!(off <= worst)) worst = off;  // a NaN stays
  };
  for (std::size_t at = 0; at < x.size(); at += d) {
    double added = means.squares[at / d];
    for (std::size_t j = at; j < at + d; ++j) {
      added -= x[j] * x[j] / static_cast<double>(d);
      see(std::abs(means.channels[j] - x[j]));
    }
    see(std::max(least - added, added - most));
  }
  const std::vector<Wide> rows(drawn.x.begin(), drawn.x.end());
  const EncoderBlock<Wide> norm{drawn.block.shape, drawn.block.norms, {drawn.block.norm.kind}, {}};
  return worst / (0x1p-41 * std::max(1.0, c * c) * (1 + 1 / least_divisor(norm, rows)));
}

/// The mean square of x over that of what a pre-norm block makes of it.
inline double share_behind(const EncoderBlock<double>& block, const std::vector<double>& x,
                           const BlockPrimitivesIn<double>& primitives) {
  return mean_square(x) / mean_square(through(block, x, primitives));
}

/// A stream without positions, and which multiple of each token's row is in it.
struct TokenStream {
  std::vector<double> rows, x, coefficients;

  /// Rows of d channels times m.
  TokenStream(std::vector<double> of, double m, std::size_t d)
      : rows(std::move(of)), x(product(m, rows)), coefficients(rows.size() / d, m) {}

  /// Behind one more block. A pre-norm block leaves the coefficients as they are; each norm of a
  /// post-norm one divides them by the RMS of what it reads.
  ///
  /// Requires  RMSNorm and ε = 0 in post-norm.
  void pass(const EncoderBlock<double>& block, const BlockPrimitivesIn<double>& primitives) {
    if (block.norms == NormPlacement::pre) {
      x = through(block, x, primitives);
      return;
    }
    add_and_normalize(block, [](auto... all) { self_attention<double>(all...); });
    add_and_normalize(block, [](auto... all) { feed_forward<double>(all...); });
  }

  /// Of what the tokens are in it, the mean square.
  double token_square() const {
    auto tokens = rows;
    for (std::size_t j = 0; j < tokens.size(); ++j) tokens[j] *= coefficients[j / width()];
    return mean_square(tokens);
  }

 private:
  std::size_t width() const { return rows.size() / coefficients.size(); }
  void add_and_normalize(const EncoderBlock<double>& block, const auto& sublayer) {
    std::vector<double> read(x.size());
    sublayer(block.shape, block.weights, std::span<const double>(x), std::span<double>(read));
    read = sum(read, x);
    normalize<double>(block.shape, block.norm, read, x);
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      coefficients[i] /=
          conventions::root_mean_square(std::span(read).subspan(i * width(), width()));
  }
};

}  // namespace embedscale::properties::normalization
