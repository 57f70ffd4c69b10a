#pragma once
// What the claims about real programs are about: the library's functions, and beside them what a
// program does in training.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/tied_output.hpp>

#include <cmath>
#include <span>
#include <type_traits>
#include <vector>

#include "../domain/rationals.hpp"
#include "../over.hpp"
#include "../sinusoidal/primitives.hpp"

namespace embedscale::properties::conventions {

using domain::Rational;

template <Scalar Real>
struct RationalOperations {
  Operation<void(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                 std::span<Real> out)>
      look_up = [](const auto& table, auto token, const auto& m, auto out) {
        table.look_up(token, m, out);
      };
  /// One channel of the input.
  Operation<Real(const Real& e, const Real& p, const Real& m)> input = up<Real>;

  void list(Members& to) { EMBEDSCALE_LIST(to, look_up, input); }
};

template <Scalar Real>
struct Operations : RationalOperations<Real> {};

template <AnalyticScalar Real>
struct Operations<Real> : RationalOperations<Real>, sinusoidal::Operations<Real> {
  // What a model has behind its last block.
  Operation<void(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                 std::span<Real> out)>
      rms_norm = embedscale::rms_norm<Real>;
  Operation<void(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                 std::span<Real> out)>
      logits = tied_logits<Real>;
  Operation<void(std::span<Real> z)> softmax = embedscale::softmax<Real>;

  void list(Members& to) {
    RationalOperations<Real>::list(to);
    sinusoidal::Operations<Real>::list(to);
    EMBEDSCALE_LIST(to, rms_norm, logits, softmax);
  }
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

/// What a test allows an entry to be off.
struct Tolerance {
  double relative, absolute;
};

/// Whether each |actual − desired| <= absolute + relative·|desired|: allclose of NumPy, PyTorch.
///
/// Requires  vectors of one size.
inline bool is_close(std::span<const double> actual, std::span<const double> desired,
                     const Tolerance& tolerance) {
  require_size("is_close: desired", desired.size(), actual.size());
  for (std::size_t j = 0; j < actual.size(); ++j)
    if (!(std::abs(actual[j] - desired[j]) <=
          tolerance.absolute + tolerance.relative * std::abs(desired[j])))
      return false;
  return true;
}

struct Primitives : Over<Operations, Rational, double, float> {
  Operation<double(const Initializer& law)> variance = embedscale::variance;
  /// What a round-trip test asserts of its outputs.
  Operation<bool(std::span<const double> actual, std::span<const double> desired,
                 const Tolerance& tolerance)>
      is_close = conventions::is_close;

  // What a program does in training, in exact arithmetic.
  Operation<Rational(const std::vector<Rational>& row, const std::vector<Rational>& h,
                     const Rational& factor)>
      logit = logit_of_row;
  /// ∂L/∂e of one channel of a row that is both looked up and compared with h: the chain rule,
  /// given ∂L/∂x of the input and ∂L/∂z of the logit.
  Operation<Rational(const Rational& of_input, const Rational& of_logit, const Rational& h,
                     const Spelling& spelling)>
      gradient =
          [](const auto& of_input, const auto& of_logit, const auto& h, const auto& spelling) {
            return spelling.in * of_input + of_logit * spelling.out * h;
          };
  Operation<Rational(const Rational& e, const Rational& gradient, const Rational& rate)>
      gradient_step =
          [](const auto& e, const auto& gradient, const auto& rate) { return e - rate * gradient; };
  /// Adam's first step, m̂/√v̂ = g/|g|, at ε = 0.
  Operation<Rational(const Rational& e, const Rational& gradient, const Rational& rate)> sign_step =
      [](const auto& e, const auto& gradient, const auto& rate) {
        return gradient == 0 ? e : e - rate * gradient / abs(gradient);
      };
  /// The rate on E that a gradient step of `rate` on m·E amounts to; the same of a step by signs.
  Operation<Rational(const Rational& rate, const Rational& m)> gradient_rate =
      [](const auto& rate, const auto& m) { return rate / (m * m); };
  Operation<Rational(const Rational& rate, const Rational& m)> sign_rate =
      [](const auto& rate, const auto& m) { return rate / abs(m); };

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, variance, is_close, logit, gradient, gradient_step, sign_step,
                    gradient_rate, sign_rate);
  }
};

/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::conventions
