// Sums over a sinusoidal table: Dirichlet's kernel against the double sum over positions and
// channels, and the turned pairs against sine and cosine of each angle.
#include <embedscale/expected/position_table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::position_table_test {
namespace {

using embedscale::encode_position, embedscale::FrequencyRule, embedscale::sinusoidal_frequencies,
    embedscale::SinusoidalLayout;
using embedscale::expected::constant_share, embedscale::expected::for_each_position,
    embedscale::expected::mean_square, embedscale::expected::SinusoidalTable;
using Wide = embedscale::properties::exact::Decimal50;
using Pairs = std::span<const std::complex<double>>;
constexpr double u = 0x1p-53;
constexpr std::array rules{FrequencyRule::paper, FrequencyRule::tensor2tensor};

SinusoidalTable table_of(std::size_t d, FrequencyRule rule, double base, std::int64_t first,
                         std::int64_t length, double multiplier = 1) {
  return {sinusoidal_frequencies<double>(d, rule, base), first, length, multiplier};
}

// Σ_j (mean over l of p_lj)² / mean over l of ‖p_l‖², from the sines and cosines themselves.
template <class Real>
double share_by_sums(const SinusoidalTable& table) {
  using std::sin, std::cos;
  Real constant = 0, energy = 0;
  const Real length = static_cast<Real>(table.length);
  for (const double w : table.frequencies) {
    Real sines = 0, cosines = 0;
    for (std::int64_t l = table.first; l < table.first + table.length; ++l) {
      const Real s = sin(static_cast<Real>(l) * Real(w)), c = cos(static_cast<Real>(l) * Real(w));
      sines += s;
      cosines += c;
      energy += (s * s + c * c) / length;
    }
    constant += (sines * sines + cosines * cosines) / (length * length);
  }
  return static_cast<double>(Real(constant / energy));
}

// For w <= π: the kernel's argument Lw/2 is off by u·Lw/2, which L·sin(w/2) >= Lw/π makes at most
// 1.6u; two sines, a product and a quotient add 6u of the kernel, which is at most 1. Its square is
// off by at most 2·7.6u + u, a sum of n squares <= 1 by n·u, the quotient by u.
double share_error(const SinusoidalTable& table) {
  return (18 + static_cast<double>(table.frequencies.size())) * u;
}

TEST(expected_position_table, constant_share_is_the_double_sum_in_50_digits) {
  for (const FrequencyRule rule : rules)
    for (const std::size_t d : {4u, 10u})
      for (const double base : {10'000.0, 100.0, 0.4})  // 0.4: frequencies up to 2.5
        for (const std::int64_t first : {-3, 0, 1, 1000})
          for (const std::int64_t length : {1, 2, 3, 17}) {
            const auto table = table_of(d, rule, base, first, length);
            EXPECT_NEAR(constant_share(table), share_by_sums<Wide>(table), share_error(table))
                << d << " " << base << " " << first << " " << length;
          }
}

// In long double an angle is rounded by at most 2^-64 of itself. That moves a mean of sines, which
// is at most 1, by as much, so its square by twice that and the sum over a pair by four times.
TEST(expected_position_table, constant_share_of_a_long_table_is_the_double_sum) {
  struct Case {
    std::size_t d;
    FrequencyRule rule;
    double base;
    std::int64_t first, length;
  };
  for (const auto& c : {Case{512, FrequencyRule::paper, 10'000, 0, 50},
                        Case{768, FrequencyRule::tensor2tensor, 10'000, 1, 128},
                        Case{64, FrequencyRule::paper, 10'000, 2, 1024},
                        Case{4, FrequencyRule::tensor2tensor, 10'000, 0, 1 << 17},
                        Case{4, FrequencyRule::paper, 500'000, 7, 1 << 17}}) {
    const auto table = table_of(c.d, c.rule, c.base, c.first, c.length);
    const double angle = static_cast<double>(c.first + c.length) * table.frequencies[0];
    EXPECT_NEAR(constant_share(table), share_by_sums<long double>(table),
                share_error(table) + angle * 0x1p-62)
        << c.d << " " << c.length;
  }
}

TEST(expected_position_table, mean_square_is_that_of_every_encoded_position) {
  for (const FrequencyRule rule : rules)
    for (const double multiplier : {1.0, 0.25, -3.0}) {
      const auto table = table_of(64, rule, 10'000, 0, 9, multiplier);
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
      const auto table = table_of(d, rule, 10'000, first, length, multiplier);
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
