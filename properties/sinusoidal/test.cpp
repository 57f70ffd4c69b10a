// What the claims about sinusoids do not say of the library: each frequency to its last digits, and
// refusals.
#include <embedscale/format.hpp>
#include <embedscale/sinusoidal.hpp>

#include <gtest/gtest.h>

#include <cmath>
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
  const Wide bound = unit_roundoff<TypeParam> * (1 + 0x1p-10);
  for (const auto rule : {FrequencyRule::paper, FrequencyRule::tensor2tensor})
    for (const auto base : {TypeParam(2), TypeParam(100), TypeParam(10000)})
      for (const std::size_t d : {4u, 6u, 62u, 64u, 512u, 1024u}) {
        const auto w = sinusoidal_frequencies<TypeParam>(d, rule, base);
        ASSERT_EQ(w.size(), d / 2);
        const std::size_t last = rule == FrequencyRule::paper ? d / 2 : d / 2 - 1;
        for (std::size_t i = 0; i < w.size(); ++i) {
          const Wide decay = Wide(i) / last * log(Wide(base)), meant = exp(-decay);
          ASSERT_LE(abs(Wide(w[i]) - meant), meant * (decay + 2) * bound) << d << " " << i;
        }
      }
}

TEST(sinusoidal_refusals, odd_and_too_small_widths_are_refused) {
  for (const auto rule : {FrequencyRule::paper, FrequencyRule::tensor2tensor})
    for (const std::size_t d : {0u, 1u, 3u, 511u})
      EXPECT_THROW(sinusoidal_frequencies<double>(d, rule), std::invalid_argument) << d;
  EXPECT_THROW(sinusoidal_frequencies<double>(2, FrequencyRule::tensor2tensor),
               std::invalid_argument);
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
