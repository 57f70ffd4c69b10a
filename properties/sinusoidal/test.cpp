// What the claims about sinusoids do not say of the library: each frequency to its last digits,
// values by hand, and refusals.
#include <embedscale/format.hpp>
#include <embedscale/sinusoidal.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "../exact/decimal50.hpp"

namespace embedscale {

template <class>
class sinusoidal : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(sinusoidal, Reals);

// w_i = exp(−L) with L = i·ln(base)/last. With libm within one ulp (2u, what glibc documents for
// pow on x86-64): the exponent −i/last has a relative error u, which moves base^x by L·u, and pow
// adds 2u. Terms in u² are below one part in 2^10 of these, as L < 10.
TYPED_TEST(sinusoidal, frequencies_are_those_of_their_rule_in_50_digits) {
  using Wide = properties::exact::Decimal50;
  const Wide bound = unit_roundoff<TypeParam> * (1 + 0x1p-10), log_base = log(Wide(10000));
  for (const auto rule : {FrequencyRule::paper, FrequencyRule::tensor2tensor})
    for (const std::size_t d : {4u, 6u, 62u, 64u, 512u, 1024u}) {
      const auto w = sinusoidal_frequencies<TypeParam>(d, rule);
      ASSERT_EQ(w.size(), d / 2);
      const std::size_t last = rule == FrequencyRule::paper ? d / 2 : d / 2 - 1;
      for (std::size_t i = 0; i < w.size(); ++i) {
        const Wide decay = Wide(i) / last * log_base, meant = exp(-decay);
        ASSERT_LE(abs(Wide(w[i]) - meant), meant * (decay + 2) * bound) << d << " " << i;
      }
    }
}

// The rules differ where it is largest, at the end: base^(−(d−2)/d) against 1/base. At d = 4 that
// is 1/100 against 1/10000, both powers of exactly representable exponents.
TEST(sinusoidal_rules, end_at_different_frequencies) {
  const auto paper = sinusoidal_frequencies<double>(4, FrequencyRule::paper);
  const auto t2t = sinusoidal_frequencies<double>(4, FrequencyRule::tensor2tensor);
  EXPECT_LE(std::fabs(paper[1] - 0.01), 0x1p-52 * 0.01);  // one ulp, pow's
  EXPECT_LE(std::fabs(t2t[1] - 0.0001), 0x1p-52 * 0.0001);
  EXPECT_EQ(sinusoidal_frequencies<double>(2, FrequencyRule::paper), std::vector{1.0});
}

TEST(sinusoidal_rules, base_is_what_the_last_tensor2tensor_wavelength_grows_by) {
  for (const double base : {2.0, 100.0, 500000.0})
    EXPECT_LE(
        std::fabs(sinusoidal_frequencies<double>(64, FrequencyRule::tensor2tensor, base).back() *
                      base -
                  1.0),
        0x1p-52 + 0x1p-53);  // pow's ulp and the product's half
}

TEST(sinusoidal_layout, position_0_is_zeros_and_ones_where_sine_and_cosine_go) {
  const auto w = sinusoidal_frequencies<double>(6, FrequencyRule::tensor2tensor);
  std::vector<double> x(6);
  encode_position<double>(0, w, SinusoidalLayout::interleaved, x);
  EXPECT_EQ(x, (std::vector<double>{0, 1, 0, 1, 0, 1}));
  encode_position<double>(0, w, SinusoidalLayout::halves, x);
  EXPECT_EQ(x, (std::vector<double>{0, 0, 0, 1, 1, 1}));
}

TEST(sinusoidal_refusals, odd_and_too_small_widths_are_refused) {
  for (const auto rule : {FrequencyRule::paper, FrequencyRule::tensor2tensor})
    for (const std::size_t d : {0u, 1u, 3u, 511u})
      EXPECT_THROW(sinusoidal_frequencies<double>(d, rule), std::invalid_argument) << d;
  EXPECT_THROW(sinusoidal_frequencies<double>(2, FrequencyRule::tensor2tensor),
               std::invalid_argument);
  EXPECT_NO_THROW(sinusoidal_frequencies<double>(2, FrequencyRule::paper));
  EXPECT_NO_THROW(sinusoidal_frequencies<double>(4, FrequencyRule::tensor2tensor));
  try {
    sinusoidal_frequencies<double>(511, FrequencyRule::paper);
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("511 is odd"), std::string::npos) << error.what();
  }
}

TEST(sinusoidal_refusals, bases_that_have_no_powers_are_refused) {
  for (const double base : {0.0, -1.0, std::nan("")})
    EXPECT_THROW(sinusoidal_frequencies<double>(8, FrequencyRule::paper, base),
                 std::invalid_argument);
}

TEST(sinusoidal_refusals, output_of_another_size_is_refused) {
  const auto w = sinusoidal_frequencies<double>(8, FrequencyRule::paper);
  for (const std::size_t size : {0u, 4u, 7u, 9u}) {
    std::vector<double> x(size);
    EXPECT_THROW(encode_position<double>(1, w, SinusoidalLayout::halves, x), std::invalid_argument);
  }
}

}  // namespace embedscale
