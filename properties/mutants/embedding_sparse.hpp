#pragma once
// Wrong programs for the product with a sparse input and for the gradient of a look-up.
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "embedding.hpp"

namespace embedscale::properties::mutants {

/// A layer that divides by the number of its inputs, as if they were all at work.
struct averages_over_the_vocabulary : Embedding {
  template <Scalar Real>
  static void multiply(const EmbeddingTable<Real>& table, std::span<const Real> x,
                       std::span<Real> out) {
    Embedding::multiply(table, x, out);
    for (Real& y : out) y = y / Real(static_cast<int>(x.size()));
  }
};

/// A row is added for every input, whether it is there or not: what a dense input would do.
struct adds_every_row : Embedding {
  template <Scalar Real>
  static void multiply(const EmbeddingTable<Real>& table, std::span<const Real> x,
                       std::span<Real> out) {
    const std::vector<Real> dense(x.size(), Real(1));
    Embedding::multiply(table, std::span<const Real>(dense), out);
  }
};

/// The first token is taken for padding, and its row for zeros.
struct leaves_the_first_token_out : Embedding {
  template <Scalar Real>
  static void multiply(const EmbeddingTable<Real>& table, std::span<const Real> x,
                       std::span<Real> out) {
    std::vector<Real> rest(x.begin(), x.end());
    rest[0] = Real(0);
    Embedding::multiply(table, std::span<const Real>(rest), out);
  }
};

/// Label smoothing at the input: 2^−20 of the last token is always there.
struct smooths_the_input : Embedding {
  template <Scalar Real>
  static void multiply(const EmbeddingTable<Real>& table, std::span<const Real> x,
                       std::span<Real> out) {
    std::vector<Real> smooth(x.begin(), x.end());
    smooth.back() = smooth.back() + Real(1) / Real(1 << 10) / Real(1 << 10);
    Embedding::multiply(table, std::span<const Real>(smooth), out);
  }
};

/// The factor is applied outside of what is differentiated.
struct detaches_the_factor : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real&, std::size_t d,
                                   std::span<Real> gradient) {
    Embedding::add_look_up_gradient(tokens, slopes, Real(1), d, gradient);
  }
};

/// Forwards and once more backwards.
struct squares_the_factor : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    Embedding::add_look_up_gradient(tokens, slopes, Real(m * m), d, gradient);
  }
};

/// A scatter that assigns: the last position of a token is the only one.
struct keeps_the_last_position : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      for (std::size_t j = 0; j < d; ++j) gradient[tokens[i] * d + j] = m * slopes[i * d + j];
  }
};

/// Divided by how often the token occurs, as torch.nn.Embedding's scale_grad_by_freq does.
struct divides_by_the_frequency : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    Embedding::add_look_up_gradient(tokens, slopes, m, d, gradient);
    const std::multiset<std::size_t> all(tokens.begin(), tokens.end());
    for (const std::size_t token : std::set<std::size_t>(tokens.begin(), tokens.end()))
      for (std::size_t j = 0; j < d; ++j)
        gradient[token * d + j] =
            gradient[token * d + j] / Real(static_cast<int>(all.count(token)));
  }
};

/// A weight decay of 2^−20 in every row, looked up or not: no longer sparse.
struct decays_every_row : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    Embedding::add_look_up_gradient(tokens, slopes, m, d, gradient);
    for (Real& g : gradient) g = g + Real(1) / Real(1 << 10) / Real(1 << 10);
  }
};

/// Slopes clipped at 16: the large gradients alone.
struct clips_large_slopes : Embedding {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    std::vector<Real> clipped(slopes.begin(), slopes.end());
    for (Real& slope : clipped) slope = slope > Real(16) ? Real(16) : slope;
    Embedding::add_look_up_gradient(tokens, std::span<const Real>(clipped), m, d, gradient);
  }
};

}  // namespace embedscale::properties::mutants
