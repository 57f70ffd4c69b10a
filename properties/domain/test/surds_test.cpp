// Exact numbers with a root: the operations against 50 digits, what has to be equal, and what is
// refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "../surds.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::domain {
namespace {

using Wide = exact::Decimal50;

/// a + b·√7 both ways, a and b fractions of the domain.
struct Both {
  Surd exact;
  Wide wide;
};
Both drawn(const Stream& stream, std::uint64_t i) {
  const Rational a = rational(stream, 2 * i), b = rational(stream, 2 * i + 1);
  return {Surd(a) + Surd(b) * sqrt(Surd(7)), Wide(a) + Wide(b) * sqrt(Wide(7))};
}

// Values of at most 30·(1 + √7)·2 and quotients by no less than 10^−4: 40 digits are left of 50.
TEST(surds, compute_what_50_digits_do) {
  const Stream stream(0, "surds");
  const auto order = [](const Both& x, const Both& y) {
    return (x.exact < y.exact) == (x.wide < y.wide) && (x.exact > y.exact) == (x.wide > y.wide);
  };
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Both x = drawn(stream, 2 * i), y = drawn(stream, 2 * i + 1);
    EXPECT_TRUE(order(x, y));
    EXPECT_TRUE(order({x.exact + y.exact, x.wide + y.wide}, {x.exact - y.exact, x.wide - y.wide}));
    const Surd tiny(Rational(1) / Rational(Wide("1e40")));
    const auto near = [&](const Surd& exact, const Wide& wide) {
      const Surd middle{Rational(wide)};
      return exact < middle + tiny && middle - tiny < exact;
    };
    EXPECT_TRUE(near(x.exact * y.exact, Wide(x.wide * y.wide)));
    EXPECT_TRUE(near(-x.exact, Wide(-x.wide)));
    if (!(y.exact == Surd(0))) {
      EXPECT_TRUE(near(x.exact / y.exact, Wide(x.wide / y.wide)));
      EXPECT_EQ(x.exact / y.exact * y.exact, x.exact);
    }
  }
}

TEST(surds, roots_are_kept_and_squares_are_taken) {
  EXPECT_EQ(sqrt(Surd(Rational(9) / Rational(4))), Surd(Rational(3) / Rational(2)));
  EXPECT_EQ(sqrt(Surd(0)), Surd(0));
  const Surd root = sqrt(Surd(2));
  EXPECT_FALSE(root == Surd(Rational(7) / Rational(5)));
  EXPECT_EQ(root * root, Surd(2));
  EXPECT_EQ(sqrt(Surd(18)), Surd(3) * root);  // one root, two ways to write it
  EXPECT_EQ(sqrt(Surd(18)) - Surd(3) * root, Surd(0));
  EXPECT_FALSE(root == -root);
  EXPECT_FALSE(root == sqrt(Surd(3)));
}

TEST(surds, refuse_what_has_no_exact_value) {
  const Surd two = sqrt(Surd(2)), three = sqrt(Surd(3));
  EXPECT_THROW(two + three, std::domain_error);
  EXPECT_THROW(two * three, std::domain_error);
  EXPECT_THROW((void)(two < three), std::domain_error);
  EXPECT_THROW(sqrt(two), std::domain_error);
  EXPECT_THROW(sqrt(Surd(-1)), std::domain_error);
  EXPECT_THROW(two / Surd(0), std::domain_error);
  EXPECT_THROW(exp(two), std::domain_error);
}

}  // namespace
}  // namespace embedscale::properties::domain
