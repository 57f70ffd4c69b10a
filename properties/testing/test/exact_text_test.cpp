// What counterexamples show of a float gives the same float back.
#include "../exact_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "../generators/numbers.hpp"
#include "../run.hpp"

namespace embedscale::properties::testing {
namespace {

TEST(exact_text, is_decimal_and_hexadecimal) {
  EXPECT_EQ(exact_text(0.1), "0.1 (0x1.999999999999ap-4)");
  EXPECT_EQ(exact_text(0.1f), "0.1 (0x1.99999ap-4)");
  EXPECT_EQ(exact_text(-1.5), "-1.5 (-0x1.8p+0)");
  EXPECT_EQ(exact_text(binary16(0.1)), "0.0999755859375 (0x1.998p-4)");
  EXPECT_EQ(exact_text(bfloat16(-3.0)), "-3 (-0x1.8p+1)");
  EXPECT_EQ(exact_text(0x1p-1074), "5e-324 (0x0.0000000000001p-1022)");
}

TEST(exact_text, says_what_has_no_digits_once) {
  EXPECT_EQ(exact_text(0.0), "0");
  EXPECT_EQ(exact_text(-0.0), "-0");
  EXPECT_EQ(exact_text(HUGE_VAL), "inf");
  EXPECT_EQ(exact_text(-HUGE_VAL), "-inf");
  EXPECT_EQ(exact_text(std::nan("")), "nan");
  EXPECT_EQ(exact_text(bfloat16::infinity()), "inf");
}

/// Both halves, over all exponents and either sign.
TEST(exact_text, gives_every_number_back) {
  const auto outcome = run("gives back", default_cases, [] {
    const auto bits = generators::named("bits", rc::gen::arbitrary<std::uint64_t>());
    const auto x = std::bit_cast<double>(bits);
    RC_PRE(std::isfinite(x) && x != 0.0);
    const auto text = exact_text(x);
    const auto bracket = text.find(" (");
    holds_exactly(std::strtod(text.substr(0, bracket).c_str(), nullptr) == x);
    holds_exactly(std::strtod(text.substr(bracket + 2).c_str(), nullptr) == x);
  });
  expect_held(outcome);
}

TEST(named, shows_floats_and_vectors_of_them_exactly_and_leaves_their_values) {
  const auto third = rc::gen::map(generators::in_range(0, 1), [](int) { return 1.0 / 3.0; });
  const auto thirds = rc::gen::container<std::vector<double>>(2, third);
  const auto outcome = run("named", 10, [&] {
    const double x = generators::named("x", third);
    const auto v = generators::named("v", thirds);
    holds_exactly(x != 1.0 / 3.0 || v != std::vector{x, x});
  });
  const std::string shown = "0.3333333333333333 (0x1.5555555555555p-2)";
  EXPECT_EQ(outcome.counterexample, "x = " + shown + ", v = [" + shown + ", " + shown + "]");
}

}  // namespace
}  // namespace embedscale::properties::testing
