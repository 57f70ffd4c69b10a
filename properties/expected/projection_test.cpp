// The closed forms of expected/projection.hpp against sums over every outcome of a law of three
// values, and against the initial laws' own moments.
#include <embedscale/expected/projection.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace embedscale::properties::testing {
namespace {

using namespace expected;

/// E of f(t) over d independent entries that are −a, 0, a with probability w, 1 − 2w, w.
template <class Function>
double expectation(std::size_t d, double a, double w, Function f) {
  double sum = 0;
  std::vector<double> t(d);
  std::uint64_t outcomes = 1;
  for (std::size_t j = 0; j < d; ++j) outcomes *= 3;
  for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
    double probability = 1;
    for (std::size_t j = 0, rest = outcome; j < d; ++j, rest /= 3) {
      t[j] = a * (static_cast<double>(rest % 3) - 1);
      probability *= rest % 3 == 1 ? 1 - 2 * w : w;
    }
    sum += probability * f(t);
  }
  return sum;
}

double square_of_sum(const std::vector<double>& t, const std::vector<double>& p) {
  double sum = 0;
  for (std::size_t j = 0; j < t.size(); ++j) sum += (t[j] + p[j]) * (t[j] + p[j]);
  return sum;
}

// Variance 2wa² and kurtosis 1/(2w): 1 for signs, 3 as a normal law's, and 5. Sums of at most 3^4
// terms of one sign, some ten operations each.
TEST(expected_projection, fourth_moments_are_those_of_every_outcome) {
  const std::vector<double> p{0.3, -0.8, 0.1, 1.1}, other{-0.4, 0.2, 0.9, 0.5};
  const auto norm = [](const std::vector<double>& v) {
    return square_of_sum(v, std::vector<double>(v.size(), 0.0));
  };
  for (const double w : {0.5, 1.0 / 6, 0.1})
    for (const double a : {0.1, 1.0, 7.0}) {
      const double token = 2 * w * a * a, kurtosis = 1 / (2 * w), all = 4 * token;
      const double here = expectation(4, a, w, [&](const std::vector<double>& t) {
        return square_of_sum(t, p) * square_of_sum(t, p);
      });
      EXPECT_NEAR(at_one_position(token, norm(p) / 4, kurtosis, 4),
                  here / std::pow(all + norm(p), 2), 1e-13);
      // Positions of equal length, as sinusoids are.
      auto q = other;
      for (double& value : q) value *= std::sqrt(norm(p) / norm(other));
      double overlap = 0;
      for (std::size_t j = 0; j < 4; ++j) overlap += p[j] * q[j] / 4;
      const double there = expectation(4, a, w, [&](const std::vector<double>& t) {
        return square_of_sum(t, p) * square_of_sum(t, q);
      });
      EXPECT_NEAR(of_one_token(token, norm(p) / 4, kurtosis, overlap, 4),
                  there / std::pow(all + norm(p), 2), 1e-13);
    }
}

TEST(expected_projection, shares_add_up_and_are_squares) {
  for (const double t : {0.0, 1e-9, 0.5, 1.0, 1e9})
    for (const double p : {1e-3, 0.5, 40.0}) {
      const auto s = term_shares(t, p);
      EXPECT_NEAR(s.token_token + s.token_position + s.position_token + s.position_position, 1,
                  1e-15);
      EXPECT_NEAR(s.token_token * (t + p) * (t + p), t * t, 1e-15 * (t + p) * (t + p));
      EXPECT_EQ(s.token_position, s.position_token);
    }
  const auto paper = term_shares(1, 0.5);
  EXPECT_NEAR(paper.token_token, 4.0 / 9, 1e-15);
  EXPECT_NEAR(paper.position_position, 1.0 / 9, 1e-15);
  EXPECT_THROW(term_shares(0, 0), std::invalid_argument);
}

// d_model = 512, 8 heads of 64: fans of 512 + 512, 64 + 512 and 1536 + 512.
TEST(expected_projection, laws_have_the_fans_of_their_matrix) {
  const ProjectionShape shape{512, 64, 8};
  const auto variance_of = [&](ProjectionLaw law) {
    return variance(initializer_of(law, shape, 0.02));
  };
  EXPECT_NEAR(variance_of(ProjectionLaw::xavier), 1.0 / 512, 1e-17);
  EXPECT_NEAR(variance_of(ProjectionLaw::xavier_per_head), 2.0 / 576, 1e-17);
  EXPECT_NEAR(variance_of(ProjectionLaw::packed_xavier), 1.0 / 1024, 1e-17);
  EXPECT_NEAR(variance_of(ProjectionLaw::normal), 0.0004, 1e-18);
  EXPECT_NEAR(variance_of(ProjectionLaw::normal_by_width), 1.0 / 512, 1e-17);
  EXPECT_EQ(projection_variance(0.25, 16, 1.5), 6.0);
}

// A central difference in ln d with a step h = 2^−10 is off by h²/6 times the third derivative,
// which is below 1 here: 1.6e-7.
TEST(expected_projection, unscaled_exponent_is_a_derivative) {
  for (const double d : {2.0, 16.0, 512.0, 16384.0}) {
    const auto value = [](double x) { return std::log(1 / x + 0.5); };
    const double step = std::log1p(0x1p-10);
    const double slope = (value(d * std::exp(step)) - value(d * std::exp(-step))) / (2 * step);
    EXPECT_NEAR(unscaled_exponent(d), slope, 1e-6);
  }
}

}  // namespace
}  // namespace embedscale::properties::testing
