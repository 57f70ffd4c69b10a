// The own logit of a shared table: against another formula in 50 digits and bounds over the reals.
// And the loss on the input token: against integrals over its one other logit, the house's
// log-sum-exp where the own logit is one more of the others, closed forms at the ends, and draws.
#include <embedscale/expected/own_loss.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/tied_output.hpp>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "../evidence/normal.hpp"
#include "../testing/statistical.hpp"
#include "properties/exact/decimal50.hpp"

namespace embedscale::properties::own_loss_test {
namespace {

using namespace embedscale::expected;
using Wide = exact::Decimal50;
constexpr double ulp = std::numeric_limits<double>::epsilon();
constexpr auto rms = Norm::Kind::rms_norm, layer = Norm::Kind::layer_norm;

// Without a position y = g, and J = E‖g‖ = √2·Γ((n + 1)/2)/Γ(n/2), between √(n − 1) and √n.
TEST(expected_own_logit, alone_it_is_the_mean_length) {
  for (const std::uint64_t n : {2, 3, 10, 512, 16384, 1 << 20}) {
    const auto [value, error] = aligned_normal(n, 0);
    EXPECT_GE(value, std::sqrt(static_cast<double>(n - 1))) << n;
    EXPECT_LE(value, std::sqrt(static_cast<double>(n))) << n;
    const Wide x = Wide(n) / 2;
    const auto exact = static_cast<double>(sqrt(Wide(2)) * exp(lgamma(x + 0.5) - lgamma(x)));
    EXPECT_NEAR(value, exact, error + ulp * exact) << n;
  }
}

TEST(expected_own_logit, leading_order_is_off_by_a_share_of_about_1_over_d) {
  for (const std::size_t d : {16, 64, 512, 4096})
    for (const auto norm : {rms, layer}) {
      const double n = static_cast<double>(d);
      const TiedToken token{d, 1 / std::sqrt(n), std::sqrt(n), 1, norm};
      const double p = 0.5 * n, centring = norm == layer ? 1 - 1 / n : 1;
      const double exact = own_logit(token, p).value;
      const double leading = own_logit_to_leading_order(token, centring + 0.5);
      EXPECT_LE(std::abs(leading / exact - 1), 1 / n) << d;
    }
}

// One entry from N(0, 1), in and out as it is: its state is a sign, and E g·sgn(g + p) = 2φ(p).
TEST(expected_own_logit, a_token_of_which_nothing_is_said_is_one_standard_normal) {
  for (const double p : {0.0, 1.0, 2.0}) {
    const double exact = std::sqrt(2 / std::numbers::pi) * std::exp(-0.5 * p * p);
    const auto [value, error] = own_logit(TiedToken{}, p * p);
    EXPECT_NEAR(value, exact, error + 4 * ulp * exact) << p;  // three roundings and exp
  }
  EXPECT_EQ(other_logit_deviation(TiedToken{}), 1.0);
}

double loss_beside(double z, double s, std::uint64_t n) { return LossBeside(s, n, z, z)(z); }

/// E f(ξ) of a standard normal, on 40 panels: f of logits of deviation 10 turns within a tenth.
template <class Function>
double normal_mean(Function f, int panels = 40) {
  double sum = 0;
  for (int k = -panels / 2; k < panels / 2; ++k)
    sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
        [&](double x) { return f(x) * std::exp(-0.5 * x * x); }, 24.0 / panels * k,
        24.0 / panels * (k + 1), 0);
  return sum / std::sqrt(2 * std::numbers::pi);
}

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

TEST(expected_own_loss, one_other_logit_agrees_with_the_integral_over_it) {
  for (const double s : {1e-3, 0.3, 1.0, 1.0000001, 2.5, 10.0, 100.0})
    for (const double z : {-40.0, -3.0, 0.0, 0.7, 5.0, 30.0}) {
      const double exact =
          normal_mean([&](double x) { return softplus(s * x - z); }, s > 10 ? 400 : 40);
      EXPECT_NEAR(loss_beside(z, s, 1), exact, 2e-12 * exact) << s << " " << z;
    }
}

// With the own logit normal as the others are, E ℓ is E ln Σ exp over all of them.
TEST(expected_own_loss, is_the_log_sum_exp_where_the_own_logit_is_like_the_others) {
  for (const double s : {0.05, 1.0, 3.0, 10.0})
    for (const std::uint64_t n : {1, 99, 32767}) {
      const LossBeside loss(s, n, -12 * s, 12 * s);
      const auto [value, error] = log_sum_exp_and_entropy(s, n + 1).log_sum_exp;
      EXPECT_NEAR(normal_mean([&](double x) { return loss(s * x); }), value, error + 2e-12 * value)
          << s << " " << n;
    }
}

// By another program (mpmath, tanh-sinh in 25 digits, of the integral over t of (1 − E exp(−tA))·
// exp(−t)/t, A = Σ exp(z_i − z)).
TEST(expected_own_loss, agrees_with_25_digits) {
  constexpr double exact = 0.11521164007327239;
  EXPECT_NEAR(loss_beside(13, 1, 32767), exact, 1e-12 * exact);
}

// Convex in the logits together, and falling in the own one.
TEST(expected_own_loss, lies_above_the_loss_at_the_mean_logits) {
  for (const std::size_t d : {4, 16, 512})
    for (const auto norm : {rms, layer})
      for (const double m : {1.0, -1.0, std::sqrt(static_cast<double>(d))}) {
        const double n = static_cast<double>(d), p = 0.5 * n;
        const TiedToken token{d, 1 / std::sqrt(n), m, 1, norm};
        const double own = own_logit(token, p).value;
        const double rest = log_sum_exp_and_entropy(1, 999).log_sum_exp.value;
        const auto [value, error] = loss_on_itself(token, p, 1000);
        EXPECT_GT(value + error, softplus(rest - own)) << d << " " << m;
        EXPECT_LT(value - error, loss_beside(own - 1, 1, 999)) << d << " " << m;
        EXPECT_LE(error, (d < 16 ? 1e-3 : 2e-6) * value) << d << " " << m;
      }
}

// Without a position z is s·‖g‖, ‖g‖ of law χ_n: one dimension instead of two. ‖g‖ = √n·exp(v), and
// what is left out has a density below exp(−500). A large s has its loss, 10^−22 at n = 300 and
// s = 4, from tokens s/2 shorter than most, and its nodes of z span more than a Gumbel variable's
// 40.
TEST(expected_own_loss, alone_it_is_a_mean_over_the_length) {
  for (const auto& [n, s] : {std::pair{2u, 1.0},
                             {3u, 1.0},
                             {16u, 1.0},
                             {100u, 10.0},
                             {300u, 1.0},
                             {300u, 4.0},
                             {300u, 8.0}}) {
    const double d = n, root = std::sqrt(d);
    const LossBeside loss(s, 999, 0, s * root * std::exp(2.0));
    double weights = 0, sum = 0;
    for (double v = -24; v < 2; v += 0x1p-8) {
      const double log = d * (v - 0.5 * std::expm1(2 * v));
      if (log < -500) continue;
      weights += std::exp(log), sum += std::exp(log) * loss(s * root * std::exp(v));
    }
    const auto [value, error] = loss_on_itself({n, s / root, 1, 1, rms}, 0, 1000);
    EXPECT_NEAR(value, sum / weights, error + 1e-9 * value) << n << " " << s;
    EXPECT_LE(error, (n < 16 ? 1e-3 : 2e-6) * value) << n << " " << s;
  }
}

constexpr std::size_t d = 8, words = 8;

// 64 batches of 512 tables: look-up, sum, norm, logits and loss by the library.
evidence::BatchMean::Data losses(const TiedToken& token, const Stream& stream,
                                 const Expectation& stated) {
  evidence::BatchMean::Data data{
      .null = {stated.value - stated.error, stated.value + stated.error}};
  std::vector<double> rows(words * d), x(d), h(d), z(words);
  std::uint64_t next = 0;
  for (std::uint64_t batch = 0; batch < 64; ++batch) {
    double sum = 0;
    for (std::uint64_t i = 0; i < 512; ++i) {
      for (double& entry : rows) entry = token.deviation * stream.normal(next++);
      for (std::size_t j = 0; j < d; ++j)
        x[j] = token.multiplier * rows[j] + (j % 2 == 0 ? 1 : -1) * std::sqrt(0.5);
      if (token.final_norm == layer)
        layer_norm<double>(x, 0.0, EpsilonPlacement::variance, h);
      else
        rms_norm<double>(x, 0.0, EpsilonPlacement::variance, h);
      tied_logits<double>(EmbeddingTable<double>(words, d, rows), h, 1.0, z);
      double all = 0;
      for (const double logit : z) all += std::exp(logit - z[0]);
      sum += std::log(all);
    }
    data.add(sum / 512);
  }
  return data;
}

TEST(expected_own_loss, is_that_of_draws) {
  testing::Assertion<"expected_own_loss.is_that_of_draws", evidence::BatchMean> mean(3);
  const double root = std::sqrt(8.0);
  for (const TiedToken& token :
       {TiedToken{d, 0.6, root, 1, rms}, TiedToken{d, 1 / root, 1, 1, layer},
        TiedToken{d, 0.6, root, 1, layer}}) {
    const std::string name = "sigma = " + std::to_string(token.deviation) +
                             ", m = " + std::to_string(token.multiplier) +
                             (token.final_norm == layer ? ", LayerNorm" : ", RMSNorm");
    const auto stated = loss_on_itself(token, 0.5 * d, words);
    mean.judge(losses(token, mean.stream(name), stated), name);
  }
}

// A batch deviates by less than 6 % of the right value.
TEST(expected_own_loss, the_bound_and_other_words_are_seen) {
  testing::Rejection<"expected_own_loss.is_that_of_draws", evidence::BatchMean> mutants(3, 3);
  const double root = std::sqrt(8.0);
  const TiedToken token{d, 0.6, root, 1, rms};
  const double right = loss_on_itself(token, 0.5 * d, words).value;
  const auto judge = [&](double wrong, const char* name) {
    mutants.judge(losses(token, mutants.stream(name), {wrong, 1e-9}),
                  std::abs(wrong - right) / (0.06 * right), name);
  };
  const double rest = log_sum_exp_and_entropy(0.6 * root, words - 1).log_sum_exp.value;
  judge(softplus(rest - own_logit(token, 0.5 * d).value), "at the mean logits");
  judge(loss_on_itself(token, 0, words).value, "no position");
  judge(loss_on_itself(token, 0.5 * d, 2 * words).value, "twice the words");
}

}  // namespace
}  // namespace embedscale::properties::own_loss_test
