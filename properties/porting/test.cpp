// Examples by hand of what rounding makes of a port, and what is said of entries with fewer digits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "claims.hpp"
#include "rounding.hpp"
#include "trials.hpp"
#include "unrounded.hpp"

namespace embedscale::properties::porting {
namespace {

/// Goldberg 1991, theorem 7: at m = 2^i + 2^j entries with a digit to spare do.
template <class Real>
void return_entries_with_a_digit_to_spare() {
  const int count = 1 << (FormatTraits<Real>::digits - 1);
  for (int k = count; k < 2 * count; ++k) {
    if (std::popcount(static_cast<unsigned>(k)) > 2) continue;
    const Real m = static_cast<Real>(double(k) / count);
    for (int j = count; j < 2 * count; j += 2)
      ASSERT_TRUE(comes_back(static_cast<Real>(double(j) / count), m, library<Real>))
          << k << " " << j;
  }
}
TEST(porting_rounding, sums_of_two_powers_return_entries_with_a_digit_to_spare) {
  return_entries_with_a_digit_to_spare<bfloat16>();
  return_entries_with_a_digit_to_spare<binary16>();
}

/// e·fl(1/m): one rounding more.
template <class Real>
void return_all_by_the_reciprocal_at_powers_of_two() {
  Operations<Real> by_reciprocal;
  by_reciprocal.divided = [](const Real& e, const Real& m) { return Real(e * (Real(1) / m)); };
  const int count = 1 << (FormatTraits<Real>::digits - 1);
  for (int k = 0; k < count; ++k) {
    const Real m = static_cast<Real>(1.0 + double(k) / count);
    EXPECT_EQ(lost_entries(m, by_reciprocal) == 0, k == 0) << k;
  }
}
TEST(porting_rounding, the_reciprocal_returns_all_at_powers_of_two_alone) {
  return_all_by_the_reciprocal_at_powers_of_two<bfloat16>();
  return_all_by_the_reciprocal_at_powers_of_two<binary16>();
}

/// e = (1, 0), p = (0, 1), m = 1, r = 2: from (1, 1) to (2, 1), whose angle has the tangent 1/3.
TEST(porting_unrounded, a_token_part_twice_as_long_turns_the_input) {
  const Misported<Rational> at{{1, 0}, {0, 1}, 1, 2};
  EXPECT_TRUE(moves_as_stated(at, library<Rational>));
  const auto x = input_of(at), other = misported_input(at, library<Rational>);
  EXPECT_EQ(gram(x, other) / (dot<Rational>(x, other) * dot<Rational>(x, other)),
            Rational(1) / Rational(9));
}

/// Both conventions, and what stands between the functions of their models.
struct Hindered {
  Convention<double> from, to;
  std::vector<Obstacle> by;
};

TEST(porting_recipe, names_what_keeps_the_function_from_being_kept) {
  constexpr PositionVectors sinusoids{PositionVectors::Source::sinusoids};
  const auto bare = Convention<double>{.gain = Gain::none, .bias = false, .can_untie = false};
  auto times_8 = bare;
  times_8.multiplier = 8;
  for (const auto& [from, to, by] : std::vector<Hindered>{
           {{}, {}, {}},
           {{.tied = false}, {.tied = false}, {}},
           {{.tied = false}, {.tied = true}, {Obstacle::output_must_be_the_table}},
           {{.positions = sinusoids}, {}, {Obstacle::positions_differ}},
           {{}, {.positions = sinusoids}, {Obstacle::positions_differ}},
           {{}, {.gain = Gain::none}, {Obstacle::gain_is_missing}},
           {{}, {.bias = false}, {Obstacle::bias_is_missing}},
           {{.gain = Gain::none, .bias = false}, {}, {}},
           {times_8, bare, {Obstacle::factor_has_no_place}}}) {
    auto found = recipe(from, to);
    EXPECT_EQ(found.keeps_function(), by.empty());
    std::erase_if(found.obstacles, only_in_training);
    EXPECT_EQ(found.obstacles, by);
  }
}

/// One running sum over the entries of all parts, or the norm of the parts' norms; the quotients as
/// products with a reciprocal.
template <class Real, bool of_norms>
Real summed_clipping(std::span<const GradientPart<Real>> parts, const Real& most) {
  using std::sqrt;
  Real sum(0);
  for (const auto& part : parts) {
    Real own(0);
    for (const Real& g : part.gradient) {
      const Real entry = of_norms ? g : Real(part.weight * g), square = entry * entry;
      (of_norms ? own : sum) = (of_norms ? own : sum) + square;
    }
    const Real norm = part.weight * Real(sqrt(own)), square = norm * norm;
    sum = sum + square;
  }
  const Real inverse = Real(1) / Real(sqrt(sum)), factor = most * inverse;
  return factor < Real(1) ? factor : Real(1);
}

template <class Real, bool of_norms>
void change_to_reciprocals(Primitives& own) {
  own.of<Real>().clipping_factor = summed_clipping<Real, of_norms>;
  own.of<Real>().divided = +[](const Real& e, const Real& m) {
    const Real inverse = Real(1) / m;
    return Real(e * inverse);
  };
}

// What is right and not the library's passes, over the property's own draws.
TEST(porting_clipping, honest_implementations_pass) {
  Primitives own;
  change_to_reciprocals<Wide, false>(own);
  change_to_reciprocals<double, true>(own);
  change_to_reciprocals<float, false>(own);
  change_to_reciprocals<binary16, false>(own);
  change_to_reciprocals<bfloat16, true>(own);
  testing::expect_holds(own, training_properties, clipping_is_by_the_weighted_norm);
}

}  // namespace
}  // namespace embedscale::properties::porting
