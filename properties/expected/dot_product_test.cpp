// The law of a product of two normal vectors: its integrals against closed forms and against the
// density by Bessel's function.
#include <embedscale/expected/dot_product.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace embedscale::properties::dot_product_test {
namespace {

using expected::NormalProduct;

constexpr double roundoff = 0x1p-53;
constexpr double stated = 1e-13;  // what the header says that NormalProduct::above errs by

// Two channels are Laplace's law, so 2m of them are m Laplace variables: their sum is beyond x > 0
// with probability exp(−x)/2 for m = 1, exp(−x)(1/2 + x/4) for m = 2, exp(−x)(8 + 5x + x²)/16 for
// m = 3 (differences of two gamma variables).
TEST(expected_dot_product, even_widths_are_sums_of_laplace_variables) {
  for (double x = 0.0; x < 30.0; x += 0.37) {
    const double decay = std::exp(-x);
    EXPECT_NEAR(NormalProduct(2).above(x), decay / 2, stated) << x;
    EXPECT_NEAR(NormalProduct(4).above(x), decay * (2 + x) / 4, stated) << x;
    EXPECT_NEAR(NormalProduct(6).above(x), decay * (8 + 5 * x + x * x) / 16, stated) << x;
  }
}

// ∫_0^∞ f dt over t = exp(u − exp(−u)), up to t = 600: with f falling like exp(−t) the integrand
// does so doubly exponentially at either end (Takahasi and Mori 1974), to below 1e−17.
double integral_to_infinity(const std::function<double(double)>& f) {
  constexpr double step = 1.0 / 32;
  double sum = 0;
  for (double u = -4; u <= 6.4; u += step) {
    const double t = std::exp(u - std::exp(-u));
    sum += step * f(t) * t * (1 + std::exp(-u));
  }
  return sum;
}

// The density takes exp of (d − 1)/2·ln(x/2) and ln Γ(d/2), up to 250 and 202 where it matters, x
// below 100: rounded twice each, 904u of it, and what remains of 1024u is for Bessel's function.
TEST(expected_dot_product, the_density_integrates_to_the_probability) {
  for (const std::uint64_t d : {1, 2, 3, 5, 8, 64, 128}) {
    const NormalProduct law(d);
    for (const double x : {0.5, 1.0, 4.0, 12.0}) {
      const double integral = integral_to_infinity([&](double t) { return law.density(x + t); });
      EXPECT_NEAR(integral, law.above(x), stated + 1024 * roundoff * integral) << d << " " << x;
    }
  }
}

// With the characteristic function (1 + t²)^(−d/2) and 1 − cos tx <= (tx)²/2 the density falls by
// at most x²/(2(d − 3)) of itself. That of two channels is Laplace's, exp of a difference of two
// numbers near ln π/2, which are off by 2u each.
TEST(expected_dot_product, the_density_at_0_is_its_limit) {
  EXPECT_EQ(NormalProduct(1).density(0.0), HUGE_VAL);
  constexpr double x = 1e-2;
  for (const std::uint64_t d : {4, 8, 64}) {
    const NormalProduct law(d);
    const double least = 1 - x * x / (2 * (static_cast<double>(d) - 3));
    EXPECT_LE(law.density(x), law.density(0.0)) << d;
    EXPECT_GE(law.density(x), law.density(0.0) * least) << d;
  }
  EXPECT_NEAR(NormalProduct(2).density(0.0), 0.5, 2 * roundoff);
}

// E z² = d and E z⁴ = 3(d² + 2d), to 1e−11: the error of the trapezoidal rule that the header
// derives for the law itself is smaller; R⁴ grows it.
TEST(expected_dot_product, moments_are_the_closed_forms) {
  for (const std::uint64_t d : {1, 2, 3, 5, 8, 13, 16, 20, 64, 256, 4096, 1 << 20}) {
    const double width = static_cast<double>(d);
    EXPECT_NEAR(NormalProduct(d).variance() / width, 1.0, 1e-11) << d;
    EXPECT_NEAR(NormalProduct(d).kurtosis() / (3 + 6 / width), 1.0, 1e-11) << d;
  }
}

// Edgeworth's first term (t³ − 3t) φ(t)/(4d) has its maximum 0.550588/(4d) at t = 0.741964; the
// next is of the order 1/d².
TEST(expected_dot_product, it_nears_a_normal_law_as_1_over_d) {
  for (const std::uint64_t d : {64, 256, 1024}) {
    const double width = static_cast<double>(d);
    EXPECT_NEAR(NormalProduct(d).distance_to_normal() * 4 * width, 0.550588, 2 / width) << d;
  }
}

}  // namespace
}  // namespace embedscale::properties::dot_product_test
