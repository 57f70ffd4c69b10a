#pragma once
// The factor of clipping before and after a port, and what it does to a step.
#include <limits>
#include <vector>

#include "training.hpp"

namespace embedscale::properties::porting {

using optimizer::Bits;

/// Gradients of some parameters, and what a port multiplies each of these by.
struct Parts {
  std::vector<std::vector<Rational>> gradients;
  std::vector<Rational> factors;
  Rational max_norm;
};

/// One to three parts by numbered draws: the first part's s is a table's, the others' are 1, or
/// what a gain is multiplied by.
inline Parts drawn_parts(std::uint64_t i) {
  const domain::RationalDraws draws(0, "clipping", 32);
  Parts parts{{}, {}, draws.positive(i, 0)};
  for (std::uint64_t k = 0; k < 1 + i % 3; ++k) {
    parts.gradients.push_back(draws.channels(i, 1 + 4 * k, 1 + k));
    const Rational s = draws.positive(i, 20 + k);
    const bool alone = draws.below(2, i, 24 + k) == 0;
    parts.factors.push_back(k == 0 ? s : alone ? Rational(1) : Rational(1) / s);
  }
  return parts;
}

/// Σ‖g‖²/s², or without the factors.
inline Rational square_of_norm(const Parts& parts, bool ported) {
  Rational sum(0);
  for (std::size_t k = 0; k < parts.gradients.size(); ++k) {
    const Rational s = ported ? parts.factors[k] : Rational(1);
    sum += dot<Rational>(parts.gradients[k], parts.gradients[k]) / (s * s);
  }
  return sum;
}

/// The factor of clipping, of the gradients as a port leaves them or as they were.
enum class Clipped { before, after, weighted };
template <AnalyticScalar Real>
Real clipping_factor_of(const Parts& parts, Clipped when, const PrimitivesIn<Real>& primitives) {
  std::vector<std::vector<Real>> gradients;
  std::vector<GradientPart<Real>> all;
  for (std::size_t k = 0; k < parts.gradients.size(); ++k) {
    const Rational s = when == Clipped::before ? Rational(1) : parts.factors[k];
    auto& gradient = gradients.emplace_back();
    for (const Rational& g : parts.gradients[k])
      gradient.push_back(static_cast<Real>(Rational(g / s)));
  }
  for (std::size_t k = 0; k < gradients.size(); ++k)
    all.push_back(
        {gradients[k], when == Clipped::weighted ? static_cast<Real>(parts.factors[k]) : Real(1)});
  return primitives.clipping_factor(all, static_cast<Real>(parts.max_norm));
}

/// The distance of a factor from min(1, C/N), relative, over what rounding may do to it in 50
/// digits: of up to 12 squares with their weights each has 4 roundings (of g, its square, and twice
/// the weight) and the sum 12 more, which the root halves; root, C and the quotient are 3: 11 < 16.
inline double share_of_clipping(const Parts& parts, Clipped when,
                                const PrimitivesIn<Wide>& primitives) {
  const Rational square = square_of_norm(parts, when == Clipped::after);
  const Wide most(parts.max_norm);
  const Wide stated =
      square <= parts.max_norm * parts.max_norm ? Wide(1) : Wide(most / sqrt(Wide(square)));
  const Wide factor = clipping_factor_of<Wide>(parts, when, primitives);
  return static_cast<double>(Wide(abs(Wide(factor / stated - Wide(1))) /
                                  (Wide(8) * std::numeric_limits<Wide>::epsilon())));
}

/// Whether the port leaves the factor as it is: fractions of the domain that differ do so by far
/// more than rounding.
inline bool factors_agree(const Parts& parts, const PrimitivesIn<Wide>& primitives) {
  const Wide was = clipping_factor_of<Wide>(parts, Clipped::before, primitives);
  const Wide is = clipping_factor_of<Wide>(parts, Clipped::after, primitives);
  return abs(Wide(was - is)) < Wide(1e-30) * was;
}

/// The norm of the gradients in FROM's code.  Requires  one above 2^−1000.
template <AnalyticScalar Real>
Real norm_of(Checkpoint<Real> from) {
  const Real tiny = static_cast<Real>(0x1p-1000);
  from.clipping = {tiny};
  return tiny / from.factor_of(from.model.gradients(), library<Real>);
}

/// The port of a model that is clipped at so much of that.
template <AnalyticScalar Real>
void clip_at(Port<Real>& port, double share) {
  port.from.clipping = {Real(static_cast<Real>(share) * norm_of(port.from))};
}

/// What TO goes on with where each part of the norm has the weight that keeps it.
template <AnalyticScalar Real>
Checkpoint<Real> weighted(const Port<Real>& port, const PrimitivesIn<Real>& primitives) {
  return port.done(primitives).weighted(port.recipe(primitives));
}

/// What becomes of a port by powers of two in so many steps, with weights where gradients are
/// clipped.
///
/// Ensures   same where in_range. Where an operation of FROM's training has the exact result x,
///           that of TO's has 2^k·x, or −2^k·x, with k from the factors of what it takes alone:
///           products, quotients and sums are of this kind, and so are roots, as what they are
///           taken of has an even k; logits, losses, means and factors of clipping have k = 0;
///           what one code does alone multiplies by a power of two or adds 0. An operation that
///           neither under- nor overflows returns what it would without limits to the exponent,
///           and that rounding takes 2^k·x to 2^k times what x is rounded to.
///           Else nothing: Adam without ε divides by the size of the gradients, and steps as far
///           with what is left of one that has lost all but a bit.
inline Bits bits_of(const Port<double>& port, int steps, const PrimitivesIn<double>& primitives) {
  return optimizer::bits_of([&] {
    return goes_one_way<double>(port, weighted<double>(port, primitives), steps, primitives);
  });
}

/// What TO goes on with, all rates changed by what clipping multiplies FROM's first step by, over
/// what it multiplies TO's by.
template <AnalyticScalar Real>
Checkpoint<Real> with_rates_for_clipping(const Port<Real>& port,
                                         const PrimitivesIn<Real>& primitives) {
  auto to = port.done(primitives);
  const auto factor = [&](const Checkpoint<Real>& of) {
    return of.factor_of(of.model.gradients(), primitives);
  };
  const Real ratio = factor(port.from) / factor(to);
  for (auto& rule : to.rules.all)
    if (rule) optimizer::rate_of(rule->by) = ratio * optimizer::rate_of(rule->by);
  return to;
}

}  // namespace embedscale::properties::porting
