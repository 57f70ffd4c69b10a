// Ports that leave something out of what training remembers and how it is set, or do it wrongly;
// and wrong ways to clip.
#include <cmath>
#include <vector>

#include "../testing/in_each_format.hpp"
#include "../testing/slightly_wrong.hpp"
#include "omissions.hpp"
#include "trials.hpp"

namespace embedscale::properties::porting {

using namespace testing;

namespace {

constexpr auto clipped = [](auto& of) -> decltype((of.clipping_factor)) {
  return of.clipping_factor;
};

/// The clipping factor of changed parts: change(part).
template <class Change>
constexpr auto of_changed_parts(Change) {
  return replaces<Wide, double, float>(
      clipped,
      []<class Real>(auto was, std::span<const GradientPart<Real>> parts, const Real& most) {
        std::vector<GradientPart<Real>> changed(parts.begin(), parts.end());
        for (auto& part : changed) Change{}(part);
        return was(changed, most);
      });
}

/// The recipe, and then(step) with each of its steps.
template <class Then>
constexpr auto each_step(Then) {
  return replacing([]<class Real>(Operations<Real>& to) {
    to.recipe = [](const Convention<Real>& from, const Convention<Real>& code,
                   std::optional<FactorPlace> place) {
      auto recipe = library<Real>.recipe(from, code, place);
      for (auto& step : recipe.steps) Then{}(step);
      return recipe;
    };
  });
}

template <Parameter of>
constexpr auto leaving_as_it_is() {
  return each_step([]<class Real>(PortStep<Real>& step) {
    if (step.parameter == of && step.action == Action::multiply) step.factor = Real(1);
  });
}

}  // namespace

const Mutants<Primitives> training_mutants{
    {"loads_the_state_as_it_is", "The optimiser's state is not divided.",
     replacing(leaves_the_state)},
    {"begins_with_an_empty_state", "The optimiser's state is not loaded.",
     replacing(forgets_the_state)},
    {"loads_the_velocity_as_it_is", "Momentum's buffer is not divided.",
     replacing(leaves_the_velocity)},
    {"loads_the_first_moment_as_it_is", "Adam's first moment is not divided.",
     replacing(leaves_the_first_moment)},
    {"loads_the_second_moment_as_it_is", "Adam's second moment is not divided.",
     replacing(leaves_the_second_moment)},
    {"divides_the_second_moment_once", "The second moment is divided by s, as the first.",
     replacing(
         carried_and([]<class Real>(Parameter, Memory<Real>& memory, const Memory<Real>& was) {
           if (was.moments.first == Real(0)) return;
           const Real s = was.moments.first / memory.moments.first;
           memory.moments.second = was.moments.second / s;
         }))},
    {"counts_steps_anew", "The moments are carried, the count of steps begins with 0.",
     replacing(counts_steps_from_zero)},
    {"loads_the_state_of_the_final_norm_as_it_is",
     "The gain's own moments, and the bias's, after both took the factor.",
     replacing(leaves_the_state_of_the_final_norm)},
    {"loads_the_state_of_the_bias_as_it_is", "The bias's alone.",
     replacing(carried_and([](Parameter of, auto& memory, const auto& was) {
       if (of == Parameter::bias) memory = was;
     }))},

    {"keeps_the_settings", "The state is divided, the settings stay as they are.",
     replacing(leaves_the_settings)},
    {"keeps_the_rate", "All but the rate.", replacing(leaves_the_rate)},
    {"keeps_epsilon", "All but Adam's epsilon.", replacing(leaves_epsilon)},
    {"keeps_the_decay", "AdamW's decay at the new rate, which multiplies it.",
     replacing(leaves_the_decay)},
    {"divides_the_decay_of_the_paper",
     "Decay divided by s in the paper's spelling, too, where the rate does not multiply it.",
     replacing(
         folded_and([]<class Real>(Parameter, Rule<Real>& rule, const Rule<Real>&, const Real& s) {
           auto* by = std::get_if<AdamW<Real>>(&rule.by);
           if (by && !rule.by_schedule) by->decay = by->decay / s;
         }))},
    {"keeps_the_penalty", "The L2 penalty as it was.", replacing(leaves_the_penalty)},
    {"divides_the_penalty_once", "L2 divided by s, as a decay.",
     replacing(
         folded_and([]<class Real>(Parameter, Rule<Real>& rule, Rule<Real> was, const Real& s) {
           optimizer::penalty_of(rule.by) = optimizer::penalty_of(was.by) / s;
         }))},
    {"keeps_the_settings_of_the_final_norm", "The gain's rate, and the bias's, as they were.",
     replacing(leaves_the_settings_of_the_final_norm)},
    {"folds_by_the_sign_too", "The settings by s, not by its size, where s < 0.",
     replacing(folded_and([]<class Real>(Parameter, Rule<Real>& rule, const auto&, const Real& s) {
       if (s < Real(0)) rate_of(rule) = -rate_of(rule);
     }))},
    {"keeps_the_settings_of_the_bias", "The bias's alone.",
     replacing(folded_and([](Parameter of, auto& rule, const auto& was, const auto&) {
       if (of == Parameter::bias) rule = was;
     }))},
    {"folds_the_gain_as_the_table", "The gain's settings with m in the place of 1/m.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.folded = [](Parameter of, const Rule<Real>& rule, const Real& s) {
         return library<Real>.folded(of, rule, of == Parameter::gain ? Real(Real(1) / s) : s);
       };
     })},

    {"leaves_the_gain_as_it_is", "1/m goes into the bias alone.",
     leaving_as_it_is<Parameter::gain>()},
    {"leaves_the_bias_as_it_is", "1/m goes into the gain alone.",
     leaving_as_it_is<Parameter::bias>()},
    {"ports_by_the_unrounded_root",
     "√3072 in the place of the 55.5 that the model was trained with.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.recipe = [](const Convention<Real>& from, const Convention<Real>& code,
                      std::optional<FactorPlace> place) {
         auto meant = from;
         if (meant.multiplier == Real(111) / Real(2)) meant.multiplier = Real(std::sqrt(3072.0));
         return library<Real>.recipe(meant, code, place);
       };
     })},
    {"multiplies_the_table_slightly_high", "By a part in 2^40.", each_step([](auto& step) {
       if (step.parameter == Parameter::token_table && step.action == Action::multiply)
         step.factor = high<40>(step.factor);
     })},
    {"carries_the_state_slightly_high", "Velocity and second moment are high by a part in 2^40.",
     replacing(carried_and([](Parameter, auto& memory, const auto&) {
       memory.velocity.v = high<40>(memory.velocity.v);
       memory.moments.second = high<40>(memory.moments.second);
     }))},
    {"folds_the_rate_slightly_high", "By a part in 2^40.",
     replacing(folded_and([]<class Real>(Parameter, Rule<Real>& rule, const auto&, const Real&) {
       rate_of(rule) = high<40>(rate_of(rule));
     }))},

    {"clips_without_weights", "The norm of all gradients, whatever they were multiplied by.",
     of_changed_parts([]<class Real>(GradientPart<Real>& part) { part.weight = Real(1); })},
    {"weights_by_the_inverse", "1/s in the place of s.",
     of_changed_parts(
         []<class Real>(GradientPart<Real>& part) { part.weight = Real(1) / part.weight; })},
    {"weights_the_square_once", "s, not s², with a part's squares.",
     of_changed_parts([]<class Real>(GradientPart<Real>& part) {
       using std::sqrt;
       part.weight = sqrt(part.weight);
     })},
    {"adds_a_millionth_to_the_norm", "C/(N + 10^-6), as PyTorch has it.",
     replaces<Wide, double, float>(
         clipped,
         []<class Real>(auto was, std::span<const GradientPart<Real>> parts, const Real& most) {
           const Real factor = was(parts, most);
           return factor == Real(1) ? factor : Real(most / Real(Real(most / factor) + Real(1e-6)));
         })},
    {"clips_each_part_alone", "The norm of the largest part for that of all.",
     replaces<Wide, double, float>(
         clipped,
         []<class Real>(auto was, std::span<const GradientPart<Real>> parts, const Real& most) {
           Real factor(1);
           for (std::size_t k = 0; k < parts.size(); ++k)
             factor = std::min(factor, Real(was(parts.subspan(k, 1), most)));
           return factor;
         })},
    {"clips_slightly_low", "By a part in 2^40.",
     changes<Wide, double, float>(clipped,
                                  []<class Real>(Real& factor, auto&&...) {
                                    if (factor < Real(1)) factor = factor - factor * Real(0x1p-40);
                                  })},
};

namespace {

Mutants<Primitives> wrong_in_one_format() {
  Mutants<Primitives> rows;
  const auto add = [&](const char* name, const char* defect, const auto& change) {
    add_in_each_format<Primitives, Wide, double, float, binary16, bfloat16>(rows, name, defect,
                                                                            change);
  };
  const auto divided = [](auto& of) -> decltype((of.divided)) { return of.divided; };
  add("clips_to_0", "0, in this format alone.",
      []<class Real>() { return giving_zeros<Real>(clipped); });
  add("divides_to_0", "0, in this format alone.",
      [divided]<class Real>() { return giving_zeros<Real>(divided); });
  add("never_clips", "1 whatever the norm, in this format alone.", []<class Real>() {
    return changes<Real>(clipped, [](Real& factor, auto&&...) { factor = Real(1); });
  });
  return rows;
}

}  // namespace

const Mutants<Primitives> value_mutants = wrong_in_one_format();

}  // namespace embedscale::properties::porting
