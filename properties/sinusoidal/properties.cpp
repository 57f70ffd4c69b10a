// The attempts to refute the claims about one position, two, and whole tables, with what each has
// to reject; and the beliefs that fail.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "../conventions/draws.hpp"
#include "../domain/formats.hpp"
#include "../primitives/claims.hpp"
#include "channels.hpp"
#include "claims.hpp"
#include "table.hpp"
#include "trials.hpp"
#include "two_positions.hpp"

namespace embedscale::properties::sinusoidal {

using namespace testing;

namespace {

using conventions::any_layout, conventions::any_rule, conventions::covered;

/// An even width on a logarithmic scale, up to `most`.
std::size_t any_even_width(std::uint64_t least, std::uint64_t most, const char* name = "d") {
  return named(name, multiples(2, {least, most}));
}

/// A position below 2^17 of a table of an even width up to `most`. Simplified to d = 2, position 0.
Place any_place(std::uint64_t most, const domain::Integers& range = domain::positions) {
  const std::size_t d = any_even_width(2, most);
  const auto position = named("position", positions(range));
  const auto rule = any_rule(d);
  return {d, position, rule, any_layout()};
}

/// L positions of an even width, both on a logarithmic scale.
Table any_table(const domain::Widths& widths, const domain::Integers& lengths) {
  const std::size_t d = any_even_width(widths.lowest, widths.highest);
  const auto length = named("L", positions(lengths));
  const auto rule = any_rule(d);
  return {d, length, rule, any_layout()};
}

/// The tables of 16, 18 … 128, 256 and 512 channels, by both rules, by their place; the length as a
/// multiple of the width.
constexpr std::size_t widths_of_tables = 59;
Table table_of(std::size_t place, double length) {
  const std::size_t width = place / 2, d = width < 57 ? 16 + 2 * width : 256 << (width - 57);
  return {d, static_cast<std::int64_t>(length * static_cast<double>(d)),
          place % 2 == 0 ? FrequencyRule::paper : FrequencyRule::tensor2tensor};
}
/// One of them, of one of these lengths.
template <std::size_t n>
Table every_table(const std::array<double, n>& lengths) {
  const auto at = every("table", 2 * n * widths_of_tables);
  return table_of(at / n, lengths[at % n]);
}

}  // namespace

const Properties<Primitives> properties{
    // In the narrow formats where the position is a number of theirs.
    {belief_of(stays_within_one),
     "in_each_format",
     [](const Primitives& subject) {
       const auto at = covered(any_place(256));
       covers("position 0", at.position == 0, 0.02);
       holds(largest_magnitude<double>(at, subject));
       holds(largest_magnitude<float>(at, subject));
       if (at.position >= 1 << 15) return;
       holds(largest_magnitude<binary16>(at, subject));
       holds(largest_magnitude<bfloat16>(at, subject));
     },
     {"has_unit_rms", "is_one_ulp_too_large"}},

    // Tokens of RMS m·σ, 1/√2 or off it by a thousandth and more: of one length up to rounding,
    // that of the position's squares and three of the tokens'.
    {condition_of(mean_square_is_half),
     "as_large_as_tokens_of_rms_1_over_root_2_alone",
     [](const Primitives& subject) {
       const auto at = covered(any_place(512));
       const int off = named("off, in thousandths", in_range(-999, 1000));
       const bool on = off == 0 || named("on the condition", in_range(0, 2)) != 0;
       const double rms = std::sqrt(0.5) * (on ? 1.0 : 1.0 + off / 1000.0);
       const double square = rms * rms * static_cast<double>(at.d);
       const double bound =
           square_bound<double>(at.d, square) + 3.0 * unit_roundoff<double> * square;
       holds_exactly((std::abs(square_of(encoded<double>(at, subject)) - square) <= bound) == on);
     },
     {"has_unit_rms"}},

    {mean_square_is_half,
     "at_every_position",
     [](const Primitives& subject) {
       const auto at = covered(any_place(512));
       holds(square_share_of_bound<double>(at, subject));
       holds(square_share_of_bound<float>(at, subject));
       if (at.position < 1 << 15) holds(square_share_of_bound<binary16>(at, subject));
     },
     {"has_unit_rms", "slices_halves_wrongly", "pairs_two_frequencies",
      "rounds_entries_to_binary16", "grows_by_50_digits"}},

    // The three things that public programs do with an odd width. The square of a sine alone moves
    // by at most twice its angle.
    {mean_square_is_half,
     "odd_widths_lose_a_channel",
     [](const Primitives& subject) {
       const std::size_t d = any_even_width(4, 256, "d - 1") + 1;
       const auto position = named("position", positions());
       for (const auto way :
            {OddWidth::zero_channel, OddWidth::sine_alone, OddWidth::cosine_overwritten}) {
         const long double stated =
             static_cast<long double>(d - 1) / 2.0L + odd_width_excess(position, way);
         const auto off = square_of(encoded_odd<double>(d, position, way, subject)) - stated;
         const double turned =
             way == OddWidth::sine_alone ? 2.0 * angle_error<double>(position, 1e-4) : 0.0;
         holds(static_cast<double>(std::abs(off)) /
               (square_bound<double>(d, static_cast<double>(stated)) + turned));
       }
     },
     {"has_unit_rms", "pairs_two_frequencies", "counts_positions_from_one", "grows_by_50_digits"}},

    {is_not_zero_mean,
     "variance_is_half_less_the_squared_mean",
     [](const Primitives& subject) {
       const auto at = covered(any_place(512));
       holds(variance_share_of_bound<double>(at, subject));
       holds(variance_share_of_bound<float>(at, subject));
     },
     {"centres_each_vector", "slices_halves_wrongly", "rounds_entries_to_binary16",
      "grows_by_50_digits"}},

    // Positions that are small beside the width, where the bound says something: the distance of a
    // sum from its integral, the rounding, and 2^−44 of the limit itself.
    {is_not_zero_mean,
     "mean_tends_to_the_integral",
     [](const Primitives& subject) {
       const auto at = covered(any_place(1024, {0, 1 << 10}));
       const auto p = static_cast<double>(at.position), d = static_cast<double>(at.d);
       const double distance = expected::mean_distance_bound(p, d);
       covers("bound below an eighth", distance < 0.125, 0.2);
       const auto mean = mean_of(encoded<double>(at, subject));
       const double off = static_cast<double>(mean) - expected::mean_over_coordinates(p);
       holds(std::abs(off) / (distance + rounding_of_mean<double>(at.position) + 0x1p-44));
       if (at.position == 0) holds_exactly(mean == 0.5L);
     },
     {"centres_each_vector", "spaces_by_a_smaller_base", "counts_positions_from_one",
      "adds_51_digits_to_the_last"}},

    {belief_of(shift_is_linear),
     "by_the_rotation_of_the_shift",
     [](const Primitives& subject) {
       const auto at = covered(any_place(256));
       const auto shift = named("shift", positions());
       const bool back = named("back", in_range(0, 2)) != 0;
       covers("back", back, 0.25);
       covers("on", !back, 0.25);
       const std::int64_t delta = back ? -shift : shift;
       holds(shift_share_of_bound<double>(at, delta, subject));
       holds(shift_share_of_bound<float>(at, delta, subject));
     },
     {"pairs_two_frequencies", "clips_positions", "centres_each_vector",
      "counts_positions_from_one", "rounds_entries_to_binary16", "turns_odd_positions_by_52_digits",
      "adds_51_digits_to_the_last"}},

    // In 50 decimal digits, of which an angle below 2^18 leaves at least 44 behind the point: its
    // sines are off by some 10^−44, two products of them by less than ten times that.
    {shift_is_linear,
     "to_forty_digits",
     [](const Primitives& subject) {
       using Wide = exact::Decimal50;
       const auto at = any_place(8);
       const auto delta = named("shift", positions());
       static const Wide allowed("1e-40");
       for (const auto& off : errors_of_the_shift<Wide, Wide>(at, delta, subject))
         holds_exactly(off <= allowed);
     },
     {"clips_positions", "turns_odd_positions_by_150_digits"},
     10},

    {belief_of(product_depends_on_offset),
     "is_a_sum_of_cosines",
     [](const Primitives& subject) {
       const auto at = covered(any_place(256));
       const auto other = named("other position", positions());
       holds(product_share_of_bound<double>(at, other, Between::nothing, subject));
       holds(product_share_of_bound<float>(at, other, Between::nothing, subject));
     },
     {"has_unit_rms", "clips_positions", "pairs_two_frequencies", "centres_each_vector",
      "knows_one_rule", "grows_by_50_digits", "turns_faster_by_50_digits"}},

    {product_depends_on_offset,
     "with_an_exchange_it_depends_on_the_sum",
     [](const Primitives& subject) {
       const auto at = covered(any_place(256));
       const auto other = named("other position", positions());
       holds(product_share_of_bound<double>(at, other, Between::exchange, subject));
     },
     {"counts_positions_from_one", "slices_halves_wrongly", "adds_51_digits_to_the_last"}},

    {belief_of(layouts_are_permutations),
     "of_the_same_bits",
     [](const Primitives& subject) {
       const auto at = covered(any_place(512));
       holds_exactly(layouts_are_permuted<double>(at, subject));
       holds_exactly(layouts_are_permuted<float>(at, subject));
     },
     {"slices_halves_wrongly", "halves_err_by_an_ulp"}},

    // Each even width from 4 to 2048, and 4096, 8192 and 16384.
    {necessity_of(layouts_are_permutations),
     "rules_are_none_of_each_other",
     [](const Primitives& subject) {
       const std::size_t i = every("width", 1026), d = i < 1023 ? 4 + 2 * i : 4096 << (i - 1023);
       holds_exactly(rules_are_no_permutation(d, subject));
     },
     {"knows_one_rule", "rules_meet_to_38_digits"},
     Exhaustive{1026}},

    {layouts_are_permutations,
     "rules_differ_as_in_closed_form",
     [](const Primitives& subject) {
       const auto d = any_even_width(4, 256);
       const auto position = named("position", positions());
       const auto layout = any_layout();
       covers("interleaved", layout == SinusoidalLayout::interleaved, 0.25);
       covers("halves", layout == SinusoidalLayout::halves, 0.25);
       holds(conventions::rms_difference_share_of_bound(d, position, 10000, layout, subject));
     },
     {"knows_one_rule", "spaces_by_a_smaller_base", "slices_halves_wrongly",
      "turns_faster_by_50_digits"},
     3},

    // No channel comes within 1 % of both −1 and 1 whose angle turns by less than the arc from one
    // to the other, π − 2·arccos 0.99, in L − 1 steps: by more than what rounding may do to the
    // arc, an entry's error over the slope of a sine there, sin(arccos 0.99) > 0.14, at either end.
    {stays_within_one,
     "short_arcs_do_not_span",
     [](const Primitives& subject) {
       const auto table = covered(any_table({2, 64}, {1, 128}));
       const auto rows = rows_of(table, subject);
       const auto w = frequencies_of(table);
       bool spans = false;
       for (std::size_t i = 0; i < w.size(); ++i) {
         const double arc =
             std::numbers::pi - 2.0 * std::acos(0.99) - 15.0 * entry_error(table, w[i]);
         if (static_cast<double>(table.length - 1) * w[i] >= arc) continue;
         for (const auto j : channels_of(i, table.d, table.layout))
           spans = spans ||
                   (std::ranges::any_of(rows, [j](const auto& row) { return row[j] <= -0.99; }) &&
                    std::ranges::any_of(rows, [j](const auto& row) { return row[j] >= 0.99; }));
       }
       holds_exactly(!spans);
     },
     {"has_unit_rms", "repeats_the_first_half", "spaces_by_a_smaller_base"}},

    {constant_share,
     "is_that_of_dirichlets_kernel",
     [](const Primitives& subject) {
       const auto table = covered(any_table({2, 64}, {1, 128}));
       const double off = measured_constant_share(table, subject) -
                          expected::constant_share({frequencies_of(table), 0, table.length, 1});
       holds(std::abs(off) / constant_share_bound(table));
     },
     {"spaces_by_a_smaller_base", "clips_positions", "pairs_two_frequencies",
      "rounds_entries_to_binary16", "turns_faster_by_46_digits", "adds_46_digits_to_the_last"}},

    // A standard deviation is a seminorm, divided by √L: entries within e of what they should be
    // move it by e at most. The closed form's variance is off by 2^−43·v of its pair, so its root
    // by that over the root, or by the root of that where it is smaller; two roots and long double
    // add 2u.
    {early_channels_move,
     "deviations_are_the_closed_form",
     [](const Primitives& subject) {
       const auto table = covered(any_table({2, 64}, {1, 128}));
       const auto measured = measured_variances(table, subject);
       const auto stated = stated_variances(table);
       const auto w = frequencies_of(table);
       for (std::size_t i = 0; i < w.size(); ++i) {
         const double slack = 0x1p-43 * expected::pair_variance(w[i], table.length);
         for (const auto j : channels_of(i, table.d, table.layout)) {
           const double root = std::sqrt(stated[j]);
           const double of_form = std::min(std::sqrt(slack), root > 0 ? slack / root : HUGE_VAL);
           const double bound = entry_error(table, w[i]) + of_form + 2.0 * unit_roundoff<double>;
           holds(std::abs(std::sqrt(measured[j]) - root) / bound);
         }
       }
     },
     {"has_unit_rms", "counts_positions_from_one", "slices_halves_wrongly",
      "rounds_entries_to_binary16", "turns_faster_by_40_digits"}},

    // Variances move by at most 2·std·e + e² and 2^−43·v; with T their sum, the share by that of
    // the first and that of T, over T.
    {early_channels_move,
     "share_of_the_first_channels",
     [](const Primitives& subject) {
       const auto table = covered(any_table({2, 64}, {2, 128}));
       const auto count = named("first", in_range<std::size_t>(0, table.d + 1));
       double moved = 0, total = 0;
       for (const double w : frequencies_of(table)) {
         const double e = entry_error(table, w), v = expected::pair_variance(w, table.length);
         // Over a pair: std of sine and cosine add to at most √(2v).
         moved += 2.0 * std::sqrt(2.0 * v) * e + 2.0 * e * e + 0x1p-42 * v;
         total += v;
       }
       const double off = share_of_first(measured_variances(table, subject), count) -
                          share_of_first(stated_variances(table), count);
       holds(std::abs(off) / (2.0 * moved / total + 4.0 * unit_roundoff<double>));
     },
     {"repeats_the_first_half", "clips_positions", "turns_odd_positions_by_40_digits"}},

    // Short widths, whose tables may be long: the turn of the last pair is at d = 4 that of 183
    // positions by the paper's rule. How far from the quiet turn L·w has to be to be on one side
    // for certain: the first pair's variance is not 1 but 1 − D(1)², D(1)² <= (L·sin ½)^−2 <
    // 4.4/L², a quarter of which moves (sin x/x)² by 1.1/L²; D of the last is larger than sin x/x
    // by (x/L)²/6, which moves its square by 0.21/L². Over the slope of (sin x/x)² there, 0.485,
    // that is 2.7/L² of x, 5.4/L² of 2x; 1.83116 is off by 5·10^−6.
    {condition_of(early_channels_move),
     "the_last_turn_decides",
     [](const Primitives& subject) {
       const auto table = covered(any_table({4, 16}, {1, 512}));
       const auto length = static_cast<double>(table.length);
       const double turn = length * frequencies_of(table).back();
       covers("beyond a quiet end", turn > quiet_turn, 0.01);
       if (std::abs(turn - quiet_turn) > 6.0 / (length * length) + 5e-6)
         holds_exactly(last_channel_moves_less(measured_ends(table, subject)) ==
                       (turn <= quiet_turn));
     },
     {"repeats_the_first_half", "clips_positions", "spaces_by_a_smaller_base",
      "turns_faster_by_4_digits"},
     3},

    // Entries of the table are at most 1 and within e of what they should be, so a mean of products
    // of two is within 2e + e², and twice that with the means taken out; the closed form is within
    // 13u, its means within 12u each, in products 24u.
    {effective_rank,
     "moments_are_the_closed_form",
     [](const Primitives& subject) {
       const auto table = covered(any_table({2, 16}, {1, 64}));
       double e = 0;
       for (const double w : frequencies_of(table)) e = std::max(e, entry_error(table, w));
       const double bound = 2.0 * (2.0 * e + e * e) + 40.0 * unit_roundoff<double>;
       for (const auto moments : {Moments::raw, Moments::centred}) {
         const auto measured = measured_moments(table, moments, subject);
         const auto stated = stated_moments(table, moments);
         double worst = 0;
         for (std::size_t j = 0; j < stated.size(); ++j)
           if (const double off = std::abs(measured[j] - stated[j]); !(off <= worst)) worst = off;
         holds(worst / bound);
       }
     },
     {"has_unit_rms", "knows_one_rule", "counts_positions_from_one", "rounds_entries_to_binary16",
      "turns_faster_by_46_digits", "adds_46_digits_to_the_last"},
     2},

    // In 50 digits, of which elimination keeps 40 behind the point: entries are at most 1, and each
    // of 6 steps, with the largest pivot, at most doubles them and what their roundings made.
    {effective_rank,
     "rank_is_full",
     [](const Primitives& subject) {
       using Wide = exact::Decimal50;
       const auto table = any_table({2, 6}, {1, 8});
       static const Wide negligible("1e-40");
       std::vector<std::vector<Wide>> rows;
       for (std::int64_t l = 0; l < table.length; ++l)
         rows.push_back(encoded<Wide>({table.d, l, table.rule, table.layout}, subject));
       holds_exactly(rank_of(rows, negligible) == std::min(rows.size(), table.d));
     },
     {"repeats_the_first_half", "slices_halves_wrongly"},
     10},

    {belief_of(effective_rank),
     "half_the_space_up_to_4_d",
     [](const Primitives& subject) {
       holds_exactly(half_is_enough(every_table(std::array{0.5, 1.0, 2.0, 4.0}), subject));
     },
     {"spaces_by_a_smaller_base"},
     Exhaustive{8 * widths_of_tables}},

    {condition_of(effective_rank),
     "it_turns_once_between_6_d_and_15_d",
     [](const Primitives& subject) {
       const auto at = every("table", 2 * widths_of_tables);
       std::vector<bool> enough;
       for (const double length : {6.0, 8.0, 10.0, 12.0, 15.0})
         enough.push_back(half_is_enough(table_of(at, length), subject));
       holds_exactly(enough.front() && !enough.back() &&
                     std::ranges::is_sorted(enough, std::greater()));
     },
     {"spaces_by_a_smaller_base", "repeats_the_first_half"},
     Exhaustive{2 * widths_of_tables}},

    {necessity_of(effective_rank),
     "more_from_16_d_on",
     [](const Primitives& subject) {
       holds_exactly(!half_is_enough(every_table(std::array{16.0, 32.0}), subject));
     },
     {"repeats_the_first_half"},
     Exhaustive{4 * widths_of_tables}},

    {primitives::positions_are_sines_and_cosines,
     "at_any_width_and_position",
     [](const Primitives& subject) {
       const auto any = conventions::start_of_each_kind(64);
       domain::for_each_format([&]<class Real>() {
         auto at = any;
         at.position %= std::int64_t{1} << std::min(FormatTraits<Real>::digits, 24);
         holds(channels_share_of_bound<Real>(at, subject));
       });
     },
     {"divides_positions_by_the_root", "slices_the_other_way", "computes_positions_in_binary16",
      "raises_the_base_in_bfloat16", "rounds_inverse_frequencies", "adds_two_roundings"}},
};

namespace {

const Beliefs beliefs{
    // A program's token of RMS 1, as the paper's are at the start: as large as its position?
    {mean_square_is_half, "that_tokens_of_rms_1_are_as_large",
     [] {
       const auto at = any_place(512);
       const auto square = square_of(encoded<double>(at, Primitives{}));
       holds_exactly(std::abs(square - static_cast<long double>(at.d)) <=
                     square_bound<double>(at.d, static_cast<double>(at.d)));
     }},

    // tensor2tensor's odd widths: the last channel is 0.
    {beside(mean_square_is_half), "that_it_is_so_at_odd_widths",
     [] {
       const std::size_t d = any_even_width(4, 256, "d - 1") + 1;
       const auto position = named("position", positions());
       const auto p = encoded_odd<double>(d, position, OddWidth::zero_channel, Primitives{});
       const double half = static_cast<double>(d) / 2.0;
       holds_exactly(std::abs(square_of(p) - half) <= square_bound<double>(d, half));
     }},

    // In its own words; within a hundredth.
    {is_not_zero_mean, "that_its_mean_is_zero",
     [] {
       const auto at = any_place(512);
       holds_exactly(std::abs(mean_of(encoded<double>(at, Primitives{}))) <= 0.01L);
     }},

    // Two products at one distance, 1, with the exchange between them, at d = 2.
    {beside(product_depends_on_offset), "that_it_does_through_any_matrix",
     [] {
       const auto i = named("position", positions());
       const auto between = [](std::int64_t from) {
         const auto p = encoded<double>({.d = 2, .position = from}, Primitives{});
         const auto q = encoded<double>({.d = 2, .position = from + 1}, Primitives{});
         return product(p, exchanged(q, SinusoidalLayout::interleaved));
       };
       holds_exactly(std::abs(between(i) - between(0)) <= 0.01L);
     }},

    // One permutation for both rules, of the vectors of position 1.
    {layouts_are_permutations, "that_the_rules_are_one_up_to_order",
     [] { holds_exactly(!rules_are_no_permutation(any_even_width(4, 2048), Primitives{})); }},

    // In its own words, up to rounding: nothing is common to two positions or more.
    {constant_share, "that_nothing_is_the_same_everywhere",
     [] {
       const auto table = any_table({2, 64}, {2, 128});
       holds_exactly(measured_constant_share(table, Primitives{}) <= constant_share_bound(table));
     }},

    // At d = 4, whose last frequency is 1/100 by the paper's rule.
    {early_channels_move, "that_the_last_always_move_less",
     [] {
       const auto length = named("L", positions({2, 1024}));
       holds_exactly(
           last_channel_moves_less(measured_ends({.d = 4, .length = length}, Primitives{})));
     }},

    // A long table of few channels fills its space: 99 % of the energy in half of the directions?
    {effective_rank, "that_half_the_space_is_always_enough",
     [] {
       holds_exactly(half_is_enough(any_table({4, 16}, {1, 512}), Primitives{}));
     }},
};

}  // namespace

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::sinusoidal
