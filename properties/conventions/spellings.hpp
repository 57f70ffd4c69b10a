#pragma once
// The measures of two_spellings_one_model, in exact arithmetic: each decides its claim at a sample,
// without a tolerance.
//
//   first    table E     in m   out 1       the paper's: deviation d^−½ times √d
//   second   table m·E   in 1   out 1/m     a table of deviation 1, logits times d^−½
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::conventions {

template <Scalar Real>
Spelling<Real> first_spelling(const Real& m) {
  return {m, Real(1)};
}
template <Scalar Real>
Spelling<Real> second_spelling(const Real& m) {
  return {Real(1), Real(Real(1) / m)};
}

template <Scalar Real>
std::vector<Real> scaled(const std::vector<Real>& row, const Real& m) {
  std::vector<Real> out;
  for (const Real& e : row) out.push_back(m * e);
  return out;
}

/// Whether one channel of the input is m·e + p in both spellings.
template <Scalar Real>
bool inputs_agree(const Real& e, const Real& p, const Real& m,
                  const PrimitivesIn<Real>& primitives) {
  const Real meant = m * e + p;
  return primitives.input(e, p, first_spelling(m).in) == meant &&
         primitives.input(Real(m * e), p, second_spelling(m).in) == meant;
}

/// Whether the logit is ⟨e, h⟩ in both spellings, and without the second one's factor exactly where
/// m = 1 or ⟨e, h⟩ = 0.
template <Scalar Real>
bool logits_agree_by_the_factor(const std::vector<Real>& row, const std::vector<Real>& h,
                                const Real& m, const PrimitivesIn<Real>& primitives) {
  Real meant(0);
  for (std::size_t j = 0; j < row.size(); ++j) meant = meant + row[j] * h[j];
  const auto folded = scaled(row, m);
  const bool without = primitives.logit(folded, h, Real(1)) == meant;
  return primitives.logit(row, h, first_spelling(m).out) == meant &&
         primitives.logit(folded, h, second_spelling(m).out) == meant &&
         without == (m == Real(1) || meant == Real(0));
}

/// What reaches one channel of a row from the rest of the model.
template <Scalar Real>
struct Upstream {
  Real of_input;  ///< ∂L/∂x
  Real of_logit;  ///< ∂L/∂z of the logit
  Real h;         ///< the hidden channel that the row is compared with
};

/// Whether `gradient` is that of the function: L = of_input·x + of_logit·z is linear in e, so over
/// any distance it changes by gradient times distance, exactly.
template <Scalar Real>
bool gradient_is_of_the_function(const Real& e, const Real& distance, const Upstream<Real>& from,
                                 const Spelling<Real>& spelling,
                                 const PrimitivesIn<Real>& primitives) {
  const auto loss = [&](const Real& entry) {
    return Real(from.of_input * primitives.input(entry, Real(0), spelling.in) +
                from.of_logit * primitives.logit(std::vector<Real>{entry},
                                                 std::vector<Real>{from.h}, spelling.out));
  };
  return loss(Real(e + distance)) - loss(e) ==
         primitives.gradient(from.of_input, from.of_logit, from.h, spelling) * distance;
}

/// Whether a step is e − rate·gradient, and a step by signs one of ±rate against the gradient: two
/// spellings might well agree in a wrong one.
template <Scalar Real>
bool steps_are_what_they_say(const Real& e, const Real& gradient, const Real& rate,
                             const PrimitivesIn<Real>& primitives) {
  const Real zero(0), down = e - rate, up = e + rate;
  return primitives.gradient_step(e, gradient, rate) == e - rate * gradient &&
         primitives.sign_step(e, gradient, rate) == (gradient > zero   ? down
                                                     : gradient < zero ? up
                                                                       : e);
}

/// How a step is made, and what its rate becomes in the first spelling.
enum class Step { by_gradient, by_sign };

/// An entry after one step, as the first spelling has it: after its own, and the second's over m.
template <Scalar Real>
struct TwoSteps {
  Real first, second;
  bool agree() const { return first == second; }
};

/// One step in each spelling, of `rate` on m·E and of `first_rate` on E.
template <Scalar Real>
TwoSteps<Real> two_steps(Step step, const Real& e, const Upstream<Real>& from, const Real& m,
                         const Real& rate, const Real& first_rate,
                         const PrimitivesIn<Real>& primitives) {
  const auto after = [&](const Real& entry, const Spelling<Real>& spelling, const Real& r) {
    const Real slope = primitives.gradient(from.of_input, from.of_logit, from.h, spelling);
    return step == Step::by_gradient ? Real(primitives.gradient_step(entry, slope, r))
                                     : Real(primitives.sign_step(entry, slope, r));
  };
  const Real folded = after(Real(m * e), second_spelling(m), rate);
  return {after(e, first_spelling(m), first_rate), Real(folded / m)};
}

/// Whether the steps agree at the rate that follows m, and at one and the same rate exactly where
/// that is no other rate, or nothing moves.
template <Scalar Real>
bool steps_agree_by_rate(Step step, const Real& e, const Upstream<Real>& from, const Real& m,
                         const Real& rate, const PrimitivesIn<Real>& primitives) {
  const Real followed = step == Step::by_gradient ? Real(primitives.gradient_rate(rate, m))
                                                  : Real(primitives.sign_rate(rate, m));
  const Real slope = primitives.gradient(from.of_input, from.of_logit, from.h, first_spelling(m));
  const bool one_rate = rate == Real(0) || slope == Real(0) || m * m == Real(1);
  return two_steps(step, e, from, m, rate, followed, primitives).agree() &&
         two_steps(step, e, from, m, rate, rate, primitives).agree() == one_rate;
}

}  // namespace embedscale::properties::conventions
