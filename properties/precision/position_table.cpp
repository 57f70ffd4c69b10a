// Wrong position tables, from the largest defect to the smallest that the properties see in their
// 10^4 cases; the attempts to refute what is claimed of right ones and of those that are computed
// in a narrow format; and the belief that these do as well.
#include "position_table.hpp"

#include <numbers>

#include "../testing/slightly_wrong.hpp"
#include "../testing/trials.hpp"
#include "claims.hpp"

namespace embedscale::properties::precision::position_table {

using namespace testing;

namespace {

constexpr auto turn = EMBEDSCALE_OPERATION(turn);
constexpr auto circular = EMBEDSCALE_OPERATION(sine_and_cosine);
constexpr auto entry = EMBEDSCALE_OPERATION(rounded);
constexpr auto frequency = EMBEDSCALE_OPERATION(frequency);
constexpr auto position = EMBEDSCALE_OPERATION(position);
constexpr auto angle = EMBEDSCALE_OPERATION(angle);
constexpr auto sine = EMBEDSCALE_OPERATION(sine);

/// The nearest turn to x of them, 0 <= x < 1.
Turn turn_of(double x) { return {static_cast<std::uint64_t>(std::ldexp(x, 64)), 0}; }

/// x turns of an angle that is rounded to the format on the way.
template <class Real>
Turn kept_in_format(const Turn& of) {
  const double radians = std::ldexp(static_cast<double>(of.high), -64) * 2.0 * std::numbers::pi;
  return turn_of(static_cast<double>(static_cast<Real>(radians)) / (2.0 * std::numbers::pi));
}

const Mutants<Primitives> mutants{
    {"has_tensor2tensors_frequencies", "The last frequency is 1/base, whichever rule was meant.",
     replaces(turn,
              [](auto was, std::size_t i, std::size_t d, FrequencyRule rule, double base) {
                return was(i, d, d >= 4 ? FrequencyRule::tensor2tensor : rule, base);
              })},

    {"rounds_frequencies_to_bfloat16",
     "The buffer of frequencies goes to bfloat16 with the module (EleutherAI/gpt-neox#1016).",
     changes(turn, [](auto& one, auto&&...) { one = kept_in_format<bfloat16>(one); })},

    {"keeps_80_places_of_a_turn", "The angle modulo a turn, to 80 binary places.",
     changes(turn, [](auto& one, auto&&...) { one.low &= ~std::uint64_t{0} << 48; })},

    {"truncates_entries", "Cut to the format, not rounded, as bfloat16 was made at first.",
     replaces(entry,
              [](auto was, Unrounded x) {
                const auto nearest = was(x);
                const double size = std::ldexp(static_cast<double>(x.significand), x.exponent);
                return std::abs(static_cast<double>(nearest)) > size
                           ? moved_by_ulps(nearest, nearest > decltype(nearest)(0.0) ? -1 : 1)
                           : nearest;
              })},

    {"ends_its_series_early", "The last place of 50: both off by a part in 2^50.",
     changes(circular,
             [](auto& both, auto&&...) {
               both.sine.significand += both.sine.significand >> 50;
               both.cosine.significand += both.cosine.significand >> 50;
             })},

    {"takes_the_cosine_for_the_sine", "Channels exchanged.",
     replaces(sine, [](auto, const auto& x) { return std::remove_cvref_t<decltype(x)>(cos(x)); })},

    {"counts_positions_from_one", "The first position is 1.",
     replaces(position, [](auto was, std::int64_t p) { return was(p + 1); })},

    {"multiplies_step_by_step", "w_i as w_(i−1)·w_1, each rounded.",
     replaces(frequency,
              []<class Real>(Real (*was)(std::size_t, std::size_t, FrequencyRule), std::size_t i,
                             std::size_t d, FrequencyRule rule) {
                Real w(1);
                for (std::size_t j = 0; j < i; ++j) w = w * was(1, d, rule);
                return w;
              })},

    {"rounds_angles_to_bfloat16", "The product of position and frequency goes to bfloat16.",
     replaces<double, float, binary16>(
         angle,
         [](auto was, const auto& p, const auto& w) { return kept_in<bfloat16>(was(p, w)); })},

    {"takes_angles_eight_ulps_high", "The angle eight units in its last place too large.",
     replaces(angle,
              [](auto was, const auto& p, const auto& w) { return moved_by_ulps(was(p, w), 8); })},
};

/// A position at random; or, of a pair, the one nearest to some multiple of π/2 where a sine or a
/// cosine is as good as 0: there an error of the angle is largest in units of the last place.
At any_entry(std::uint64_t most_positions) {
  const std::size_t d = named("d", multiples(2, {2, 1024}));
  const std::size_t i = named("i", in_range<std::uint64_t>(0, d / 2));
  const auto p = named("p", positions({0, most_positions}));
  const bool tensor2tensor = named("tensor2tensor", in_range(0, 2)) != 0 && d >= 4;
  At at{d, i, p, tensor2tensor ? FrequencyRule::tensor2tensor : FrequencyRule::paper};
  if (named("near a crossing", in_range(0, 2)) != 0) {
    const auto w = static_cast<double>(exact_frequency(at.i, at.d, at.rule));
    const double quarters = std::max(1.0, std::round(double(p) * w * 2.0 / std::numbers::pi));
    const double nearest = std::round(quarters * std::numbers::pi / 2.0 / w);
    if (nearest <= static_cast<double>(most_positions)) at.p = static_cast<std::int64_t>(nearest);
  }
  return at;
}

const Properties<Primitives> properties{
    {positions_in_low_precision,
     "once_rounded_is_within_half_an_ulp",
     [](const Primitives& subject) {
       const At at = any_entry(std::uint64_t{1} << 17);
       covers("rule of the paper", at.rule == FrequencyRule::paper, 0.25);
       covers("a far position", at.p >= 1 << 12, 0.1);
       holds(once_rounded_share(at, subject));
     },
     {"has_tensor2tensors_frequencies", "rounds_frequencies_to_bfloat16",
      "keeps_80_places_of_a_turn", "truncates_entries", "ends_its_series_early"}},

    {positions_in_low_precision,
     "in_the_format_within_its_bound",
     [](const Primitives& subject) {
       const At at = any_entry(std::uint64_t{1} << 17);
       covers("beyond binary16", !has_position<binary16>(at.p), 0.02);
       const auto exact = exact_pair(at);
       domain::for_each_format([&]<class Real>() {
         if (has_position<Real>(at.p)) holds(in_format_share<Real>(at, exact, subject));
       });
     },
     {"takes_the_cosine_for_the_sine", "counts_positions_from_one", "multiplies_step_by_step",
      "rounds_angles_to_bfloat16", "takes_angles_eight_ulps_high"}},
};

const Beliefs beliefs{
    /// Nothing but the one rounding that an entry has in any table of the format.
    {positions_in_low_precision, "that_bfloat16_costs_one_rounding",
     [] {
       const std::size_t d = named("d", multiples(2, {2, 1024}));
       const std::size_t i = named("i", in_range<std::uint64_t>(0, d / 2));
       const At at{d, i, named("p", positions())};
       holds_exactly(in_format_error<bfloat16>(at, exact_pair(at), Primitives{}) <=
                     rounding_of_an_entry<bfloat16>);
     }},
};

}  // namespace

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::precision::position_table
