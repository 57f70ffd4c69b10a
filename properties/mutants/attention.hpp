#pragma once
// Wrong products and scales, each beside the defect it stands for, from the largest to the
// smallest. Where a thread is named, somebody's program had exactly this defect.
#include <embedscale/format.hpp>

#include <cmath>
#include <span>

#include "../attention.hpp"

namespace embedscale::properties::mutants {

using attention::Library;

/// Sizes where products were meant: the mean is no longer 0.
struct adds_absolute_products : Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    Real sum(0);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Real product = q[i] * k[i];
      sum = sum + (product < Real(0) ? Real(-product) : product);
    }
    return sum;
  }
};

/// The mean of the products in the place of their sum: a variance of 1/d_k.
struct averages_the_products : Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    return Library::dot(q, k) / Real(static_cast<int>(q.size()));
  }
};

/// The last channel does not enter where there is more than one.
struct forgets_the_last_channel : Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    const std::size_t n = q.size() > 1 ? q.size() - 1 : 1;
    return Library::dot(q.first(n), k.first(n));
  }
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    return scale * dot(q, k);
  }
};

/// Blocks of 64 channels, as a vector unit takes them, and the rest beyond the last whole one
/// dropped.
struct drops_what_is_left_of_blocks : Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    const std::size_t n = q.size() < 64 ? q.size() : q.size() / 64 * 64;
    return Library::dot(q.first(n), k.first(n));
  }
};

/// The first channel counts one part in 2^30 too much, where double has its square exactly.
struct leans_on_the_first_channel : Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    const Real product = q[0] * k[0];
    return Library::dot(q, k) + product / Real(1 << 30);
  }
};

/// Wrong for one of eleven values of the first entry, by one part in 2^30.
struct errs_at_one_entry : Library {
  template <Scalar Real>
  static Real dot(std::span<const Real> q, std::span<const Real> k) {
    if (!(q[0] * Real(3) == Real(4))) return Library::dot(q, k);
    return leans_on_the_first_channel::dot(q, k);
  }
};

/// No scale at all.
struct leaves_the_scale_out : Library {
  template <AnalyticScalar Real>
  static Real scale(std::size_t) {
    return Real(1);
  }
};

/// 1/d_k: the root forgotten.
struct forgets_the_root : Library {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_k) {
    return static_cast<Real>(1.0 / static_cast<double>(d_k));
  }
};

/// 1/√d_model with eight heads (FrancescoSaverioZuppichini/ViT#1, cloneofsimo/minRF#10).
struct scales_by_all_heads : Library {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_k) {
    return Library::scale<Real>(8 * d_k);
  }
};

/// A scale kept in bfloat16: exact at powers of four, else up to 2^−9 off.
struct keeps_the_scale_in_bfloat16 : Library {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_k) {
    return static_cast<Real>(static_cast<double>(Library::scale<bfloat16>(d_k)));
  }
};

/// 10^−12 under the root against a division by 0: 10^−13 of the scale at d_k = 5, seen in binary64.
struct guards_the_scale : Library {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_k) {
    return static_cast<Real>(1.0 / std::sqrt(static_cast<double>(d_k) + 1e-12));
  }
};

/// Four units of roundoff more. Two are within the bound in most cases: one rounding each of scale
/// and product are allowed for, and may be used up already.
struct scales_four_units_more : Library {
  template <AnalyticScalar Real>
  static Real scale(std::size_t d_k) {
    const auto scale = static_cast<double>(Library::scale<Real>(d_k));
    return static_cast<Real>(scale * (1.0 + 4.0 * unit_roundoff<Real>));
  }
};

/// Soft capping, z/(1 + |z|/50): a constant in all logits no longer cancels.
struct caps_the_logits : Library {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    const Real z = Library::logit(q, k, scale), size = z < Real(0) ? Real(-z) : z;
    return z / (Real(1) + size / Real(50));
  }
};

/// Keys are normalised first, as in cosine attention (by the sum of sizes, which rationals have).
struct normalises_keys : Library {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    Real sum(1);
    for (const Real& x : k) sum = sum + (x < Real(0) ? Real(-x) : x);
    return Library::logit(q, k, scale) / sum;
  }
};

/// Products below zero are off by one part in 2^30.
struct bends_at_zero : Library {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    const Real z = Library::logit(q, k, scale);
    return z < Real(0) ? Real(z + z / Real(1 << 30)) : z;
  }
};

/// The product summed in binary16 (wenet#891, stanford-crfm/mistral#67).
struct sums_logits_in_binary16 : Library {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    binary16 sum(0.0);
    for (std::size_t i = 0; i < q.size(); ++i)
      sum = sum + binary16(static_cast<double>(q[i])) * binary16(static_cast<double>(k[i]));
    return scale * static_cast<Real>(static_cast<double>(sum));
  }
};

/// Summed in 21 digits, three less than binary32: the smallest that is seen in every run.
struct sums_logits_in_21_digits : Library {
  template <Scalar Real>
  static Real logit(std::span<const Real> q, std::span<const Real> k, const Real& scale) {
    using Short = Format<8, 20>;
    Short sum(0.0);
    for (std::size_t i = 0; i < q.size(); ++i)
      sum = sum + Short(static_cast<double>(q[i])) * Short(static_cast<double>(k[i]));
    return scale * static_cast<Real>(static_cast<double>(sum));
  }
};

}  // namespace embedscale::properties::mutants
