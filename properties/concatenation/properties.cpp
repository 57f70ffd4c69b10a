// The attempts to refute the claims about sums, cosines, readers and costs, with what each has to
// reject; and the beliefs that fail.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "../domain/formats.hpp"
#include "../testing/rows.hpp"
#include "claims.hpp"
#include "costs.hpp"
#include "reader.hpp"
#include "trials.hpp"

namespace embedscale::properties::concatenation {

using namespace testing;

namespace {

/// Three rows that may share channels, so that each channel matters in some case; one of them, and
/// a position.
struct Reading {
  EmbeddingTable<Rational> table;
  std::size_t token;
  std::vector<Rational> p;
};
Reading small_reading() {
  const auto d = named("d", in_range<std::size_t>(1, 4));
  const auto base = named("row 0", channels(d));
  auto rows = base;
  for (const char* name : {"row 1", "row 2"}) {
    const auto other = named(name, channels(d));
    for (std::size_t j = 0; j < d; ++j)
      rows.push_back(named("own channel", in_range(0, 2)) != 0 ? other[j] : base[j]);
  }
  const auto token = named("token", in_range<std::size_t>(0, 3));
  return {{3, d, rows}, token, named("p", channels(d))};
}

Shape small_shape() {
  using Joining = Shape::Joining;
  const auto number = [](const char* name, std::uint64_t least, std::uint64_t most) {
    return named(name, in_range(least, most + 1));
  };
  const bool sum = number("a sum", 0, 1) != 0;
  const auto d_t = number("d_t", 1, 4), d_p = sum ? d_t : number("d_p", 1, 4);
  covers("a sum", sum, 0.3);
  covers("a concatenation", !sum, 0.3);
  return {sum ? Joining::sum : Joining::concatenation, number("V", 1, 6), number("L", 1, 5), d_t,
          d_p};
}

}  // namespace

const Properties<Primitives> properties{

    {belief_of(is_a_padded_sum),
     "at_every_token_and_position",
     [](const Primitives& subject) {
       const auto [of_tokens, of_positions] = each_named(in_range<std::size_t>(0, 4), "d_t", "d_p");
       const auto tokens = each_named(channels(of_tokens), "token 0", "token 1");
       const auto positions = each_named(channels(of_positions), "position 0", "position 1");
       covers("both parts have channels", of_tokens > 0 && of_positions > 0, 0.3);
       for (const auto& e : tokens)
         for (const auto& p : positions) {
           auto meant = e;
           meant.insert(meant.end(), p.begin(), p.end());
           const auto [appended, summed] = both_inputs<Rational>(e, p, subject);
           holds_exactly(appended == meant && summed == meant);
         }
     },
     {"appends_the_token", "pads_with_almost_nothing"}},

    {belief_of(is_a_padded_sum),
     "to_the_bit_in_every_format",
     [](const Primitives& subject) {
       const auto [of_tokens, of_positions] = each_named(in_range<std::size_t>(0, 6), "d_t", "d_p");
       const Stream stream(named("channels", draws()), "channels");
       domain::for_each_format(
           [&, of_tokens = of_tokens, of_positions = of_positions]<class Real>() {
             const auto e = floats_of<Real>(stream, 0, of_tokens, domain::finite_floats);
             const auto p = floats_of<Real>(stream, 6, of_positions, domain::finite_floats);
             const auto [appended, summed] = both_inputs<Real>(e, p, subject);
             auto meant = e;
             meant.insert(meant.end(), p.begin(), p.end());
             const auto same_bits = [](const Real& x, const Real& y) {
               return domain::bits_of(x) == domain::bits_of(y);
             };
             bool any = false;
             for (std::size_t j = 0; j < meant.size(); ++j) {
               const bool negative_zero = same_bits(meant[j], Real(-0.0));
               any = any || negative_zero;
               holds_exactly(same_bits(appended[j], meant[j]));
               holds_exactly(same_bits(summed[j], negative_zero ? Real(0) : meant[j]));
               holds_exactly(same_bits(subject.of<Real>().sum(meant[j], Real(-0.0)), meant[j]));
             }
             covers("a negative zero", any, 0.08);
           });
     },
     {"flushes_sums_to_zero", "sums_zeros_to_minus_zero", "copies_zeros_as_plus"}},

    {sum_is_a_tied_concatenation,
     "at_any_weights",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::size_t>(1, 5));
       const auto [w, e, p] = each_named(channels(d), "w", "e", "p");
       Rational meant = 0;
       for (std::size_t j = 0; j < d; ++j) meant += w[j] * (e[j] + p[j]);
       const auto [of_sum, of_tied] = both_outputs<Rational>(w, e, p, subject);
       holds_exactly(of_sum == meant && of_tied == meant);
     },
     {"ties_in_reverse", "leaves_the_last_term_out", "ties_almost"}},

    /// Widths up to 32, the largest for which 8du <= 1 in bfloat16; sizes near 1, where sums cancel
    /// and rounding shows.
    {sum_is_a_tied_concatenation,
     "within_the_bound_of_two_sums",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::size_t>(1, 33));
       const Stream stream(named("channels", draws()), "channels");
       covers("one channel", d == 1, 0.01);
       domain::for_each_format([&]<class Real>() {
         const auto w = floats_of<Real>(stream, 0, d, near_1());
         const auto e = floats_of<Real>(stream, 32, d, near_1());
         const auto p = floats_of<Real>(stream, 64, d, near_1());
         holds_exactly(stays_finite(w, e, p));
         holds(share_of_bound(w, e, p, subject));
       });
     },
     {"projects_in_six_digits", "adds_eight_ulps_to_long_sums"}},

    /// Any size a format has: underflow is in the bound, overflow is outside of the claim.
    {sum_is_a_tied_concatenation,
     "within_the_bound_at_every_size",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::size_t>(1, 9));
       const Stream stream(named("channels", draws()), "channels");
       // Half of binary64's smallest subnormal is no number of binary64, in which the measure adds
       // up.
       const auto judge = [&]<class Real>() {
         const auto w = floats_of<Real>(stream, 0, d, domain::finite_floats);
         const auto e = floats_of<Real>(stream, 8, d, domain::finite_floats);
         const auto p = floats_of<Real>(stream, 16, d, domain::finite_floats);
         const bool inside = stays_finite(w, e, p);
         covers("in range of " + std::string(FormatTraits<Real>::name), inside, 0.1);
         if (inside) holds(share_of_bound(w, e, p, subject));
       };
       in_each_format<float, binary16, bfloat16>(judge);
     },
     {"projects_in_six_digits", "flushes_sums_to_zero"}},

    /// cos²(e, p) has the mean 1/d over all signs of the channels of e and all its rotations. A law
    /// of independent channels that are alike and symmetric about 0 does not change under these
    /// 2^d·d maps: if the mean over them is 1/d at every e != 0, it is 1/d under every such law.
    /// Whole numbers keep the fractions short; with them the identity holds for all rationals, as
    /// both sides do not change when e or p is scaled.
    {parts_are_nearly_orthogonal,
     "mean_square_over_symmetries_is_one_over_d",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::size_t>(1, 4));
       const auto vector = [&](const char* name) {
         const auto first = named(std::string(name) + "_0", in_range(1, 7));
         std::vector<Rational> out{Rational(first)};
         for (std::size_t j = 1; j < d; ++j) out.push_back(Rational(named(name, in_range(-6, 7))));
         return out;
       };
       const auto e = vector("e"), p = vector("p");
       covers("two channels or more", d > 1, 0.4);
       const std::uint64_t signs = 1ull << d;
       Rational sum = 0;
       for (std::uint64_t shift = 0; shift < d; ++shift)
         for (std::uint64_t sign = 0; sign < signs; ++sign) {
           std::vector<Rational> mapped;
           for (std::uint64_t j = 0; j < d; ++j) {
             const Rational& channel = e[(j + shift) % d];
             mapped.push_back((sign >> j) % 2 == 0 ? channel : -channel);
           }
           sum += subject.of<Rational>().squared_cosine(mapped, p);
         }
       holds_exactly(sum == Rational(signs));  // 2^d·d maps, times 1/d
     },
     {"squares_one_length", "halves_what_starts_above_zero", "leans_to_the_first_channel"}},

    {condition_of(parts_are_nearly_orthogonal),
     "from_its_first_width_on",
     [](const Primitives& subject) {
       const std::uint64_t d = 2 + every("d - 2", 16383);
       holds_exactly((subject.cosine_within(d, nearly) >= nearly_always) ==
                     (d >= first_orthogonal_width));
     },
     {"takes_the_cosine_for_normal", "counts_one_channel_more"},
     Exhaustive{16383}},

    {first_channels_unusable,
     "with_the_position_none_is_misread",
     [](const Primitives& subject) {
       const auto [table, token, p] = small_reading();
       bool distinct = true;
       for (std::size_t v = 0; v < 3; ++v)
         distinct = distinct && (v == token || !std::ranges::equal(table.row(v), table.row(token)));
       covers("a row of its own", distinct, 0.3);
       if (distinct) holds_exactly(reads_with_position(table, token, p, subject));
     },
     {"keeps_the_position", "takes_almost_the_position", "overlooks_the_last_channel"}},

    /// It errs where a row is nearer to x than the right one, which is ‖p‖ away, and does not where
    /// all others are farther.
    {first_channels_unusable,
     "without_it_where_another_row_is_nearer",
     [](const Primitives& subject) {
       const auto [table, token, p] = small_reading();
       std::vector<Rational> meant(p);
       for (std::size_t j = 0; j < p.size(); ++j) meant[j] += table.row(token)[j];
       const auto length = dot<Rational>(p, p);
       bool nearer = false, as_near = false;
       for (std::size_t v = 0; v < 3; ++v) {
         const auto distance = squared_distance<Rational>(meant, table.row(v));
         nearer = nearer || (v != token && distance < length);
         as_near = as_near || (v != token && distance == length);
       }
       const auto x = input_of<Rational>(table, token, p, subject);
       const bool right = subject.of<Rational>().nearest_row(table, x) == token;
       holds_exactly(nearer ? !right : as_near || right);
     },
     {"reads_by_inner_product", "overlooks_the_last_channel"}},

    /// Rows that are a few ulps to a few units apart, and a position of any of these sizes.
    {first_channels_unusable,
     "rounding_is_harmless_on_its_condition",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::size_t>(1, 4));
       const Stream stream(named("channels", draws()), "channels");
       const auto apart = named("rows apart by 2^-", in_range(0, 24));
       const auto token = named("token", in_range<std::size_t>(0, 2));
       domain::Mixture near_1 = domain::normal_floats;
       near_1.lowest = -2, near_1.highest = 2;
       const auto judge = [&]<class Real>() {
         auto rows = floats_of<Real>(stream, 0, d, near_1);
         for (std::size_t j = 0; j < d; ++j) {
           const double step = std::ldexp(2 * stream.uniform(40 + j) - 1, -apart);
           rows.push_back(Real(static_cast<double>(rows[j]) + step));
         }
         const auto p = floats_of<Real>(stream, 8, d, near_1);
         const auto read = reads_rounded(EmbeddingTable<Real>(2, d, rows), token, p, subject);
         covers("condition met in " + std::string(FormatTraits<Real>::name), read.condition, 0.1);
         covers("and not in " + std::string(FormatTraits<Real>::name), !read.condition, 0.02);
         holds_exactly(read.right || !read.condition);
       };
       in_each_format<float, binary16, bfloat16>(judge);
     },
     {"keeps_the_position", "sums_one_ulp_high"},
     20},

    {costs,
     "are_those_of_a_count",
     [](const Primitives& subject) {
       const auto shape = small_shape();
       holds_exactly(subject.costs(shape) == counted_costs(shape));
     },
     {"keeps_the_whole_table", "multiplies_one_channel_less"}},

    /// At equal width V·d_p parameters less and an equal block; at equal tokens none less.
    {costs,
     "differ_as_stated",
     [](const Primitives& subject) {
       const auto d = named("d", in_range<std::uint64_t>(2, 16385));
       const auto d_p = 1 + named("d_p - 1", draws()) % (d - 1);
       const auto vocabulary = named("V", in_range<std::uint64_t>(1, 256001));
       const auto positions = named("L", in_range<std::uint64_t>(1, 131073));
       const auto family = family_of(vocabulary, positions, d, d_p);
       const Costs sum = subject.costs(family.sum), width = subject.costs(family.equal_width),
                   tokens = subject.costs(family.equal_tokens);
       holds_exactly(width.parameters() + vocabulary * d_p == sum.parameters() &&
                     width.block == sum.block && width.block_operations == sum.block_operations &&
                     width.input_operations + d + d_p == sum.input_operations);
       holds_exactly(tokens.parameters() == sum.parameters() + 12 * d_p * (2 * d + d_p) &&
                     tokens.table == sum.table && tokens.block_operations > sum.block_operations);
     },
     {"keeps_the_whole_table", "builds_a_narrow_block"}},

    /// Any widths, and a vocabulary anywhere, or at the boundary and one beyond it.
    {condition_of(costs),
     "saves_where_the_table_loses_more_than_the_blocks_gain",
     [](const Primitives& subject) {
       const auto [d, d_t, d_p] = each_named(widths_by_size({1, 1 << 14}), "d", "d_t", "d_p");
       const auto blocks = named("N", in_range<std::uint64_t>(1, 129));
       const auto of = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
       const std::int64_t w = of(d_t + d_p), loses = of(d) - of(d_t),
                          gain = 12 * of(blocks) * (w * w - of(d) * of(d));
       // The smallest V that saves; 0 where all do, or none.
       const auto boundary =
           loses > 0 && gain > 0 ? static_cast<std::uint64_t>(gain / loses + 1) : 0;
       const bool near = one_of("V", {"any", "at the boundary"}) == 1 && boundary > 0;
       const auto vocabulary = near ? boundary - named("below it", in_range<std::uint64_t>(0, 2))
                                    : named("V", widths_by_size({1, 1 << 20}));
       const bool stated = of(vocabulary) * loses > gain;
       covers("saves", stated, 0.2);
       covers("does not save", !stated, 0.2);
       covers("at the boundary", near, 0.05);
       using Joining = Shape::Joining;
       const auto parameters = [&](const Shape& shape) {
         const Costs costs = subject.costs(shape);
         return costs.table + blocks * costs.block;
       };
       holds_exactly((parameters({Joining::concatenation, vocabulary, 1, d_t, d_p}) <
                      parameters({Joining::sum, vocabulary, 1, d, d})) == stated);
     },
     {"keeps_the_whole_table", "builds_a_narrow_block"}},

    {sums_and_products_are_their_formulas,
     "in_each_format",
     of_one_format<double, float, binary16, bfloat16>([]<class Real>(const Operations<Real>& of) {
       const auto in = primitives::rounding_of<Real>();
       const auto [e, p, m] = drawn_parts<Real>();
       judge_result("sum", primitives::sum, of.sum, e, p);
       judge("without", primitives::sum(in, primitives::wide(e), -primitives::wide(p)),
             [&, &e = e, &p = p] { return std::vector{of.without(e, p)}; });
       const auto [w, x] = drawn_products<Real>(drawn_width<Real>(1, 512), 1);
       const auto wide_w = primitives::wide(w), wide_x = primitives::wide(x);
       judge("dot", primitives::scaled_products(in, wide_w, wide_x, {}, primitives::Wide(1)),
             [&, &w = w, &x = x] { return std::vector{of.dot(w, x)}; });
       judge(
           "cosine", primitives::squared_cosine(in, wide_w, wide_x),
           [&, &w = w, &x = x] { return std::vector{of.squared_cosine(w, x)}; },
           0.05);  // fourth powers of the ordinary sizes alone, a third, stay in range
     }),
     {"sum_is_0", "without_is_0", "dot_is_0", "squared_cosine_is_0", "leaves_the_last_term_out",
      "keeps_the_position"}},

    {parts_are_copied,
     "in_each_format",
     [](const Primitives& subject) {
       const auto [of_tokens, of_positions] = each_named(in_range<std::size_t>(1, 9), "d_t", "d_p");
       const Stream stream(named("channels", draws()), "copied channels");
       domain::for_each_format(
           [&, of_tokens = of_tokens, of_positions = of_positions]<class Real>() {
             const auto e = floats_of<Real>(stream, 0, of_tokens, domain::finite_floats);
             const auto p = floats_of<Real>(stream, 8, of_positions, domain::finite_floats);
             const std::size_t d = of_tokens + of_positions;
             std::vector<Real> both(e), right(e), left(of_tokens, Real(0)), twice(e);
             both.insert(both.end(), p.begin(), p.end());
             right.resize(d, Real(0));
             left.insert(left.end(), p.begin(), p.end());
             twice.insert(twice.end(), e.begin(), e.end());
             const auto& of = subject.of<Real>();
             std::vector<Real> out(d, Real(7));
             of.concatenate(e, p, out);
             holds_exactly(out == both);
             of.pad_right(e, out);
             holds_exactly(out == right);
             of.pad_left(p, out);
             holds_exactly(out == left);
             holds_exactly(of.tie(e) == twice);
           });
     },
     {"concatenate_is_0", "pad_right_is_0", "pad_left_is_0", "tie_is_0", "appends_the_token",
      "ties_in_reverse"}}};

const Beliefs beliefs{
    /// The belief: no weights of a concatenated layer give what the summed one gives.
    {sum_is_a_tied_concatenation, "that_no_concatenated_layer_gives_the_same",
     [] {
       const auto [w, e, p] = each_named(channels(1), "w", "e", "p");
       const auto [of_sum, of_tied] = both_outputs(w, e, p, Primitives{});
       holds_exactly(of_sum != of_tied);
     }},

    /// That the two agree to the bit, in bfloat16 and small whole numbers.
    {beside(sum_is_a_tied_concatenation), "that_it_always_rounds_alike",
     [] {
       const auto number = [](const char* name) {
         return std::vector{bfloat16(named(name, in_range(0, 256)))};
       };
       const auto w = number("w"), e = number("e"), p = number("p");
       const auto [of_sum, of_tied] = both_outputs(w, e, p, Primitives{});
       holds_exactly(of_sum == of_tied);
     }},

    /// The belief: the first channel, under the position of index 0 (sine 0, cosine 1), never tells
    /// two words apart. Channels are (sine, cosine), read with the position known.
    {first_channels_unusable, "that_the_first_channel_tells_no_word",
     [] {
       const auto [first, second] = each_named(rationals(), "word 0", "word 1");
       const auto p = named("p", channels(1));
       const EmbeddingTable<Rational> table(2, 1, {first, second});
       holds_exactly(!(reads_with_position(table, 0, p, Primitives{}) &&
                       reads_with_position(table, 1, p, Primitives{})));
     }},

    /// That a known position is always enough: in bfloat16 rows one ulp apart fall together beside
    /// a position that is larger.
    {beside(first_channels_unusable), "that_no_rounding_hides_a_word",
     [] {
       const auto [first, second, p] = each_named(in_range(0, 256), "word 0", "word 1", "p");
       const EmbeddingTable<bfloat16> table(2, 1, {bfloat16(first), bfloat16(second)});
       for (const std::size_t token : {0u, 1u})
         if (first != second)
           holds_exactly(reads_rounded(table, token, {bfloat16(p)}, Primitives{}).right);
     }},

    /// The belief taken literally: at d = 2 the two are never far from orthogonal.
    {parts_are_nearly_orthogonal, "that_few_channels_are_enough",
     [] {
       const auto [e, p] = each_named(channels(2), "e", "p");
       const auto length = [](const auto& x) { return dot<Rational>(x, x); };
       if (length(e) == 0 || length(p) == 0) return holds_exactly(true);
       holds_exactly(cosine_squared<Rational>(e, p) <= Rational(1) / 100);
     }},

    /// That appending always saves: not if the tokens keep their width.
    {costs, "that_appending_saves_at_any_width", [] {
       const auto d = named("d", in_range<std::uint64_t>(2, 1025));
       const auto vocabulary = named("V", in_range<std::uint64_t>(1, 65536));
       const auto family = family_of(vocabulary, 1, d, 1);
       holds_exactly(costs_of(family.equal_tokens).parameters() <
                     costs_of(family.sum).parameters());
     }}};

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::concatenation
