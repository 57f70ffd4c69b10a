// The law of a cosine at initialisation: against the widths where it is elementary, and against an
// integral in 50 digits.
#include <embedscale/expected/cosine.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "../testing/seed.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::testing::cosine_test {
namespace {

using Wide = exact::Decimal50;
constexpr double u = 0x1p-53;
constexpr double stated = 1e-11;  // what the header says that cosine_within errs by, relatively
// Boost works in long double: a result of at most 1 and its square root are off by u each, c² by
// half of that, of which, as c·density <= 1, all comes through; no more by what they are compared
// with.
constexpr double rounded = 4 * u;

// On a circle the angle is uniform, on a sphere the height is (Archimedes).
TEST(expected_cosine, is_elementary_in_two_and_three_dimensions) {
  for (const double c : {0.01, 0.1, 0.5, 0.9, 1.0}) {
    EXPECT_NEAR(expected::cosine_within(2, c), 2 * std::asin(c) / std::numbers::pi, rounded);
    EXPECT_NEAR(expected::cosine_within(3, c), c, rounded);
  }
  EXPECT_THROW(expected::cosine_within(1, 0.5), std::invalid_argument);
}

/// P(|cos| <= c) = ∫_0^c (1 − x²)^((d−3)/2) dx over that to 1; with x = sin a, ∫ cos^(d−2) a da. By
/// parts n ∫_0^a cos^n = cos^(n−1) a sin a + (n − 1) ∫_0^a cos^(n−2): terms of one sign.
Wide within(std::uint64_t d, const Wide& c) {
  const Wide cosine = sqrt(1 - c * c);
  Wide to = d % 2 == 0 ? asin(c) : c, whole = d % 2 == 0 ? Wide(Wide::pi() / 2) : Wide(1);
  Wide power = d % 2 == 0 ? cosine : cosine * cosine;
  for (std::uint64_t n = 2 + d % 2; n <= d - 2; n += 2) {
    to = (power * c + (n - 1) * to) / n;
    whole = (n - 1) * whole / n;
    power *= cosine * cosine;
  }
  return to / whole;
}

TEST(expected_cosine, is_the_integral_of_its_density) {
  const Stream stream = stream_of("expected_cosine.density");
  const auto check = [](std::uint64_t d, double c) {
    const auto exact = static_cast<double>(within(d, Wide(c)));
    EXPECT_NEAR(expected::cosine_within(d, c) / exact, 1, stated) << d << " " << c;
  };
  const auto sized = [&](std::uint64_t i) { return std::pow(10, -3 * stream.uniform(2 * i + 1)); };
  for (std::uint64_t i = 0; i < 400; ++i)
    check(4 + stream.below(std::uint64_t{1} << (i % 10 + 2), 2 * i), sized(i));
  // Few of the widest, whose integrals take long.
  for (const std::uint64_t d : {1u << 16, (1u << 18) + 1, (1u << 20) - 1, 1u << 20})
    for (std::uint64_t i = 400; i < 402; ++i) check(d, sized(i));
}

// E cos² is 1/d by symmetry alone. A root and a quotient, which squaring doubles: 4u at most.
TEST(expected_cosine, mean_square_is_that_of_every_symmetric_law) {
  for (const std::uint64_t d : {1u, 2u, 3u, 64u, 1u << 20}) {
    const double deviation = expected::cosine_deviation(d);
    EXPECT_NEAR(deviation * deviation * static_cast<double>(d), 1, 5 * u) << d;
  }
}

// At d = 2, where the density is infinite at 1, c itself is compared. A power of 37000 has as many
// times the error of what it is taken of, half of it at 1/2.
TEST(expected_cosine, what_is_exceeded_is_the_inverse) {
  for (const double above : {0.5, 0.01, 1e-6})
    EXPECT_NEAR(expected::cosine_exceeded(2, above), std::cos(std::numbers::pi / 2 * above),
                rounded);
  for (const std::uint64_t d : {3u, 16u, 512u, 16384u}) {
    for (const double above : {0.5, 0.01, 1e-6})
      EXPECT_NEAR(1 - expected::cosine_within(d, expected::cosine_exceeded(d, above)), above,
                  rounded);
    EXPECT_NEAR(expected::largest_cosine(d, 1), expected::cosine_exceeded(d, 0.5), rounded);
    EXPECT_NEAR(std::pow(expected::cosine_within(d, expected::largest_cosine(d, 37000)), 37000),
                0.5, 37000 * rounded / 2);
  }
}

}  // namespace
}  // namespace embedscale::properties::testing::cosine_test
