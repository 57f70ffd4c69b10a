// Recipes with a step left out, done wrong, or done with another number; from the largest defect to
// the smallest that is still seen.
#include <cmath>
#include <type_traits>
#include <vector>

#include "../testing/slightly_wrong.hpp"
#include "trials.hpp"

namespace embedscale::properties::porting {

using namespace testing;

namespace {

namespace operation {
constexpr auto recipe = [](auto& to) -> decltype((to.recipe)) { return to.recipe; };
constexpr auto channel_of = [](auto& to) -> decltype((to.channel_of)) { return to.channel_of; };
constexpr auto divided = [](auto& to) -> decltype((to.divided)) { return to.divided; };
constexpr auto multiplier = [](auto& to) -> decltype((to.multiplier)) { return to.multiplier; };
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

template <class PortStep>
constexpr bool is(const PortStep& step, Action action, Parameter of) {
  return step.action == action && step.parameter == of;
}
template <class PortStep>
constexpr bool is_of_table(const PortStep& step) {
  return is(step, Action::multiply, Parameter::token_table);
}
template <class PortStep>
constexpr bool is_place(const PortStep& step) {
  return step.action == Action::set_logit_factor || step.action == Action::copy_table ||
         is(step, Action::multiply, Parameter::gain) || is(step, Action::multiply, Parameter::bias);
}

/// The table's factor is what of(s) says.
template <class Of>
constexpr auto table_becomes(Of) {
  return steps_become([](auto& step) {
    if (is_of_table(step)) step.factor = Of{}(step.factor);
  });
}

}  // namespace

const Mutants<Primitives> function_mutants{
    {"leaves_the_table", "The weights are loaded as they are, into code without the multiplier.",
     leaves([](const auto& step) { return is_of_table(step); })},

    {"divides_the_table", "1/m where m was meant (pytorch/tutorials#2849).",
     table_becomes([]<class Real>(const Real& s) { return Real(Real(1) / s); })},

    {"leaves_the_place", "The table alone is multiplied, and the tied logits are m times as large.",
     leaves([](const auto& step) { return is_place(step); })},

    {"puts_m_into_the_logits", "m in the logits where 1/m was meant: they are m² times as large.",
     steps_become([]<class PortStep>(PortStep& step) {
       if (is_place(step) && step.action != Action::copy_table)
         step.factor = decltype(step.factor)(1) / step.factor;
       if (step.action == Action::copy_table) step.factor = step.factor + step.factor;
     })},

    {"copies_the_multiplied_table", "The output's own table is copied after E was multiplied.",
     changes(operation::recipe,
             []<class Real>(Recipe<Real>& recipe, auto&&...) {
               const Real s = recipe.factor_of(Parameter::token_table);
               for (auto& step : recipe.steps)
                 if (step.action == Action::copy_table) step.factor = s * step.factor;
             })},

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

    {"takes_the_root_of_binary32", "The root in binary32, of a model that computes in 16 bits.",
     replaces(operation::multiplier,
              [](auto was, std::uint64_t d, Computing) { return was(d, Computing::binary32); })},

    {"keeps_the_factor_in_bfloat16", "The multiplier is written down with eight digits.",
     in_floats(table_becomes([]<class Real>(const Real& s) {
       return std::is_same_v<Real, bfloat16> ? s : kept_in<bfloat16>(s);
     }))},

    {"divides_by_the_reciprocal", "e·fl(1/m): one rounding more on the way back.",
     in_floats(replaces(operation::divided,
                        []<class Real>(auto, const Real& e, const Real& m) {
                          return Real(e * Real(Real(1) / m));
                        }))},

    {"keeps_quotients_in_bfloat16", "The divided table is written in bfloat16.",
     replaces<float, binary16>(operation::divided,
                               []<class Real>(auto was, const Real& e, const Real& m) {
                                 return kept_in<bfloat16>(Real(was(e, m)));
                               })},

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

    {"multiplies_slightly_more", "A part in 2^40.",
     table_becomes([](const auto& s) { return high<40>(s); })},

    {"multiplies_slightly_more_in_each_format", "One unit in the last place of m.",
     in_floats(table_becomes([]<class Real>(const Real& s) {
       if constexpr (std::numeric_limits<Real>::digits <= 53)
         return moved_by_ulps(s, 1.0);
       else
         return s;
     }))},
};

}  // namespace embedscale::properties::porting
