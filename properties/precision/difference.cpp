// The attempts to refute the bound that depends on the significand of m, with what each has to
// reject.
#include "difference.hpp"

#include <embedscale/embedding.hpp>

#include <string>

#include "../domain/formats.hpp"
#include "../testing/slightly_wrong.hpp"
#include "../testing/trials.hpp"
#include "claims.hpp"

namespace embedscale::properties::precision::difference {

using namespace testing;

namespace {

/// Small enough for every pair of its numbers to be a case; its exponents leave room for √d.
using Small = Format<5, 3>;

struct Primitives : Over<combination::Operations, double, float, binary16, bfloat16, Small> {};

constexpr auto up = EMBEDSCALE_OPERATION(up);
constexpr auto down = EMBEDSCALE_OPERATION(down);

const Mutants<Primitives> mutants{
    {"divides_by_m_twice",
     "d where √d was meant, in the division (multiply and divide confused: "
     "pytorch/tutorials#2849).",
     replaces(down, [](auto was, auto e, auto p, auto m) { return was(e, p / m, m); })},

    {"rounds_the_multiplier_to_bfloat16",
     "up multiplies by m rounded to eight digits, down divides by m itself: √3072 = 55.5 on one "
     "side (huggingface/transformers#29402).",
     replaces(up,
              [](auto was, auto e, auto p, auto m) { return was(e, p, kept_in<bfloat16>(m)); })},

    {"keeps_the_reciprocal",
     "down multiplies by fl(1/m), kept once for all positions (nicklashansen/dreamer4#4): a "
     "rounding more, which is within 8u, but beyond 8u/f.",
     replaces(down,
              []<class Real>(auto, const Real& e, const Real& p, const Real& m) {
                return combination::library<Real>.down_by_reciprocal(e, p, m);
              })},

    {"takes_m_one_ulp_low",
     "up takes m one unit in its last place too small: where M is hardly above f, 2u/f more.",
     replaces(up,
              [](auto was, auto e, auto p, auto m) { return was(e, p, moved_by_ulps(m, -1.0)); })},

    {"cuts_the_quotient_off",
     "p/m is cut off where it should be rounded: an ulp at most where half a one is allowed.",
     replaces(down,
              []<class Real>(auto, const Real& e, const Real& p, const Real& m) {
                Real rounded = p / m;
                const double size = static_cast<double>(rounded);
                if (std::abs(size) * static_cast<double>(m) > std::abs(static_cast<double>(p)))
                  rounded = moved_by_ulps(rounded, -std::copysign(1.0, size));
                return Real(e + rounded);
              })},
};

/// e = 1 and p = m, which round to nothing, moved by so many ulps: there M is hardly above f, and
/// t, p and their sum are just above what their errors jump at.
template <Scalar Real>
domain::Pair<Real> beside(const Real& m, std::int64_t of_e, std::int64_t of_p) {
  return {domain::moved(Real(1), of_e), domain::moved(m, of_p)};
}

const Properties<Primitives> properties{
    {difference_follows_the_significand,
     "just_above_one_and_the_multiplier",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 16384}));
       const auto of_e = named("ulps of e", in_range<std::int64_t>(-4, 256));
       const auto of_p = named("ulps of p", in_range<std::int64_t>(-4, 256));
       domain::for_each_format([&]<class Real>() {
         const Real m = root_multiplier<Real>(d);
         const auto [e, p] = beside(m, of_e, of_p);
         holds_exactly(stays_in_range(e, p, m, Division::by_m));
         const double share = share_of_bound(e, p, m, subject.of<Real>());
         covers("two thirds of the bound in " + std::string(FormatTraits<Real>::name),
                share > 2.0 / 3.0, 0.005);
         holds(share);
       });
     },
     {"divides_by_m_twice", "rounds_the_multiplier_to_bfloat16", "keeps_the_reciprocal",
      "takes_m_one_ulp_low", "cuts_the_quotient_off"}},

    {difference_follows_the_significand,
     "at_every_size",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 16384}));
       domain::for_each_format([&]<class Real>() {
         const std::string format = FormatTraits<Real>::name;
         const Real m = root_multiplier<Real>(d);
         const auto [e, p] = named("e, p in " + format, sized_pairs(m));
         const bool inside = stays_in_range(e, p, m, Division::by_m);
         covers("in range in " + format, inside, 0.4);
         if (inside) holds(share_of_bound(e, p, m, subject.of<Real>()));
       });
     },
     {"divides_by_m_twice", "rounds_the_multiplier_to_bfloat16"}},

    /// Every significand of a format of four digits, every token of two binades, every position.
    {difference_follows_the_significand,
     "at_every_pair_of_four_digits",
     [](const Primitives& subject) {
       using Of = domain::Encoding<Small>;
       const auto place = every("f, e", 8 * 16);
       const auto m = Small(16.0 + 2.0 * static_cast<double>(place % 8));
       const auto e =
           Small(std::ldexp(8.0 + static_cast<double>(place / 8 % 8), place / 64 == 0 ? -3 : -7));
       for (const std::uint64_t negative : {0, 1})
         for (std::uint64_t magnitude = 0; magnitude < Of::infinity; ++magnitude) {
           const auto p = domain::encoded<Small>(magnitude, negative);
           if (stays_in_range(e, p, m, Division::by_m))
             holds(share_of_bound(e, p, m, subject.of<Small>()));
         }
     },
     {"divides_by_m_twice", "takes_m_one_ulp_low", "cuts_the_quotient_off"},
     Exhaustive{8 * 16}},
};

const Beliefs beliefs{
    /// What is enough at the greatest significand would be enough at all.
    {difference_follows_the_significand, "that_it_is_as_small_as_below_the_next_power_of_four",
     [] {
       const auto d = named("d", widths());
       const auto [of_e, of_p] =
           each_named(in_range<std::int64_t>(0, 64), "ulps of e", "ulps of p");
       const auto m = root_multiplier<float>(d);
       const auto [e, p] = beside(m, of_e, of_p);
       holds(error_in_u(e, p, m, combination::library<float>) / bound_in_u(2.0));
     }},
};

}  // namespace

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::precision::difference
