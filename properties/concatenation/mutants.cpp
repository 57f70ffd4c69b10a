// Wrong sums, tied layers, cosines, readers and counts of what a model costs, from the largest
// defect to the smallest of each.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "../testing/slightly_wrong.hpp"
#include "reader.hpp"
#include "trials.hpp"

namespace embedscale::properties::concatenation {

using namespace testing;

namespace {

namespace of {
constexpr auto concatenate = EMBEDSCALE_OPERATION(concatenate);
constexpr auto pad_right = EMBEDSCALE_OPERATION(pad_right);
constexpr auto sum = EMBEDSCALE_OPERATION(sum);
constexpr auto dot = EMBEDSCALE_OPERATION(dot);
constexpr auto tie = EMBEDSCALE_OPERATION(tie);
constexpr auto without = EMBEDSCALE_OPERATION(without);
constexpr auto nearest_row = EMBEDSCALE_OPERATION(nearest_row);
constexpr auto cosine = EMBEDSCALE_OPERATION(squared_cosine);
constexpr auto cosine_within = EMBEDSCALE_OPERATION(cosine_within);
constexpr auto costs = EMBEDSCALE_OPERATION(costs);
}  // namespace of

template <class Real>
using Channels = std::span<const Real>;

/// A reader who prefers a row v to the best one before it: prefers(row v, best row, y).
template <class Prefers>
constexpr auto reads_by(Prefers) {
  return replaces(of::nearest_row,
                  []<class Real>(auto, const EmbeddingTable<Real>& table, Channels<Real> y) {
                    std::size_t best = 0;
                    for (std::size_t v = 1; v < table.vocabulary(); ++v)
                      if (Prefers{}(table.row(v), table.row(best), y)) best = v;
                    return best;
                  });
}

}  // namespace

const Mutants<Primitives> mutants{
    {"appends_the_token", "Positions stand before tokens.",
     replaces(of::concatenate, [](auto was, auto e, auto p, auto out) { was(p, e, out); })},

    {"pads_with_almost_nothing",
     "Padded with 2^−40 in the place of 0: nothing that a tolerance would see.",
     changes(of::pad_right,
             []<class Real>(auto e, std::span<Real> out) {
               std::ranges::fill(out.subspan(e.size()), static_cast<Real>(0x1p-40));
             })},

    {"sums_zeros_to_minus_zero",
     "The sum of two zeros of either sign is −0, as it is where rounding is downward.",
     in_floats(changes(of::sum,
                       []<class Real>(Real& x, auto&&...) {
                         if (x == Real(0)) x = Real(-0.0);
                       }))},

    {"flushes_sums_to_zero", "Subnormal results are flushed to zero, as some processors do.",
     in_floats(changes(of::sum,
                       []<class Real>(Real& x, auto&&...) {
                         if (!is_normal_or_zero(x)) x = Real(0);
                       }))},

    {"copies_zeros_as_plus", "The copy loses the sign of −0: every value is right, one bit is not.",
     changes(of::concatenate,
             []<class Real>(auto, auto, std::span<Real> out) {
               std::ranges::replace(out, Real(0), Real(0));
             })},

    {"ties_in_reverse", "The second copy is in reverse: right for one channel.",
     changes(of::tie,
             [](auto& out, auto w) { std::ranges::reverse(std::span(out).last(w.size())); })},

    {"ties_almost", "The last weight of the copy is off by a part in 2^40.",
     changes(of::tie,
             [](auto& out, auto w) {
               if (!w.empty()) out.back() = high<40>(out.back());
             })},

    {"leaves_the_last_term_out", "An inner product that leaves its last term out.",
     replaces(of::dot, [](auto was, auto w,
                          auto x) { return was(w.first(w.size() - 1), x.first(x.size() - 1)); })},

    {"projects_in_six_digits", "Every inner product is cut to six digits, whatever the format.",
     in_floats(changes(of::dot, [](auto& z, auto&&...) { z = kept_in<Format<8, 5>>(z); }))},

    {"adds_eight_ulps_to_long_sums",
     "Inner products of an even number of terms, all tied ones among them, are 8 ulps too large.",
     in_floats(changes(
         of::dot,
         [](auto& z, auto w, auto) { z = moved_by_ulps(z, w.size() % 2 == 0 ? 8.0 : 0.0); }))},

    {"squares_one_length", "cos·‖p‖/‖e‖, where cos² is meant.",
     replaces(of::cosine,
              [](auto, auto e, auto p) { return embedscale::dot(e, p) / embedscale::dot(e, e); })},

    {"leans_to_the_first_channel",
     "The first channel of e enters the inner product with a millionth more.",
     replaces(of::cosine,
              []<class Real>(auto, Channels<Real> e, Channels<Real> p) {
                const Real inner = embedscale::dot(e, p) + e[0] * p[0] / Real(1 << 20);
                return inner * inner / (embedscale::dot(e, e) * embedscale::dot(p, p));
              })},

    {"halves_what_starts_above_zero",
     "Rows whose first channel is above 0 have half the square: no distribution that is symmetric "
     "about 0.",
     changes(of::cosine,
             []<class Real>(Real& cos, auto e, auto) {
               if (e[0] > Real(0)) cos = cos / Real(2);
             })},

    {"keeps_the_position", "The reader does not take the position away.",
     replaces(of::without, [](auto, auto x, auto) { return x; })},

    {"takes_almost_the_position", "It knows the position but for a part in 2^40.",
     changes(of::without,
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

    {"sums_one_ulp_high", "The sum is off by one ulp: twice what rounding may be, or more.",
     in_floats(changes(of::sum, [](auto& x, auto&&...) { x = moved_by_ulps(x, 1.0); }))},

    {"keeps_the_whole_table", "A table as wide as the input, whatever the tokens are.",
     changes(of::costs, [](Costs& c, const Shape& of) { c.table = of.vocabulary * of.width(); })},

    {"builds_a_narrow_block", "The block is as wide as the tokens, whatever the input is.",
     changes(of::costs,
             [](Costs& c, Shape shape) {
               const std::uint64_t table = c.table;
               shape.joining = Shape::Joining::sum;
               c = costs_of(shape);
               c.table = table;
             })},

    {"multiplies_one_channel_less",
     "One multiplication less: that of the multiplier with the last channel.",
     changes(of::costs, [](Costs& c, const Shape&) { c.input_operations -= 1; })},

    {"takes_the_cosine_for_normal",
     "The cosine as a normal number of variance 1/d: two widths late.",
     replaces(of::cosine_within,
              [](auto, std::uint64_t d, double size) {
                return std::erf(size * std::sqrt(static_cast<double>(d) / 2));
              })},

    {"counts_one_channel_more", "A degree of freedom more: one width early.",
     replaces(of::cosine_within,
              [](auto was, std::uint64_t d, double size) { return was(d + 1, size); })},
};

}  // namespace embedscale::properties::concatenation
