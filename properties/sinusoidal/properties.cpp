// The attempts to refute the claims about one position and about two, with what each has to reject;
// and the beliefs that fail.
#include <cmath>

#include "claims.hpp"
#include "places.hpp"
#include "trials.hpp"
#include "two_positions.hpp"

namespace embedscale::properties::sinusoidal {

using namespace testing;

namespace {

const Properties<Primitives> position_properties{
    // In the narrow formats where the position is a number of theirs.
    {stays_within_one,
     "in_each_format",
     [](const Primitives& subject) {
       const auto at = any_place(256);
       covers_variants(at);
       covers("position 0", at.position == 0, 0.02);
       holds(largest_magnitude<double>(at, subject));
       holds(largest_magnitude<float>(at, subject));
       if (at.position >= 1 << 15) return;
       holds(largest_magnitude<binary16>(at, subject));
       holds(largest_magnitude<bfloat16>(at, subject));
     },
     {"has_unit_rms", "approximates_sines", "turns_by_powers", "is_one_ulp_too_large"}},

    {mean_square_is_half,
     "at_every_position",
     [](const Primitives& subject) {
       const auto at = any_place(512);
       covers_variants(at);
       holds(square_share_of_bound<double>(at, subject));
       holds(square_share_of_bound<float>(at, subject));
       if (at.position < 1 << 15) holds(square_share_of_bound<binary16>(at, subject));
     },
     {"divides_positions_by_root_width", "slices_halves_wrongly", "pairs_two_frequencies",
      "rounds_entries_to_binary16", "turns_by_powers", "grows_by_52_digits"}},

    // The three things that public programs do with an odd width.
    {mean_square_is_half,
     "odd_widths_lose_a_channel",
     [](const Primitives& subject) {
       const std::size_t d = any_even_width(4, 256, "d - 1") + 1;
       const auto position = named("position", positions());
       for (const auto way :
            {OddWidth::zero_channel, OddWidth::sine_alone, OddWidth::cosine_overwritten})
         holds(odd_square_share_of_bound<double>(d, position, way, subject));
     },
     {"has_unit_rms", "pairs_two_frequencies", "counts_positions_from_one", "grows_by_52_digits"}},

    {is_not_zero_mean,
     "variance_is_half_less_the_squared_mean",
     [](const Primitives& subject) {
       const auto at = any_place(512);
       covers_variants(at);
       holds(variance_share_of_bound<double>(at, subject));
       holds(variance_share_of_bound<float>(at, subject));
     },
     {"centres_each_vector", "slices_halves_wrongly", "rounds_entries_to_binary16",
      "grows_by_50_digits"}},

    // Positions that are small beside the width, where the bound says something.
    {is_not_zero_mean,
     "mean_tends_to_the_integral",
     [](const Primitives& subject) {
       const auto at = any_place(1024, {0, 1 << 10});
       const auto p = static_cast<double>(at.position), d = static_cast<double>(at.d);
       covers_variants(at);
       covers("bound below an eighth", expected::mean_distance_bound(p, d) < 0.125, 0.2);
       holds(limit_share_of_bound<double>(at, subject));
       if (at.position == 0) holds_exactly(mean_of(encoded<double>(at, subject)) == 0.5L);
     },
     {"standardises_each_vector", "spaces_by_a_smaller_base", "counts_positions_from_one",
      "adds_52_digits_to_the_last"}},

    {shift_is_linear,
     "by_the_rotation_of_the_shift",
     [](const Primitives& subject) {
       const auto at = any_place(256);
       const auto shift = named("shift", positions());
       const bool back = named("back", in_range(0, 2)) != 0;
       covers_variants(at);
       covers("back", back, 0.25);
       covers("on", !back, 0.25);
       const std::int64_t delta = back ? -shift : shift;
       holds(shift_share_of_bound<double>(at, delta, subject));
       holds(shift_share_of_bound<float>(at, delta, subject));
     },
     {"pairs_two_frequencies", "subtracts_position_zero", "clips_positions", "centres_each_vector",
      "counts_positions_from_one", "rounds_entries_to_binary16", "turns_odd_positions_by_52_digits",
      "adds_51_digits_to_the_last"}},

    // In 50 decimal digits, of which an angle below 2^18 leaves at least 44 behind the point.
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
     {"clips_positions", "subtracts_position_zero", "turns_odd_positions_by_150_digits"},
     10},

    {product_depends_on_offset,
     "is_a_sum_of_cosines",
     [](const Primitives& subject) {
       const auto at = any_place(256);
       const auto other = named("other position", positions());
       covers_variants(at);
       holds(product_share_of_bound<double>(at, other, Between::nothing, subject));
       holds(product_share_of_bound<float>(at, other, Between::nothing, subject));
     },
     {"has_unit_rms", "clips_positions", "pairs_two_frequencies", "centres_each_vector",
      "knows_one_rule", "rounds_frequencies_to_binary32", "grows_by_52_digits",
      "turns_faster_by_51_digits"}},

    {product_depends_on_offset,
     "with_an_exchange_it_depends_on_the_sum",
     [](const Primitives& subject) {
       const auto at = any_place(256);
       const auto other = named("other position", positions());
       covers_variants(at);
       holds(product_share_of_bound<double>(at, other, Between::exchange, subject));
     },
     {"counts_positions_from_one", "slices_halves_wrongly", "rounds_frequencies_to_binary32",
      "adds_51_digits_to_the_last"}},

    {layouts_are_permutations,
     "of_the_same_bits",
     [](const Primitives& subject) {
       const auto at = any_place(512);
       covers_variants(at);
       holds_exactly(layouts_are_permuted<double>(at, subject));
       holds_exactly(layouts_are_permuted<float>(at, subject));
     },
     {"slices_halves_wrongly", "swaps_the_last_pair_of_halves", "halves_err_by_an_ulp"}},

    // Each even width from 4 to 2048.
    {layouts_are_permutations,
     "rules_are_none_of_each_other",
     [](const Primitives& subject) {
       const std::size_t d = 4 + 2 * every("(d - 4)/2", 1023);
       holds_exactly(rules_are_no_permutation(d, subject));
     },
     {"knows_one_rule", "rules_meet_to_38_digits"},
     Exhaustive{1023}},

    {layouts_are_permutations,
     "rules_differ_as_in_closed_form",
     [](const Primitives& subject) {
       const auto d = any_even_width(4, 256);
       const auto position = named("position", positions());
       const auto layout = any_layout();
       covers("interleaved", layout == SinusoidalLayout::interleaved, 0.25);
       covers("halves", layout == SinusoidalLayout::halves, 0.25);
       holds(rules_difference_share_of_bound(d, position, layout, subject));
     },
     {"knows_one_rule", "spaces_by_a_smaller_base", "slices_halves_wrongly",
      "rounds_frequencies_to_binary32", "turns_faster_by_50_digits"},
     3},
};

const Beliefs position_beliefs{
    // A program's token of RMS 1, as the paper's are at the start: as large as its position?
    {mean_square_is_half, "that_tokens_of_rms_1_are_as_large",
     [] {
       const auto at = any_place(512);
       const auto square = square_of(encoded<double>(at, Primitives{}));
       holds_exactly(std::abs(square - static_cast<long double>(at.d)) <=
                     square_bound<double>(at.d, static_cast<double>(at.d)));
     }},

    // tensor2tensor's odd widths: the last channel is 0.
    {mean_square_is_half, "that_it_is_so_at_odd_widths",
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
    {product_depends_on_offset, "that_it_does_through_any_matrix",
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
};

template <class Row>
std::vector<Row> joined(std::vector<Row> rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace

const Properties<Primitives> properties = joined(position_properties, table_properties());

Trials trials() {
  return trials_of(properties, mutants, joined(position_beliefs, table_beliefs()));
}

}  // namespace embedscale::properties::sinusoidal
