#pragma once
// The attempts to refute that up and down train alike, and that gradient descent on a folded table
// does at m² times the rate; the rest is in optimizer_steps.hpp.
#include <cmath>
#include <limits>
#include <vector>

#include "../optimizer_draws.hpp"
#include "../optimizer_exact.hpp"
#include "../optimizer_step.hpp"
#include "generators/numbers.hpp"
#include "property.hpp"

namespace embedscale::properties::testing {

using domain::Rational;
using optimizer::Wide;

/// One or more inputs of two channels, of one word; nothing else is trained.
inline optimizer::Start<Rational> rational_start(std::size_t inputs = 2) {
  return {2,
          std::vector<std::size_t>(inputs, 0),
          generators::named("p", generators::channels(2 * inputs)),
          generators::named("e", generators::channels(2)),
          {}};
}

/// Gradient descent or momentum, of small numbers: paths of rationals grow.
inline optimizer::Optimiser<Rational> rational_optimiser(const Rational& penalty) {
  const auto rate = generators::named("rate", generators::positive_rationals());
  const bool heavy = generators::named("momentum", generators::in_range(0, 2)) != 0;
  const int mu = generators::named("10 mu", generators::in_range(1, 10));
  covers("gradient descent", !heavy, 0.3);
  covers("heavy ball", heavy, 0.3);
  if (heavy) return Momentum<Rational>{rate, Rational(mu) / Rational(10), penalty};
  return Sgd<Rational>{rate, penalty};
}

inline optimizer::Run<Rational> up_at(const Rational& m, const optimizer::Optimiser<Rational>& by) {
  return {optimizer::Placing::up, m, by, by};
}

/// A drawn model of two or three inputs, without a block: its loss, its norm, its start, its
/// optimiser.
template <class Real>
struct Drawn {
  optimizer::Start<Real> start;
  optimizer::Model<Real> model;
  optimizer::Run<Real> up;

  template <class Primitives>
  auto slopes(const Primitives& primitives) const {
    return [this, &primitives](const std::vector<Real>& x, const std::vector<Real>& head) {
      return optimizer::slopes_at(model, x, head, primitives);
    };
  }
};

enum class Follows { norm, anything };

/// `which` of the optimisers; what follows the sum starts with a norm that ignores a factor, or
/// with anything, and the loss is then one whose slopes are bounded.
template <class Real>
Drawn<Real> drawn(std::size_t which, const Real& m, Follows follows) {
  constexpr bool costly = !std::numeric_limits<Real>::is_iec559;
  const auto d = generators::named("d", generators::in_range<std::size_t>(3, costly ? 5 : 6));
  const auto loss = generators::named("loss", generators::in_range(0, 3));
  const auto norm = generators::named("norm", generators::in_range(0, 3));
  const auto i = generators::named("draw", generators::draws());
  covers("cross-entropy", loss == 2, 0.2);
  covers("bounded loss", loss == 1, 0.2);
  covers("RMSNorm", norm == 1, 0.2);
  const Stream stream(d, "models");
  optimizer::Numbers numbers(stream, i);
  const optimizer::Shape shape{costly ? 1u : 2u, costly ? 2u : 3u, d, 2};
  const double factor = static_cast<double>(m);
  auto start = optimizer::drawn_start<Real>(shape, 1.0 / factor, numbers);
  const auto first = norm == 1                  ? optimizer::Norm::rms_norm
                     : norm == 2                ? optimizer::Norm::layer_norm
                     : follows == Follows::norm ? optimizer::Norm::rms_norm
                                                : optimizer::Norm::none;
  auto kind = static_cast<optimizer::Loss>(loss);
  if (first == optimizer::Norm::none && kind == optimizer::Loss::quadratic)
    kind = optimizer::Loss::bounded;
  auto model = optimizer::drawn_model<Real>(shape, first, kind, numbers);
  return {std::move(start),
          std::move(model),
          {optimizer::Placing::up, m, optimizer::settings_of<Real>(which, factor, 1e-8),
           optimizer::settings_of_head<Real>(which)}};
}

/// 2^k, k from −3 to 7: √d of the widths 4^k, and their inverses.
inline double power_of_two() {
  return std::ldexp(1.0, generators::named("k", generators::in_range(-3, 8)));
}

/// √d in 50 digits, for the d of a multiplier; the width of the model is another.
inline Wide wide_root() {
  return sqrt(Wide(generators::named("d of the factor", generators::widths())));
}

inline std::size_t any_optimiser(std::size_t first = 0, std::size_t end = 4) {
  const auto which = generators::named("optimiser", generators::in_range(first, end));
  const double share = 0.6 / static_cast<double>(end - first);
  for (std::size_t k = first; k < end; ++k)
    covers(optimizer::optimiser_names[k], which == k, share);
  return which;
}

/// Paths of up to 128 steps in either format, of `up` and of what `other` makes of it.
template <class Subject, class Other>
void same_bits_at_a_power_of_two(std::size_t which, Follows follows, const Subject& subject,
                                 const Other& other) {
  const double m = power_of_two();
  const int steps = generators::named("steps", generators::in_range(1, 129));
  const bool single = generators::named("binary32", generators::in_range(0, 2)) != 0;
  covers("binary32", single, 0.3);
  covers("over 64 steps", steps > 64, 0.3);
  const auto in = [&]<class Real>(Real factor) {
    const auto at = drawn<Real>(which, factor, follows);
    holds_exactly(optimizer::paths_have_the_same_bits(at.start, at.up, other(at.up),
                                                      at.slopes(subject), steps, subject));
  };
  single ? in(static_cast<float>(m)) : in(m);
}

PROPERTY(optimizer, same_function_same_path, one_function_with_one_gradient) {
  const auto start = rational_start();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const optimizer::Quotients<Rational> loss{generators::named("a", generators::channels(2)),
                                            generators::named("b", generators::channels(2))};
  const auto up = up_at(m, Sgd<Rational>{Rational(0)});
  holds_exactly(optimizer::inputs_are_what_they_say(start, m, subject));
  holds_exactly(
      optimizer::is_one_function(start, up, with(up, optimizer::Placing::down), loss, subject));
}

PROPERTY(optimizer, same_function_same_path, exact_paths_agree) {
  const auto start = rational_start(1);
  const auto m = generators::named("m", generators::nonzero_rationals());
  const optimizer::Quotients<Rational> loss{generators::named("a", generators::channels(2)),
                                            generators::named("b", generators::channels(2))};
  const auto up =
      up_at(m, rational_optimiser(generators::named("lambda", generators::rationals())));
  holds_exactly(optimizer::path_deviation(start, up, with(up, optimizer::Placing::down), loss, 2,
                                          subject) == Rational(0));
}

EXPENSIVE_PROPERTY(optimizer, same_function_same_path, within_the_thirtieth_digit, 10) {
  const auto which = any_optimiser();
  const auto at = drawn<Wide>(which, wide_root(), Follows::norm);
  holds(optimizer::share_of_thirtieth_digit(at.start, at.up, with(at.up, optimizer::Placing::down),
                                            at.slopes(subject), 2, subject));
}

EXPENSIVE_PROPERTY(optimizer, same_function_same_path, same_bits_at_powers_of_two, 10) {
  same_bits_at_a_power_of_two(any_optimiser(), Follows::norm, subject,
                              [](const auto& up) { return with(up, optimizer::Placing::down); });
}

/// Any loss: a polynomial, which sees every factor.
inline optimizer::Polynomial<Rational> polynomial() {
  return {generators::named("a", generators::channels(2)),
          generators::named("c", generators::rationals()),
          generators::named("k", generators::rationals())};
}

PROPERTY(optimizer, folded_sgd_step, one_function_with_m_times_the_gradient) {
  const auto start = rational_start();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto up = up_at(m, Sgd<Rational>{Rational(0)});
  holds_exactly(optimizer::inputs_are_what_they_say(start, m, subject));
  holds_exactly(optimizer::gradient_ratio(m, subject) == m);
  holds_exactly(optimizer::is_one_function(start, up, with(up, optimizer::Placing::folded),
                                           polynomial(), subject));
}

/// Three steps: the state of momentum is then one of two gradients.
EXPENSIVE_PROPERTY(optimizer, folded_sgd_step, exact_paths_agree_at_m_squared, 5) {
  const auto start = rational_start();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto up =
      up_at(m, rational_optimiser(generators::named("lambda", generators::rationals())));
  holds_exactly(optimizer::path_deviation(start, up, folded_run(up, subject), polynomial(), 3,
                                          subject) == Rational(0));
}

PROPERTY(optimizer, folded_sgd_step, steps_follow_the_gradient_and_agree_at_no_other_rate) {
  const auto start = rational_start();
  const auto m = generators::named("m", generators::nonzero_rationals());
  const auto v = generators::named("v", generators::rationals());
  const auto lambda = generators::named("lambda", generators::rationals());
  const auto rate = generators::named("rate", generators::positive_rationals());
  holds_exactly(optimizer::steps_are_what_they_say(
      start.table[0], start.positions[0],
      Momentum<Rational>{rate, Rational(9) / Rational(10), lambda}, v, subject));
  const auto ratio = generators::named("ratio of rates", generators::positive_rationals());
  const auto up = up_at(m, rational_optimiser(Rational(0)));
  const auto loss = polynomial();
  for (const Rational& times : {Rational(1), ratio, m, Rational(m * m)})
    holds_exactly(optimizer::rates_agree_where_stated(start, up, times, loss, subject));
}

EXPENSIVE_PROPERTY(optimizer, folded_sgd_step, same_bits_at_powers_of_two, 10) {
  same_bits_at_a_power_of_two(any_optimiser(0, 2), Follows::anything, subject,
                              [&](const auto& up) { return folded_run(up, subject); });
}

}  // namespace embedscale::properties::testing
