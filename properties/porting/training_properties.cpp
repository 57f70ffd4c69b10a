// The attempts to refute the claims about training after a port, with what each has to reject; and
// the beliefs that fail.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../testing/rows.hpp"
#include "../testing/seed.hpp"
#include "claims.hpp"
#include "clipped.hpp"
#include "omissions.hpp"
#include "trials.hpp"

namespace embedscale::properties::porting {

using namespace testing;

namespace {

/// How many ports are taken through 50 steps in 50 digits: each seed has others.
constexpr int listed_ports = 48;

Numbered any_port(std::uint64_t rules) {
  Numbered out{.from = named("from", in_range<std::uint64_t>(0, all_conventions)),
               .to = named("to", in_range<std::uint64_t>(0, all_conventions)),
               .place = named("place", in_range<std::uint64_t>(0, 3)),
               .body = named("body", in_range<std::uint64_t>(0, all_bodies)),
               .rule = named("rule", in_range<std::uint64_t>(0, rules)),
               .draw = named("draw", draws())};
  return out;
}

/// Port i of the run's seed, of every rule in turn, from the start or after up to 20 steps.
Numbered listed_port(std::uint64_t i) {
  const Stream stream = stream_of("listed ports");
  const auto below = [&](std::uint64_t n, std::uint64_t k) { return stream.below(n, 8 * i + k); };
  return {.from = below(all_conventions, 0),
          .to = below(all_conventions, 1),
          .place = below(3, 2),
          .body = below(all_bodies, 3),
          .rule = i % all_rules,
          .draw = stream.bits(8 * i + 6) >> 24,
          .epsilon = std::ldexp(1.0, -static_cast<int>(below(30, 4))),
          .earlier = i % 3 == 0 ? 0 : static_cast<int>(1 + below(20, 5))};
}

/// What a port is about, and that enough are.
template <class Real>
void cover(const Port<Real>& port, const Numbered& numbered) {
  const auto recipe = port.recipe(library<Real>);
  const Real one(1);
  covers("table multiplied", recipe.factor_of(Parameter::token_table) != one, 0.5);
  covers("gain multiplied", recipe.factor_of(Parameter::gain) != one, 0.14);
  covers("bias multiplied", recipe.factor_of(Parameter::bias) != one, 0.07);
  covers("output multiplied", recipe.factor_of(Parameter::output_table) != one, 0.03);
  covers("positions multiplied", recipe.factor_of(Parameter::position_table) != one, 0.3);
  covers("in the middle of training", numbered.earlier > 0, 0.3);
}

/// That so many steps of both go one way: of most ports each parameter, gradient and logit tells.
void stays_within_the_thirtieth_digit(const Port<Wide>& port, const Checkpoint<Wide>& to, int steps,
                                      const Primitives& subject) {
  const auto parting = parting_of<Wide>(port, to, steps, subject);
  covers("all told by twenty digits", parting.change < 1e-20, 0.3);
  holds(parting.share);
}

/// A port by powers of two: of gradients as they come, or of a loss that is scaled so that their
/// squares, or they themselves, come near the least normal number.
Numbered any_port_in_bits(const std::vector<std::string>& sizes) {
  auto out = any_port(all_rules);
  const auto size = one_of("gradients", sizes);
  const int off = named("log2 of the scale", in_range(-32, 33));
  if (size > 0) out.loss_scale = std::ldexp(1.0, off - (size == 1 ? 511 : 1022));
  if (named("no epsilon", in_range(0, 2)) != 0) out.epsilon = 0;
  return out;
}
Port<double> port_to_follow(int& steps) {
  auto numbered =
      any_port_in_bits({"of any size", "squares near the least number", "near the least number"});
  numbered.earlier = named("earlier steps", in_range(0, 5));
  steps = 1 << named("log2 steps", in_range(0, 6));
  const auto port = drawn_port<double>(numbered, Multipliers::powers_of_two);
  cover(port, numbered);
  return port;
}
Port<double> port_to_clip() {
  const auto numbered = any_port_in_bits({"of any size", "squares near the least number"});
  auto port = drawn_port<double>(numbered, Multipliers::powers_of_two);
  clip_at<double>(port, 0.75);
  return port;
}

/// The same bits where nothing under- or overflows: on both sides of that are many.
void keeps_bits_in_range(const Port<double>& port, int steps, const Primitives& subject) {
  const auto bits = bits_of(port, steps, subject);
  const bool small = port.from.model.task.loss_scale < 1;
  covers("in range", bits.in_range, 0.4);
  covers("under- or overflows", !bits.in_range, 0.1);
  covers("small gradients, in range", small && bits.in_range, 0.1);
  holds_exactly(bits.same || !bits.in_range);
}

}  // namespace

const Properties<Primitives> training_properties{
    {optimizer_state_follows,
     "exact_paths_agree",
     [](const Primitives& subject) {
       auto numbered = any_port(2);
       numbered.earlier = named("earlier steps", in_range(0, 2));
       const auto port = exact_port(numbered);
       cover(port, numbered);
       covers("heavy ball", numbered.rule == 1, 0.3);
       holds_exactly(goes_one_way<Rational>(port, port.done(subject), 1, subject));
     },
     {"loads_the_state_as_it_is", "begins_with_an_empty_state", "loads_the_velocity_as_it_is",
      "loads_the_state_of_the_final_norm_as_it_is", "keeps_the_settings", "keeps_the_rate",
      "keeps_the_penalty", "divides_the_penalty_once", "keeps_the_settings_of_the_final_norm",
      "leaves_the_gain", "leaves_the_bias", "multiplies_slightly_more",
      "carries_the_state_slightly_high", "folds_the_rate_slightly_high"},
     10},
    /// In the middle of training with momentum, of a table that is multiplied and has moved.
    {optimizer_state_follows,
     "a_velocity_loaded_as_it_is_leaves_the_path",
     [](const Primitives& subject) {
       auto numbered = any_port(2);
       numbered.rule = numbered.earlier = 1;
       const auto port = exact_port(numbered);
       const auto& moved = port.from.memories[Parameter::token_table];
       if (port.meant().factor_of(Parameter::token_table) == 1 ||
           std::ranges::all_of(moved, [](const auto& of) { return of.velocity.v == 0; }))
         return;
       Operations<Rational> loads = subject.of<Rational>();
       leaves_the_state(loads);
       holds_exactly(goes_one_way<Rational>(port, port.done(subject), 1, subject));
       holds_exactly(!goes_one_way<Rational>(port, port.done(loads), 1, loads));
     },
     {"loads_the_velocity_as_it_is", "begins_with_an_empty_state"},
     10},
    /// Blocks, norms, sinusoids and every optimiser.
    {optimizer_state_follows,
     "fifty_steps_of_listed_ports_within_the_thirtieth_digit",
     [](const Primitives& subject) {
       const auto numbered = listed_port(every("port", listed_ports));
       const auto port = drawn_port<Wide>(numbered, Multipliers::any);
       stays_within_the_thirtieth_digit(port, port.done(subject), 50, subject);
     },
     {"loads_the_first_moment_as_it_is", "loads_the_second_moment_as_it_is", "counts_steps_anew",
      "keeps_epsilon", "keeps_the_decay", "divides_the_decay_of_the_paper", "folds_by_the_sign_too",
      "carries_the_state_slightly_high", "folds_the_rate_slightly_high"},
     Sample{listed_ports}},
    {optimizer_state_follows,
     "same_bits_at_powers_of_two",
     [](const Primitives& subject) {
       int steps = 0;
       const auto port = port_to_follow(steps);
       keeps_bits_in_range(port, steps, subject);
     },
     {"keeps_epsilon", "keeps_the_decay", "carries_the_state_slightly_high",
      "folds_the_rate_slightly_high"},
     10},
    {optimizer_state_follows,
     "a_copied_output_shares_the_step",
     [](const Primitives& subject) {
       const auto port = to_own_output(exact_port(any_port(1)));
       holds_exactly(tables_share_the_step(port, subject));
     },
     {"keeps_the_rate", "multiplies_slightly_more"}},
    {optimizer_state_follows,
     "a_kept_offset_is_pulled_elsewhere",
     [](const Primitives& subject) {
       const auto port = exact_port(any_port(1));
       const auto [rate, penalty] = each_named(rationals(), "rate", "penalty");
       const bool offset =
           port.from.model.code.gain == Gain::one_plus ||
           (port.from.model.code.gain != Gain::none && port.to.gain == Gain::one_plus);
       covers("1 + w", offset, 0.2);
       holds_exactly(port.from.model.code.gain == Gain::none ||
                     gain_is_pulled_as_stated(port, rate, penalty, subject));
     },
     {"keeps_the_penalty", "keeps_the_settings_of_the_final_norm", "leaves_the_gain"}},
    {condition_of(global_clipping_parts),
     "factors_are_those_of_the_parts",
     [](const Primitives& subject) {
       const auto parts = drawn_parts(named("draw", draws()));
       const Rational most = parts.max_norm * parts.max_norm;
       const Rational before = square_of_norm(parts, false), after = square_of_norm(parts, true);
       covers("clipped before", before > most, 0.3);
       covers("clipped after", after > most, 0.3);
       for (const auto when : {Clipped::before, Clipped::after, Clipped::weighted})
         holds(share_of_clipping(parts, when, subject));
       holds_exactly(factors_agree(parts, subject) ==
                     (before == after || (before <= most && after <= most)));
     },
     {"clips_without_weights", "adds_a_millionth_to_the_norm", "clips_each_part_alone",
      "clips_slightly_low"}},
    {global_clipping_parts,
     "weighted_paths_of_listed_ports_agree",
     [](const Primitives& subject) {
       const auto numbered = listed_port(every("port", listed_ports));
       auto port = drawn_port<Wide>(numbered, Multipliers::any);
       clip_at<Wide>(port, 0.5);
       stays_within_the_thirtieth_digit(port, weighted<Wide>(port, subject), 50, subject);
     },
     {"clips_without_weights", "keeps_the_rate"},
     Sample{listed_ports}},
    {global_clipping_parts,
     "same_bits_at_powers_of_two",
     [](const Primitives& subject) {
       const int steps = 1 << named("log2 steps", in_range(0, 4));
       keeps_bits_in_range(port_to_clip(), steps, subject);
     },
     {"clips_without_weights"},
     10},
    /// A step of gradient descent, clipped in both codes or in one: by the ratio of the factors
    /// every parameter moves farther, or less far.
    {global_clipping_parts,
     "parameters_of_listed_ports_move_by_the_ratio_of_factors",
     [](const Primitives& subject) {
       auto numbered = listed_port(every("port", listed_ports));
       numbered.rule = numbered.earlier = 0;
       auto port = drawn_port<Wide>(numbered, Multipliers::any);
       for (auto& rule : port.from.rules.all)
         if (rule) optimizer::penalty_of(rule->by) = Wide(0);
       clip_at<Wide>(port, 0.5);
       const auto to = with_rates_for_clipping<Wide>(port, subject);
       stays_within_the_thirtieth_digit(port, to, 1, subject);
     },
     {"keeps_the_rate", "keeps_the_settings_of_the_final_norm"},
     Sample{listed_ports}},
};

/// Two gradients of d numbers, and what their norm may be: a 64th of it or so to four times it.
template <class Real>
struct DrawnClipping {
  std::vector<Real> first, second;
  Real weight, most;
};

namespace {

template <class Real>
DrawnClipping<Real> drawn_clipping() {
  const auto d = drawn_width<Real>(1, 512);
  const auto exponent = named("exponent", in_range(-4, 5));
  const Stream stream(named("gradients", draws()), "gradients");
  const auto g = drawn_row<Real>(stream, 2 * d, exponent);
  const auto middle = g.begin() + static_cast<std::ptrdiff_t>(d);
  const double norm = std::ldexp(std::sqrt(static_cast<double>(d)), exponent);
  const Real most = static_cast<Real>(norm * std::exp2(8 * stream.uniform(2 * d + 1) - 6));
  covers("clipped", static_cast<double>(most) < norm / 2, 0.3);
  covers("not clipped", static_cast<double>(most) > 2 * norm, 0.05);
  return {{g.begin(), middle}, {middle, g.end()}, drawn_number<Real>(stream, 2 * d, 2), most};
}

}  // namespace

const Properties<Primitives> clipping_properties{
    {clipping_is_by_the_weighted_norm,
     "in_each_format",
     of_one_format<Wide, double, float, binary16, bfloat16>(
         []<class Real>(const Operations<Real>& of) {
           const auto [first, second, weight, most] = drawn_clipping<Real>();
           const auto right = primitives::clipping_factor(
               primitives::rounding_of<Real>(), {primitives::wide(first), primitives::wide(second)},
               {Wide(1), primitives::wide(weight)}, primitives::wide(most));
           judge("clipping", right,
                 [&, &first = first, &second = second, &weight = weight, &most = most] {
                   const std::array<GradientPart<Real>, 2> parts{{{first}, {second, weight}}};
                   return std::vector{of.clipping_factor(parts, most)};
                 });
           judge_result("divided", primitives::quotient, of.divided, first[0], weight);
         }),
     {"clips_without_weights", "clips_each_part_alone", "clipping_factor_is_0", "divided_is_0"}},
    {clipping_is_by_the_weighted_norm,
     "of_every_gradient",
     of_one_format<Wide, double, float, binary16, bfloat16>(
         []<class Real>(const Operations<Real>& of) {
           auto drawn = drawn_clipping<Real>();
           const auto right =
               primitives::clipped(primitives::rounding_of<Real>(),
                                   {primitives::wide(drawn.first), primitives::wide(drawn.second)},
                                   primitives::wide(drawn.most));
           judge("clipped", right, [&] {
             of.clip_by_global_norm(drawn.first, drawn.second, drawn.most);
             drawn.first.insert(drawn.first.end(), drawn.second.begin(), drawn.second.end());
             return drawn.first;
           });
         }),
     {"clip_by_global_norm_is_0", "clips_each_gradient_by_its_own_norm", "clips_each_entry",
      "leaves_gradients_slightly_low"}},
};

const Beliefs training_beliefs{
    {optimizer_state_follows, "that_the_state_may_be_loaded_as_it_is",
     [] {
       auto numbered = any_port(2);
       numbered.rule = 1, numbered.earlier = 1;
       Primitives loads;
       leaves_the_state(loads.of<Rational>());
       const auto port = exact_port(numbered);
       holds_exactly(goes_one_way<Rational>(port, port.done(loads), 1, loads));
     }},
    {beside(optimizer_state_follows), "that_powers_of_two_keep_bits_whatever_underflows",
     [] {
       int steps = 0;
       const auto port = port_to_follow(steps);
       holds_exactly(bits_of(port, steps, library<double>).same);
     }},
    {beside(global_clipping_parts), "that_powers_of_two_keep_bits_whatever_underflows",
     [] { holds_exactly(bits_of(port_to_clip(), 2, library<double>).same); }},
    {global_clipping_parts, "that_clipping_does_not_care",
     [] {
       const auto parts = drawn_parts(named("draw", draws()));
       holds_exactly(factors_agree(parts, Primitives{}));
     }},
};

}  // namespace embedscale::properties::porting
