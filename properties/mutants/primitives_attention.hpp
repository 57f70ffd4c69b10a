#pragma once
// Wrong scales and products of attention, from the largest defect to the smallest; all are rejected
// by derived bounds.
#include <embedscale/format.hpp>

#include <cmath>
#include <span>

#include "primitives.hpp"

namespace embedscale::properties::mutants {

/// 1/d_k: the root forgotten.
struct divides_by_the_width_of_a_head : Primitives {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_model, std::size_t heads) {
    return static_cast<Real>(static_cast<double>(heads) / static_cast<double>(d_model));
  }
};

/// 1/√d_model, which is √h too small (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).
struct scales_by_the_whole_width : Primitives {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_model, std::size_t) {
    return attention_scale<Real>(d_model);
  }
};

/// 1.01/√d_k: an error of one percent.
struct scales_logits_by_one_percent_more : Primitives {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_model, std::size_t heads) {
    return static_cast<Real>(1.01 / std::sqrt(static_cast<double>(d_model / heads)));
  }
};

/// 10^−13 under the root against a division by 0: at d_k = 1 half of that, 450u of binary64. 10^−15
/// is seen in one case of 500, at the smallest d_k, 10^−16 in none.
struct guards_the_root : Primitives {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_model, std::size_t heads) {
    const auto d_k = static_cast<double>(d_model / heads);
    return static_cast<Real>(1.0 / std::sqrt(d_k + 1e-13));
  }
};

/// Too large by one part in 2^52: in binary64 alone, one ulp at most. 2^−53 is no defect: it rounds
/// to what was right, or to within the bound.
struct scales_slightly_more : Primitives {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_model, std::size_t heads) {
    const Real scale = Primitives::scale<Real>(d_model, heads);
    return static_cast<Real>(static_cast<double>(scale) * (1.0 + 0x1p-52));
  }
};

/// ⟨q, k⟩ summed in Sum, the factor applied to the rounded sum.
template <class Sum>
struct sums_products_in : Primitives {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    Sum sum(0.0);
    for (std::size_t i = 0; i < q.size(); ++i)
      sum = sum + Sum(static_cast<double>(q[i])) * Sum(static_cast<double>(k[i]));
    return scale * static_cast<Real>(static_cast<double>(sum));
  }
};
/// In binary16, where it is infinite above 65504 before the division (wenet#891,
/// stanford-crfm/mistral#67), and off by parts in 2^11 below.
using sums_products_in_binary16 = sums_products_in<binary16>;
/// In bfloat16, which has the range and 8 digits.
using sums_products_in_bfloat16 = sums_products_in<bfloat16>;
/// In 23 digits, one less than binary32: the smallest of these, at 2 roundings of it against 1 of
/// d_k + 1 allowed.
using sums_products_in_23_digits = sums_products_in<Format<8, 22>>;

/// The product is not scaled.
struct forgets_the_scale_of_logits : Primitives {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real&) {
    return Primitives::logit(q, k, Real(1));
  }
};

/// The last channel does not enter where there is more than one.
struct forgets_the_last_product : Primitives {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    const std::size_t n = q.size() > 1 ? q.size() - 1 : 1;
    return Primitives::logit(q.first(n), k.first(n), scale);
  }
};

/// Too large by one part in 2^23, seen at the smallest d_k alone: two roundings are allowed at 1,
/// and 65 at 64. 2^−24 is seen in one case of some hundred, 2^−25 in none.
struct scales_the_logit_slightly_more : Primitives {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    const Real z = Primitives::logit(q, k, scale);
    return z + z * static_cast<Real>(0x1p-23);
  }
};

}  // namespace embedscale::properties::mutants
