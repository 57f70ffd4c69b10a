// The attempts to refute the claim about the part that a sum loses, with what each has to reject;
// and the belief that fails.
#include "lost_sum.hpp"

#include <string>

#include "../testing/slightly_wrong.hpp"
#include "../testing/trials.hpp"
#include "claims.hpp"

namespace embedscale::properties::precision::lost_sum {

using namespace testing;

namespace {

constexpr auto sum = EMBEDSCALE_OPERATION(sum);

/// The sum as double has it.
template <class Real>
double wide_sum(const Real& t, const Real& p) {
  return static_cast<double>(t) + static_cast<double>(p);
}

/// Finite numbers whose sums stay finite.
template <class Real>
domain::Mixture summands() {
  auto mixture = domain::finite_floats;
  mixture.highest = domain::Encoding<Real>::greatest - 1;
  return mixture;
}

template <class Real>
Real cut_off(const Real& t, const Real& p) {
  const Added<Real> of(t, p, {});
  const auto nearest = static_cast<Real>(of.sum);
  const bool is_further = std::signbit(of.error) == std::signbit(of.sum);
  return of.error != 0.0 && is_further ? next(nearest, false) : nearest;
}

template <class Real>
Real with_ties_away(const Real& t, const Real& p) {
  const Added<Real> of(t, p, {});
  const auto nearest = static_cast<Real>(of.sum);
  const double off = wide_sum(t, p) - of.sum;
  const bool is_tie = off != 0.0 && std::abs(off) == half_ulp<Real>(of.sum);
  return is_tie && std::signbit(off) == std::signbit(of.sum) ? next(nearest, true) : nearest;
}

const Mutants<Primitives> mutants{
    {"cuts_the_sum_off", "The sum is rounded towards 0.",
     replaces(sum, []<class Real>(auto, const Real& t, const Real& p) { return cut_off(t, p); })},

    {"adds_in_bfloat16", "binary32 and binary16 sums are kept in bfloat16.",
     replaces<float, binary16>(
         sum, [](auto was, auto t, auto p) { return kept_in<bfloat16>(was(t, p)); })},

    {"loses_what_is_below_an_ulp",
     "A position below one ulp of the token, not half of one, is lost.",
     replaces(sum,
              []<class Real>(auto was, const Real& t, const Real& p) {
                const double ulp = 2.0 * half_ulp<Real>(static_cast<double>(t));
                return std::abs(static_cast<double>(p)) < ulp ? t : was(t, p);
              })},

    {"rounds_ties_away",
     "A sum halfway between two numbers is rounded away from 0: of all sums of binary16 with one "
     "position one in some thousand.",
     replaces<binary16, bfloat16, e4m3, e5m2>(
         sum, []<class Real>(auto, const Real& t, const Real& p) { return with_ties_away(t, p); })},

    {"rounds_once_more_on_the_way", "Each sum is rounded to one digit more first, then once more.",
     replaces<binary16, bfloat16, e4m3, e5m2>(
         sum,
         []<class Real>(auto, const Real& t, const Real& p) {
           return by_way_of<Format<8, FormatTraits<Real>::digits>, Real>(wide_sum(t, p));
         })},

    {"flushes_to_zero", "Sums below the normal range become 0.",
     changes(sum,
             []<class Real>(Real& x, auto&&...) {
               if (!is_normal_or_zero(x)) x = Real(0);
             })},
};

/// One position against every finite token of the format.
template <class Real>
void hold_for_every_token(const Real& p, const PrimitivesIn<Real>& subject) {
  bool keeps_to_it = true, follows = true, is_near = true;
  double worst = 0.0;
  for (std::uint64_t i = 0; i <= Real::max().bits(); ++i) {
    const auto size = number<Real>(i);
    for (const Real& t : {size, Real(-size)}) {
      const Added<Real> of(t, p, subject);
      keeps_to_it = keeps_to_it && of.is_lost() == of.has_to_be_lost();
      follows = follows && of.follows_the_ratio();
      if (!fits<Real>(of.t + of.p)) continue;
      is_near = is_near && of.is_off_by_the_distance() && of.is_off_by_no_more_than_a_part() &&
                (!of.nearly_cancel() || of.error == 0.0);
      worst = std::max(worst, of.share_of_bound());
    }
  }
  holds_exactly(keeps_to_it);
  holds_exactly(follows);
  holds_exactly(is_near);
  holds(worst);
}

const Properties<Primitives> properties{
    {condition_of(sum_loses_the_smaller_part),
     "is_within_the_bound_and_never_loses_more_than_a_part",
     [](const Primitives& subject) {
       for_each_narrow_format([&]<class Real>() {
         const std::string in = FormatTraits<Real>::name;
         const Real t = named("t in " + in, floats<Real>(summands<Real>()));
         const Real p = named("p in " + in, floats<Real>(summands<Real>()));
         covers("neither is 0 in " + in, t != Real(0) && p != Real(0), 0.5);
         const Added<Real> of(t, p, subject);
         holds(of.share_of_bound());
         holds_exactly(of.is_off_by_no_more_than_a_part());
         holds_exactly(p == Real(0) || of.is_lost() == of.has_to_be_lost());
       });
     },
     {"cuts_the_sum_off", "adds_in_bfloat16", "loses_what_is_below_an_ulp", "flushes_to_zero"}},

    /// t and p of like size: the bound where it is tight.
    {sum_loses_the_smaller_part,
     "is_within_the_bound_for_parts_of_like_size",
     [](const Primitives& subject) {
       for_each_narrow_format([&]<class Real>() {
         const std::string in = FormatTraits<Real>::name;
         const auto t = named("t in " + in, floats<Real>(domain::positive_floats(0, 3)));
         const auto size =
             named("size of p in " + in, floats<Real>(domain::positive_floats(-3, 3)));
         const bool negative = named("p is negative in " + in, in_range(0, 2)) != 0;
         const Real p = negative ? Real(-size) : size;
         const Added<Real> of(t, p, subject);
         covers("nearly cancelling in " + in, of.nearly_cancel(), 0.05);
         holds(of.share_of_bound());
         if (of.nearly_cancel()) holds_exactly(of.error == 0.0);
       });
     },
     {"cuts_the_sum_off", "rounds_once_more_on_the_way"}},

    /// 64 listed positions in each of two formats, powers of two and phases of a sinusoid: no
    /// others, but each beside every finite token.
    {sum_loses_the_smaller_part,
     "holds_for_every_token_beside_some_positions",
     [](const Primitives& subject) {
       const auto i = static_cast<int>(every("listed position", 64));
       const double position = i < 16 ? std::ldexp(i % 2 == 0 ? 1.0 : -1.0, 5 - 2 * i)
                                      : std::sin(2 * std::numbers::pi * (i - 15.5) / 48);
       hold_for_every_token(static_cast<binary16>(position), subject.of<binary16>());
       hold_for_every_token(static_cast<bfloat16>(position), subject.of<bfloat16>());
     },
     {"cuts_the_sum_off", "loses_what_is_below_an_ulp", "rounds_ties_away",
      "rounds_once_more_on_the_way"},
     Exhaustive{64}},

    /// Every pair of numbers of the 8-bit formats.
    {sum_loses_the_smaller_part,
     "holds_for_every_pair_of_eight_bits",
     [](const Primitives& subject) {
       const auto i = every("encoding of p", 252);  // sign, and up to the largest number of e4m3
       for_each_tiny_format([&]<class Real>() {
         const auto size = number<Real>(1 + i / 2);
         if (!isfinite(size)) return;
         hold_for_every_token(i % 2 == 0 ? size : Real(-size), subject.of<Real>());
       });
     },
     {"cuts_the_sum_off", "loses_what_is_below_an_ulp", "rounds_ties_away",
      "rounds_once_more_on_the_way", "flushes_to_zero"},
     Exhaustive{252}},
};

const Beliefs beliefs{
    /// bfloat16, whole numbers.
    {sum_loses_the_smaller_part, "that_the_smaller_part_survives",
     [] {
       const auto t = static_cast<bfloat16>(named("t", in_range(1, 1 << 10)));
       const auto p = static_cast<bfloat16>(named("p", in_range(1, 8)));
       holds_exactly(!Added<bfloat16>(t, p, {}).is_lost());
     }},
};

}  // namespace

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::precision::lost_sum
