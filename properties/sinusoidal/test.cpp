// What sinusoids refuse. Their values are properties, those of the frequencies of conventions.
#include <embedscale/sinusoidal.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace embedscale {

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
