#pragma once
// Measures of one position's vector: its largest entry, its length, its mean. With L = −ln w, a
// frequency rounded by its rule is off by (L + 2)u of itself and the angle fl(p·w) by u more; sine
// and cosine are taken to be within an ulp, which is at most 2u of them (glibc documents it for
// x86-64).
#include <embedscale/expected/position_mean.hpp>
#include <embedscale/format.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::sinusoidal {

/// Which vector is looked at.
struct Place {
  std::size_t d;  ///< even; at least 4 for tensor2tensor's rule
  std::int64_t position;
  FrequencyRule rule = FrequencyRule::paper;
  SinusoidalLayout layout = SinusoidalLayout::interleaved;
};

/// Where the sine and the cosine of pair i are, of d channels.
constexpr std::array<std::size_t, 2> channels_of(std::size_t i, std::size_t d,
                                                 SinusoidalLayout layout) {
  if (layout == SinusoidalLayout::interleaved) return {2 * i, 2 * i + 1};
  return {i, d / 2 + i};
}

/// Bound on how far the angle of pair i is off in units of 1, at any position up to `position` in
/// size: |p|·w·(L + 3)u to first order, and one part in 2^8 for the higher ones; 0 at w = 1.
template <class Real>
double angle_error(std::int64_t position, double w) {
  if (w == 1.0) return 0.0;
  return std::abs(static_cast<double>(position)) * w * (3.0 - std::log(w)) * unit_roundoff<Real> *
         (1.0 + 0x1p-8);
}

template <AnalyticScalar Real>
std::vector<Real> encoded(const Place& at, const PrimitivesIn<Real>& primitives,
                          const Real& base = Real(10000)) {
  const std::vector<Real> w = primitives.frequencies(at.d, at.rule, base);
  std::vector<Real> out(at.d);
  primitives.encode(at.position, std::span<const Real>(w), at.layout, std::span<Real>(out));
  return out;
}

/// Infinity where an entry is no number.
template <AnalyticScalar Real>
double largest_magnitude(const Place& at, const PrimitivesIn<Real>& primitives) {
  double largest = 0;
  for (const Real& x : encoded<Real>(at, primitives)) {
    const double size = std::abs(static_cast<double>(x));
    largest = std::isnan(size) ? HUGE_VAL : std::max(largest, size);
  }
  return largest;
}

/// ⟨x, y⟩, in long double.
template <Scalar Real>
long double product(const std::vector<Real>& x, const std::vector<Real>& y) {
  long double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    sum += static_cast<long double>(static_cast<double>(x[j])) *
           static_cast<long double>(static_cast<double>(y[j]));
  return sum;
}
/// ‖p‖², in long double.
template <Scalar Real>
long double square_of(const std::vector<Real>& p) {
  return product(p, p);
}

/// What rounding may move a sum of d squares by, of entries that are off by 2u of themselves:
/// (1 + 2u)² − 1 = 4u + 4u² of the sum, and a rounding of long double for each square and each
/// partial sum, no larger than the whole.
template <class Real>
double square_bound(std::size_t d, double square) {
  constexpr double u = unit_roundoff<Real>;
  return square * (4.0 * u + 4.0 * u * u + 2.0 * static_cast<double>(d) * 0x1p-64);
}

/// |‖p‖² − d/2| over its bound. Whatever the angles are, sin² + cos² is 1 for each pair.
template <AnalyticScalar Real>
double square_share_of_bound(const Place& at, const PrimitivesIn<Real>& primitives) {
  const double half = static_cast<double>(at.d) / 2.0;
  const auto off = std::abs(square_of(encoded<Real>(at, primitives)) - half);
  return static_cast<double>(off) / square_bound<Real>(at.d, half);
}

/// What public programs that accept an odd width do with it.
enum class OddWidth {
  zero_channel,       ///< (d − 1)/2 pairs and a channel of zeros: tensor2tensor, fairseq, Flax
  sine_alone,         ///< (d + 1)/2 sines and one cosine less: Marian in transformers, KerasHub
  cosine_overwritten  ///< the last sine stands where the first cosine was: Marian
};

/// The vector of an odd width: as a program gets it from one of an even width, d − 1 or d + 1, by
/// leaving out a channel or by adding one. (The frequencies are those of the even width; the length
/// does not depend on them.)
///
/// Requires  an odd d >= 5.
template <AnalyticScalar Real>
std::vector<Real> encoded_odd(std::size_t d, std::int64_t position, OddWidth way,
                              const PrimitivesIn<Real>& primitives) {
  const Place even{.d = way == OddWidth::zero_channel ? d - 1 : d + 1,
                   .position = position,
                   .rule = FrequencyRule::tensor2tensor,
                   .layout = SinusoidalLayout::halves};
  auto p = encoded<Real>(even, primitives);
  if (way == OddWidth::zero_channel) p.push_back(Real(0));
  if (way == OddWidth::sine_alone) p.pop_back();
  if (way == OddWidth::cosine_overwritten)
    p.erase(p.begin() + static_cast<std::ptrdiff_t>(even.d / 2));
  return p;
}

/// ‖p‖² − (d − 1)/2 of an odd width over the reals: 0, or sin² of the pair that lost its cosine.
inline long double odd_width_excess(std::int64_t position, OddWidth way) {
  if (way == OddWidth::zero_channel) return 0.0L;
  const long double w = way == OddWidth::sine_alone ? 1e-4L : 1.0L;  // last and first frequency
  const long double sine = std::sin(static_cast<long double>(position) * w);
  return sine * sine;
}

/// Mean over the coordinates, in long double.
template <Scalar Real>
long double mean_of(const std::vector<Real>& p) {
  long double sum = 0;
  for (const Real& x : p) sum += static_cast<long double>(static_cast<double>(x));
  return sum / static_cast<long double>(p.size());
}

/// Mean and variance over the coordinates of one position: (1/d)·Σ x and (1/d)·Σ (x − mean)².
struct Coordinates {
  double mean, variance;
};
template <Scalar Real>
Coordinates coordinates_of(const std::vector<Real>& p) {
  const long double mean = mean_of(p);
  long double sum = 0;
  for (const Real& x : p) {
    const long double apart = static_cast<long double>(static_cast<double>(x)) - mean;
    sum += apart * apart;
  }
  return {static_cast<double>(mean), static_cast<double>(sum / static_cast<long double>(p.size()))};
}

/// |variance + mean² − 1/2| over its bound: variance + mean² is ‖p‖²/d, whatever the mean; double
/// adds roundings of variance, mean and mean², below 4u′; those of the sums are in square_bound.
template <AnalyticScalar Real>
double variance_share_of_bound(const Place& at, const PrimitivesIn<Real>& primitives) {
  const auto [mean, variance] = coordinates_of(encoded<Real>(at, primitives));
  const double bound = square_bound<Real>(at.d, 0.5) + 4.0 * unit_roundoff<double>;
  return std::abs(variance + mean * mean - 0.5) / bound;
}

/// What rounding may move the mean over coordinates by: that of the entries, whose angles are off
/// by p·3u at most (w·(L + 3) is largest at w = 1) and which are off by 2u; and one part in 2^8.
template <class Real>
double rounding_of_mean(std::int64_t position) {
  return (3.0 * static_cast<double>(position) + 2.0) * unit_roundoff<Real> * (1.0 + 0x1p-8);
}

}  // namespace embedscale::properties::sinusoidal
