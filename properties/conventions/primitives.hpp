#pragma once
// What the claims about real programs are about: the library's functions, and beside them what a
// program does in training.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/sinusoidal.hpp>
#include <embedscale/tied_output.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "../domain/rationals.hpp"
#include "../over.hpp"

namespace embedscale::properties::conventions {

/// How a program spells the scale of a table that serves input and output: what multiplies a row on
/// the way in, and what multiplies the product with a row on the way out.
template <Scalar Real>
struct Spelling {
  Real in, out;
};

/// The logit of one row.
template <Scalar Real>
Real logit_of_row(const std::vector<Real>& row, const std::vector<Real>& h, const Real& factor) {
  std::vector<Real> out(1, Real(0));
  tied_logits<Real>(EmbeddingTable<Real>(1, row.size(), row), h, factor, out);
  return out[0];
}

/// ∂L/∂e of one channel of a row that is both looked up and compared with h: the chain rule, given
/// ∂L/∂x of the input and ∂L/∂z of the logit.
template <Scalar Real>
Real gradient_of_row(const Real& of_input, const Real& of_logit, const Real& h,
                     const Spelling<Real>& spelling) {
  return spelling.in * of_input + of_logit * spelling.out * h;
}

/// Adam's first step, m̂/√v̂ = g/|g|, at ε = 0.
template <Scalar Real>
Real step_by_sign(const Real& e, const Real& gradient, const Real& rate) {
  const Real zero(0);
  return gradient > zero ? Real(e - rate) : gradient < zero ? Real(e + rate) : e;
}

template <Scalar Real>
struct RationalOperations {
  void (*look_up)(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                  std::span<Real> out) = [](const auto& table, auto token, const auto& m,
                                            auto out) { table.look_up(token, m, out); };
  /// One channel of the input.
  Real (*input)(const Real& e, const Real& p, const Real& m) = up<Real>;
  Real (*logit)(const std::vector<Real>& row, const std::vector<Real>& h,
                const Real& factor) = logit_of_row<Real>;
  Real (*gradient)(const Real& of_input, const Real& of_logit, const Real& h,
                   const Spelling<Real>& spelling) = gradient_of_row<Real>;
  Real (*gradient_step)(const Real& e, const Real& gradient, const Real& rate) =
      [](const auto& e, const auto& gradient, const auto& rate) { return e - rate * gradient; };
  Real (*sign_step)(const Real& e, const Real& gradient, const Real& rate) = step_by_sign<Real>;
  /// The rate on E that a gradient step of `rate` on m·E amounts to; the same of a step by signs.
  Real (*gradient_rate)(const Real& rate, const Real& m) = [](const auto& rate, const auto& m) {
    return rate / (m * m);
  };
  Real (*sign_rate)(const Real& rate, const Real& m) = [](const Real& rate, const Real& m) {
    return m < Real(0) ? Real(-rate / m) : Real(rate / m);
  };
};

template <Scalar Real>
struct Operations : RationalOperations<Real> {};

template <AnalyticScalar Real>
struct Operations<Real> : RationalOperations<Real> {
  std::vector<Real> (*frequencies)(std::size_t d, FrequencyRule rule,
                                   const Real& base) = sinusoidal_frequencies<Real>;
  void (*encode)(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                 std::span<Real> out) = encode_position<Real>;
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

struct Primitives : Over<Operations, domain::Rational, double, float> {
  double (*variance)(const Initializer& law) = embedscale::variance;
};

/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::conventions
