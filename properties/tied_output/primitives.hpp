#pragma once
// What the claims about a shared table are about: a row e of the table enters as m·e + p, and gives
// the logit c·⟨e, h⟩; m stands at the input, c at the output.
#include <embedscale/block.hpp>
#include <embedscale/expected/own_logit.hpp>
#include <embedscale/normalization.hpp>

#include <cmath>
#include <span>
#include <type_traits>

#include "../conventions/primitives.hpp"

namespace embedscale::properties::tied_output {

using Norm = expected::Norm::Kind;

/// Look-up, input and logits.
template <Scalar Real>
struct RationalOperations : conventions::RationalOperations<Real> {
  Operation<void(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                 std::span<Real> out)>
      logits = tied_logits<Real>;

  void list(Members& to) {
    conventions::RationalOperations<Real>::list(to);
    EMBEDSCALE_LIST(to, logits);
  }
};

template <Scalar Real>
struct Operations : RationalOperations<Real> {};

/// The final norm.
template <AnalyticScalar Real>
void normalise(std::span<const Real> x, Norm kind, std::span<Real> out, const Real& epsilon) {
  if (kind == Norm::layer_norm)
    layer_norm<Real>(x, epsilon, EpsilonPlacement::variance, out);
  else
    rms_norm<Real>(x, epsilon, EpsilonPlacement::variance, out);
}

template <AnalyticScalar Real>
struct Operations<Real> : RationalOperations<Real> {
  /// With ε = 0.
  Operation<void(std::span<const Real> x, Norm kind, std::span<Real> out)> normalise =
      [](std::span<const Real> x, Norm kind, std::span<Real> out) {
        tied_output::normalise<Real>(x, kind, out, Real(0));
      };

  void list(Members& to) {
    RationalOperations<Real>::list(to);
    EMBEDSCALE_LIST(to, normalise);
  }
};

/// The library's.
template <Scalar Real>
inline constexpr Operations<Real> library{};

/// E[loss] of V words with a table of deviation σ, logits times c, for a state of RMS 1.
inline expected::Expectation expected_loss(double sigma, std::uint64_t d, double c,
                                           std::uint64_t V) {
  const double s = std::abs(c) * sigma * std::sqrt(static_cast<double>(d));
  return expected::log_sum_exp_and_entropy(s, V).log_sum_exp;
}

struct Primitives : Over<Operations, domain::Rational, double, float> {
  Operation<expected::Expectation(double sigma, std::uint64_t d, double c, std::uint64_t V)> loss =
      expected_loss;
  /// E of the input token's own logit.
  Operation<expected::Expectation(const expected::TiedToken& token, double p_square)> own_logit =
      expected::own_logit;
  /// What a block of a pre-norm stack makes of its tokens' states.
  Operation<void(const EncoderBlock<double>& block, std::span<const double> x,
                 std::span<double> out)>
      block = apply<double>;

  void list(Members& to) {
    Over::list(to);
    EMBEDSCALE_LIST(to, loss, own_logit, block);
  }
};

/// What a measure takes; Primitives convert.
template <Scalar Real>
using PrimitivesIn = std::type_identity_t<Operations<Real>>;

}  // namespace embedscale::properties::tied_output
