// Wrong sums, tied layers, cosines, readers and counts of what a model costs, from the largest
// defect to the smallest of each.
#include <algorithm>
#include <vector>

#include "../testing/in_each_format.hpp"
#include "../testing/slightly_wrong.hpp"
#include "reader.hpp"
#include "trials.hpp"

namespace embedscale::properties::concatenation {

using namespace testing;

namespace {

constexpr auto appended = [](auto& of) -> decltype((of.concatenate)) { return of.concatenate; };
constexpr auto right = [](auto& of) -> decltype((of.pad_right)) { return of.pad_right; };
constexpr auto left = [](auto& of) -> decltype((of.pad_left)) { return of.pad_left; };
constexpr auto sum = [](auto& of) -> decltype((of.sum)) { return of.sum; };
constexpr auto product = [](auto& of) -> decltype((of.dot)) { return of.dot; };
constexpr auto tie = [](auto& of) -> decltype((of.tie)) { return of.tie; };
constexpr auto reading = [](auto& of) -> decltype((of.without)) { return of.without; };
constexpr auto nearest = [](auto& of) -> decltype((of.nearest_row)) { return of.nearest_row; };
constexpr auto square = [](auto& of) -> decltype((of.squared_cosine)) { return of.squared_cosine; };
constexpr auto price = [](auto& of) -> decltype((of.costs)) { return of.costs; };

template <class Real>
using Channels = std::span<const Real>;

/// What `change` makes of a sum.
constexpr auto sums(auto change) { return changes(sum, change); }

/// What `change` makes of the costs of a shape.
constexpr auto costs(auto change) { return changes(price, change); }

/// A reader who prefers a row v to the best one before it: prefers(row v, best row, y).
template <class Prefers>
constexpr auto reads_by(Prefers) {
  return replaces(nearest,
                  []<class Real>(auto, const EmbeddingTable<Real>& table, Channels<Real> y) {
                    std::size_t best = 0;
                    for (std::size_t v = 1; v < table.vocabulary(); ++v)
                      if (Prefers{}(table.row(v), table.row(best), y)) best = v;
                    return best;
                  });
}

/// Σ |x_j − y_j|.
template <Scalar Real>
Real sizes_of_gaps(std::span<const Real> x, std::span<const Real> y) {
  Real sizes(0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const Real gap = x[j] - y[j];
    sizes = sizes + (gap < Real(0) ? Real(-gap) : gap);
  }
  return sizes;
}

}  // namespace

const Mutants<Primitives> mutants{
    {"appends_the_token", "Positions stand before tokens.",
     replaces(appended, [](auto was, auto e, auto p, auto out) { was(p, e, out); })},

    {"pads_both_on_the_right", "Both parts are padded on one side: they overlap.",
     replaces(left, [](auto, auto p, auto out) { embedscale::pad_right(p, out); })},

    {"begins_one_channel_early", "The position begins one channel early, where the token still is.",
     changes(left,
             [](auto p, auto out) {
               std::rotate(out.begin(), out.begin() + (out.size() > p.size() ? 1 : 0), out.end());
             })},

    {"pads_with_almost_nothing",
     "Padded with 2^−40 in the place of 0: nothing that a tolerance would see.",
     changes(right,
             []<class Real>(auto e, std::span<Real> out) {
               std::ranges::fill(out.subspan(e.size()), static_cast<Real>(0x1p-40));
             })},

    {"sums_zeros_to_minus_zero",
     "The sum of two zeros of either sign is −0, as it is where rounding is downward.",
     in_floats(sums([]<class Real>(Real& x, auto&&...) {
       if (x == Real(0)) x = Real(-0.0);
     }))},

    {"flushes_sums_to_zero", "Subnormal results are flushed to zero, as some processors do.",
     in_floats(sums([]<class Real>(Real& x, auto&&...) {
       if (!is_normal_or_zero(x)) x = Real(0);
     }))},

    {"copies_zeros_as_plus", "The copy loses the sign of −0: every value is right, one bit is not.",
     changes(appended,
             []<class Real>(auto, auto, std::span<Real> out) {
               std::ranges::replace(out, Real(0), Real(0));
             })},

    {"forgets_the_second_copy", "[w 0]: the position has no weights.",
     changes(tie,
             []<class Real>(auto& out, Channels<Real> w) {
               std::ranges::fill(std::span(out).subspan(w.size()), Real(0));
             })},

    {"ties_in_reverse", "The second copy is in reverse: right for one channel.",
     changes(tie, [](auto& out, auto w) { std::ranges::reverse(std::span(out).last(w.size())); })},

    {"ties_almost", "The last weight of the copy is off by a part in 2^40.",
     changes(tie,
             [](auto& out, auto w) {
               if (!w.empty()) out.back() = high<40>(out.back());
             })},

    {"leaves_the_last_term_out", "An inner product that leaves its last term out.",
     replaces(product, [](auto was, auto w,
                          auto x) { return was(w.first(w.size() - 1), x.first(x.size() - 1)); })},

    {"projects_in_six_digits", "Every inner product is cut to six digits, whatever the format.",
     in_floats(changes(product, [](auto& z, auto&&...) { z = kept_in<Format<8, 5>>(z); }))},

    {"adds_eight_ulps_to_long_sums",
     "Inner products of an even number of terms, all tied ones among them, are 8 ulps too large.",
     in_floats(changes(
         product,
         [](auto& z, auto w, auto) { z = moved_by_ulps(z, w.size() % 2 == 0 ? 8.0 : 0.0); }))},

    {"squares_one_length", "cos·‖p‖/‖e‖, where cos² is meant.",
     replaces(square,
              [](auto, auto e, auto p) { return embedscale::dot(e, p) / embedscale::dot(e, e); })},

    {"forgets_to_normalise", "The length of the position is left in.",
     changes(square, [](auto& cos, auto, auto p) { cos = cos * embedscale::dot(p, p); })},

    {"leans_to_the_first_channel",
     "The first channel of e enters the inner product with a millionth more.",
     replaces(square,
              []<class Real>(auto, Channels<Real> e, Channels<Real> p) {
                const Real inner = embedscale::dot(e, p) + e[0] * p[0] / Real(1 << 20);
                return inner * inner / (embedscale::dot(e, e) * embedscale::dot(p, p));
              })},

    {"halves_what_starts_above_zero",
     "Rows whose first channel is above 0 have half the square: no law that is symmetric about 0.",
     changes(square,
             []<class Real>(Real& cos, auto e, auto) {
               if (e[0] > Real(0)) cos = cos / Real(2);
             })},

    {"keeps_the_position", "The reader does not take the position away.",
     replaces(reading, [](auto, auto x, auto) { return x; })},

    {"takes_the_position_twice", "It takes the position away twice.",
     replaces(reading, [](auto was, auto x, auto p) { return was(x - p, p); })},

    {"takes_almost_the_position", "It knows the position but for a part in 2^40.",
     changes(reading,
             []<class Real>(Real& left, auto&&, const Real& p) {
               left = left + p * static_cast<Real>(0x1p-40);
             })},

    {"overlooks_the_last_channel",
     "It takes the last of the rows that are nearest in all channels but the last.",
     reads_by([](auto row, auto best, auto y) {
       const std::size_t channels = y.size() - 1;
       const auto distance = [&](auto x) {
         return squared_distance(y.first(channels), x.first(channels));
       };
       return distance(row) <= distance(best);
     })},

    {"reads_by_inner_product",
     "It takes the row with the largest inner product: right for rows of one length.",
     reads_by([](auto row, auto best, auto y) {
       return embedscale::dot(row, y) > embedscale::dot(best, y);
     })},

    {"adds_sizes_of_gaps", "It adds the sizes of the gaps, not their squares.",
     reads_by([](auto row, auto best, auto y) {
       return sizes_of_gaps(y, row) < sizes_of_gaps(y, best);
     })},

    {"sums_in_few_digits", "The sum is rounded to a quarter of the format's digits.",
     in_floats(sums([](auto& x, auto&&...) { x = kept_in<Format<8, 2>>(x); }))},

    {"sums_one_ulp_high", "The sum is off by one ulp: twice what rounding may be, or more.",
     in_floats(sums([](auto& x, auto&&...) { x = moved_by_ulps(x, 1.0); }))},

    {"counts_pairs_as_one", "A fused multiply-add counted as one.",
     costs([](Costs& c, const Shape&) {
       c.projection_operations /= 2;
       c.block_operations /= 2;
     })},

    {"keeps_the_whole_table", "A table as wide as the input, whatever the tokens are.",
     costs([](Costs& c, const Shape& of) { c.table = of.vocabulary * of.width(); })},

    {"builds_a_narrow_block", "The block is as wide as the tokens, whatever the input is.",
     costs([](Costs& c, Shape shape) {
       const std::uint64_t table = c.table;
       shape.joining = Shape::Joining::sum;
       c = costs_of(shape);
       c.table = table;
     })},

    {"forgets_the_output_projection", "No output projection of attention.",
     costs([](Costs& c, const Shape& shape) {
       c.projections -= shape.width() * shape.width();
       c.block -= shape.width() * shape.width();
     })},

    {"attends_to_one_key_less", "A query does not see its own key.",
     costs([](Costs& c, const Shape& shape) { c.block_operations -= 4 * shape.width(); })},

    {"multiplies_one_channel_less",
     "One multiplication less: that of the multiplier with the last channel.",
     costs([](Costs& c, const Shape&) { c.input_operations -= 1; })},
};

namespace {

Mutants<Primitives> wrong_in_one_format() {
  Mutants<Primitives> rows;
  const auto zeros = [&](const char* name, auto of) {
    add_in_each_format<Primitives, double, float, binary16, bfloat16>(
        rows, name, "Zeros, in this format alone.",
        [of]<class Real>() { return giving_zeros<Real>(of); });
  };
  zeros("sum_is_0", [](auto& of) -> decltype((of.sum)) { return of.sum; });
  zeros("nothing_is_left_without", [](auto& of) -> decltype((of.without)) { return of.without; });
  zeros("dot_is_0", [](auto& of) -> decltype((of.dot)) { return of.dot; });
  zeros("cosine_is_0", [](auto& of) -> decltype((of.squared_cosine)) { return of.squared_cosine; });
  zeros("concatenates_0", [](auto& of) -> decltype((of.concatenate)) { return of.concatenate; });
  zeros("pads_right_with_0_alone",
        [](auto& of) -> decltype((of.pad_right)) { return of.pad_right; });
  zeros("pads_left_with_0_alone", [](auto& of) -> decltype((of.pad_left)) { return of.pad_left; });
  zeros("ties_0", [](auto& of) -> decltype((of.tie)) { return of.tie; });
  return rows;
}

}  // namespace

const Mutants<Primitives> value_mutants = wrong_in_one_format();

}  // namespace embedscale::properties::concatenation
