// The attempts to refute the claims about the token part, with what each has to reject; and the
// beliefs that fail. What needs draws to be seen is in draws_test.cpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../conventions/draws.hpp"
#include "../domain/formats.hpp"
#include "../precision/rounded_root.hpp"
#include "../testing/rows.hpp"
#include "balance.hpp"
#include "claims.hpp"
#include "length.hpp"
#include "rounded.hpp"
#include "sparse.hpp"
#include "table.hpp"
#include "trials.hpp"
#include "variance.hpp"

namespace embedscale::properties::embedding {

using namespace testing;

namespace {

/// A finite law of three values, which need not be symmetric.
FiniteDistribution finite_distribution() {
  const auto values = named("values", channels(3));
  const auto weights =
      each_named(positive_rationals(), "first weight", "second weight", "third weight");
  return {values, {weights.begin(), weights.end()}};
}

/// A shape of a table: any, or one at which two families have one variance.
Shape shape(std::uint64_t width) {
  const auto vocabulary = named("V", integers(domain::vocabularies));
  const bool square = named("V = d", in_range(0, 4)) == 0;
  return {square ? width : vocabulary, width};
}

}  // namespace

const Properties<Primitives> properties{
    {belief_of(root_d_restores_unit_variance),
     "moments_follow_m",
     [](const Primitives& subject) {
       const auto law = finite_distribution();
       const auto m = named("m", nonzero_rationals());
       holds_exactly(moments_follow_m(law, m, subject));
     },
     {"looks_up_with_d", "looks_up_around_1", "clips_the_row", "looks_up_wrong_at_one_factor"},
     2},
    {belief_of(root_d_restores_unit_variance),
     "variance_is_1_for_every_family",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, std::uint64_t{1} << 20}));
       for (const auto& law : laws_of_inverse_width(d))
         domain::for_each_format(
             [&]<class Real>() { holds(unit_variance_share<Real>(law, d, subject)); });
     },
     {"takes_the_range_for_the_deviation", "takes_the_nominal_deviation",
      "takes_the_root_of_one_more", "takes_the_root_in_bfloat16", "takes_a_root_high_by_48_digits",
      "gives_a_variance_high_by_48_digits"}},
    /// Every width, in every format.
    {root_d_restores_unit_variance,
     "variance_is_1_at_squares_alone",
     [](const Primitives& subject) {
       const auto d = 1 + every("d - 1", 16384);
       const auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(d)));
       domain::for_each_format([&]<class Real>() {
         const auto m = static_cast<double>(subject.of<Real>().root(d));
         holds_exactly((precision::rounded_root::error_of_root(m, d) == 0) == (root * root == d));
       });
     },
     {"takes_the_root_of_one_more", "takes_a_root_high_by_48_digits"},
     Exhaustive{16384}},
    {small_tables_stay_dominated,
     "energy_is_two_m_squared_sigma_squared",
     [](const Primitives& subject) {
       const auto at = conventions::start(256);
       const auto sigma = named("sigma", scales());
       const double m = conventions::multiplier(at.d);
       // Twice the ratio's, whose higher orders it has room for, and 5u for two squares and three
       // products and the comparison.
       const double bound =
           2.0 * conventions::rounding_of_ratio<double>(at.d) + 6.0 * unit_roundoff<double>;
       const double stated = 2.0 * (m * sigma) * (m * sigma);
       holds(std::abs(energy_ratio(sigma, m, at, subject) / stated - 1.0) / bound);
     },
     {"looks_up_with_d", "brings_tokens_to_1", "positions_of_sines_alone", "positions_scaled_down",
      "scales_rows_high_by_45_digits"}},
    /// σ√(2d) around 2^k, off it by a part in 2^j: at k = 0 the factor just makes up, or does not.
    {condition_of(small_tables_stay_dominated),
     "positions_dominate_below_the_break_even",
     [](const Primitives& subject) {
       const auto at = conventions::start(256);
       const auto [k, below, times] = conventions::beside_a_power(-2, 3);
       const bool bare = named("without the factor", in_range(0, 2)) != 0;
       covers("just too narrow", below && k == 0, 0.06);
       covers("just wide enough", !below && k == 0, 0.06);
       const double width = bare ? 1.0 : static_cast<double>(at.d);
       holds_exactly(break_even_decides(times / std::sqrt(2.0 * width), at, subject));
     },
     {"looks_up_bare", "takes_the_root_in_bfloat16", "takes_a_root_high_by_39_digits"}},
    /// Every eighth width up to 16384.
    {belief_of(small_tables_stay_dominated),
     "a_hundredth_is_made_up_for_from_width_5000",
     [](const Primitives& subject) {
       holds_exactly(makes_up_for_a_hundredth(5000 + 8 * every("(d - 5000)/8", 1424), subject));
     },
     {"looks_up_bare", "brings_tokens_to_1"},
     Exhaustive{1424}},
    {necessity_of(small_tables_stay_dominated),
     "a_hundredth_is_not_made_up_for_below",
     [](const Primitives& subject) {
       holds_exactly(!makes_up_for_a_hundredth(8 + 8 * every("(d - 8)/8", 624), subject));
     },
     {"looks_up_with_d"},
     Exhaustive{624}},
    /// The tokens' energy is multiplied by m², the positions' stays, of any vectors; and the input
    /// is the sum of its parts.
    {balances_the_two_parts,
     "the_factor_divides_the_positions_share",
     [](const Primitives& subject) {
       const auto e = named("e", channels(2));
       const auto p = named("p", channels(2));
       const auto m = named("m", nonzero_rationals());
       const auto& input = subject.of<Rational>().input;
       std::vector<Rational> token, position;
       for (std::size_t j = 0; j < e.size(); ++j) {
         token.push_back(input(e[j], 0, m)), position.push_back(input(0, p[j], m));
         holds_exactly(input(e[j], p[j], m) == m * e[j] + p[j]);
       }
       holds_exactly(dot<Rational>(token, token) == m * m * dot<Rational>(e, e));
       holds_exactly(dot<Rational>(position, position) == dot<Rational>(p, p));
     },
     {"scales_positions_too", "adds_bare_tokens", "adds_with_the_size_of_m",
      "adds_wrong_at_one_factor"}},
    /// |m|σ/s around 2^k, off it by a part in 2^j: balance ends at k = −1 and at k = 1.
    {balances_the_two_parts,
     "balanced_from_half_to_twice_the_quotient",
     [](const Primitives& subject) {
       const auto d = named("d", widths({1, 256}));
       const auto sigma = named("sigma", scales());
       const auto s = named("s", scales());
       const auto [k, below, times] = conventions::beside_a_power(-2, 3);
       covers("at an end, below", below && (k == -1 || k == 1), 0.1);
       covers("at an end, above", !below && (k == -1 || k == 1), 0.1);
       holds_exactly(interval_decides_balance(sigma, s, s / sigma * times, d, subject));
     },
     {"brings_tokens_to_1", "scales_positions_too", "scales_rows_high_by_40_digits"}},
    /// Every width up to 1024, and those around 4: nothing is in doubt, as the factor is 2 at
    /// d = 4, and √5 is far from it.
    {balances_the_two_parts,
     "equal_laws_are_balanced_up_to_width_4",
     [](const Primitives& subject) {
       const auto any = named("d", widths());
       const auto few = named("small d", widths({1, 8}));
       const auto sigma = named("sigma", scales());
       for (const auto d : {any, few}) {
         const double m = subject.of<double>().root(d);
         holds_exactly(is_balanced(ratio_to_table(sigma, sigma, m, d, subject)) == (d <= 4));
       }
     },
     {"looks_up_with_d", "takes_the_root_of_one_more", "scales_rows_high_by_40_digits"}},
    {depends_on_initialisation,
     "rms_is_that_of_the_family",
     [](const Primitives& subject) {
       const auto table = shape(named("d", widths({1, 256})));
       const auto sigma = named("sigma", scales());
       for (const auto family : families)
         holds(family_share_of_bound(family, table, sigma, subject));
     },
     {"brings_tokens_to_1", "counts_the_vocabulary_alone", "takes_the_range_for_the_deviation",
      "takes_the_nominal_deviation", "gives_a_variance_high_by_48_digits"}},
    /// σ = 2^−k, or 1/√(2·4^k), and d or V + d to match, in part of the cases.
    {depends_on_initialisation,
     "two_families_meet_where_stated",
     [](const Primitives& subject) {
       const auto any = named("d", integers(domain::table_widths));
       const int k = named("k", in_range(0, 8));
       const bool matched = named("d = 4^k", in_range(0, 4)) == 0;
       const auto width = matched ? std::uint64_t{1} << (2 * k) : any;
       auto table = shape(width);
       if (named("V + d = 2 4^k", in_range(0, 4)) == 0 && matched) table.vocabulary = width;
       const Rational sigma = Rational(1) / (1 << k);
       covers("sigma is 1/root d", matched, 0.15);
       covers("V equals d", table.vocabulary == table.d, 0.15);
       for (const auto one : families)
         for (const auto other : families)
           holds_exactly(meet_where_stated(one, other, table, sigma, subject));
     },
     {"takes_the_nominal_deviation", "counts_the_vocabulary_alone", "gives_uniform_tables_more"}},
    /// In every format, tables of any numbers and V up to 64.
    {belief_of(lookup_has_unit_fan_in),
     "one_hot_times_table_is_a_row",
     [](const Primitives& subject) {
       const auto vocabulary = named("V", widths({1, 64}));
       const auto token = named("token", draws()) % vocabulary;
       const auto i = named("table", draws());
       const Stream stream(vocabulary, "tables");
       covers("first row", token == 0, 0.02);
       covers("last row", token + 1 == vocabulary, 0.02);
       domain::for_each_format([&]<class Real>() {
         std::vector<Real> values;
         for (std::size_t j = 0; j < 2 * vocabulary; ++j)
           values.push_back(domain::any_float<Real>(stream, i + j, domain::finite_floats));
         holds_exactly(one_hot_is_row(EmbeddingTable<Real>(vocabulary, 2, values), token, subject));
       });
     },
     {"averages_over_the_vocabulary", "adds_every_row", "leaves_the_first_token_out",
      "smooths_the_input", "multiplies_one_ulp_high"}},
    /// Vocabularies of real models: first, middle and last token, in every format.
    {belief_of(lookup_has_unit_fan_in),
     "one_hot_times_a_large_table_is_a_row",
     [](const Primitives& subject) {
       constexpr std::array<std::size_t, 6> all{100, 1000, 10'000, 32'000, 50'257, 256'000};
       const auto i = every("table, token and format", 72);
       const auto vocabulary = all[i / 12];
       const std::size_t token = std::array{std::size_t{0}, vocabulary / 2, vocabulary - 1}[i % 3];
       const Stream stream(vocabulary, "large tables");
       std::uint64_t format = 0;
       domain::for_each_format([&]<class Real>() {
         if (format++ != i / 3 % 4) return;
         std::vector<Real> values;
         for (std::size_t k = 0; k < 2 * vocabulary; ++k)
           values.push_back(static_cast<Real>(2.0 * stream.uniform(k) - 1.0));
         holds_exactly(one_hot_is_row(EmbeddingTable<Real>(vocabulary, 2, values), token, subject));
       });
     },
     {"averages_over_the_vocabulary", "leaves_the_first_token_out", "multiplies_one_ulp_high"},
     Exhaustive{72}},
    {belief_of(lookup_has_unit_fan_in),
     "variance_is_sigma_squared_per_square",
     [](const Primitives& subject) {
       const auto vocabulary = named("V", in_range<std::size_t>(1, 5));
       const auto x = named("x", channels(vocabulary));
       const auto sigma = named("sigma", positive_rationals());
       holds_exactly(variance_over_tables(x, sigma, subject) ==
                     sigma * sigma * dot<Rational>(x, x));
     },
     {"averages_over_the_vocabulary", "adds_every_row", "leaves_the_first_token_out",
      "smooths_the_input"},
     20},
    {norm_concentrates,
     "squared_length_spreads_by_kurtosis",
     [](const Primitives& subject) {
       const auto law = finite_distribution();
       const auto d = named("d", in_range<std::size_t>(1, 4));
       const auto m = named("m", nonzero_rationals());
       covers("several channels", d > 1, 0.4);
       holds_exactly(squared_length_spreads_as_stated(law, d, m, subject));
     },
     {"looks_up_with_d", "clips_the_row", "looks_up_all_but_the_last",
      "looks_up_wrong_at_one_factor"},
     20},
    {norm_concentrates,
     "kurtosis_is_that_of_the_law",
     [](const Primitives& subject) {
       const auto law = named("law", laws());
       covers("truncated", std::holds_alternative<TruncatedNormal>(law.initializer), 0.1);
       // In u, for the cut law, the worst: E e⁴ 15 (initializer_test) and four products, E e² 4
       // and two, twice, and its square; the quotient, κ, the comparison: 35, and one for higher
       // orders.
       const double ratio = kurtosis(law.initializer, subject) / stated_kurtosis(law.initializer);
       holds(std::abs(ratio - 1.0) / (36.0 * unit_roundoff<double>));
     },
     {"takes_the_nominal_deviation", "gives_a_fourth_moment_high"}},
    /// A drawn row, and a deviation that puts it beside the position's length.
    {norm_concentrates,
     "shorter_where_the_chi_squared_is_small",
     [](const Primitives& subject) {
       const auto at = conventions::start(64);
       const auto i = named("row", draws());
       const int j = named("j", in_range(0, 41));
       const bool below = named("below", in_range(0, 2)) != 0;
       const double m = conventions::multiplier(at.d);
       std::vector<double> z;
       double squares = 0;
       for (std::size_t k = 0; k < at.d; ++k) {
         z.push_back(Stream(at.d, "lengths").normal(i + k));
         squares += z.back() * z.back();
       }
       covers("shorter", below, 0.3);
       covers("longer", !below, 0.3);
       const double edge = std::sqrt(static_cast<double>(at.d) / (2.0 * squares)) / std::abs(m);
       const double sigma = edge * (1.0 + std::ldexp(below ? -0.5 : 0.5, -j));
       holds_exactly(shorter_where_stated(z, sigma, m, at, subject));
     },
     {"looks_up_bare", "brings_tokens_to_1", "positions_of_sines_alone",
      "scales_rows_high_by_40_digits"},
     3},
    {gradient_scale,
     "is_m_times_the_sum_of_slopes",
     [](const Primitives& subject) {
       const auto entries = named("table", channels(6));
       const auto c = named("curvature", rationals());
       Batch batch{{}, named("w", channels(6)), c};
       for (const char* name : {"first token", "second token", "third token"})
         batch.tokens.push_back(named(name, in_range<std::size_t>(0, 3)));
       const auto entry = named("entry", in_range<std::size_t>(0, 6));
       const auto m = named("m", nonzero_rationals());
       const auto times = std::count(batch.tokens.begin(), batch.tokens.end(), entry / 2);
       covers("token not looked up", times == 0, 0.15);
       covers("token looked up once", times == 1, 0.2);
       covers("token looked up twice", times == 2, 0.1);
       holds_exactly(gradient_is_of_the_loss(entries, 2, batch, entry, m, subject));
     },
     {"detaches_the_factor", "keeps_the_last_position", "divides_by_the_frequency",
      "decays_every_row", "clips_large_slopes", "gives_the_last_gradient_high"},
     10},
    /// A token that occurs up to 64 times, slopes of either sign and of many sizes.
    {gradient_scale,
     "rounds_within_n_u",
     [](const Primitives& subject) {
       const auto n = named("n", in_range<std::size_t>(1, 65));
       const auto d = named("d", widths());
       const auto i = named("slopes", draws());
       const Stream stream(d, "slopes");
       in_each_format<float, binary16, bfloat16>([&]<class Real>() {
         std::vector<Real> slopes;
         for (std::size_t k = 0; k < n; ++k)
           slopes.push_back(static_cast<Real>(stream.normal(i + k) *
                                              std::exp2(-8.0 * stream.uniform(i + k, 1))));
         holds(gradient_share_of_bound(slopes, subject.of<Real>().root(d), subject));
       });
     },
     {"detaches_the_factor", "keeps_the_last_position", "sums_gradients_in_bfloat16"}},
    {tables_give_their_products,
     "in_each_format",
     of_one_format<double, float, binary16, bfloat16>([]<class Real>(const Operations<Real>& of) {
       const auto in = primitives::rounding_of<Real>();
       judge_look_up<Real>(of.look_up);
       judge_input<Real>(of.input);
       const auto d = named("d of the root", widths_by_size({1, 1 << 15}));
       judge("root", primitives::root(in, d), [&] { return std::vector{of.root(d)}; });
       const auto width = named("channels", in_range<std::size_t>(1, 4));
       const auto n = drawn_width<Real>(1, 256);
       const auto [x, rows] = drawn_products<Real>(n, width);
       judge("product", primitives::weighted_sum(in, primitives::wide(x), primitives::wide(rows)),
             [&, &x = x, &rows = rows] {
               std::vector<Real> out(width);
               of.multiply(EmbeddingTable<Real>(n, width, rows), x, out);
               return out;
             });
       // m·Σ slopes, of one token that occurs n times.
       const auto m = drawn_number<Real>(Stream(named("m", draws()), "m"), 0, 6);
       const std::vector<Real> factors(n, m);
       judge("table gradient",
             primitives::scaled_products(in, primitives::wide(factors), primitives::wide(x), {},
                                         primitives::Wide(1)),
             [&, &x = x] {
               const std::vector<std::size_t> tokens(n, 0);
               std::vector<Real> gradient(1, Real(0));
               of.add_look_up_gradient(tokens, x, m, 1, gradient);
               return gradient;
             });
     }),
     {"root_is_0", "multiply_is_0", "look_up_is_0", "input_is_0", "add_look_up_gradient_is_0",
      "adds_bare_tokens", "looks_up_bare", "looks_up_with_d", "detaches_the_factor",
      "keeps_the_last_position"}},
    {primitives::multiplier_is_the_rounded_root,
     "in_each_format",
     [](const Primitives& subject) {
       const auto d = named("d", widths({1, std::uint64_t{1} << 20}));
       domain::for_each_format(
           [&]<class Real>() { holds_exactly(is_nearest_to_the_root<Real>(d, subject)); });
     },
     {"forgets_the_root", "multiplies_by_one_percent_more", "takes_the_root_in_bfloat16",
      "cuts_the_root_off"}},
    /// Entries of 2^−16 to 2^16: the largest overflow binary16 when they are multiplied.
    {primitives::look_up_rounds_once,
     "in_each_format",
     [](const Primitives& subject) {
       const auto d = named("d", widths({1, 64}));
       const auto i = named("row", draws());
       const int exponent = named("exponent", in_range(-16, 16));
       const Stream stream(i, "a row");
       const auto look_up = [&]<class Real>() {
         std::vector<Real> row;
         for (std::size_t j = 0; j < d; ++j)
           row.push_back(static_cast<Real>(std::ldexp(2.0 * stream.uniform(j) - 1.0, exponent)));
         holds_exactly(rounds_once(EmbeddingTable<Real>(1, d, row), 0, subject));
       };
       covers("may overflow binary16",
              std::ldexp(std::sqrt(static_cast<double>(d)), exponent) > 65520.0, 0.02);
       domain::for_each_format(look_up);
     },
     {"looks_up_bare", "scales_down_in_binary16", "embeds_by_the_unrounded_root", "saturates"}},
    {primitives::draws_are_of_their_law,
     "of_two_laws",
     [](const Primitives& subject) {
       const auto of_tokens = named("tokens", laws());
       const auto of_positions = named("positions", laws());
       const auto i = named("draw", draws());
       covers("cut", std::holds_alternative<TruncatedNormal>(of_tokens.initializer), 0.1);
       covers("of a fan", of_tokens.initializer.index() > 2, 0.2);
       holds(draws_share_of_bound(of_tokens.initializer, of_positions.initializer,
                                  Stream(0, "draws"), i, subject));
     },
     {"draws_a_tenth", "takes_the_scale_for_the_mean", "takes_the_vocabulary_for_the_fan_in",
      "swaps_the_laws", "clamps_the_cut", "draws_slightly_more"}},
    {primitives::draws_are_of_their_law,
     "of_a_table_in_each_format",
     [](const Primitives& subject) {
       const auto point = every("4 of the distribution + format", 20);
       const auto& of = table_distributions[static_cast<std::size_t>(point) / 4];
       std::size_t place = 0;
       in_each_format<double, float, binary16, bfloat16>([&]<class Real>() {
         if (place++ != static_cast<std::size_t>(point) % 4) return;
         const auto [repeat, differ, rows_differ, in_range, share] =
             drawn_tables<Real>(of, subject);
         holds_exactly(repeat);
         holds_exactly(differ);
         holds_exactly(rows_differ);
         holds_exactly(in_range);
         holds(share);
       });
     },
     {"initialise_is_0", "initialises_with_the_deviation_for_the_limit",
      "initialises_by_the_sum_of_fans", "initialises_around_the_scale", "initialises_by_clamping",
      "initialises_whatever_the_seed", "initialises_without_a_seed", "initialises_rows_twice",
      "initialises_a_tenth_too_wide"},
     Exhaustive{20}},
};

const Beliefs beliefs{
    /// A table of 0.01 times √d beside a sinusoid at position 0.
    {small_tables_stay_dominated, "that_the_factor_is_enough",
     [] {
       const auto d = named("d", even_widths(1, 1024));
       holds_exactly(energy_ratio(0.01, root_multiplier<double>(d), {d, 0}, Primitives{}) >= 1.0);
     }},
    /// Learned positions of the tokens' own law, as BERT's and many others are.
    {balances_the_two_parts, "that_root_d_balances_learned_positions",
     [] {
       const auto d = named("d", widths());
       const auto sigma = named("sigma", scales());
       holds_exactly(
           is_balanced(ratio_to_table(sigma, sigma, root_multiplier<double>(d), d, Primitives{})));
     }},
    /// Any two families, nominal σ = 1/50.
    {depends_on_initialisation, "that_the_law_does_not_matter",
     [] {
       const auto d = named("d", widths());
       const auto vocabulary = named("V", integers(domain::vocabularies));
       const auto one = named("family", in_range<std::size_t>(0, 6));
       const auto other = named("beside", in_range<std::size_t>(0, 6));
       holds_exactly(
           families_meet(families[one], families[other], {vocabulary, d}, 0.02, Primitives{}));
     }},
    /// A rule for dense layers, variance V·σ² of each output, read as one for tables.
    {beside(lookup_has_unit_fan_in), "that_the_variance_grows_with_the_vocabulary",
     [] {
       const auto vocabulary = named("V", in_range<std::size_t>(1, 5));
       std::vector<Rational> x(vocabulary);
       x[0] = 1;
       holds_exactly(variance_over_tables(x, 1, Primitives{}) == Rational(vocabulary));
     }},
    /// In its own words: the length deviates, relatively, as much as the size of an entry does.
    {norm_concentrates, "that_lengths_are_as_random_as_entries",
     [] {
       const auto d = named("d", widths());
       holds_exactly(expected::relative_length_deviation(d) >=
                     expected::relative_length_deviation(1));
     }},
    /// In its own words, of the large ones: what is above 1 gets no larger by √d, d = k².
    {gradient_scale, "that_large_gradients_get_no_larger",
     [] {
       const auto slope = named("dL/dx", in_range(1, 100));
       const auto k = named("root d", in_range(1, 128));
       holds_exactly(gradient_of_entry<Rational>({slope}, k, Primitives{}) <= slope);
     }},
};

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::embedding
