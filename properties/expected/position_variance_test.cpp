// Moments over a sinusoidal table's positions: Dirichlet's kernel in 50 digits. Against the sums:
// the sinusoidal room's properties.
#include <embedscale/expected/position_variance.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "../testing/seed.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::position_variance_test {
namespace {

using embedscale::expected::channel_variances, embedscale::expected::mean_cosine,
    embedscale::expected::mean_sine, embedscale::expected::pair_variance;
using embedscale::properties::testing::stream_of;
using Wide = embedscale::properties::exact::Decimal50;
constexpr double u = 0x1p-53;

// The kernel in 50 digits, of which v loses 22 at w = 10^−5 and L = 2 and a channel as many
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
    EXPECT_EQ(pair_variance(w, 1), 0.0);
  }
}

}  // namespace
}  // namespace embedscale::properties::position_variance_test
