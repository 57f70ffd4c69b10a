#pragma once
// Measures of two positions' vectors: a shift, a product; and of two ways to encode one position.
// Errors of frequencies, angles, sines and cosines are those of one_position.hpp.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "../conventions/frequencies.hpp"
#include "../domain/encoding.hpp"
#include "one_position.hpp"

namespace embedscale::properties::sinusoidal {

/// R_δ·p(k) in `Sum`, where R_δ turns each pair by the angle whose sine and cosine p(δ) holds:
/// sin(a + b) = sin a·cos b + cos a·sin b, and cos(a + b) = cos a·cos b − sin a·sin b.
template <class Sum, class Real>
std::vector<Sum> turned(const std::vector<Real>& p, const std::vector<Real>& shift,
                        SinusoidalLayout layout) {
  std::vector<Sum> out(p.size());
  for (std::size_t i = 0; i < p.size() / 2; ++i) {
    const auto [s, c] = channels_of(i, p.size(), layout);
    const auto a = Sum(p[s]), b = Sum(p[c]), sine = Sum(shift[s]), cosine = Sum(shift[c]);
    out[s] = a * cosine + b * sine;
    out[c] = b * cosine - a * sine;
  }
  return out;
}

/// |R_δ·p(k) − p(k + δ)| of each channel, in `Sum`.
template <class Sum, class Real>
std::vector<Sum> errors_of_the_shift(const Place& at, std::int64_t delta,
                                     const PrimitivesIn<Real>& primitives) {
  const auto moved = [&](std::int64_t position) {
    return encoded<Real>({at.d, position, at.rule, at.layout}, primitives);
  };
  auto errors = turned<Sum, Real>(moved(at.position), moved(delta), at.layout);
  const auto meant = moved(at.position + delta);
  for (std::size_t j = 0; j < at.d; ++j) {
    const Sum off = errors[j] - Sum(meant[j]);
    errors[j] = off < Sum(0) ? Sum(-off) : off;
  }
  return errors;
}

/// The largest of them over its bound. All three angles are products with the same ŵ, each rounded
/// once: their sum is off by u·ŵ·(|k| + |δ| + |k + δ|), and by nothing at w = 1. An entry is
/// (1 + 2u) of a sine; two such factors move sin a·cos b + cos a·sin b by
/// (4u + 4u²)·(|sin a·cos b| + |cos a·sin b|) <= 4u + 4u², and what it is compared with by 2u; long
/// double rounds thrice: 7u in all.
///
/// Requires  |k|, |δ|, |k + δ| <= 2^24.
template <AnalyticScalar Real>
double shift_share_of_bound(const Place& at, std::int64_t delta,
                            const PrimitivesIn<Real>& primitives) {
  const auto size = [](std::int64_t p) { return std::abs(static_cast<double>(p)); };
  const double positions = size(at.position) + size(delta) + size(at.position + delta);
  const auto errors = errors_of_the_shift<long double, Real>(at, delta, primitives);
  const auto frequencies = conventions::stated_frequencies(at.d, at.rule);
  double worst = 0;
  for (std::size_t i = 0; i < at.d / 2; ++i) {
    const auto w = static_cast<double>(frequencies[i]);
    const double of_angle = i == 0 ? 0.0 : positions * w * (1.0 + 0x1p-8);
    for (const auto j : channels_of(i, at.d, at.layout)) {
      const double share =
          static_cast<double>(errors[j]) / ((of_angle + 7.0) * unit_roundoff<Real>);
      worst = std::isnan(share) ? HUGE_VAL : std::max(worst, share);
    }
  }
  return worst;
}

/// Sines and cosines in each other's place: a fixed permutation matrix.
template <Scalar Real>
std::vector<Real> exchanged(std::vector<Real> p, SinusoidalLayout layout) {
  for (std::size_t i = 0; i < p.size() / 2; ++i) {
    const auto [s, c] = channels_of(i, p.size(), layout);
    std::swap(p[s], p[c]);
  }
  return p;
}

/// What stands between the two vectors.
enum class Between { nothing, exchange };

/// What the pair of a frequency adds to ⟨p(j), p(k)⟩ over the reals: cos((j − k)·w); with the
/// exchange sin((j + k)·w).
inline long double product_of_pair(long double w, const Place& at, std::int64_t other,
                                   Between between) {
  return between == Between::nothing ? std::cos(static_cast<long double>(at.position - other) * w)
                                     : std::sin(static_cast<long double>(at.position + other) * w);
}

/// |⟨p(i), p(j)⟩ − stated| over its bound. A pair has length 1 and is off by its angle's error α
/// and 2u of itself, so the product of two by (α_i + 2u) + (α_j + 2u), to first order, and one part
/// in 2^8. The stated sum, in long double, is off by 3α·2^−11 at most, in double's u.
template <AnalyticScalar Real>
double product_share_of_bound(const Place& at, std::int64_t other, Between between,
                              const PrimitivesIn<Real>& primitives) {
  const auto p = encoded<Real>(at, primitives);
  auto q = encoded<Real>({at.d, other, at.rule, at.layout}, primitives);
  if (between == Between::exchange) q = exchanged(std::move(q), at.layout);
  double bound = 0;
  long double stated = 0;
  for (const long double frequency : conventions::stated_frequencies(at.d, at.rule)) {
    stated += product_of_pair(frequency, at, other, between);
    const auto w = static_cast<double>(frequency);
    bound += (angle_error<Real>(at.position, w) + angle_error<Real>(other, w)) *
                 (1.0 + 3.0 * unit_roundoff<double> / unit_roundoff<Real> * 0x1p-11) +
             4.0 * unit_roundoff<Real>;
  }
  bound = bound * (1.0 + 0x1p-8) + static_cast<double>(at.d * at.d) * 0x1p-64;
  return static_cast<double>(std::abs(product(p, q) - stated)) / bound;
}

/// Whether, at equal frequencies, channel 2i of one layout has the bits of channel i of the other,
/// and channel 2i + 1 those of channel d/2 + i.
template <AnalyticScalar Real>
bool layouts_are_permuted(const Place& at, const PrimitivesIn<Real>& primitives) {
  const auto in = [&](SinusoidalLayout layout) {
    return encoded<Real>({at.d, at.position, at.rule, layout}, primitives);
  };
  const auto one = in(SinusoidalLayout::interleaved), other = in(SinusoidalLayout::halves);
  const auto same = [&](std::size_t j, std::size_t k) {
    return domain::bits_of(one[j]) == domain::bits_of(other[k]);
  };
  for (std::size_t i = 0; i < at.d / 2; ++i)
    if (!same(2 * i, i) || !same(2 * i + 1, at.d / 2 + i)) return false;
  return true;
}

/// Whether the vectors of the two rules of frequencies at position 1 are no permutation of each
/// other: sorted, some entry differs by more than rounding can move it. Sorting is the permutation
/// that brings them nearest in every entry at once; and moving each of two vectors' entries by at
/// most e moves each entry of the sorted ones by at most e.
///
/// Requires  an even d from 4 to 2^14. An entry is off by w·(L + 3)u + 2u < 6u, in each vector.
inline bool rules_are_no_permutation(std::size_t d, const PrimitivesIn<double>& primitives) {
  const auto sorted = [&](FrequencyRule rule) {
    auto p = encoded<double>({d, 1, rule, SinusoidalLayout::halves}, primitives);
    std::ranges::sort(p);
    return p;
  };
  const auto paper = sorted(FrequencyRule::paper), code = sorted(FrequencyRule::tensor2tensor);
  for (std::size_t j = 0; j < d; ++j)
    if (std::abs(paper[j] - code[j]) > 12.0 * unit_roundoff<double>) return true;
  return false;
}

}  // namespace embedscale::properties::sinusoidal
