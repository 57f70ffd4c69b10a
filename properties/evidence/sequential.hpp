#pragma once
// Checks that may be looked at after every draw, and stop as soon as the answer is clear.
//
// An e-process of a null is a process E_0 = 1, E_n >= 0 that is a supermartingale under each of its
// laws: the expectation of E_{n+1}, given the past, is at most E_n. Ville's inequality bounds how
// often it is ever large, and "ever" is what allows to look at it at every step:
//
//     P(E_n >= 1/α for some n) <= α.
//
// A likelihood ratio f(x_1…x_n; θ)/f(x_1…x_n; θ_0) is one (its expectation, given the past, is
// ∫ f(x; θ) dx = 1 times the last), and so is each of its averages over θ with weights that sum
// to 1: a mixture. It grows under every θ that the weights reach. Products of independent ones are
// e-processes again, so the evidence of several cases may be multiplied: log_e_value()s add.
//
// Source    Ville 1939, "Étude critique de la notion de collectif"; Robbins 1970, "Statistical
//           methods related to the law of the iterated logarithm"; Howard, Ramdas, McAuliffe and
//           Sekhon 2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences".
#include "check.hpp"

#include <cmath>
#include <cstdint>

namespace embedscale::properties::evidence::sequential {

enum class Decision {
  undecided,  ///< draw more; where no more may be drawn, the check was too weak: a failure
  accept,     ///< an effect of the given size is excluded
  reject      ///< the null is refuted
};

/// What every sequential check does with its two e-processes. A `Process` has
///
///     log_e_value()                 log of an e-process of the null, two-sided
///     log_e_value_against_effect()  log of the smaller of two e-processes, one of "the effect is
///                                   at least the given one upwards", one of the same downwards
///     draws()
///
/// Ensures   P(ever reject) <= α under the null, and P(ever accept) <= β under an effect that is
///           at least the given one: it has one direction, and to accept, the e-process of that
///           direction, too, must reach 1/β. No α or β is split. Both hold for any rule of stopping
///           that looks at the draws so far, and in particular for deciding after each draw.
///           A NaN rejects, as no null draws one.
template <class Process>
class Sequential {
 public:
  /// Requires 0 < alpha < 1.
  bool rejects(double alpha) const { return !(process().log_e_value() < -std::log(alpha)); }

  /// Requires 0 < beta < 1.
  bool accepts(double beta) const {
    return process().log_e_value_against_effect() >= -std::log(beta);
  }

  Decision decide(Rates rates) const {
    if (rejects(rates.alpha)) return Decision::reject;
    return accepts(rates.beta) ? Decision::accept : Decision::undecided;
  }

 private:
  const Process& process() const { return static_cast<const Process&>(*this); }
};

struct Outcome {
  Decision decision;
  std::uint64_t draws;
};

/// Adds draw(0), draw(1), … to a fresh process until it is decided, at most `most` of them.
template <class Process, class Draw>
Outcome run(Process process, Rates rates, std::uint64_t most, Draw draw) {
  for (std::uint64_t i = 0; i < most; ++i) {
    process.add(draw(i));
    const Decision decision = process.decide(rates);
    if (decision != Decision::undecided) return {decision, i + 1};
  }
  return {Decision::undecided, most};
}

/// The least n with enough(n), which holds for all above it; 0 where none up to 2^50 is enough.
///
/// For the caps of runs: a check that has not accepted a true null after its draws_to_accept() has
/// met an event of probability <= α. With `undecided` as a failure, a true null then fails with
/// probability <= 2α in all, and an effect passes with probability <= β as ever.
template <class Predicate>
std::uint64_t fewest(Predicate enough) {
  std::uint64_t most = 1;
  while (!enough(most))
    if ((most *= 2) > std::uint64_t{1} << 50) return 0;
  std::uint64_t too_few = most / 2;
  while (most - too_few > 1) {
    const std::uint64_t middle = too_few + (most - too_few) / 2;
    (enough(middle) ? most : too_few) = middle;
  }
  return most;
}

}  // namespace embedscale::properties::evidence::sequential
