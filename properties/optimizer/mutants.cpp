// Wrong programs around the factor and in the settings of a folded table, and wrong optimisers:
// each is one line of its paper misread.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::optimizer {

using namespace testing;

namespace {

constexpr auto up = EMBEDSCALE_OPERATION(up);
constexpr auto down = EMBEDSCALE_OPERATION(down);
constexpr auto way_back = EMBEDSCALE_OPERATION(add_look_up_gradient);
constexpr auto descent = EMBEDSCALE_OPERATION(sgd);
constexpr auto with_momentum = EMBEDSCALE_OPERATION(momentum);
constexpr auto of_adam = EMBEDSCALE_OPERATION(adam);
constexpr auto with_decay = EMBEDSCALE_OPERATION(adamw);

/// Both ways of the norm have of(ε) for ε.
template <class Of>
constexpr auto norms_have(Of) {
  return replacing<Wide, double, float>([]<class Real>(Operations<Real>& to) {
    to.normalize = [](Norm norm, const Real& epsilon, auto x, auto out) {
      library<Real>.normalize(norm, Of{}(epsilon), x, out);
    };
    to.normalize_gradient = [](Norm norm, const Real& epsilon, auto x, auto upstream, auto out) {
      library<Real>.normalize_gradient(norm, Of{}(epsilon), x, upstream, out);
    };
  });
}
/// An ε where none was asked for.
template <int digits>
constexpr auto keeping_an_epsilon() {
  return norms_have([]<class Real>(const Real& epsilon) {
    return epsilon == Real(0) ? Real(std::pow(10.0, -digits)) : epsilon;
  });
}

/// The settings of the folded table, and then(those, the table's before, m).
template <class Then>
constexpr auto folded_and(Then) {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.folded = [](const Optimiser<Real>& by, const Real& m) {
      auto settings = library<Real>.folded(by, m);
      Then{}(settings, by, m);
      return settings;
    };
    if constexpr (AnalyticScalar<Real>)
      to.folded_by_schedule = [](const AdamW<Real>& by, const Real& m) {
        auto settings = library<Real>.folded_by_schedule(by, m);
        if constexpr (requires { Then{}(settings, by, m); }) Then{}(settings, by, m);
        return settings;
      };
  });
}

/// Both Adams, which change an entry by `change(g, by, state)`.
template <class Change>
constexpr auto both_adams(Change) {
  return replacing<Wide, double, float>([]<class Real>(Operations<Real>& to) {
    to.adam = [](const Real& t, const Real& gradient, const Adam<Real>& by,
                 Moments<Real>& state) -> Real {
      return t - Change{}(Real(gradient + by.penalty * t), by, state);
    };
    to.adamw = [](const Real& t, const Real& gradient, const AdamW<Real>& by,
                  Moments<Real>& state) -> Real {
      const Real change = Change{}(Real(gradient + by.adam.penalty * t), by.adam, state);
      return t - by.schedule * Real(change + by.decay * t);
    };
  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"divides_positions_twice", "Positions are divided by d, not by √d.",
     replaces(down, [](auto was, auto e, auto p, auto m) { return was(e, p / m, m); })},
    {"trains_without_positions", "No positions, whichever way: both ways agree.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = [](const Real& e, const Real&, const Real& m) -> Real { return m * e; };
       to.down = [](const Real& e, const Real&, const Real&) -> Real { return e; };
     })},
    {"reads_no_factor", "The module adds e + p, whatever factor it is told, and either way.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.up = to.down = [](const Real& e, const Real& p, const Real&) -> Real { return e + p; };
       to.add_look_up_gradient = [](auto tokens, auto slopes, const Real&, std::size_t d,
                                    auto out) {
         library<Real>.add_look_up_gradient(tokens, slopes, Real(1), d, out);
       };
     })},
    {"detaches_the_multiplier", "The factor is applied outside of what is differentiated.",
     replaces(way_back, []<class Real>(auto was, auto tokens, auto slopes, const Real&,
                                       auto... to) { was(tokens, slopes, Real(1), to...); })},
    {"rounds_the_factor_on_the_way_back",
     "The way back has the factor in bfloat16, the way there has not.",
     replaces(way_back, [](auto was, auto tokens, auto slopes, auto m,
                           auto... to) { was(tokens, slopes, kept_in<bfloat16>(m), to...); })},
    {"divides_positions_by_slightly_less", "down is off by one part in 2^40.",
     replaces(down, [](auto was, auto e, auto p, auto m) { return was(e, high<40>(p), m); })},
    {"keeps_epsilon_of_pytorch", "The norm has an ε of 10^−5 where none was asked for.",
     keeping_an_epsilon<5>()},
    {"leaves_epsilon_out_of_the_norm", "ε is 0 where another was asked for.",
     norms_have([]<class Real>(const Real&) { return Real(0); })},
    {"keeps_epsilon_of_24_digits", "The same, of 10^−24.", keeping_an_epsilon<24>()},
    {"takes_the_factor_an_ulp_low", "The factor at the token is an ulp low.",
     replaces<double, float>(up,
                             []<class Real>(auto was, auto e, auto p, const Real& m) {
                               return was(e, p,
                                          m - m * std::numeric_limits<Real>::epsilon() / Real(2));
                             })},
    {"leaves_the_settings", "The table is folded, the settings stay as they are.",
     folded_and([](auto& settings, const auto& by, const auto&) { settings = by; })},
    {"folds_by_the_other_rule", "Gradient descent's rule m² for Adam, and Adam's m for it.",
     folded_and([]<class Settings, class Real>(Settings& settings, const Settings&, const Real& m) {
       if constexpr (std::same_as<Settings, AdamW<Real>>)
         settings.schedule = m * settings.schedule;
       else
         rate_of(settings) =
             adam_of(settings) ? Real(m * rate_of(settings)) : Real(rate_of(settings) / m);
     })},
    {"leaves_the_penalty", "A penalty of the table as it was, or AdamW's decay at the new rate.",
     folded_and([]<class Settings, class Real>(Settings& settings, Settings by, const Real&) {
       if constexpr (std::same_as<Settings, AdamW<Real>>)
         settings.decay = by.decay;
       else
         penalty_of(settings) = penalty_of(by);
     })},
    {"folds_the_penalty_as_a_decay",
     "λ/m, which is right for AdamW's decay where the rate multiplies it, for an L2 penalty.",
     folded_and([]<class Settings, class Real>(Settings& settings, Settings by, const Real& m) {
       if constexpr (std::same_as<Settings, AdamW<Real>>)
         settings.adam.penalty = by.adam.penalty / m;
       else
         penalty_of(settings) = penalty_of(by) / m;
     })},
    {"leaves_epsilon", "ε as it was.",
     folded_and([]<class Real>(Optimiser<Real>& settings, const Optimiser<Real>& by, const Real&) {
       if (auto* adam = adam_of(settings)) adam->epsilon = adam_of(by)->epsilon;
     })},
    {"folds_the_decay_once_more",
     "λ/m, which is right where the rate multiplies the decay, in the paper's spelling.",
     folded_and([]<class Real>(Optimiser<Real>& settings, const Optimiser<Real>&, const Real& m) {
       if (auto* adamw = std::get_if<AdamW<Real>>(&settings)) adamw->decay = adamw->decay / m;
     })},
    {"folds_slightly_low", "The rate of the folded table is low by a part in 2^40.",
     folded_and([]<class Real>(Optimiser<Real>& settings, const Optimiser<Real>&, const Real&) {
       rate_of(settings) = Real(Real(1) - static_cast<Real>(0x1p-40)) * rate_of(settings);
     })},
    {"leaves_bias_correction_out", "The moments start at 0, and nobody corrects for it.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       state.power_1 = state.power_2 = Real(0);
       return embedscale::detail::adam_change(g, by, state);
     })},
    {"puts_epsilon_inside_the_root", "ε stands inside the root.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       using std::sqrt;
       Adam<Real> bare = by;
       bare.epsilon = Real(0);
       const Real step = embedscale::detail::adam_change(g, bare, state);
       const Real square = state.second / Real(Real(1) - state.power_2);
       return square == Real(0) ? step
                                : Real(step * sqrt(Real(square / Real(square + by.epsilon))));
     })},
    {"keeps_the_usual_epsilon", "ε is 10^−8 where 0 was asked for.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       Adam<Real> kept = by;
       if (kept.epsilon == Real(0)) kept.epsilon = Real(1e-8);
       return embedscale::detail::adam_change(g, kept, state);
     })},
    {"ignores_epsilon", "ε is 0 where another was asked for.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       Adam<Real> bare = by;
       bare.epsilon = Real(0);
       return embedscale::detail::adam_change(g, bare, state);
     })},
    {"clips_gradients_of_adam", "Gradients are clipped at 1.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       return embedscale::detail::adam_change(std::clamp(g, Real(-1), Real(1)), by, state);
     })},
    {"steps_slightly_too_far", "Every step is high by a part in 2^20.",
     both_adams([]<class Real>(const Real& g, const Adam<Real>& by, Moments<Real>& state) {
       const Real step = embedscale::detail::adam_change(g, by, state);
       return Real(step + step / Real(1 << 20));
     })},
    {"couples_the_decay",
     "The decay is added to the gradient, so that it is divided by √b̂ as well (L2 for AdamW).",
     replaces(with_decay,
              []<class Real>(auto, const Real& t, const Real& gradient, const AdamW<Real>& by,
                             Moments<Real>& state) {
                const Real g = gradient + by.decay * t;
                return t - by.schedule * embedscale::detail::adam_change(g, by.adam, state);
              })},
    {"decouples_the_penalty", "The penalty is taken from the entry itself (AdamW for L2).",
     replaces(of_adam,
              []<class Real>(auto, const Real& t, const Real& gradient, const Adam<Real>& by,
                             Moments<Real>& state) {
                const Real pull = by.rate * Real(by.penalty * t);
                return t - Real(embedscale::detail::adam_change(gradient, by, state) + pull);
              })},
    {"clips_gradients", "Gradients are clipped at ±1.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sgd = [](const Real& t, const Real& gradient, const Sgd<Real>& by) -> Real {
         return library<Real>.sgd(t, std::clamp(gradient, Real(-1), Real(1)), by);
       };
       to.momentum = [](const Real& t, const Real& gradient, const Momentum<Real>& by,
                        Velocity<Real>& state) -> Real {
         return library<Real>.momentum(t, std::clamp(gradient, Real(-1), Real(1)), by, state);
       };
     })},
    {"ignores_the_penalty", "An L2 penalty is read, and nothing is done with it.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.sgd = [](const Real& t, const Real& gradient, const Sgd<Real>& by) -> Real {
         return library<Real>.sgd(t, gradient, {by.rate});
       };
       to.momentum = [](const Real& t, const Real& gradient, const Momentum<Real>& by,
                        Velocity<Real>& state) -> Real {
         return library<Real>.momentum(t, gradient, {by.rate, by.momentum}, state);
       };
     })},
    {"descends_by_signs", "Gradient descent by signs.",
     replaces(descent,
              []<class Real>(auto was, const Real& t, const Real& gradient, const auto& by) {
                const Real zero(0);
                return was(t, Real(gradient > zero ? 1 : gradient < zero ? -1 : 0), by);
              })},
    {"decays_a_little", "A decay of 2^−40 of every entry that nobody asked for.",
     changes(descent,
             []<class Real>(Real& after, const Real& t, auto&&...) {
               after = after - t * static_cast<Real>(0x1p-40);
             })},
    {"averages_the_velocity", "The mean of gradients in the place of their sum: 1 − μ too much.",
     replaces(with_momentum,
              []<class Real>(auto was, auto t, const Real& gradient, const auto& by, auto& state) {
                return was(t, gradient * Real(Real(1) - by.momentum), by, state);
              })},
};

}  // namespace embedscale::properties::optimizer
