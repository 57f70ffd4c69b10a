// The closed forms of expected/projection.hpp against sums over every outcome of a law of three
// values, and against the initial laws' own moments.
#include <embedscale/expected/projection.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace embedscale::properties::testing::projection_test {
namespace {

using namespace expected;
constexpr double u = 0x1p-53;

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

// Variance 2wa² and kurtosis 1/(2w): 1 for signs, 3 as a normal law's, and 5. A sum of 3^4 terms of
// one sign, of 12 roundings in a probability and 13 in a square of sums each, over a square of 14;
// the closed form's own are below 20, and 30 are for lengths and overlap that are off: 170u.
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
                  here / std::pow(all + norm(p), 2), 170 * u * here / std::pow(all + norm(p), 2));
      // Positions of equal length, as sinusoids are.
      auto q = other;
      for (double& value : q) value *= std::sqrt(norm(p) / norm(other));
      double overlap = 0;
      for (std::size_t j = 0; j < 4; ++j) overlap += p[j] * q[j] / 4;
      const double there = expectation(4, a, w, [&](const std::vector<double>& t) {
        return square_of_sum(t, p) * square_of_sum(t, q);
      });
      EXPECT_NEAR(of_one_token(token, norm(p) / 4, kurtosis, overlap, 4),
                  there / std::pow(all + norm(p), 2), 170 * u * there / std::pow(all + norm(p), 2));
    }
}

// d_model = 512, 8 heads of 64: fans of 512 + 512, 64 + 512 and 1536 + 512. A square of a rounded
// root, over 3 for a uniform law: at most 6 roundings.
TEST(expected_projection, laws_have_the_fans_of_their_matrix) {
  const ProjectionShape shape{512, 64, 8};
  const auto variance_of = [&](ProjectionLaw law) {
    return variance(initializer_of(law, shape, 0.02));
  };
  const auto expect = [&](ProjectionLaw law, double exact) {
    EXPECT_NEAR(variance_of(law), exact, 6 * u * exact);
  };
  expect(ProjectionLaw::xavier, 1.0 / 512);
  expect(ProjectionLaw::xavier_per_head, 2.0 / 576);
  expect(ProjectionLaw::packed_xavier, 1.0 / 1024);
  expect(ProjectionLaw::nn_linear, 1.0 / 1536);
  expect(ProjectionLaw::normal, 0.0004);
  expect(ProjectionLaw::normal_by_width, 1.0 / 512);
  EXPECT_EQ(projection_variance(0.25, 16, 1.5), 6.0);
}

// A matrix of one entry: fans of 1 + 1 and 3 + 1, and of 1.
TEST(expected_projection, a_shape_of_which_nothing_is_said_is_one_entry) {
  const auto variance_of = [](ProjectionLaw law) {
    return variance(initializer_of(law, ProjectionShape{}, 1));
  };
  EXPECT_NEAR(variance_of(ProjectionLaw::xavier), 1.0, 6 * u);
  EXPECT_NEAR(variance_of(ProjectionLaw::xavier_per_head), 1.0, 6 * u);
  EXPECT_NEAR(variance_of(ProjectionLaw::packed_xavier), 0.5, 3 * u);
  EXPECT_NEAR(variance_of(ProjectionLaw::nn_linear), 1.0 / 3, 2 * u);
}

// A central difference in ln d with a step h = 2^−10 is off by h²/6 times the third derivative: a
// logistic function's second, at most 1/(6√3) < 0.0963. Its logarithms are below 1, off by 4u.
TEST(expected_projection, unscaled_exponent_is_a_derivative) {
  for (const double d : {2.0, 16.0, 512.0, 16384.0}) {
    const auto value = [](double x) { return std::log(1 / x + 0.5); };
    const double step = std::log1p(0x1p-10);
    const double slope = (value(d * std::exp(step)) - value(d * std::exp(-step))) / (2 * step);
    EXPECT_NEAR(unscaled_exponent(d), slope, step * step / 6 * 0.0963 + 4 * u / step);
  }
}

}  // namespace
}  // namespace embedscale::properties::testing::projection_test
