// The expected logarithm of a softmax's sum, and its entropy: against the same expectations by
// other formulas and other quadrature rules, and against bounds that hold over the reals. Against
// draws: tied_output/test.cpp.
#include <embedscale/expected/softmax.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "softmax_model.hpp"

namespace embedscale::properties::softmax_test {
namespace {

using namespace expected_softmax;
using expected::log_sum_exp_and_entropy;

TEST(expected_softmax, a_single_weight_is_1) {
  for (const double s : {0.0, 0.01, 1.0, 40.0, 1e6})
    for (const auto& [value, error] :
         {log_sum_exp_and_entropy(s, 1).log_sum_exp, log_sum_exp_and_entropy(s, 1).entropy})
      EXPECT_TRUE(value == 0.0 && error == 0.0) << s << " " << value << " " << error;
}

TEST(expected_softmax, equal_logits_weigh_1_over_n) {
  for (const auto n : counts) {
    const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(0.0, n);
    EXPECT_TRUE(within(log_sum_exp, std::log(n), ulp * std::log(n)));
    EXPECT_TRUE(within(entropy, std::log(n), ulp * std::log(n)));
  }
}

// E ln Z = b − γ − ∫ F^n over (a, b), and E z_A = s ∫ n F^{n−1}(x) E[ξ g(x − sξ)] dx, where g is
// the density of G, and F and g are means over ξ at every s, with panels of 4 in x − sξ where it is
// steep (r = 0.78) and 2 in ξ.
struct Reference {
  double s, n;
  template <class Function>
  double mean_over_xi(double x, Function f) const {
    auto panels = equal_panels(-10, 10, 10);
    for (double y = -8; s > 1 && y <= 40; y += 4)
      panels.push_back(std::clamp((x - y) / s, -10.0, 10.0));
    std::sort(panels.begin(), panels.end());
    return integral([&](double xi) { return bell(xi) * f(xi, std::exp(s * xi - x)); }, panels);
  }
  double power(double x, double exponent) const {
    const double above = mean_over_xi(x, [](double, double u) { return -std::expm1(-u); });
    return above < 1 ? std::exp(exponent * std::log1p(-above)) : 0;
  }
  double tail() const { return std::log(n) + 37; }
  double left() const { return -9 * s - 4; }
  double right() const { return tail() + s * std::min(s / 2, std::sqrt(2 * tail())); }
  double log_sum_exp() const {
    return right() - std::numbers::egamma -
           integral([&](double x) { return power(x, n); }, equal_panels(left(), right(), 40));
  }
  double chosen() const {
    const auto kernel = [](double xi, double u) { return u < 800 ? xi * u * std::exp(-u) : 0.0; };
    return s * integral([&](double x) { return n * power(x, n - 1) * mean_over_xi(x, kernel); },
                        equal_panels(left(), right(), 40));
  }
};

// Rounding: F has a relative error of 100 ε (sums of 30 and of 22 terms, exp, bell), which changes
// F^n by n (1 − F) F^{n−1} <= 1 times that; so over (a, b), and s |ξ| n F^{n−1} g likewise.
TEST(expected_softmax, agrees_with_another_formula_and_another_rule) {
  for (const auto& reference : std::initializer_list<Reference>{{0.01, 2},
                                                                {0.3, 7},
                                                                {1, 50},
                                                                {1.1, 50},
                                                                {5, 1000},
                                                                {40, 2},
                                                                {40, 256'000},
                                                                {3, 0x1p32}}) {
    const auto [s, n] = reference;
    const double slack = 100 * ulp * (reference.right() - reference.left());
    const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, static_cast<std::uint64_t>(n));
    const double exact = reference.log_sum_exp();
    EXPECT_TRUE(within(log_sum_exp, exact, slack)) << " at " << s << " " << n;
    EXPECT_TRUE(within(entropy, exact - reference.chosen(), 2 * slack)) << " at " << s << " " << n;
  }
}

// ln Z exceeds the largest logit, and by H at most in the mean: E ln Z − E H = E z_A <= s d_n. d_n
// rounds by 1e−13 (400 ε: sums of 30 and 40 terms, erfc, (n − 1) log1p where n (1 − Φ) <= 30).
TEST(expected_softmax, log_sum_exp_exceeds_the_largest_logit_by_less_than_the_entropy) {
  for (const auto n : counts) {
    const double largest = expected_largest(static_cast<double>(n));
    for (const double s : deviations) {
      const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, n);
      const double excess = log_sum_exp.value - s * largest;
      const double slack = log_sum_exp.error + 1e-13 * s * largest;
      EXPECT_GE(excess, -slack) << s << " " << n;
      EXPECT_LE(excess, entropy.value + entropy.error + slack) << s << " " << n;
      EXPECT_GT(entropy.value, 0.0) << s << " " << n;
      EXPECT_LE(entropy.value, std::log(n) + entropy.error) << s << " " << n;
    }
  }
}

// H of two logits, integrated over their difference d, is π²/3, and d² H is 7π⁴/45. Their density
// lies between (1 − d²/(4s²)) and 1 times 1/(2s√π).
TEST(expected_softmax, a_tiny_entropy_keeps_its_digits) {
  for (const double s : {1e4, 1e6, 1e9, 1e100}) {
    const double limit = pi * pi / (6 * std::sqrt(pi) * s), below = 7 * pi * pi / (60 * s) / s;
    EXPECT_TRUE(within(log_sum_exp_and_entropy(s, 2).entropy, limit, limit * (below + 8 * ulp)))
        << s;
  }
}

TEST(expected_softmax, error_stays_below_3e_13_of_the_value) {
  for (const double s : {0.0, 0.01, 0.7, 1.0, 1.01, 2.0, 7.0, 40.0, 1e4, 1e9, 1e250})
    for (const auto n : counts) {
      const auto [log_sum_exp, entropy] = log_sum_exp_and_entropy(s, n);
      EXPECT_LE(log_sum_exp.error, 3e-13 * log_sum_exp.value) << s << " " << n;
      EXPECT_LE(entropy.error, 3e-13 * entropy.value) << s << " " << n;
    }
}

}  // namespace
}  // namespace embedscale::properties::softmax_test
