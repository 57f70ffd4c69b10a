// Moments over a sinusoidal table's positions: Dirichlet's kernel in 50 digits, and products, of
// which variances are made, against their sums.
#include <embedscale/expected/position_variance.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "../testing/seed.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::position_variance_test {
namespace {

using embedscale::expected::channel_variances, embedscale::expected::dirichlet,
    embedscale::expected::mean_cosine, embedscale::expected::mean_sine,
    embedscale::expected::pair_products, embedscale::expected::pair_variance;
using embedscale::properties::testing::stream_of;
using Wide = embedscale::properties::exact::Decimal50;
constexpr double u = 0x1p-53;

// Every binade of frequencies of a table with base 10^4, and its two ends.
constexpr std::array frequencies{1.0, 0.9, 0.5, 0.2, 0.05, 0.01, 3e-3, 1e-3, 3e-4, 1.0366e-4, 1e-4};
// Dirichlet's kernel in 50 digits, of which v loses 22 at w = 10^−5 and L = 2 and a channel as many
// again: its two parts cancel where the frequency hardly turns.
TEST(expected_position_variance, is_its_closed_form_in_50_digits_wherever_a_table_has_it) {
  const auto stream = stream_of("expected_position_variance.closed_form");
  const auto kernel = [](const Wide& w, std::int64_t length) {
    return Wide(sin(w * length / 2) / (sin(w / 2) * length));
  };
  for (std::uint64_t i = 0; i < 6000; ++i) {
    const auto length = static_cast<std::int64_t>(std::exp2(1 + 16 * stream.uniform(i, 0)));
    const double even = stream.uniform(i, 1);  // of the binades of w, or of x = Lw/2 up to 2
    const double w = i % 2 == 0 ? std::pow(10, -5 * even) : 4 * even / static_cast<double>(length);
    if (w > 1) continue;
    const Wide exact_w = w, d = kernel(exact_w, length), v = 1 - d * d;
    const Wide turned = (d * d - kernel(2 * exact_w, length)) * cos(exact_w * (length - 1));
    EXPECT_LE(abs(pair_variance(w, length) - v), v * 0x1p-46) << w << " " << length;
    const auto both = channel_variances(w, length);
    const double x = static_cast<double>(length) * w / 2;
    const Wide allowed = x <= 0.5 ? Wide(v * 0x1p-47) : Wide(0x1p-48);
    EXPECT_LE(abs(both.sine - (v + turned) / 2), allowed) << w << " " << length;
    EXPECT_LE(abs(both.cosine - (v - turned) / 2), allowed) << w << " " << length;
    const Wide phase = exact_w * (length - 1) / 2;
    EXPECT_LE(abs(mean_cosine(w, length) - d * cos(phase)), 12 * u) << w << " " << length;
    EXPECT_LE(abs(mean_sine(w, length) - d * sin(phase)), 12 * u) << w << " " << length;
  }
}

TEST(expected_position_variance, products_are_the_sums_in_50_digits) {
  for (const double v : frequencies)
    for (const double w : {1.0, 0.2, 3e-3, 1e-4})
      for (const std::int64_t length : {1, 2, 7, 100}) {
        Wide ss = 0, sc = 0, cc = 0;
        for (std::int64_t l = 0; l < length; ++l) {
          const Wide a = Wide(v) * l, b = Wide(w) * l;
          ss += sin(a) * sin(b), sc += sin(a) * cos(b), cc += cos(a) * cos(b);
        }
        const auto products = pair_products(v, w, length);
        EXPECT_LE(abs(products.sine_sine - ss / length), 13 * u) << v << " " << w << " " << length;
        EXPECT_LE(abs(products.sine_cosine - sc / length), 13 * u) << v << " " << w;
        EXPECT_LE(abs(products.cosine_cosine - cc / length), 13 * u) << v << " " << w;
      }
}

// (v ± g·cos 2φ)/2 is off a half by D(w)² + |D(2w)|/2 at most, where D(w) <= 1/(L·sin w/2); the
// header's error is 2^−48.
TEST(expected_position_variance, of_one_position_is_0_and_of_many_a_half) {
  for (const double w : frequencies) {
    EXPECT_EQ(pair_variance(w, 1), 0.0);
    EXPECT_EQ(channel_variances(w, 1).sine, 0.0);
    constexpr auto length = std::int64_t{1} << 40;
    const auto many = channel_variances(w, length);
    const double of_half = 1 / (static_cast<double>(length) * std::sin(w / 2));
    const double of_whole = 1 / (static_cast<double>(length) * std::sin(w));
    const double far = of_half * of_half + of_whole / 2 + 0x1p-48;
    EXPECT_NEAR(many.sine, 0.5, far);
    EXPECT_NEAR(many.cosine, 0.5, far);
  }
  EXPECT_EQ(dirichlet(0.0, 100), 1.0);
}

}  // namespace
}  // namespace embedscale::properties::position_variance_test
