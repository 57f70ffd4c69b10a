// Wrong sums, tied layers, cosines, readers and counts of what a model costs, from the largest
// defect to the smallest of each.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../evidence/rounding.hpp"
#include "reader.hpp"
#include "trials.hpp"

namespace embedscale::properties::concatenation {

using namespace testing;

namespace {

/// A replacement in the formats: a defect of rounding is none over the rationals.
template <class Change>
constexpr auto in_floats(Change change) {
  return replacing<double, float, binary16, bfloat16>(change);
}

}  // namespace

const Mutants<Primitives> mutants{
    {"appends_the_token", "Positions stand before tokens.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.concatenate = [](std::span<const Real> e, std::span<const Real> p, std::span<Real> out) {
         embedscale::concatenate(p, e, out);
       };
     })},

    {"pads_both_on_the_right", "Both parts are padded on one side: they overlap.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.pad_left = [](std::span<const Real> p, std::span<Real> out) {
         embedscale::pad_right(p, out);
       };
     })},

    {"begins_one_channel_early", "The position begins one channel early, where the token still is.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.pad_left = [](std::span<const Real> p, std::span<Real> out) {
         embedscale::pad_left(p, out);
         std::rotate(out.begin(), out.begin() + (out.size() > p.size() ? 1 : 0), out.end());
       };
     })},

    {"pads_with_almost_nothing",
     "Padded with 2^−40 in the place of 0: nothing that a tolerance would see.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.pad_right = [](std::span<const Real> e, std::span<Real> out) {
         embedscale::pad_right(e, out);
         for (std::size_t j = e.size(); j < out.size(); ++j)
           out[j] = Real(1) / Real(1 << 20) / Real(1 << 20);
       };
     })},

    {"sums_zeros_to_minus_zero",
     "The sum of two zeros of either sign is −0, as it is where rounding is downward.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.sum = [](const Real& e, const Real& p) -> Real {
         const Real x = e + p;
         return x == Real(0) ? Real(-0.0) : x;
       };
     })},

    {"flushes_sums_to_zero", "Subnormal results are flushed to zero, as some processors do.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.sum = [](const Real& e, const Real& p) -> Real {
         const Real x = e + p;
         return is_normal_or_zero(x) ? x : Real(0);
       };
     })},

    {"copies_zeros_as_plus", "The copy loses the sign of −0: every value is right, one bit is not.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.concatenate = [](std::span<const Real> e, std::span<const Real> p, std::span<Real> out) {
         embedscale::concatenate(e, p, out);
         for (Real& x : out)
           if (x == Real(0)) x = Real(0);
       };
     })},

    {"forgets_the_second_copy", "[w 0]: the position has no weights.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.tie = [](std::span<const Real> w) -> std::vector<Real> {
         auto out = library<Real>.tie(w);
         std::fill(out.begin() + static_cast<std::ptrdiff_t>(w.size()), out.end(), Real(0));
         return out;
       };
     })},

    {"ties_in_reverse", "The second copy is in reverse: right for one channel.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.tie = [](std::span<const Real> w) -> std::vector<Real> {
         auto out = library<Real>.tie(w);
         std::reverse(out.begin() + static_cast<std::ptrdiff_t>(w.size()), out.end());
         return out;
       };
     })},

    {"ties_almost", "The last weight of the copy is off by a part in 2^40.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.tie = [](std::span<const Real> w) -> std::vector<Real> {
         auto out = library<Real>.tie(w);
         if (!out.empty()) out.back() = out.back() + out.back() / Real(1 << 20) / Real(1 << 20);
         return out;
       };
     })},

    {"leaves_the_last_term_out", "An inner product that leaves its last term out.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.dot = [](std::span<const Real> w, std::span<const Real> x) -> Real {
         return embedscale::dot(w.first(w.size() - 1), x.first(x.size() - 1));
       };
     })},

    {"projects_in_six_digits", "Every inner product is cut to six digits, whatever the format.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.dot = [](std::span<const Real> w, std::span<const Real> x) -> Real {
         const Real y = embedscale::dot(w, x);
         return Real(static_cast<double>(Format<8, 5>(static_cast<double>(y))));
       };
     })},

    {"adds_eight_ulps_to_long_sums",
     "Inner products of an even number of terms, all tied ones among them, are 8 ulps too large.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.dot = [](std::span<const Real> w, std::span<const Real> x) -> Real {
         const Real y = embedscale::dot(w, x);
         return Real(static_cast<double>(y) +
                     (w.size() % 2 == 0 ? 16 : 0) * half_ulp<Real>(static_cast<double>(y)));
       };
     })},

    {"squares_one_length", "cos·‖p‖/‖e‖, where cos² is meant.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.squared_cosine = [](std::span<const Real> e, std::span<const Real> p) -> Real {
         return embedscale::dot(e, p) / embedscale::dot(e, e);
       };
     })},

    {"forgets_to_normalise", "The length of the position is left in.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.squared_cosine = [](std::span<const Real> e, std::span<const Real> p) -> Real {
         const Real inner = embedscale::dot(e, p);
         return inner * inner / embedscale::dot(e, e);
       };
     })},

    {"leans_to_the_first_channel",
     "The first channel of e enters the inner product with a millionth more.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.squared_cosine = [](std::span<const Real> e, std::span<const Real> p) -> Real {
         Real inner = embedscale::dot(e, p);
         inner = inner + e[0] * p[0] / Real(1 << 20);
         return inner * inner / (embedscale::dot(e, e) * embedscale::dot(p, p));
       };
     })},

    {"halves_what_starts_above_zero",
     "Rows whose first channel is above 0 have half the square: no law that is symmetric about 0.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.squared_cosine = [](std::span<const Real> e, std::span<const Real> p) -> Real {
         const Real square = library<Real>.squared_cosine(e, p);
         return e[0] > Real(0) ? square / Real(2) : square;
       };
     })},

    {"keeps_the_position", "The reader does not take the position away.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.without = [](const Real& x, const Real&) -> Real { return x; };
     })},

    {"takes_the_position_twice", "It takes the position away twice.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.without = [](const Real& x, const Real& p) -> Real { return x - p - p; };
     })},

    {"takes_almost_the_position", "It knows the position but for a part in 2^40.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.without = [](const Real& x, const Real& p) -> Real {
         return x - p + p / Real(1 << 20) / Real(1 << 20);
       };
     })},

    {"overlooks_the_last_channel",
     "It takes the last of the rows that are nearest in all channels but the last.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.nearest_row = [](const EmbeddingTable<Real>& table,
                           std::span<const Real> y) -> std::size_t {
         std::size_t best = 0;
         Real least(0);
         for (std::size_t v = 0; v < table.vocabulary(); ++v) {
           const auto distance =
               squared_distance<Real>(y.first(y.size() - 1), table.row(v).first(y.size() - 1));
           if (v == 0 || distance <= least) best = v, least = distance;
         }
         return best;
       };
     })},

    {"reads_by_inner_product",
     "It takes the row with the largest inner product: right for rows of one length.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.nearest_row = [](const EmbeddingTable<Real>& table,
                           std::span<const Real> y) -> std::size_t {
         std::size_t best = 0;
         for (std::size_t v = 1; v < table.vocabulary(); ++v)
           if (embedscale::dot(table.row(v), y) > embedscale::dot(table.row(best), y)) best = v;
         return best;
       };
     })},

    {"adds_sizes_of_gaps", "It adds the sizes of the gaps, not their squares.",
     replacing([]<class Real>(Operations<Real>& to) {
       to.nearest_row = [](const EmbeddingTable<Real>& table,
                           std::span<const Real> y) -> std::size_t {
         std::size_t best = 0;
         Real least(0);
         for (std::size_t v = 0; v < table.vocabulary(); ++v) {
           Real distance(0);
           for (std::size_t j = 0; j < y.size(); ++j) {
             const Real gap = y[j] - table.row(v)[j];
             distance = distance + (gap < Real(0) ? Real(-gap) : gap);
           }
           if (v == 0 || distance < least) best = v, least = distance;
         }
         return best;
       };
     })},

    {"sums_in_few_digits", "The sum is rounded to a quarter of the format's digits.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.sum = [](const Real& e, const Real& p) -> Real {
         const Real x = e + p;
         return Real(static_cast<double>(Format<8, 2>(static_cast<double>(x))));
       };
     })},

    {"sums_one_ulp_high", "The sum is off by one ulp: twice what rounding may be, or more.",
     in_floats([]<class Real>(Operations<Real>& to) {
       to.sum = [](const Real& e, const Real& p) -> Real {
         const Real x = e + p;
         return Real(static_cast<double>(x) + 2 * half_ulp<Real>(static_cast<double>(x)));
       };
     })},

    {"counts_pairs_as_one", "A fused multiply-add counted as one.",
     [](Primitives& to) {
       to.costs = [](const Shape& shape) -> Costs {
         Costs c = costs_of(shape);
         c.projection_operations /= 2, c.block_operations /= 2;
         return c;
       };
     }},

    {"keeps_the_whole_table", "A table as wide as the input, whatever the tokens are.",
     [](Primitives& to) {
       to.costs = [](const Shape& shape) -> Costs {
         Costs c = costs_of(shape);
         c.table = shape.vocabulary * shape.width();
         return c;
       };
     }},

    {"builds_a_narrow_block", "The block is as wide as the tokens, whatever the input is.",
     [](Primitives& to) {
       to.costs = [](const Shape& wide) -> Costs {
         const std::uint64_t table = costs_of(wide).table;
         Shape shape = wide;
         shape.joining = Shape::Joining::sum;
         Costs c = costs_of(shape);
         c.table = table;
         return c;
       };
     }},

    {"forgets_the_output_projection", "No output projection of attention.",
     [](Primitives& to) {
       to.costs = [](const Shape& shape) -> Costs {
         Costs c = costs_of(shape);
         const std::uint64_t w = shape.width();
         c.projections -= w * w, c.block -= w * w;
         return c;
       };
     }},

    {"attends_to_one_key_less", "A query does not see its own key.",
     [](Primitives& to) {
       to.costs = [](const Shape& shape) -> Costs {
         Costs c = costs_of(shape);
         c.block_operations -= 4 * shape.width();
         return c;
       };
     }},

    {"multiplies_one_channel_less",
     "One multiplication less: that of the multiplier with the last channel.",
     [](Primitives& to) {
       to.costs = [](const Shape& shape) -> Costs {
         Costs c = costs_of(shape);
         c.input_operations -= 1;
         return c;
       };
     }},

};

}  // namespace embedscale::properties::concatenation
