// Sinusoidal positions against their definition in 50 digits, in both spacings and both layouts.
#include <embedscale/format.hpp>
#include <embedscale/sinusoidal.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../exact/decimal50.hpp"

namespace {

using embedscale::encode_position, embedscale::FrequencyRule, embedscale::sinusoidal_frequencies,
    embedscale::SinusoidalLayout;
using Wide = embedscale::properties::exact::Decimal50;
constexpr FrequencyRule rules[] = {FrequencyRule::paper, FrequencyRule::tensor2tensor};

// −ln w_i, as an exponential of a quotient instead of a power. The paper's numerator is 2i over d;
// tensor2tensor's timescales run geometrically from 1 to `base` in d/2 steps.
Wide decay(std::size_t i, std::size_t d, FrequencyRule rule, const Wide& base = 10000) {
  const Wide fraction =
      rule == FrequencyRule::paper ? Wide(2 * i) / d : Wide(i) / (Wide(d) / 2 - 1);
  return fraction * log(base);
}

// With libm within one ulp (2u, what glibc documents for pow, sin and cos on x86-64):
// the exponent x = −i/last has a relative error u, which moves base^x by |x| ln(base)·u = decay·u,
// and pow adds 2u. Terms in u² are below one part in 2^10 of these, as decay <= ln(10^4) < 10.
template <class Real>
Wide frequency_bound(const Wide& decay) {
  return exp(-decay) * (decay + 2) * Wide(embedscale::unit_roundoff<Real>) *
         (1 + ldexp(Wide(1), -10));
}

template <class>
class sinusoidal : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(sinusoidal, Reals);

TYPED_TEST(sinusoidal, frequencies_are_those_of_their_rule) {
  for (const auto rule : rules)
    for (const std::size_t d : {4u, 6u, 62u, 64u, 512u, 1024u}) {
      const auto w = sinusoidal_frequencies<TypeParam>(d, rule);
      ASSERT_EQ(w.size(), d / 2);
      EXPECT_EQ(w[0], TypeParam(1));
      for (std::size_t i = 0; i < w.size(); ++i) {
        const Wide lost = decay(i, d, rule);
        ASSERT_LE(abs(Wide(w[i]) - exp(-lost)), frequency_bound<TypeParam>(lost)) << d << " " << i;
      }
    }
}

// The angle fl(p·ŵ) adds u·p·w to p times the frequency's error; sine and cosine are 1-Lipschitz
// and add an ulp, at most 2u. The bound is absolute: at p = 2^24 in float it exceeds 2 for the
// largest frequencies but w = 1, whose angle is exact.
TYPED_TEST(sinusoidal, channels_are_sine_and_cosine_of_the_angle) {
  const Wide u = Wide(embedscale::unit_roundoff<TypeParam>);
  for (const auto rule : rules)
    for (const std::size_t d : {4u, 64u, 510u}) {
      const auto w = sinusoidal_frequencies<TypeParam>(d, rule);
      std::vector<TypeParam> x(d);
      for (const std::int64_t p : {0, 1, 2, 3, 17, 511, 512, 4095, 65535, 1 << 24}) {
        encode_position<TypeParam>(p, w, SinusoidalLayout::interleaved, x);
        for (std::size_t i = 0; i < d / 2; ++i) {
          const Wide lost = decay(i, d, rule), angle = p * exp(-lost);
          const Wide of_angle =
              i == 0 ? Wide(0)
                     : Wide(p * frequency_bound<TypeParam>(lost) + angle * u * (1 + u * 32));
          ASSERT_LE(abs(Wide(x[2 * i]) - sin(angle)), of_angle + 2 * u)
              << d << " " << p << " " << i;
          ASSERT_LE(abs(Wide(x[2 * i + 1]) - cos(angle)), of_angle + 2 * u) << d << " " << p;
        }
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

TEST(sinusoidal_layout, halves_is_a_permutation_of_interleaved) {
  const auto w = sinusoidal_frequencies<float>(64, FrequencyRule::paper);
  std::vector<float> interleaved(64), halves(64);
  encode_position<float>(1234, w, SinusoidalLayout::interleaved, interleaved);
  encode_position<float>(1234, w, SinusoidalLayout::halves, halves);
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(halves[i], interleaved[2 * i]);
    EXPECT_EQ(halves[32 + i], interleaved[2 * i + 1]);
  }
}

TEST(sinusoidal_layout, position_0_is_zeros_and_ones_where_sine_and_cosine_go) {
  const auto w = sinusoidal_frequencies<double>(6, FrequencyRule::tensor2tensor);
  std::vector<double> x(6);
  encode_position<double>(0, w, SinusoidalLayout::interleaved, x);
  EXPECT_EQ(x, (std::vector<double>{0, 1, 0, 1, 0, 1}));
  encode_position<double>(0, w, SinusoidalLayout::halves, x);
  EXPECT_EQ(x, (std::vector<double>{0, 0, 0, 1, 1, 1}));
}

// glibc's sine is odd and its cosine even to the bit.
TEST(sinusoidal_layout, negative_positions_mirror_the_sines) {
  const auto w = sinusoidal_frequencies<double>(16, FrequencyRule::paper);
  std::vector<double> forwards(16), backwards(16);
  encode_position<double>(321, w, SinusoidalLayout::halves, forwards);
  encode_position<double>(-321, w, SinusoidalLayout::halves, backwards);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(backwards[i], -forwards[i]);
    EXPECT_EQ(backwards[8 + i], forwards[8 + i]);
  }
}

TEST(sinusoidal_refusals, odd_and_too_small_widths_are_refused) {
  for (const auto rule : rules)
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

}  // namespace
