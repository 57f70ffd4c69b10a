#pragma once
// The cases that the claims about training are tried on: exact ones in small rationals, and drawn
// models in floating point and 50 digits.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../testing/trials.hpp"
#include "drawn.hpp"
#include "exact.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

/// One or more inputs of two channels, of one word; nothing else is trained.
inline Start<Rational> rational_start(std::size_t inputs = 2) {
  return {2,
          std::vector<std::size_t>(inputs, 0),
          named("p", channels(2 * inputs)),
          named("e", channels(2)),
          {}};
}

/// A loss that sees the directions of the inputs alone.
inline Quotients<Rational> quotients() {
  return {named("a", channels(2)), named("b", channels(2))};
}

/// Any loss: a polynomial, which sees every factor.
inline Polynomial<Rational> polynomial() {
  return {named("a", channels(2)), named("c", rationals()), named("k", rationals())};
}

/// Gradient descent or momentum, of small numbers: paths of rationals grow.
inline Optimiser<Rational> rational_optimiser(const Rational& penalty) {
  const auto rate = named("rate", positive_rationals());
  const bool heavy = named("momentum", in_range(0, 2)) != 0;
  const int mu = named("10 mu", in_range(1, 10));
  covers("gradient descent", !heavy, 0.3);
  covers("heavy ball", heavy, 0.3);
  if (heavy) return Momentum<Rational>{rate, Rational(mu) / Rational(10), penalty};
  return Sgd<Rational>{rate, penalty};
}

inline Run<Rational> up_at(const Rational& m, const Optimiser<Rational>& by) {
  return {Placing::up, m, by, by};
}

inline std::size_t any_optimiser(std::size_t first = 0, std::size_t end = 4) {
  const auto which = named("optimiser", in_range(first, end));
  const double share = 0.6 / static_cast<double>(end - first);
  for (std::size_t k = first; k < end; ++k) covers(optimiser_names[k], which == k, share);
  return which;
}

/// √d in 50 digits, for the d of a multiplier; the width of the model is another.
inline Wide wide_root() { return sqrt(Wide(named("d of the factor", widths()))); }

/// A drawn model of two or three inputs, without a block: its loss, its norm, its start, its
/// optimiser.
template <class Real>
struct Drawn {
  Start<Real> start;
  Model<Real> model;
  Run<Real> up;

  SlopesAt<Real> slopes(const PrimitivesIn<Real>& primitives) const {
    return [this, &primitives](const std::vector<Real>& x, const std::vector<Real>& head) {
      return slopes_at(model, x, head, primitives);
    };
  }
};

enum class Follows { norm, anything };

/// `which` of the optimisers; what follows the sum starts with a norm that ignores a factor, or
/// with anything, and the loss is then one whose slopes are bounded.
template <class Real>
Drawn<Real> drawn(std::size_t which, const Real& m, Follows follows) {
  constexpr bool costly = !std::numeric_limits<Real>::is_iec559;
  const auto d = named("d", in_range<std::size_t>(3, costly ? 5 : 6));
  const auto loss = named("loss", in_range(0, 3));
  const auto norm = named("norm", in_range(0, 3));
  const auto i = named("draw", draws());
  covers("cross-entropy", loss == 2, 0.2);
  covers("bounded loss", loss == 1, 0.2);
  covers("RMSNorm", norm == 1, 0.2);
  const Stream stream(d, "models");
  Numbers numbers(stream, i);
  const Shape shape{costly ? 1u : 2u, costly ? 2u : 3u, d, 2};
  const double factor = static_cast<double>(m);
  auto start = drawn_start<Real>(shape, 1.0 / factor, numbers);
  const auto first = norm == 1                  ? Norm::rms_norm
                     : norm == 2                ? Norm::layer_norm
                     : follows == Follows::norm ? Norm::rms_norm
                                                : Norm::none;
  auto kind = static_cast<Loss>(loss);
  if (first == Norm::none && kind == Loss::quadratic) kind = Loss::bounded;
  auto model = drawn_model<Real>(shape, first, kind, numbers);
  return {std::move(start), std::move(model), run_of<Real>(which, m)};
}

/// Paths of up to 128 steps in either format, of `up` and of what `other` makes of it. The factor
/// is 2^k, k from −3 to 7: √d of the widths 4^k, and their inverses.
template <class Other>
void same_bits_at_a_power_of_two(std::size_t which, Follows follows, const Primitives& subject,
                                 const Other& other) {
  const double m = std::ldexp(1.0, named("k", in_range(-3, 8)));
  const int steps = named("steps", in_range(1, 129));
  const bool single = named("binary32", in_range(0, 2)) != 0;
  covers("binary32", single, 0.3);
  covers("over 64 steps", steps > 64, 0.3);
  const auto in = [&]<class Real>(Real factor) {
    const auto at = drawn<Real>(which, factor, follows);
    holds_exactly(paths_have_the_same_bits(at.start, at.up, other(at.up), at.slopes(subject), steps,
                                           subject));
  };
  single ? in(static_cast<float>(m)) : in(m);
}

/// AdamW whose learning rate multiplies the decay as well, as PyTorch has it.
inline AdamW<Wide> scheduled(AdamW<Wide> by) {
  by.schedule = by.adam.rate;
  by.adam.rate = Wide(1);
  by.decay = Wide(1) / Wide(16);
  return by;
}

/// Adam or AdamW without ε, of any β below 1.
template <class Real>
Adam<Real> without_epsilon(const Stream& stream, std::uint64_t i) {
  return {static_cast<Real>(std::ldexp(stream.uniform(i), -6)),
          static_cast<Real>(0.999 * stream.uniform(i + 1)),
          static_cast<Real>(0.999 * stream.uniform(i + 2)), Real(0)};
}

/// Up to twelve gradients of either sign, from 2^−10 to 1 in size.
template <class Real>
std::vector<Real> gradients(const Stream& stream, std::uint64_t i, std::size_t n) {
  std::vector<Real> g;
  for (std::size_t k = 0; k < n; ++k) {
    const double size =
        std::ldexp(0.5 + 0.5 * stream.uniform(i + 2 * k), -int(stream.below(10, i + 2 * k + 1)));
    g.push_back(static_cast<Real>(stream.bits(i + 2 * k) % 2 == 0 ? size : -size));
  }
  return g;
}

}  // namespace embedscale::properties::optimizer
