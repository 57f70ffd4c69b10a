#pragma once
// The measures of two_spellings_one_model, in exact arithmetic: each decides its claim at a sample,
// without a tolerance.
//
//   first    table E     in m   out 1       the paper's: deviation d^−½ times √d
//   second   table m·E   in 1   out 1/m     a table of deviation 1, logits times d^−½

#include "primitives.hpp"

namespace embedscale::properties::conventions {

inline Spelling first_spelling(const Rational& m) { return {m, 1}; }
inline Spelling second_spelling(const Rational& m) { return {1, 1 / m}; }

/// Whether one channel of the input is m·e + p in both spellings.
inline bool inputs_agree(const Rational& e, const Rational& p, const Rational& m,
                         const Primitives& primitives) {
  const Rational meant = m * e + p;
  return primitives.of<Rational>().input(e, p, first_spelling(m).in) == meant &&
         primitives.of<Rational>().input(m * e, p, second_spelling(m).in) == meant;
}

/// Whether the logit is ⟨e, h⟩ in both spellings, and without the second one's factor exactly where
/// m = 1 or ⟨e, h⟩ = 0.
inline bool logits_agree_by_the_factor(const std::vector<Rational>& row,
                                       const std::vector<Rational>& h, const Rational& m,
                                       const Primitives& primitives) {
  Rational meant;
  std::vector<Rational> folded;
  for (std::size_t j = 0; j < row.size(); ++j) {
    meant += row[j] * h[j];
    folded.push_back(m * row[j]);
  }
  const bool without = primitives.logit(folded, h, 1) == meant;
  return primitives.logit(row, h, first_spelling(m).out) == meant &&
         primitives.logit(folded, h, second_spelling(m).out) == meant &&
         without == (m == 1 || meant == 0);
}

/// What reaches one channel of a row from the rest of the model.
struct Upstream {
  Rational of_input;  ///< ∂L/∂x
  Rational of_logit;  ///< ∂L/∂z of the logit
  Rational h;         ///< the hidden channel that the row is compared with

  /// ∂L/∂e, as the primitive has it.
  Rational slope(const Spelling& spelling, const Primitives& primitives) const {
    return primitives.gradient(of_input, of_logit, h, spelling);
  }
};

/// Whether `gradient` is that of the function: L = of_input·x + of_logit·z is linear in e, so over
/// any distance it changes by gradient times distance, exactly.
inline bool gradient_is_of_the_function(const Rational& e, const Rational& distance,
                                        const Upstream& from, const Spelling& spelling,
                                        const Primitives& primitives) {
  const auto loss = [&](const Rational& entry) {
    return from.of_input * primitives.of<Rational>().input(entry, 0, spelling.in) +
           from.of_logit * primitives.logit({entry}, {from.h}, spelling.out);
  };
  return loss(e + distance) - loss(e) == from.slope(spelling, primitives) * distance;
}

/// Whether a step is e − rate·gradient, and a step by signs one of ±rate against the gradient: two
/// spellings might well agree in a wrong one.
inline bool steps_are_what_they_say(const Rational& e, const Rational& gradient,
                                    const Rational& rate, const Primitives& primitives) {
  const int sign = gradient > 0 ? 1 : gradient < 0 ? -1 : 0;
  return primitives.gradient_step(e, gradient, rate) == e - rate * gradient &&
         primitives.sign_step(e, gradient, rate) == e - sign * rate;
}

/// How a step is made, and what its rate becomes in the first spelling.
enum class Step { by_gradient, by_sign };

/// Whether an entry is one after a step in each spelling, of `rate` on m·E and of `first_rate` on
/// E: after the first's own, and the second's over m.
inline bool two_steps_agree(Step step, const Rational& e, const Upstream& from, const Rational& m,
                            const Rational& rate, const Rational& first_rate,
                            const Primitives& primitives) {
  const auto make = step == Step::by_gradient ? primitives.gradient_step : primitives.sign_step;
  const auto after = [&](const Rational& entry, const Spelling& spelling, const Rational& r) {
    return make(entry, from.slope(spelling, primitives), r);
  };
  return after(e, first_spelling(m), first_rate) == after(m * e, second_spelling(m), rate) / m;
}

/// Whether the steps agree at the rate that follows m, and at one and the same rate exactly where
/// that is no other rate, or nothing moves.
inline bool steps_agree_by_rate(Step step, const Rational& e, const Upstream& from,
                                const Rational& m, const Rational& rate,
                                const Primitives& primitives) {
  const Rational followed =
      step == Step::by_gradient ? primitives.gradient_rate(rate, m) : primitives.sign_rate(rate, m);
  const bool one_rate = rate == 0 || from.slope(first_spelling(m), primitives) == 0 || m * m == 1;
  return two_steps_agree(step, e, from, m, rate, followed, primitives) &&
         two_steps_agree(step, e, from, m, rate, rate, primitives) == one_rate;
}

}  // namespace embedscale::properties::conventions
