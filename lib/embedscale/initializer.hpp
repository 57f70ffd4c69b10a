#pragma once
// The laws a token table is drawn from at initialisation, with their exact moments. Every law is a
// unit law, symmetric about 0, times a scale: its moments are the unit law's times powers of it.
#include <embedscale/random.hpp>
#include <embedscale/scalar.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>
#include <sstream>
#include <variant>

namespace embedscale {

/// N(0, σ²).
struct Normal {
  double standard_deviation;
};
/// Uniform on (−a, a).
struct Uniform {
  double half_range;
};
/// N(0, σ²) given |x| <= 2σ, as tf.random.truncated_normal draws it. σ is the deviation before the
/// cut; after it, √variance = 0.8796 σ.
struct TruncatedNormal {
  double standard_deviation;
};

namespace detail {
inline double fans(const char* law, std::size_t vocabulary, std::size_t d_model) {
  if (vocabulary == 0 || d_model == 0)
    throw std::invalid_argument(std::string(law) + ": vocabulary and d_model need to be >= 1");
  return static_cast<double>(vocabulary) + static_cast<double>(d_model);
}
}  // namespace detail

/// Uniform with a = √(6/(V+d)): a (V, d) table as a weight matrix, fan_in + fan_out = V + d.
/// Source    Glorot and Bengio 2010, equation 16.
struct XavierUniform {
  std::size_t vocabulary, d_model;
  operator Uniform() const {
    return {std::sqrt(6.0 / detail::fans("XavierUniform", vocabulary, d_model))};
  }
};
/// Normal with σ = √(2/(V+d)).  Source    Glorot and Bengio 2010, equation 12.
struct XavierNormal {
  std::size_t vocabulary, d_model;
  operator Normal() const {
    return {std::sqrt(2.0 / detail::fans("XavierNormal", vocabulary, d_model))};
  }
};

using Initializer = std::variant<Normal, Uniform, TruncatedNormal, XavierUniform, XavierNormal>;

// Per law: the scale, the moments at scale 1, a draw at scale 1. The Xavier laws convert to theirs.
namespace detail {
inline double finite_and_positive(const char* what, double value) {
  if (std::isfinite(value) && value > 0.0) return value;
  std::ostringstream message;
  message << what << " = " << value << ", needs a finite number > 0";
  throw std::invalid_argument(message.str());
}
inline double scale_of(const Normal& law) {
  return finite_and_positive("Normal: standard_deviation", law.standard_deviation);
}
inline double scale_of(const Uniform& law) {
  return finite_and_positive("Uniform: half_range", law.half_range);
}
inline double scale_of(const TruncatedNormal& law) {
  return finite_and_positive("TruncatedNormal: standard_deviation", law.standard_deviation);
}

struct EvenMoments {
  double second, fourth;  // E x², E x⁴
};
inline EvenMoments unit_moments(const Normal&) { return {1.0, 3.0}; }
// ∫ x²/2 and ∫ x⁴/2 over (−1, 1).
inline EvenMoments unit_moments(const Uniform&) { return {1.0 / 3.0, 1.0 / 5.0}; }
// A normal z cut at ±c has density φ(z)/Z with Z = P(|z| <= c) = erf(c/√2). As φ'(z) = −z φ(z),
// integrating by parts gives
//   Z E z² = ∫ z·zφ  = [−zφ] + ∫φ     = Z − 2c φ(c)            E z² = 1 − 2c φ(c)/Z
//   Z E z⁴ = ∫ z³·zφ = [−z³φ] + 3∫z²φ = 3 Z E z² − 2c³ φ(c)     E z⁴ = 3 E z² − 2c³ φ(c)/Z
// so c = 2, Z = erf(√2) makes them 1 − 4 φ(2)/Z = 0.7737 and 3 E z² − 16 φ(2)/Z = 1.4161.
inline EvenMoments unit_moments(const TruncatedNormal&) {
  const double density = std::exp(-2.0) / std::sqrt(2.0 * std::numbers::pi);
  const double ratio = density / std::erf(std::numbers::sqrt2);
  const double second = 1.0 - 4.0 * ratio;
  return {second, 3.0 * second - 16.0 * ratio};
}

inline double unit_draw(const Normal&, const Stream& s, std::uint64_t i) { return s.normal(i); }
// Exact, and below 1: u is an odd multiple of 2^-53 in (0, 1).
inline double unit_draw(const Uniform&, const Stream& s, std::uint64_t i) {
  return 2.0 * s.uniform(i) - 1.0;
}
// Rejection keeps 95.4 % of the tries; clamping instead would put the other 4.6 % on ±2.
inline double unit_draw(const TruncatedNormal&, const Stream& s, std::uint64_t i) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    const double z = s.normal(i, attempt);
    if (std::abs(z) <= 2.0) return z;
  }
}
}  // namespace detail

/// What the law's draws are proportional to: σ or a.
///
/// Errors    std::invalid_argument where it is not finite and > 0, or V or d is 0. Everything below
///           starts here, so moments, draw and fill refuse the same laws.
inline double scale_of(const Initializer& law) {
  return std::visit([](const auto& l) { return detail::scale_of(l); }, law);
}

/// E x: 0, as every law is symmetric.
inline double mean(const Initializer& law) {
  scale_of(law);  // for its errors
  return 0.0;
}

/// E x².
inline double variance(const Initializer& law) {
  const double s = scale_of(law);
  return s * s * std::visit([](const auto& l) { return detail::unit_moments(l); }, law).second;
}

/// E x⁴.
inline double fourth_moment(const Initializer& law) {
  const double s = scale_of(law);
  return (s * s) * (s * s) *
         std::visit([](const auto& l) { return detail::unit_moments(l); }, law).fourth;
}

/// Draw `index` of the law on `stream`: a function of the three, in double.
///
/// Ensures   |x| < a for the uniform laws, |x| <= 2σ for the truncated one.
inline double draw(const Initializer& law, const Stream& stream, std::uint64_t index) {
  return scale_of(law) *
         std::visit([&](const auto& l) { return detail::unit_draw(l, stream, index); }, law);
}

/// out[i] = draw first + i, rounded once from double to Real: all formats get the same table, and
/// parts of it can be filled apart.
template <Scalar Real>
void fill(const Initializer& law, const Stream& stream, std::span<Real> out,
          std::uint64_t first = 0) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<Real>(draw(law, stream, first + i));
}

}  // namespace embedscale
