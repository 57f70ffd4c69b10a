// Wrong programs around the factor and in the settings of a folded table. Wrong steps are in
// step_mutants.cpp.
#include <embedscale/format.hpp>

#include <cmath>
#include <limits>
#include <span>

#include "trials.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

namespace {

/// A part in 2^40.
template <Scalar Real>
Real a_fortieth_digit() {
  return Real(1) / Real(1 << 20) / Real(1 << 20);
}

/// A replacement where there are roots.
template <class Change>
constexpr auto in_analytic(Change change) {
  return replacing<Wide, double, float>(change);
}

/// The norm keeps an ε where none was asked for.
template <int digits>
constexpr auto keeping_an_epsilon() {
  return in_analytic([]<class Real>(Operations<Real>& to) {
    static constexpr auto kept = [](const Real& epsilon) {
      return epsilon == Real(0) ? Real(std::pow(10.0, -digits)) : epsilon;
    };
    to.normalize = [](Norm norm, const Real& epsilon, std::span<const Real> x,
                      std::span<Real> out) {
      library<Real>.normalize(norm, kept(epsilon), x, out);
    };
    to.normalize_gradient = [](Norm norm, const Real& epsilon, std::span<const Real> x,
                               std::span<const Real> upstream, std::span<Real> out) {
      library<Real>.normalize_gradient(norm, kept(epsilon), x, upstream, out);
    };
  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"divides_positions_twice", "Positions are divided by d, not by √d.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.down(e, Real(p / m), m);
       };
     })},

    {"trains_without_positions", "No positions, whichever way: both ways agree.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real&, const Real& m) -> Real { return m * e; };
       to.down = [](const Real& e, const Real&, const Real&) -> Real { return e; };
     })},

    {"detaches_the_multiplier", "The factor is applied outside of what is differentiated.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real&, std::size_t d,
                                    std::span<Real> gradient) {
         library<Real>.add_look_up_gradient(tokens, slopes, Real(1), d, gradient);
       };
     })},

    {"rounds_the_factor_on_the_way_back",
     "The way back has the factor in bfloat16, the way there has not.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         const Real rounded = Real(static_cast<double>(bfloat16(static_cast<double>(m))));
         library<Real>.add_look_up_gradient(tokens, slopes, rounded, d, gradient);
       };
     })},

    {"loses_a_repeated_token",
     "The gradient of a token's second occurrence is lost, with the factor alone.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.add_look_up_gradient = [](std::span<const std::size_t> tokens,
                                    std::span<const Real> slopes, const Real& m, std::size_t d,
                                    std::span<Real> gradient) {
         const auto kept = m == Real(1) ? tokens.size() : tokens.size() - 1;
         library<Real>.add_look_up_gradient(tokens.first(kept), slopes.first(kept * d), m, d,
                                            gradient);
       };
     })},

    {"divides_positions_by_slightly_less", "down is off by one part in 2^40.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.down = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.down(e, Real(p + p * a_fortieth_digit<Real>()), m);
       };
     })},

    {"keeps_epsilon_of_pytorch", "The norm has an ε of 10^−5 where none was asked for.",
     keeping_an_epsilon<5>()},

    {"keeps_epsilon_of_24_digits", "The same, of 10^−24.", keeping_an_epsilon<24>()},

    {"takes_the_factor_an_ulp_low", "The factor at the token is an ulp low.",
     replacing<double, float>([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) -> Real {
         return library<Real>.up(e, p,
                                 Real(m - m * std::numeric_limits<Real>::epsilon() / Real(2)));
       };
     })},

    {"leaves_the_settings", "The table is folded, the settings stay as they are.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.folded = [](const Optimiser<Real>& by, const Real&) { return by; };
       if constexpr (AnalyticScalar<Real>)
         to.folded_by_schedule = [](const AdamW<Real>& by, const Real&) { return by; };
     })},

    {"folds_by_the_other_rule", "Gradient descent's rule m² for Adam, and Adam's m for it.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.folded = [](const Optimiser<Real>& by, const Real& m) {
         auto folded = library<Real>.folded(by, m);
         Real& rate = rate_of(folded);
         rate = adam_of(folded) ? Real(m * rate) : Real(rate / m);
         return folded;
       };
       if constexpr (AnalyticScalar<Real>)
         to.folded_by_schedule = [](const AdamW<Real>& by, const Real& m) {
           auto folded = library<Real>.folded_by_schedule(by, m);
           folded.schedule = m * folded.schedule;
           return folded;
         };
     })},

    {"leaves_the_penalty", "A penalty of the table as it was, or AdamW's decay at the new rate.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.folded = [](const Optimiser<Real>& by, const Real& m) {
         auto before = by, folded = library<Real>.folded(by, m);
         penalty_of(folded) = penalty_of(before);
         return folded;
       };
       if constexpr (AnalyticScalar<Real>)
         to.folded_by_schedule = [](const AdamW<Real>& by, const Real& m) {
           auto folded = library<Real>.folded_by_schedule(by, m);
           folded.decay = by.decay;
           return folded;
         };
     })},

    {"leaves_epsilon", "ε as it was.", in_analytic([]<class Real>(Operations<Real>& to) {
       to.folded = [](const Optimiser<Real>& by, const Real& m) {
         auto folded = library<Real>.folded(by, m);
         if (auto* adam = adam_of(folded)) adam->epsilon = adam_of(by)->epsilon;
         return folded;
       };
     })},

    {"folds_the_decay_once_more",
     "λ/m, which is right where the rate multiplies the decay, in the paper's spelling.",
     in_analytic([]<class Real>(Operations<Real>& to) {
       to.folded = [](const Optimiser<Real>& by, const Real& m) {
         auto folded = library<Real>.folded(by, m);
         if (auto* adamw = std::get_if<AdamW<Real>>(&folded)) adamw->decay = adamw->decay / m;
         return folded;
       };
     })},

    {"folds_slightly_low", "The rate of the folded table is low by a part in 2^40.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.folded = [](const Optimiser<Real>& by, const Real& m) {
         auto folded = library<Real>.folded(by, m);
         rate_of(folded) = Real(Real(1) - a_fortieth_digit<Real>()) * rate_of(folded);
         return folded;
       };
     })},
};

}  // namespace embedscale::properties::optimizer
