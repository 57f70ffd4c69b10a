// How often the nearest row is another one: the quadrature against the closed form for two rows and
// against another program's.
#include <embedscale/expected/nearest_row.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace embedscale::properties::testing::nearest_row_test {
namespace {

// A weighted sum of at most 500 probabilities, each with ten roundings, and the same of the others.
constexpr double rounding = 1024 * 0x1p-53;

double misread(std::uint64_t d, double b, std::uint64_t vocabulary) {
  return expected::misread(d, b, std::vector{vocabulary})[0].value;
}

// t_j − t_i is N(0, 2s²): one noncentral law in the place of an integral over another. The rule is
// exact to its `error`. At d = 2 the integrand has a slope at r = 0, and the rule is of second
// order: by halving a step from 2h it changes by h²/4 of the slope, and the density's mass is off
// by h²/12; as P(error) is at least half of the slope, that is below h² of it. Densities of more
// dimensions start with r^(d−1), an even one at d = 8 with 16 P(error)·r^7/48 at most: the rule is
// off by (2h)^8/240 of that, at h = 1/8 by 2.1e−8. In all the others `error` is 1e−10 for Boost's
// laws, and what rounding leaves of the change by halving and of the density's mass off 1.
TEST(expected_nearest_row, of_two_rows_is_one_noncentral_law) {
  for (const std::uint64_t d : {2u, 3u, 8u, 64u, 512u, 2048u})
    for (const double ratio : {0.01, 0.5, 1.0, 10.0, 256.0}) {
      const double b = ratio * static_cast<double>(d);
      const auto found = expected::misread(d, b, std::vector<std::uint64_t>{2})[0];
      const double exact = expected::row_within(d, b / 2, b / 2);
      EXPECT_LE(std::abs(found.value - exact), found.error) << d << " " << b;
      const double stated = d == 2 ? 0x1p-12 : d == 8 ? 3e-8 : 1e-10 + 2 * rounding;
      EXPECT_LE(found.error, stated * exact) << d << " " << b;
    }
}

TEST(expected_nearest_row, is_nothing_where_nothing_is_added_or_chosen) {
  EXPECT_EQ(misread(16, 0, 1000), 0);
  EXPECT_EQ(misread(16, 8, 1), 0);
  EXPECT_THROW(misread(1, 8, 2), std::invalid_argument);
  EXPECT_THROW(misread(16, -1, 2), std::invalid_argument);
}

// Another program's values, at tokens of deviation 1, 0.5 and 0.2 beside sinusoids, b = d/(2σ²): by
// Gauss–Legendre quadrature over λ, its laws Poisson mixtures of gamma laws of whole shape. They
// are told to nine digits, as Boost's laws are good to.
TEST(expected_nearest_row, are_those_of_another_program) {
  struct Known {
    std::uint64_t d, vocabulary;
    double sigma, error;
  };
  for (const auto& [d, vocabulary, sigma, error] :
       {Known{64, 1000, 1.0, 2.89669734320e-10}, Known{64, 1000, 0.5, 0.0234443219345},
        Known{64, 1000, 0.2, 0.848462247009}, Known{16, 37000, 0.5, 0.974613093896},
        Known{256, 37000, 0.5, 5.31309404735e-11}})
    EXPECT_NEAR(misread(d, static_cast<double>(d) / 2 / (sigma * sigma), vocabulary) / error, 1,
                1e-9)
        << d << " " << sigma;
}

// `error` is the change from four cells to eight, over lengths whose squares differ by a factor
// 3.3: no rounding, but a share of the value that has to be small for it to be of use.
TEST(expected_nearest_row, of_many_lengths_is_the_mean_over_them) {
  const std::vector<std::uint64_t> vocabularies{2, 1000};
  const std::vector<double> lengths{10, 11, 13, 16, 20, 25, 31, 33};
  const auto found = expected::mean_misread(32, lengths, vocabularies);
  for (std::size_t i = 0; i < vocabularies.size(); ++i) {
    double sum = 0;
    for (const double b : lengths) sum += misread(32, b, vocabularies[i]);
    EXPECT_LE(std::abs(found[i].value - sum / 8), found[i].error);
    EXPECT_LE(found[i].error, 1e-3 * found[i].value);
  }
  const std::vector<double> one_length{20, 20};
  EXPECT_EQ(expected::mean_misread(32, one_length, vocabularies)[0].value, misread(32, 20, 2));
}

}  // namespace
}  // namespace embedscale::properties::testing::nearest_row_test
