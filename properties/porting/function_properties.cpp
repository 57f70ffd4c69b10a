// The attempts to refute the claims about the ported function, with what each has to reject; and
// the beliefs that fail.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../precision/rounded_root.hpp"
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "function.hpp"
#include "rounding.hpp"
#include "trials.hpp"
#include "unrounded.hpp"

namespace embedscale::properties::porting {

using namespace testing;

namespace {

/// A checkpoint of this code, small, with a norm and a block or none; over the rationals neither.
template <Scalar Real>
Checkpoint<Real> drawn_model(const Convention<Real>& code) {
  if constexpr (AnalyticScalar<Real>) {
    // Six channels: of four, either permutation is its own inverse.
    const auto body = body_of(named("body", in_range<std::uint64_t>(0, all_bodies)), 6);
    const Stream stream(body.d, "checkpoints");
    optimizer::Numbers numbers(stream, named("draw", draws()));
    return drawn_checkpoint(code, body, numbers);
  } else {
    // Small positive fractions: two words, one token of three channels.
    const Stream stream(0, "checkpoints");
    auto next = named("draw", draws());
    return drawn_checkpoint(code, {2, 1, 3}, [&](std::size_t size, double) {
      std::vector<Rational> out;
      while (out.size() < size) out.push_back(domain::positive_rational(stream, next++));
      return out;
    });
  }
}

template <Scalar Real>
Convention<Real> drawn_code(const std::string& name, Multipliers among = Multipliers::any) {
  return convention_of<Real>(named(name, in_range<std::uint64_t>(0, all_conventions)), among);
}

/// Where the factor of tied logits may go.
std::optional<FactorPlace> drawn_place() {
  const auto place = one_of("place", {"logit factor", "final norm", "own table"});
  covers("logit factor", place == 0, 0.2);
  covers("final norm", place == 1, 0.2);
  covers("own table", place == 2, 0.2);
  return static_cast<FactorPlace>(place);
}

/// Any code, and any to which its function can be taken.
template <Scalar Real>
Port<Real> any_port() {
  const auto from = drawn_code<Real>("FROM");
  const auto drawn = drawn_code<Real>("TO");
  auto to = made_portable(from, drawn);
  to.tied = from.tied && drawn.tied;
  covers("tied", from.tied && to.tied, 0.15);
  covers("untied on the way", from.tied && !to.tied, 0.15);
  covers("positions move", from.positions.first != to.positions.first, 0.2);
  if (AnalyticScalar<Real>)
    covers("another layout", from.positions.layout != to.positions.layout, 0.1);
  return {drawn_model(from), to};
}

/// Code with tied logits and a multiplier, and a place for 1/m in code without one.
template <Scalar Real>
Port<Real> tied_port(Multipliers among = Multipliers::any) {
  auto from = drawn_code<Real>("FROM", among);
  from.tied = from.can_untie = true;
  if (from.multiplier == Real(1)) from.multiplier = Real(4);
  const auto place = drawn_place();
  auto to = from;
  to.multiplier = Real(1);
  if (place == FactorPlace::logit_factor) to.logit_factor = from.logit_factor.value_or(Real(1));
  return {drawn_model(from), to, place};
}

/// A significand in [1, 2), of all digits or of some.
double drawn_significand() {
  const double s =
      1.0 +
      std::ldexp(double(named("significand", in_range<std::uint64_t>(0, std::uint64_t{1} << 52))),
                 -52);
  const int digits = named("digits", in_range(1, 54));
  const double unit = std::ldexp(1.0, 1 - digits);
  return 1.0 + std::floor((s - 1.0) / unit) * unit;
}

constexpr std::array<std::uint64_t, 8> model_widths{512, 640, 768, 1024, 1280, 2048, 2560, 3072};

}  // namespace

const Properties<Primitives> function_properties{
    /// No norm is between: every activation is a polynomial of the weights.
    {function_is_kept,
     "exact_without_norms",
     [](const Primitives& subject) {
       auto at = any_port<Rational>();
       const std::size_t d = at.from.model.task.d;
       auto& table = at.from.model.parameters[Parameter::token_table];
       for (std::size_t j = d; j < 2 * d; ++j) table[j] = Rational(0);  // the padding's row
       const auto to = at.done(subject.of<Rational>()).model;
       holds_exactly(function_distance(at, to) == 0);
       for (std::size_t j = d; j < 2 * d; ++j)
         holds_exactly(to.parameters[Parameter::token_table][j] == 0);
     },
     {"leaves_the_table", "divides_the_table", "leaves_a_factor_of_outputs", "leaves_the_first_row",
      "leaves_the_factor_of_positions", "leaves_the_place", "multiplies_slightly_more"},
     20},
    /// The table alone: in half of the ports all else is as it has to be.
    {condition_of(function_is_kept),
     "the_table_alone_is_enough_on_the_condition",
     [](const Primitives& subject) {
       auto at = any_port<Rational>();
       const auto& from = at.from.model.code;
       if (named("all else alike", in_range(0, 2)) != 0) {
         at.to.positions = from.positions, at.to.position_multiplier = from.position_multiplier;
         at.to.tied = from.tied, at.to.logit_factor = from.logit_factor;
         if (from.tied)
           at.to.logit_factor =
               from.logit_factor.value_or(Rational(1)) * at.to.multiplier / from.multiplier;
       }
       const auto& of = subject.of<Rational>();
       const bool enough = table_is_enough(from, at.to);
       covers("enough", enough, 0.3);
       covers("not enough", !enough, 0.3);
       holds_exactly((function_distance(at, at.by(table_alone(at.recipe(of)), of).model) == 0) ==
                     enough);
     },
     {"leaves_the_table", "divides_the_table", "multiplies_slightly_more"},
     20},
    {function_is_kept,
     "within_the_thirtieth_digit",
     [](const Primitives& subject) {
       const auto at = any_port<Wide>();
       holds(share_of_thirtieth_digit(at, at.done(subject.of<Wide>()).model));
     },
     {"leaves_the_table", "leaves_a_factor_of_outputs", "leaves_the_layout",
      "lays_channels_out_the_other_way", "leaves_the_frequencies", "leaves_the_first_row",
      "leaves_the_factor_of_positions", "multiplies_slightly_more"},
     200},
    /// Any numbers, whatever they over- or underflow to: FROM computes fl(m·e) itself, so that
    /// nothing else is to be rounded.
    {function_is_kept,
     "inputs_keep_their_bits",
     [](const Primitives& subject) {
       const double e = named("e", floats<double>()), p = named("p", floats<double>());
       const double m = named("m", floats<double>());
       in_one_format<double, float, binary16, bfloat16>([&]<class Real>() {
         const Real by = static_cast<Real>(m);
         if (by == Real(0) || !(by == by)) return;  // no multiplier
         const Convention<Real> from{.multiplier = by, .tied = false}, to{.tied = false};
         const Real s = subject.of<Real>().recipe(from, to, {}).factor_of(Parameter::token_table);
         const Real token = static_cast<Real>(e), position = static_cast<Real>(p);
         holds_exactly(domain::bits_of(up(token, position, by)) ==
                       domain::bits_of(sum(Real(s * token), position)));
       });
     },
     {"leaves_the_table", "divides_the_table", "keeps_the_factor_in_bfloat16",
      "multiplies_slightly_more"}},
    /// In sizes at which binary16 does not underflow: what is left is 2^−20 of m at least.
    {function_is_kept,
     "tied_logits_keep_their_bits_at_powers_of_two_alone",
     [](const Primitives& subject) {
       const int k = named("log2 m", in_range(-3, 8)), j = named("log2 c", in_range(-3, 2));
       const auto n = named("channels", in_range<std::size_t>(1, 33));
       const auto i = named("draw", draws());
       const double f = drawn_significand(), g = drawn_significand();
       in_one_format<double, float, binary16, bfloat16>([&]<class Real>() {
         const auto& primitives = subject.of<Real>();
         const Real power = static_cast<Real>(std::ldexp(1.0, k));
         const Real c = static_cast<Real>(std::ldexp(g, j));
         holds_exactly(logit_keeps_its_bits(drawn_logit<Real>(Stream(n, "logits"), i, n, power, c),
                                            primitives));
         const Real m = static_cast<Real>(std::ldexp(f, k));
         const auto [from, to] = both_logits(cancelling_logit<Real>(m, c), primitives);
         holds_exactly(from == Real(0));
         holds_exactly((to == Real(0)) == is_power_of_two(static_cast<double>(m)));
       });
     },
     {"leaves_the_place", "keeps_the_factor_in_bfloat16", "multiplies_slightly_more"}},
    {function_is_kept,
     "tied_logits_stay_within_the_bound",
     [](const Primitives& subject) {
       const auto d = named("d of the factor", widths());
       const auto n = named("channels", in_range<std::size_t>(1, 17));
       const auto i = named("draw", draws());
       const double g = drawn_significand();
       in_each_format<float, binary16, bfloat16>([&]<class Real>() {
         holds(
             share_of_logit_bound(drawn_logit<Real>(Stream(n, "logits"), i, n,
                                                    root_multiplier<Real>(d), static_cast<Real>(g)),
                                  subject.of<Real>()));
       });
     },
     {"leaves_the_table", "leaves_the_place", "keeps_the_factor_in_bfloat16"}},
    /// Every significand of a multiplier in bfloat16 and in binary16, on every entry.
    {function_is_kept,
     "the_way_back_is_exact_at_two_significands",
     [](const Primitives& subject) {
       const auto k = every("multiplier", 128 + 1024);
       const auto in = [&]<class Real>(Real m) {
         holds_exactly((lost_entries(m, subject.of<Real>()) == 0) == brings_all_back(m));
       };
       k < 128 ? in(bfloat16(1.0 + double(k) / 128)) : in(binary16(1.0 + double(k - 128) / 1024));
     },
     {"divides_by_the_reciprocal", "divides_an_ulp_low"},
     Exhaustive{128 + 1024}},
    /// Every significand of a multiplier in binary32 but 1.
    {function_is_kept,
     "the_way_back_loses_an_entry_at_all_others_of_binary32",
     [](const Primitives& subject) {
       constexpr int block = 1 << 10;
       const auto first = static_cast<double>(block * every("block", 1 << 13));
       bool as_stated = true;
       for (int k = first == 0 ? 1 : 0; k < block; ++k) {
         const auto m = static_cast<float>(1 + std::ldexp(first + k, -23));
         as_stated &= lost_entry(m, subject.of<float>()).has_value() == !brings_all_back(m);
       }
       holds_exactly(as_stated);
     },
     {"divides_an_ulp_low"},
     Exhaustive{1 << 13}},
    {function_is_kept,
     "the_way_back_loses_an_entry_at_all_others",
     [](const Primitives& subject) {
       const auto& of = subject.of<double>();
       const double m = std::clamp(drawn_significand(), 1 + 0x1p-52, 2 - 0x1p-52);
       holds_exactly(lost_entry(m, of).has_value() == !brings_all_back(m));
       const double e = std::min(drawn_significand(), 2 - 0x1p-52);
       const auto f = static_cast<float>(e);
       for (const bool below : {false, true}) {
         holds_exactly(comes_back(e, below ? 2 - 0x1p-52 : 1.0, of));
         holds_exactly(comes_back(f < 2 ? f : 1.0f, below ? 2 - 0x1p-23f : 1.0f, subject));
       }
     },
     {"divides_by_the_reciprocal", "divides_an_ulp_low"}},
    /// And which places there are, and what they add.
    {tied_output_needs_a_place_for_the_factor,
     "every_place_keeps_the_logits",
     [](const Primitives& subject) {
       const auto at = tied_port<Rational>();
       covers("no gain", at.to.gain == Gain::none, 0.2);
       holds_exactly(place_costs_as_stated(at, subject.of<Rational>()));
     },
     {"leaves_the_place", "leaves_the_bias", "copies_the_multiplied_table", "offers_every_place",
      "puts_the_factor_beside_the_place", "places_slightly_more"},
     20},
    /// m/m′ times c′/c of what they were.
    {tied_output_needs_a_place_for_the_factor,
     "without_a_place_logits_are_m_times",
     [](const Primitives& subject) {
       auto at = tied_port<Rational>();
       if (at.to.gain == Gain::none) at.place = FactorPlace::own_table;
       const auto& of = subject.of<Rational>();
       const auto &from = at.from.model.code, &to = at.to;
       const Rational one(1), s = from.multiplier / to.multiplier * to.logit_factor.value_or(one) /
                                  from.logit_factor.value_or(one);
       const auto without = at.by(without_a_place(at.recipe(of)), of).model.activations().logits;
       holds_exactly(optimizer::relative_distance(at.from.model.activations().logits, without, s) ==
                     0);
     },
     {"leaves_the_table", "divides_the_table", "multiplies_slightly_more"},
     20},
    {tied_output_needs_a_place_for_the_factor,
     "bits_stay_at_powers_of_two_and_in_an_own_table_at_all",
     [](const Primitives& subject) {
       const bool any = named("any multiplier", in_range(0, 2)) != 0;
       in_one_format<float, double>([&]<class Real>() {
         auto at = tied_port<Real>(any ? Multipliers::any : Multipliers::powers_of_two);
         if (any || at.to.gain != Gain::plain) at.place = FactorPlace::own_table;
         holds_exactly(function_keeps_its_bits(at, at.done(subject.of<Real>()).model));
       });
     },
     {"leaves_the_place", "leaves_the_bias", "copies_the_multiplied_table",
      "multiplies_slightly_more"},
     5},
    /// Double adds some 2^−51 to the u/2 that w may be off by: less than 2^−30 of that.
    {tied_output_needs_a_place_for_the_factor,
     "an_offset_gain_is_off_within_its_bound",
     [](const Primitives& subject) {
       const auto d = named("d of the factor", widths_by_size({16, 16384}));
       const double g = drawn_significand();
       in_each_format<binary16, bfloat16>([&]<class Real>() {
         const Real m = root_multiplier<Real>(d), gain = static_cast<Real>(g);
         holds(offset_gain_error(gain, m, subject.of<double>()) /
               ((1 + 0x1p-30) * unit_roundoff<Real> * static_cast<double>(m) /
                (2.0 * static_cast<double>(gain))));
       });
     },
     {"leaves_the_place", "places_an_eighth_more"}},
    /// By the multiplier of a real width in a format, whatever the model's own width.
    {rounded_multiplier_is_the_function,
     "rounded_multiplier_keeps_the_function",
     [](const Primitives& subject) {
       const auto d = model_widths[named("width", in_range<std::size_t>(0, model_widths.size()))];
       const auto in =
           static_cast<Computing>(one_of("format", {"binary32", "binary16", "bfloat16"}));
       auto code = drawn_code<Rational>("FROM");
       code.multiplier = Rational(rounded_root(d, in));
       auto to = code;
       to.multiplier = Rational(1);
       to.logit_factor = code.logit_factor.value_or(Rational(1));
       const Port<Rational> at{drawn_model(code), to};
       auto said = code;
       said.multiplier = Rational(subject.multiplier(d, in));
       const auto& primitives = subject.of<Rational>();
       holds_exactly(
           function_distance(at, at.by(primitives.recipe(said, to, {}), primitives).model) == 0);
     },
     {"takes_the_unrounded_root", "takes_the_root_of_bfloat16", "multiplies_slightly_more"},
     20},
    /// Every width in every format of 32 bits or less.
    {condition_of(rounded_multiplier_is_the_function),
     "the_multiplier_is_the_root_where_the_format_has_it",
     [](const Primitives& subject) {
       const auto d = 1 + every("d - 1", 16384);
       const auto in = [&]<class Real>(Computing computing) {
         const double off =
             precision::rounded_root::error_of_root(subject.multiplier(d, computing), d);
         holds_exactly((off == 0) == precision::rounded_root::has_root_in_format<Real>(d));
       };
       in.operator()<float>(Computing::binary32);
       in.operator()<binary16>(Computing::binary16);
       in.operator()<bfloat16>(Computing::bfloat16);
     },
     {"takes_the_root_of_one_more"},
     Exhaustive{16384}},
    {rounded_multiplier_is_the_function,
     "another_multiplier_moves_inputs_as_stated",
     [](const Primitives& subject) {
       const bool rotary = named("without positions", in_range(0, 2)) != 0;
       covers("without positions", rotary, 0.3);
       const Misported<Rational> at{
           named("e", channels(3)),
           rotary ? std::vector<Rational>(3, Rational(0)) : named("p", channels(3)),
           named("m", positive_rationals()), named("r", positive_rationals())};
       holds_exactly(moves_as_stated(at, subject.of<Rational>()));
     },
     {"leaves_the_table", "divides_the_table", "multiplies_slightly_more"}},
};

const Beliefs function_beliefs{
    /// A model with tied logits and nothing else; its table is multiplied, and that is all.
    {function_is_kept, "that_the_table_is_enough",
     [] {
       Convention<Rational> code{.gain = Gain::none, .bias = false};
       code.multiplier = named("m", nonzero_rationals());
       const Port<Rational> at{drawn_model(code), {.gain = Gain::none, .bias = false}};
       holds_exactly(
           function_distance(at, at.by(table_alone(at.meant()), library<Rational>).model) == 0);
     }},
    /// One word, one channel, h = 1: its logit is its entry.
    {tied_output_needs_a_place_for_the_factor, "that_a_row_is_a_row",
     [] {
       const auto e = named("e", nonzero_rationals());
       const auto m = named("m", positive_rationals());
       holds_exactly(Rational(m * e) * Rational(1) == e * Rational(1));
     }},
    /// In bfloat16.
    {rounded_multiplier_is_the_function, "that_it_is_the_root",
     [] {
       const auto d = named("d", widths());
       const double m = rounded_root(d, Computing::bfloat16);
       holds_exactly(m * m == static_cast<double>(d));
     }},
};

Trials trials() {
  return trials_of(joined(function_properties, training_properties, clipping_properties), mutants,
                   joined(function_beliefs, training_beliefs));
}

}  // namespace embedscale::properties::porting
