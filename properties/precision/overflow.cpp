// The attempts to refute where a format overflows and where it loses what is small: all of it at
// the thresholds, which one encoding on either side decides, as rounding is monotone.
#include "overflow.hpp"

#include <string>

#include "../testing/slightly_wrong.hpp"
#include "../testing/trials.hpp"
#include "claims.hpp"

namespace embedscale::properties::precision::overflow {

using namespace testing;

namespace {

constexpr auto up = EMBEDSCALE_OPERATION(up);
constexpr auto down = EMBEDSCALE_OPERATION(down);
constexpr auto dot = EMBEDSCALE_OPERATION(dot);
constexpr auto multiplier = EMBEDSCALE_OPERATION(multiplier);

/// Widths are tried up to here.
constexpr int widest = 16384;

/// "token in binary16".
template <class Real>
std::string in_format(const std::string& what) {
  return what + " in " + FormatTraits<Real>::name;
}

/// The numbers of these magnitudes, as far as they are numbers, of either sign.
template <class Real>
std::vector<Real> both_signs(std::convertible_to<std::uint64_t> auto... magnitudes) {
  std::vector<Real> numbers;
  for (const auto magnitude : {static_cast<std::uint64_t>(magnitudes)...}) {
    if (magnitude > Real::max().bits()) continue;
    const auto x = number<Real>(magnitude);
    numbers.insert(numbers.end(), {x, -x});
  }
  return numbers;
}

/// Any finite number from 0 to `most`, each encoding alike.
template <class Real>
std::uint64_t magnitude(const std::string& name, const Real& most = Real::max()) {
  return named(in_format<Real>(name), in_range(std::uint64_t{0}, most.bits() + std::uint64_t{1}));
}

template <class Real>
constexpr std::array<Real, 3> extreme_positions{Real(-1), Real(0), Real(1)};

/// n terms of one sign whose sizes add up to between T/4 and 4T, each with its own.
template <class Real>
std::array<std::vector<Real>, 2> terms(std::size_t n, std::uint64_t i) {
  const Stream stream(n, "terms of a product");
  const double size = std::sqrt(overflows_from<Real>() / static_cast<double>(n));
  const double all = std::exp2(2 * stream.uniform(i) - 1);
  std::array<std::vector<Real>, 2> both;
  for (std::size_t j = 0; j < n; ++j) {
    const std::uint64_t at = i * n + j;
    const double sign = stream.uniform(at, 1) < 0.5 ? -1 : 1;
    for (std::uint64_t k = 0; k < 2; ++k)
      both[k].push_back(Real(sign * size * all * std::exp2(stream.uniform(at, 2 + k) / 4 - 0.125)));
  }
  return both;
}

template <class Real>
Real flushed(const Real& x) {
  return abs(x) < Real::min_normal() ? Real(0) : x;
}

}  // namespace

const Properties<Primitives> properties{
    /// At each width the largest token below the threshold and the next one, with the extreme
    /// positions: rounding is monotone in e and in p, so that these decide for all tokens and for
    /// all positions between; and for scaling down the largest token of all: fl(p/m) is at most 1
    /// where |p| <= 1 <= m, below half an ulp of Ω.
    {condition_of(overflow_limits),
     "a_token_overflows_up_exactly_beyond_the_threshold_and_never_down",
     [](const Primitives& subject) {
       const std::uint64_t d = 1 + every("d - 1", widest);
       for_each_small_format([&]<class Real>() {
         const auto& of = subject.of<Real>();
         const Real m = root_multiplier<Real>(d);
         const std::uint64_t edge = largest_token(m).bits();
         for (const Real p : extreme_positions<Real>) {
           for (const Real e : both_signs<Real>(edge, edge + 1))
             holds_exactly(up_is_as_stated<Real>(e, p, m, of));
           for (const Real e : both_signs<Real>(Real::max().bits()))
             holds_exactly(isfinite(of.down(e, p, m)));
         }
       });
     },
     {"multiplies_by_d", "clamps_what_overflows", "takes_m_one_ulp_high", "has_one_rounding",
      "forgets_the_multiplier", "divides_the_sum", "multiplies_where_it_should_divide"},
     Exhaustive{widest}},

    /// Positions of any size, which can carry a token over the threshold.
    {overflow_limits,
     "any_token_with_any_position_overflows_exactly_beyond_it",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, widest}));
       for_each_small_format([&]<class Real>() {
         const auto& of = subject.of<Real>();
         const Real m = root_multiplier<Real>(d);
         const auto token = magnitude<Real>("token");
         const auto positions = both_signs<Real>(magnitude<Real>("position"));
         const auto small = both_signs<Real>(magnitude<Real>("position up to 1", Real(1)));
         for (const Real e : both_signs<Real>(token, largest_token(m).bits())) {
           for (const Real p : positions) holds_exactly(up_is_as_stated<Real>(e, p, m, of));
           for (const Real p : small) holds_exactly(isfinite(of.down(e, p, m)));
         }
       });
     },
     {"clamps_what_overflows", "has_one_rounding"}},

    {overflow_limits,
     "the_multiplier_overflows_beyond_the_largest_width",
     [](const Primitives& subject) {
       const auto past = named("d - largest", in_range(-64, 65));
       for_each_small_format([&]<class Real>() {
         const auto largest = static_cast<std::int64_t>(largest_width<Real>());
         const auto d = static_cast<std::uint64_t>(largest == 0 ? 65 + past : largest + past);
         holds_exactly(isfinite(subject.of<Real>().multiplier(d)) == (largest == 0 || past <= 0));
       });
     },
     {"cuts_the_root_off", "is_one_width_early"}},

    {overflow_limits,
     "a_product_of_vectors_overflows_as_its_terms_say",
     [](const Primitives& subject) {
       const auto n = static_cast<std::size_t>(named("n", in_range(1, 65)));
       const auto i = named("terms", draws());
       for_each_small_format([&]<class Real>() {
         const auto [q, k] = terms<Real>(n, i);
         const Outcome outcome = stated_outcome<Real>(q, k);
         if constexpr (Real::mantissa_bits > 3) {
           covers(in_format<Real>("finite"), outcome == Outcome::finite, 0.25);
           covers(in_format<Real>("overflows"), outcome == Outcome::overflows, 0.25);
         }
         holds_exactly(outcome == Outcome::undecided ||
                       isfinite(subject.of<Real>().dot(q, k)) == (outcome == Outcome::finite));
       });
     },
     {"adds_each_product_twice", "clamps_every_sum", "has_products_a_64th_high"}},

    /// Around half of the smallest number, on both sides of which one encoding decides; and with
    /// m >= 1, scaling up takes no token closer to 0.
    {overflow_limits,
     "a_position_vanishes_down_exactly_below_half_the_least_number_and_no_token_up",
     [](const Primitives& subject) {
       const auto d = named("d", widths_by_size({1, widest}));
       for_each_small_format([&]<class Real>() {
         const auto& of = subject.of<Real>();
         const Real m = root_multiplier<Real>(d);
         const auto least = static_cast<double>(Real::min_subnormal());
         const std::uint64_t edge = Real(static_cast<double>(m) * (least / 2)).bits();
         for (const Real p : both_signs<Real>(edge - (edge > 0 ? 1 : 0), edge, edge + 1,
                                              magnitude<Real>("position")))
           holds_exactly(down_vanishes_as_stated<Real>(p, m, of));
         for (const Real e : both_signs<Real>(magnitude<Real>("faint token", Real::min_normal()),
                                              magnitude<Real>("token", largest_token(m))))
           holds_exactly(!(abs(of.up(e, Real(0), m)) < abs(e)));
       });
     },
     {"flushes_to_zero", "flushes_the_smallest_subnormal", "divides_by_m"}},
};

const Mutants<Primitives> mutants{
    {"multiplies_by_d",
     "d where √d was meant (multiply and divide confused: pytorch/tutorials#2849).",
     replaces(up, [](auto was, auto e, auto p, auto m) { return was(e, p, m * m); })},

    {"forgets_the_multiplier", "The multiplier is missing (SamLynnEvans/Transformer#10).",
     replaces(up,
              []<class Real>(auto, const Real& e, const Real& p, const Real&) { return e + p; })},

    {"divides_by_m", "The tokens are scaled down.",
     replaces(up, [](auto, auto e, auto p, auto m) { return e / m + p; })},

    {"clamps_what_overflows",
     "What overflows is put back below the largest number (huggingface/transformers#9487).",
     changes(up,
             []<class Real>(Real& x, auto&&...) {
               if (!isfinite(x)) x = Real::max();
             })},

    {"takes_m_one_ulp_high",
     "One unit in the last place of m: at half of the widths one token more overflows.",
     replaces(up,
              [](auto was, auto e, auto p, auto m) { return was(e, p, moved_by_ulps(m, 1.0)); })},

    {"has_one_rounding",
     "m·e + p in one operation: beside the threshold, at one width of fifty in binary16, p "
     "decides.",
     replaces(up,
              []<class Real>(auto, const Real& e, const Real& p, const Real& m) {
                return Real(double(m) * double(e) + double(p));
              })},

    {"divides_the_sum", "down as up over m: the same over the reals, and up overflows on the way.",
     replaces(down, []<class Real>(auto, const Real& e, const Real& p,
                                   const Real& m) { return library<Real>.up(e, p, m) / m; })},

    {"multiplies_where_it_should_divide", "p·m in the place of p/m (pytorch/tutorials#2849).",
     replaces(down, [](auto, auto e, auto p, auto m) { return e + p * m; })},

    {"cuts_the_root_off", "The root is cut off where it should be rounded: it never overflows.",
     replaces(multiplier,
              [](auto was, auto d) {
                using Real = decltype(was(d));
                const Real m = was(d);
                return isfinite(m) ? m : Real::max();
              })},

    {"is_one_width_early", "√(d + 1): the smallest defect that there is.",
     replaces(multiplier, [](auto was, auto d) { return was(d + 1); })},

    {"adds_each_product_twice", "Each product counts twice.",
     changes(dot, [](auto& z, auto&&...) { z = z + z; })},

    {"clamps_every_sum", "Sums saturate (awslabs/sockeye#1051 clamps what layers return).",
     changes(dot,
             []<class Real>(Real& z, auto&&...) {
               if (!isfinite(z)) z = Real::max();
             })},

    {"has_products_a_64th_high",
     "Products are a part in 64 high. Less is hidden by what the order of n roundings may do.",
     changes(dot, [](auto& z, auto&&...) { z = high<6>(z); })},

    {"flushes_to_zero", "The processor flushes subnormal results to zero.",
     replacing([]<template <class> class Of, class Real>(Of<Real>& to) {
       to.up = [](const Real& e, const Real& p, const Real& m) {
         return flushed(library<Real>.up(e, p, m));
       };
       to.down = [](const Real& e, const Real& p, const Real& m) {
         const Real faint = flushed(p / m);
         return e + faint;
       };
     })},

    {"flushes_the_smallest_subnormal",
     "Of all values of p/m only those that round to the smallest subnormal become 0.",
     replaces(down,
              []<class Real>(auto, const Real& e, const Real& p, const Real& m) {
                const Real faint = p / m;
                return abs(faint) == Real::min_subnormal() ? e : e + faint;
              })},
};

const Beliefs beliefs{
    /// Whole tokens in binary16, at the widths of the domain.
    {overflow_limits, "that_no_token_overflows_up_in_binary16",
     [] {
       const auto d = named("d", widths());
       const auto e = binary16(named("e", in_range(0, 65505)));
       holds_exactly(isfinite(library<binary16>.up(e, binary16(0), root_multiplier<binary16>(d))));
     }},
};

Trials trials() { return trials_of(properties, mutants, beliefs); }

}  // namespace embedscale::properties::precision::overflow
