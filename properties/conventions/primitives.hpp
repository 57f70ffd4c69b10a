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

using domain::Rational;

template <Scalar Real>
struct RationalOperations {
  void (*look_up)(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                  std::span<Real> out) = [](const auto& table, auto token, const auto& m,
                                            auto out) { table.look_up(token, m, out); };
  /// One channel of the input.
  Real (*input)(const Real& e, const Real& p, const Real& m) = up<Real>;
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

/// How a program spells the scale of a table that serves input and output: what multiplies a row on
/// the way in, and what multiplies the product with it on the way out.
struct Spelling {
  Rational in, out;
};

/// The logit of one row.
inline Rational logit_of_row(const std::vector<Rational>& row, const std::vector<Rational>& h,
                             const Rational& factor) {
  std::vector<Rational> out(1);
  tied_logits<Rational>(EmbeddingTable<Rational>(1, row.size(), row), h, factor, out);
  return out[0];
}

struct Primitives : Over<Operations, Rational, double, float> {
  double (*variance)(const Initializer& law) = embedscale::variance;

  // What a program does in training, in exact arithmetic.
  Rational (*logit)(const std::vector<Rational>& row, const std::vector<Rational>& h,
                    const Rational& factor) = logit_of_row;
  /// ∂L/∂e of one channel of a row that is both looked up and compared with h: the chain rule,
  /// given ∂L/∂x of the input and ∂L/∂z of the logit.
  Rational (*gradient)(const Rational& of_input, const Rational& of_logit, const Rational& h,
                       const Spelling& spelling) = [](const auto& of_input, const auto& of_logit,
                                                      const auto& h, const auto& spelling) {
    return spelling.in * of_input + of_logit * spelling.out * h;
  };
  Rational (*gradient_step)(const Rational& e, const Rational& gradient, const Rational& rate) =
      [](const auto& e, const auto& gradient, const auto& rate) { return e - rate * gradient; };
  /// Adam's first step, m̂/√v̂ = g/|g|, at ε = 0.
  Rational (*sign_step)(const Rational& e, const Rational& gradient, const Rational& rate) =
      [](const auto& e, const auto& gradient, const auto& rate) {
        return gradient == 0 ? e : e - rate * gradient / abs(gradient);
      };
  /// The rate on E that a gradient step of `rate` on m·E amounts to; the same of a step by signs.
  Rational (*gradient_rate)(const Rational& rate, const Rational& m) =
      [](const auto& rate, const auto& m) { return rate / (m * m); };
  Rational (*sign_rate)(const Rational& rate, const Rational& m) =
      [](const auto& rate, const auto& m) { return rate / abs(m); };
};

/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::conventions
