#pragma once
// The measures of the claims about sums, and of parts_are_nearly_orthogonal: functions of a sample
// and of the primitives under test.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "../domain/floats.hpp"
#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::concatenation {

template <Scalar Real>
using Vector = std::vector<Real>;

/// `size` floats of a mixture, from `first` on.
template <Scalar Real>
Vector<Real> floats_of(const Stream& stream, std::uint64_t first, std::size_t size,
                       const domain::Mixture& mixture) {
  Vector<Real> out;
  for (std::size_t j = 0; j < size; ++j)
    out.push_back(domain::any_float<Real>(stream, first + j, mixture));
  return out;
}
/// Entries near 1, where sums cancel and rounding shows; a sixteenth of them 0.
inline domain::Mixture near_1() {
  domain::Mixture mixture = domain::finite_floats;
  mixture.lowest = -3, mixture.highest = 3;
  mixture.weights = {30, 0, 2, 0, 0};
  return mixture;
}

/// Both ways to the input of a token and a position: appended, and as a sum of padded parts.
template <Scalar Real>
struct BothInputs {
  Vector<Real> appended, summed;
};

template <Scalar Real>
BothInputs<Real> both_inputs(const Vector<Real>& e, const Vector<Real>& p,
                             const PrimitivesIn<Real>& primitives) {
  const std::size_t d = e.size() + p.size();
  Vector<Real> appended(d, Real(7)), left(appended), right(appended), summed(appended);
  primitives.concatenate(e, p, appended);
  primitives.pad_right(e, left);
  primitives.pad_left(p, right);
  for (std::size_t j = 0; j < d; ++j) summed[j] = primitives.sum(left[j], right[j]);
  return {appended, summed};
}

/// One output of a first layer, of the sum and of the concatenation with tied weights.
template <Scalar Real>
struct BothOutputs {
  Real of_sum, of_tied;
};

template <Scalar Real>
BothOutputs<Real> both_outputs(const Vector<Real>& w, const Vector<Real>& e, const Vector<Real>& p,
                               const PrimitivesIn<Real>& primitives) {
  const std::size_t d = w.size();
  Vector<Real> summed(d, Real(0)), appended(2 * d, Real(0));
  for (std::size_t j = 0; j < d; ++j) summed[j] = primitives.sum(e[j], p[j]);
  primitives.concatenate(e, p, appended);
  const auto tied = primitives.tie(w);
  return {primitives.dot(w, summed), primitives.dot(tied, appended)};
}

/// |difference| of the two outputs over its bound.
///
/// The first output has in each term one rounded sum, one product and at
/// most d − 1 additions (adding to 0 is exact), so it is off S = Σ w_j(e_j + p_j) by at most
/// γ_(d+1) Σ|w_j(e_j + p_j)|; the second, a product and at most 2d − 1 additions in each term, by
/// at most γ_(2d) Σ|w_j|(|e_j| + |p_j|) (Higham 2002, section 3.1). A sum that falls below the
/// normal range is exact; a product there is off by η at most, half the smallest subnormal, and
/// grows by 1 + γ_(2d) in what follows: 3d products, (1 + γ_(2d))·3dη <= 4dη for 2du <= 1/4.
///
/// The measure adds up in double from left to right: what that loses of the bound, and of the
/// difference, is below (2d + 8)·2^−53 of either, and is charged to the difference.
///
/// Requires  8d·u <= 1; nothing overflows: see stays_finite.
template <Scalar Real>
double share_of_bound(const Vector<Real>& w, const Vector<Real>& e, const Vector<Real>& p,
                      const PrimitivesIn<Real>& primitives) {
  const auto d = static_cast<double>(w.size());
  double of_sum = 0, of_parts = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double a = std::abs(static_cast<double>(w[j])), t = static_cast<double>(e[j]),
                 q = static_cast<double>(p[j]);
    of_sum += a * std::abs(t + q);
    of_parts += a * (std::abs(t) + std::abs(q));
  }
  const double least = half_ulp<Real>(0.0);  // η: half the step of the subnormal grid
  const double bound =
      gamma<Real>(w.size() + 1) * of_sum + gamma<Real>(2 * w.size()) * of_parts + 4 * d * least;
  const auto both = both_outputs(w, e, p, primitives);
  const double gap = std::abs(static_cast<double>(both.of_sum) - static_cast<double>(both.of_tied));
  if (bound == 0) return gap == 0 ? 0.0 : HUGE_VAL;
  return gap * (1 + (2 * d + 8) * 0x1p-53) / bound;
}

/// Whether all of |w_j|(|e_j| + |p_j|) and their sum are below a quarter of the largest number.
template <Scalar Real>
bool stays_finite(const Vector<Real>& w, const Vector<Real>& e, const Vector<Real>& p) {
  double sum = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double parts = std::abs(static_cast<double>(e[j])) + std::abs(static_cast<double>(p[j]));
    sum += parts + std::abs(static_cast<double>(w[j])) * parts;
  }
  return sum < static_cast<double>(std::numeric_limits<Real>::max()) / 4;
}

/// The yardstick of "nearly": |cos| is at most this, with this probability.
inline constexpr double nearly = 0.1, nearly_always = 0.99;
/// From this width on, by another program in 30 digits.
inline constexpr std::uint64_t first_orthogonal_width = 662;

}  // namespace embedscale::properties::concatenation
