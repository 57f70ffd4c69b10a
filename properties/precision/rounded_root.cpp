// The attempts to refute the claim about the rounded root, with what each has to reject; and the
// belief that fails.
#include "rounded_root.hpp"

#include "../testing/slightly_wrong.hpp"
#include "../testing/trials.hpp"
#include "claims.hpp"

namespace embedscale::properties::precision::rounded_root {

using namespace testing;

namespace {

constexpr auto root = EMBEDSCALE_OPERATION(root);
constexpr auto through_binary32 = EMBEDSCALE_OPERATION(through_binary32);
constexpr auto of_rounded_width = EMBEDSCALE_OPERATION(of_rounded_width);

/// The largest number of the format that is not above x > 0.
template <class Real>
Real cut_off(double x) {
  const auto nearest = static_cast<Real>(x);
  return static_cast<double>(nearest) <= x ? nearest : next(nearest, false);
}

/// Calls visit in all formats, or in those where x rounds to a number.
template <class Visit>
void for_each_format(Visit visit) {
  for_each_narrow_format(visit);
  for_each_tiny_format(visit);
}
template <class Visit>
void for_each_format_with(double x, Visit visit) {
  for_each_format([&]<class Real>() {
    if (fits<Real>(x)) visit.template operator()<Real>();
  });
}

/// Midpoints of bfloat16 and of binary16 from 1 to 2^12.
constexpr int binades = 12, midpoints = binades * ((1 << 7) + (1 << 10));

const Mutants<Primitives> mutants{
    {"rounds_the_root_to_bfloat16",
     "bfloat16's root in a model of another format: 55.5 for √3072 "
     "(huggingface/transformers#29402).",
     changes(root, [](auto& m, auto&&...) { m = kept_in<bfloat16>(m); })},

    {"cuts_the_root_off", "m is cut off where it should be rounded.",
     replaces(root,
              []<class Real>(Real (*)(std::uint64_t), std::uint64_t d) {
                return cut_off<Real>(std::sqrt(static_cast<double>(d)));
              })},

    {"rounds_the_width_first", "d is cast to the format before the root is taken.",
     replaces(root, []<class Real>(Real (*)(std::uint64_t),
                                   std::uint64_t d) { return root_of_rounded_width<Real>(d); })},

    {"rounds_once_more_on_the_way",
     "The root is rounded to one digit more than the format has, then to the format: at a few "
     "widths in a thousand two roundings are not one.",
     replaces<binary16, bfloat16>(root,
                                  []<class Real>(Real (*)(std::uint64_t), std::uint64_t d) {
                                    return by_way_of<Format<8, FormatTraits<Real>::digits>, Real>(
                                        std::sqrt(static_cast<double>(d)));
                                  })},

    {"errs_at_one_width", "One unit in the last place at d = 3840 alone, one width in 2^14.",
     changes(root,
             []<class Real>(Real& m, std::uint64_t d) {
               if (d == 3840) m = moved_by_ulps(m, 1.0);
             })},

    {"cuts_off_in_binary32",
     "The root is cut off in binary32, then rounded: a midpoint then stands for what is just above "
     "it.",
     replaces(through_binary32,
              []<class Real>(Real (*)(std::uint64_t), std::uint64_t d) {
                const auto cut = cut_off<float>(std::sqrt(static_cast<double>(d)));
                return static_cast<Real>(static_cast<double>(cut));
              })},

    {"goes_through_fewer_digits", "Through 14 digits in binary32's place.",
     replaces(through_binary32,
              []<class Real>(Real (*)(std::uint64_t), std::uint64_t d) {
                return by_way_of<Format<8, 13>, Real>(std::sqrt(static_cast<double>(d)));
              })},

    {"cuts_the_width_off", "d is cut off before the root, which is worth up to an ulp of it.",
     replaces(of_rounded_width,
              []<class Real>(Real (*)(std::uint64_t), std::uint64_t d) {
                using std::sqrt;
                return sqrt(cut_off<Real>(static_cast<double>(d)));
              })},

    {"returns_two_ulps_more", "The root of the rounded width moved by two units in its last place.",
     changes(of_rounded_width, [](auto& m, auto&&...) { m = moved_by_ulps(m, 2.0); })},
};

const Properties<Primitives> properties{
    /// Every width up to 2^14, each once.
    {condition_of(rounded_root_d),
     "is_the_nearest_number_at_every_width",
     [](const Primitives& subject) {
       const std::uint64_t d = 1 + every("d - 1", 1 << 14);
       for_each_format([&]<class Real>() {
         const Real m = subject.of<Real>().root(d);
         holds(share_of_root_bound(m, d));
         holds_exactly(is_nearest_root(m, d));
         holds_exactly((error_of_root(m, d) == 0.0) == has_root_in_format<Real>(d));
         holds_exactly(is_power_of_two(static_cast<double>(m)) == has_power_of_two_root<Real>(d));
       });
     },
     {"rounds_the_root_to_bfloat16", "cuts_the_root_off", "rounds_the_width_first",
      "rounds_once_more_on_the_way", "errs_at_one_width"},
     Exhaustive{1 << 14}},

    /// Beyond them, on a logarithmic scale: one rounding, and two.
    {rounded_root_d,
     "loses_nothing_through_binary32",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, double_rounding_is_harmless}));
       for_each_format_with(std::sqrt(static_cast<double>(d)), [&]<class Real>() {
         const auto& of = subject.of<Real>();
         holds_exactly(is_nearest_root(of.root(d), d));
         holds_exactly(of.through_binary32(d) == of.root(d));
       });
     },
     {"cuts_the_root_off", "goes_through_fewer_digits"}},

    /// Two roundings part only where the first ends at a midpoint: d on either side of the squares
    /// of all of bfloat16 and binary16 whose squares are up to 2^24.
    {rounded_root_d,
     "loses_nothing_beside_midpoints",
     [](const Primitives& subject) {
       const auto point = static_cast<int>(every("midpoint", midpoints));
       const int digits = point < binades << 7 ? 8 : 11;
       const int i = digits == 8 ? point : point - (binades << 7);
       const auto odd = 2 * ((1 << (digits - 1)) + i / binades) + 1;
       const double square = std::ldexp(static_cast<double>(odd) * odd, 2 * (i % binades - digits));
       for (const std::uint64_t more : {0, 1}) {
         const auto d = static_cast<std::uint64_t>(std::floor(square)) + more;
         if (d > double_rounding_is_harmless) continue;
         for_each_format_with(std::sqrt(static_cast<double>(d)), [&]<class Real>() {
           const auto& of = subject.of<Real>();
           holds_exactly(of.through_binary32(d) == of.root(d));
         });
       }
     },
     {"cuts_off_in_binary32", "goes_through_fewer_digits"},
     Exhaustive{midpoints}},

    {rounded_root_d,
     "of_a_rounded_width_is_within_three_halves_u",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, 1 << 15}));
       for_each_format_with(static_cast<double>(d), [&]<class Real>() {
         holds(share_of_rounded_width_bound(subject.of<Real>().of_rounded_width(d), d));
       });
     },
     {"cuts_the_width_off", "returns_two_ulps_more"}},
};

const Beliefs beliefs{
    {rounded_root_d, "that_bfloat16_has_the_root_of_binary32",
     [] {
       const auto d = named("d", widths());
       holds_exactly(static_cast<double>(root_multiplier<bfloat16>(d)) ==
                     static_cast<double>(root_multiplier<float>(d)));
     }},
};

}  // namespace

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::precision::rounded_root
