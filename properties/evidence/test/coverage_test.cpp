// How often the judge of coverage is wrong: exactly, over all sequences of cases, looked at after
// each.
#include "../coverage.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../power.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::evidence {
namespace {

constexpr double alpha = 1e-9;
constexpr std::uint64_t most = 6400;

/// P(outside(k, n) at some n <= last), k the successes of n draws of
/// probability p. The mass of all paths is moved one draw on at a time, and what is outside is
/// taken out: sums of positive terms, `last` roundings deep, so to a relative last·2^-51.
///
/// Requires  for each n, the counts outside are the smallest ones, the largest ones, or both.
template <class Outside>
double probability_of_leaving(double p, std::uint64_t last, Outside outside) {
  std::vector<double> mass{1.0};  // mass[j]: of the paths at k = first + j
  std::uint64_t first = 0;
  double left = 0.0;
  for (std::uint64_t n = 1; n <= last; ++n) {
    mass.push_back(0.0);
    for (std::size_t j = mass.size() - 1; j > 0; --j)
      mass[j] = mass[j] * (1.0 - p) + mass[j - 1] * p;
    mass[0] *= 1.0 - p;
    std::size_t below = 0;
    while (below < mass.size() && outside(first + below, n)) left += mass[below++];
    mass.erase(mass.begin(), mass.begin() + static_cast<std::ptrdiff_t>(below));
    first += below;
    while (!mass.empty() && outside(first + mass.size() - 1, n))
      left += mass.back(), mass.pop_back();
    if (mass.empty()) return left;
  }
  return left;
}

auto judged(Coverage answer, double required) {
  return
      [=](std::uint64_t k, std::uint64_t n) { return coverage(k, n, required, alpha) == answer; };
}

TEST(coverage, a_required_share_is_hardly_ever_called_insufficient) {
  for (const double share : {0.003, 0.02, 0.1, 0.5, 0.95}) {
    const double wrong = probability_of_leaving(share, most, judged(Coverage::insufficient, share));
    EXPECT_LE(wrong, alpha) << share;
    // Of 6400 cases with a share of 0.003, not one in the class is no evidence at 10^-9.
    const double least = share > 0.01 ? alpha / 100 : 0.0;
    EXPECT_GE(wrong, least) << share << " is judged too carefully";
  }
}

TEST(coverage, nine_tenths_of_it_are_hardly_ever_called_sufficient) {
  for (const double required : {0.003, 0.02, 0.1, 0.5, 0.95}) {
    const double wrong = probability_of_leaving(enough_of_required * required, most,
                                                judged(Coverage::sufficient, required));
    EXPECT_LE(wrong, alpha) << required;
    EXPECT_GE(wrong, alpha / 100) << required << " is judged too carefully";
  }
}

// From 1 case to 10^9, where log B is 2·10^10; all counts of small numbers of cases.
TEST(coverage, e_values_are_quotients_of_beta_functions_in_50_digits) {
  using Wide = exact::Decimal50;
  const auto expect = [](std::uint64_t k, std::uint64_t n, double p) {
    const Wide half = 0.5, in = k, out = n - k;
    const Wide log_mixture = lgamma(in + half) + lgamma(out + half) - lgamma(Wide(n) + 1);
    const Wide exact = log_mixture - log(Wide::pi()) - in * log(Wide(p)) - out * log(1 - Wide(p));
    EXPECT_LE(abs(log_e_value(k, n, p) - exact), e_value_error(n)) << k << "/" << n << " " << p;
  };
  for (const double p : {0.001, 0.25, 0.3, 0.9}) {
    for (const std::uint64_t n : {0u, 1u, 5u, 20u, 40u})
      for (std::uint64_t k = 0; k <= n; ++k) expect(k, n, p);
    for (const std::uint64_t n : {1000u, 1'000'000'000u})
      for (const double scores : {0.0, -1.0, 7.0})
        expect(static_cast<std::uint64_t>(
                   std::round(p * real(n) + scores * std::sqrt(real(n) * p * (1 - p)))),
               n, p);
  }
  expect(254'242'640, 1'000'000'000, 0.25);
  expect(300, 1000, 0.9);
}

TEST(coverage, no_case_decides_nothing_and_one_miss_decides_always) {
  EXPECT_EQ(coverage(0, 0, 0.5, alpha), Coverage::undecided);
  EXPECT_EQ(coverage(1000, 1000, 1.0, alpha), Coverage::sufficient);
  EXPECT_EQ(coverage(999, 1000, 1.0, alpha), Coverage::insufficient);
  EXPECT_EQ(coverage(0, 100, 0.5, alpha), Coverage::insufficient);
  EXPECT_EQ(coverage(100, 100, 0.5, alpha), Coverage::sufficient);
}

}  // namespace
}  // namespace embedscale::properties::evidence
