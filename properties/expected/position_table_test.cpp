// Sums over a sinusoidal table: turned pairs against sine and cosine of each angle. Dirichlet's
// kernel is position_variance_test.cpp's and the sinusoidal room's.
#include <embedscale/expected/position_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace embedscale::properties::position_table_test {
namespace {

using embedscale::encode_position, embedscale::FrequencyRule, embedscale::sinusoidal_frequencies,
    embedscale::SinusoidalLayout;
using embedscale::expected::for_each_position, embedscale::expected::mean_square,
    embedscale::expected::SinusoidalTable;
using Pairs = std::span<const std::complex<double>>;
constexpr double u = 0x1p-53;
constexpr std::array rules{FrequencyRule::paper, FrequencyRule::tensor2tensor};

SinusoidalTable table_of(std::size_t d, FrequencyRule rule, std::int64_t first, std::int64_t length,
                         double multiplier) {
  return {sinusoidal_frequencies<double>(d, rule), first, length, multiplier};
}

TEST(expected_position_table, mean_square_is_that_of_every_encoded_position) {
  for (const FrequencyRule rule : rules)
    for (const double multiplier : {1.0, 0.25, -3.0}) {
      const auto table = table_of(64, rule, 0, 9, multiplier);
      for (const std::int64_t l : {0, 1, 77, 100'000}) {
        std::vector<double> p(64);
        encode_position<double>(l, table.frequencies, SinusoidalLayout::halves, p);
        double sum = 0;
        for (const double value : p) sum += multiplier * multiplier * value * value;
        EXPECT_NEAR(sum / 64, mean_square(table), 64 * u * mean_square(table));
      }
    }
}

// Every position in order, first … first + L − 1, with the cosine in the real part; l % 64 turns
// after a fresh start at angle θ = fl(l₀·w). In units of u: the start is off by 3 (libm 2, product
// 1), each of at most 63 turns by √5 (a complex product: Brent, Percival, Zimmermann 2007) and by 2
// (libm, in the turn itself): 270 u < 3·10⁻¹⁴. That is against e^{iθ}·e^{ikw}; the exact angle of
// position l is as far from θ + kw as θ's own rounding, u·|θ|, which no turn changes.
TEST(expected_position_table, turned_pairs_stay_within_3e_14_of_the_turn_from_a_fresh_start) {
  using Extended = std::complex<long double>;  // k·w has 59 digits, exact in its 64
  struct Case {
    std::size_t d;
    std::int64_t first, length;
    double multiplier;
  };
  double worst = 0;
  for (const FrequencyRule rule : rules)
    for (const auto& [d, first, length, multiplier] :
         {Case{64, -100, 200, 1.0}, Case{64, 0, 200, -0.7}, Case{64, 131'000, 200, 22.6},
          Case{4, 0, 1 << 16, 1.0}}) {
      const auto table = table_of(d, rule, first, length, multiplier);
      std::int64_t l = first;
      for_each_position(table, [&](Pairs pairs) {
        const std::int64_t k = (l - first) % 64;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
          const double w = table.frequencies[i], start = static_cast<double>(l - k) * w;
          const auto exact =
              static_cast<long double>(multiplier) *
              std::polar(1.0L, static_cast<long double>(start)) *
              std::polar(1.0L, static_cast<long double>(k) * static_cast<long double>(w));
          const auto error = std::abs(Extended(pairs[i].real(), pairs[i].imag()) - exact);
          worst = std::max(worst, static_cast<double>(error) / std::abs(multiplier));
        }
        ++l;
      });
      EXPECT_EQ(l, first + length);
    }
  EXPECT_LE(worst, 3e-14);
  EXPECT_GE(worst, 1e-16);  // else nothing was turned
}

}  // namespace
}  // namespace embedscale::properties::position_table_test
