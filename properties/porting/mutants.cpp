// Recipes with a step left out, done wrong, or done with another number; ports that leave something
// out of what training remembers and how it is set; wrong ways to clip. Of each kind the largest
// defect and the smallest that is still seen.
#include <cmath>
#include <type_traits>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "omissions.hpp"
#include "trials.hpp"

namespace embedscale::properties::porting {

using namespace testing;

namespace {

namespace operation {
constexpr auto recipe = EMBEDSCALE_OPERATION(recipe);
constexpr auto channel_of = EMBEDSCALE_OPERATION(channel_of);
constexpr auto divided = EMBEDSCALE_OPERATION(divided);
constexpr auto multiplier = EMBEDSCALE_OPERATION(multiplier);
constexpr auto clipped = EMBEDSCALE_OPERATION(clipping_factor);
constexpr auto clips = EMBEDSCALE_OPERATION(clip_by_global_norm);
}  // namespace operation

/// Calls change(step) for each step.
template <class Change>
constexpr auto steps_become(Change) {
  return changes(operation::recipe, [](auto& recipe, auto&&...) {
    for (auto& step : recipe.steps) Change{}(step);
  });
}

/// Without the steps of which which(step) is true.
template <class Which>
constexpr auto leaves(Which) {
  return changes(operation::recipe,
                 [](auto& recipe, auto&&...) { std::erase_if(recipe.steps, Which{}); });
}

/// The table's factor is what of(s) says.
template <class Of>
constexpr auto table_becomes(Of) {
  return steps_become([](auto& step) {
    if (is_of_table(step)) step.factor = Of{}(step.factor);
  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"leaves_the_table", "The weights are loaded as they are, into code without the multiplier.",
     leaves([](const auto& step) { return is_of_table(step); })},
    {"divides_the_table", "1/m where m was meant (pytorch/tutorials#2849).",
     table_becomes([]<class Real>(const Real& s) { return Real(Real(1) / s); })},
    {"leaves_the_place", "The table alone is multiplied, and the tied logits are m times as large.",
     leaves([](const auto& step) { return is_place(step); })},
    {"copies_the_multiplied_table", "The output's own table is copied after E was multiplied.",
     changes(operation::recipe,
             []<class Real>(Recipe<Real>& recipe, auto&&...) {
               const Real s = recipe.factor_of(Parameter::token_table);
               for (auto& step : recipe.steps)
                 if (step.action == Action::copy_table) step.factor = s * step.factor;
             })},
    {"leaves_the_gain", "1/m goes into the final norm's bias alone.",
     leaves([](const auto& step) { return is(step, Action::multiply, Parameter::gain); })},
    {"leaves_the_bias", "1/m goes into the final norm's gain alone.",
     leaves([](const auto& step) { return is(step, Action::multiply, Parameter::bias); })},
    {"leaves_a_factor_of_outputs", "Of an output of its own: the other code's logit factor.",
     leaves([](const auto& step) { return is(step, Action::multiply, Parameter::output_table); })},
    {"leaves_the_layout", "Sines beside cosines, where they alternate in the other code.",
     leaves([](const auto& step) { return step.action == Action::permute_channels; })},
    {"lays_channels_out_the_other_way", "The inverse of the permutation.",
     replaces(operation::channel_of,
              [](auto was, auto j, auto d, auto from, auto to) { return was(j, d, to, from); })},
    {"leaves_the_frequencies",
     "The other rule's sinusoids are computed (converters of Marian's models, by reading).",
     leaves([](const auto& step) { return step.action == Action::store_positions; })},
    {"leaves_the_first_row", "Rows of positions are counted from another first one.",
     leaves([](const auto& step) {
       return step.action == Action::move_position_rows || step.action == Action::store_positions;
     })},
    {"leaves_the_factor_of_positions", "The positions' own multiplier.",
     steps_become([]<class PortStep>(PortStep& step) {
       if (is(step, Action::multiply, Parameter::position_table) ||
           step.action == Action::store_positions)
         step.factor = decltype(step.factor)(1);
     })},
    {"offers_every_place", "The final norm takes the factor where it has no gain.",
     replaces(operation::recipe,
              [](auto was, const auto& from, auto to, auto place) {
                if (to.gain == Gain::none) to.gain = Gain::plain;
                return was(from, to, place);
              })},
    {"puts_the_factor_beside_the_place", "Whatever place is asked for, the logits have the factor.",
     replaces(operation::recipe,
              [](auto was, const auto& from, const auto& to, auto place) {
                if (place) place = FactorPlace::logit_factor;
                return was(from, to, place);
              })},
    {"takes_the_unrounded_root",
     "√3072 where the model was trained with 55.5 (huggingface/transformers#38702).",
     replaces(operation::multiplier,
              [](auto, std::uint64_t d, Computing) { return std::sqrt(static_cast<double>(d)); })},
    {"takes_the_root_of_bfloat16",
     "55.5 where the model was trained with √3072 (huggingface/transformers#29402).",
     replaces(operation::multiplier,
              [](auto was, std::uint64_t d, Computing) { return was(d, Computing::bfloat16); })},
    {"takes_the_root_of_one_more", "√(d + 1): an off-by-one in the width.",
     replaces(operation::multiplier,
              [](auto was, std::uint64_t d, Computing in) { return was(d + 1, in); })},
    {"keeps_the_factor_in_bfloat16", "The multiplier is written down with eight digits.",
     in_floats(table_becomes([]<class Real>(const Real& s) {
       return std::is_same_v<Real, bfloat16> ? s : kept_in<bfloat16>(s);
     }))},
    {"divides_by_the_reciprocal", "e·fl(1/m): one rounding more on the way back.",
     in_floats(replaces(operation::divided,
                        []<class Real>(auto, const Real& e, const Real& m) {
                          return Real(e * Real(Real(1) / m));
                        }))},
    {"divides_an_ulp_low", "The quotient rounded down by a unit.",
     replaces<double, float, binary16, bfloat16>(
         operation::divided,
         [](auto was, const auto& e, const auto& m) { return moved_by_ulps(was(e, m), -1.0); })},
    {"places_an_eighth_more", "The factor of tied logits is off by an eighth.",
     steps_become([](auto& step) {
       if (is_place(step)) step.factor = high<3>(step.factor);
     })},
    {"places_slightly_more", "A part in 2^40 of the factor of tied logits.",
     steps_become([](auto& step) {
       if (is_place(step)) step.factor = high<40>(step.factor);
     })},
    {"multiplies_slightly_more", "A unit in the last place of m, or a part in 2^40 without one.",
     table_becomes([]<class Real>(const Real& s) {
       if constexpr (requires { FormatTraits<Real>::digits; })
         return moved_by_ulps(s, 1.0);
       else
         return high<40>(s);
     })},
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
    {"counts_steps_anew", "The moments are carried, the count of steps begins with 0.",
     replacing(counts_steps_from_zero)},
    {"loads_the_state_of_the_final_norm_as_it_is",
     "The gain's own moments, and the bias's, after both took the factor.",
     replacing(leaves_the_state_of_the_final_norm)},
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
     replaces<Wide, double, float>(
         operation::clipped,
         []<class Real>(auto was, std::span<const GradientPart<Real>> parts, const Real& most) {
           std::vector<GradientPart<Real>> changed(parts.begin(), parts.end());
           for (auto& part : changed) part.weight = Real(1);
           return was(changed, most);
         })},
    {"adds_a_millionth_to_the_norm", "C/(N + 10^-6), as PyTorch has it.",
     replaces<Wide, double, float>(
         operation::clipped,
         []<class Real>(auto was, std::span<const GradientPart<Real>> parts, const Real& most) {
           const Real factor = was(parts, most);
           return factor == Real(1) ? factor : Real(most / Real(Real(most / factor) + Real(1e-6)));
         })},
    {"clips_each_part_alone", "The norm of the largest part for that of all.",
     replaces<Wide, double, float>(
         operation::clipped,
         []<class Real>(auto was, std::span<const GradientPart<Real>> parts, const Real& most) {
           Real factor(1);
           for (std::size_t k = 0; k < parts.size(); ++k)
             factor = std::min(factor, Real(was(parts.subspan(k, 1), most)));
           return factor;
         })},
    {"clips_each_gradient_by_its_own_norm",
     "Each gradient by its own norm (carpedm20/MemN2N-tensorflow#19).",
     in_floats(replaces(operation::clips,
                        [](auto was, auto first, auto second, const auto& most) {
                          was(first, first.first(0), most);
                          was(second, second.first(0), most);
                        }))},
    {"clips_each_entry", "Each entry at ±C (Happy-Algorithms-League/hal-cgp#210).",
     in_floats(replaces(operation::clips,
                        []<class Real>(auto, auto first, auto second, const Real& most) {
                          for (const auto gradient : {first, second})
                            for (Real& g : gradient) g = std::clamp(g, Real(-most), most);
                        }))},
    {"leaves_gradients_slightly_low", "By a part in 2^40.",
     changes<double>(operation::clips,
                     [](auto first, auto second, const auto&) {
                       for (const auto gradient : {first, second})
                         for (double& g : gradient) g -= g * 0x1p-40;
                     })},
    {"clips_slightly_low", "By a part in 2^40.",
     changes<Wide, double, float>(operation::clipped,
                                  []<class Real>(Real& factor, auto&&...) {
                                    if (factor < Real(1)) factor = factor - factor * Real(0x1p-40);
                                  })},
};

}  // namespace embedscale::properties::porting
