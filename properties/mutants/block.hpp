#pragma once
// Wrong blocks, and wrong ways from a block's input to the token table, from the largest defect to
// the smallest.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "../block.hpp"

namespace embedscale::properties::mutants {

using Blocks = block::Library;

/// The norm before the sub-layer in the place of after it, and the other way round.
struct normalizes_on_the_other_side : Blocks {
  template <AnalyticScalar Real>
  static void apply(EncoderBlock<Real> b, std::span<const Real> x, std::span<Real> out) {
    b.norms = b.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
    Blocks::apply<Real>(b, x, out);
  }
};

/// One head of all channels.
struct attends_with_one_head : Blocks {
  template <AnalyticScalar Real>
  static void apply(EncoderBlock<Real> b, std::span<const Real> x, std::span<Real> out) {
    b.shape.heads = 1;
    Blocks::apply<Real>(b, x, out);
  }
};

/// Sizes in the place of ReLU: |z| = relu(z) + relu(−z).
struct keeps_negative_units : Blocks {
  template <AnalyticScalar Real>
  static void apply(EncoderBlock<Real> b, std::span<const Real> x, std::span<Real> out) {
    auto& w = b.weights;
    const std::size_t d = b.shape.d_model, d_ff = b.shape.d_ff;
    for (auto* rows : {&w.inner, &w.inner_bias})
      for (std::size_t i = 0, n = rows->size(); i < n; ++i) rows->push_back(-(*rows)[i]);
    std::vector<Real> outer;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t k = 0; k < 2 * d_ff; ++k) outer.push_back(w.outer[i * d_ff + k % d_ff]);
    w.outer = outer;
    b.shape.d_ff = 2 * d_ff;
    Blocks::apply<Real>(b, x, out);
  }
};

/// Queries for keys and keys for queries: the weights are those of the transposed product.
struct exchanges_queries_and_keys : Blocks {
  template <AnalyticScalar Real>
  static void apply(EncoderBlock<Real> b, std::span<const Real> x, std::span<Real> out) {
    std::swap(b.weights.query, b.weights.key);
    std::swap(b.weights.query_bias, b.weights.key_bias);
    Blocks::apply<Real>(b, x, out);
  }
};

/// 1/√d_model for 1/√d_k.
struct scales_logits_by_all_heads : Blocks {
  template <AnalyticScalar Real>
  static void apply(EncoderBlock<Real> b, std::span<const Real> x, std::span<Real> out) {
    const Real less(1.0 / std::sqrt(static_cast<double>(b.shape.heads)));
    for (auto* part : {&b.weights.query, &b.weights.query_bias})
      for (Real& value : *part) value = value * less;
    Blocks::apply<Real>(b, x, out);
  }
};

/// A bias that only a block with all of them has. (A key's would not be missed: it adds the same to
/// all logits of a query.)
struct forgets_the_output_bias : Blocks {
  template <AnalyticScalar Real>
  static void apply(EncoderBlock<Real> b, std::span<const Real> x, std::span<Real> out) {
    b.weights.output_bias.clear();
    Blocks::apply<Real>(b, x, out);
  }
};

/// The first weight of the outer matrix is one part in 2^30 too large.
struct bends_one_weight : Blocks {
  template <AnalyticScalar Real>
  static void apply(EncoderBlock<Real> b, std::span<const Real> x, std::span<Real> out) {
    b.weights.outer[0] = b.weights.outer[0] * Real(1.0 + 0x1p-30);
    Blocks::apply<Real>(b, x, out);
  }
};

/// The gradient to x = m·e + p handed on as that to e.
struct forgets_the_multiplier_of_the_table : Blocks {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real&, std::size_t d,
                                   std::span<Real> gradient) {
    Blocks::add_look_up_gradient<Real>(tokens, slopes, Real(1), d, gradient);
  }
};

/// m² for m.
struct multiplies_the_slopes_twice : Blocks {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    Blocks::add_look_up_gradient<Real>(tokens, slopes, m * m, d, gradient);
  }
};

/// A token that comes twice has the gradient of its last place.
struct keeps_the_last_place_of_a_token : Blocks {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    for (std::size_t l = 0; l < tokens.size(); ++l) {
      const auto row = gradient.subspan(tokens[l] * d, d);
      std::fill(row.begin(), row.end(), Real(0));
      Blocks::add_look_up_gradient<Real>(tokens.subspan(l, 1), slopes.subspan(l * d, d), m, d,
                                         gradient);
    }
  }
};

/// The mean over the places of a token, as PyTorch's scale_grad_by_freq has it.
struct averages_over_the_places_of_a_token : Blocks {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real& m, std::size_t d,
                                   std::span<Real> gradient) {
    Blocks::add_look_up_gradient<Real>(tokens, slopes, m, d, gradient);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      const auto places = std::count(tokens.begin(), tokens.end(), i / d);
      if (places > 1) gradient[i] = gradient[i] / Real(static_cast<int>(places));
    }
  }
};

/// √d in binary32: 6 parts in 10^8 at most.
struct goes_back_by_a_multiplier_in_binary32 : Blocks {
  template <Scalar Real>
  static void add_look_up_gradient(std::span<const std::size_t> tokens,
                                   std::span<const Real> slopes, const Real&, std::size_t d,
                                   std::span<Real> gradient) {
    Blocks::add_look_up_gradient<Real>(
        tokens, slopes, Real(static_cast<double>(root_multiplier<float>(d))), d, gradient);
  }
};

}  // namespace embedscale::properties::mutants
