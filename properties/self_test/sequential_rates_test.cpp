// How often the sequential checks are wrong when looked at after every draw, and how many draws
// they take, beside the check of the same rates at a fixed number of draws. Broken ones are caught.
#include "../evidence/sequential_bounded.hpp"
#include "../evidence/sequential_mean.hpp"
#include "../evidence/sequential_proportion.hpp"
#include "../evidence/sequential_variance.hpp"
#include "binomial_walk.hpp"
#include "sequential_runs.hpp"

#include <gtest/gtest.h>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>

#include <sstream>

namespace embedscale::properties::evidence::sequential {
namespace {

constexpr Rates rates{1e-6, 1e-3};

constexpr std::uint64_t runs = 4000, length = 1000;

/// Records what was counted; the caller judges it.
void record(const std::string& what, const Count& count) {
  std::ostringstream text;
  const auto [lower, upper] = count.interval(1e-2);
  text << count.hits << "/" << count.runs << " [" << lower << ", " << upper << "]";
  ::testing::Test::RecordProperty(what, text.str());
}

/// A null rejects at most at the rate promised. At level 0.1 it must also do so in a fiftieth of
/// the runs: a check of much smaller α than it is given misses what it could see.
template <class Process, class Law>
void expect_alpha(const std::string& name, const Process& fresh, Law null) {
  const auto largest = largest_log_e_values(name, fresh, null, runs, length);
  for (const double alpha : {0.1, 0.01, 0.001}) {
    const Count wrong = reaching(largest, alpha);
    EXPECT_FALSE(wrong.refutes_at_most(alpha)) << name << ": " << wrong.share() << " at " << alpha;
    std::ostringstream level;
    level << name << ".null." << alpha;
    record(level.str(), wrong);
  }
  EXPECT_FALSE(reaching(largest, 0.1).refutes_at_least(0.02)) << name << " hardly ever rejects";
}

/// The null is accepted and each effect rejected at the promised rates, all runs end, and on the
/// average with fewer draws than a check at a fixed number needs.
template <class Process, class Law>
void expect_decisions(const std::string& name, const Process& fresh, Law null,
                      std::initializer_list<Law> effects, double fixed) {
  constexpr std::uint64_t few = 400;
  const auto most = static_cast<std::uint64_t>(4.0 * fixed);
  ::testing::Test::RecordProperty(name + ".draws.fixed", std::to_string(fixed));
  const auto held = endings(name + ".null", fresh, null, rates, few, most);
  EXPECT_FALSE(held.rejected.refutes_at_most(rates.alpha)) << name;
  EXPECT_EQ(held.undecided.hits, 0u) << name;
  EXPECT_LT(held.mean_draws, fixed) << name;
  ::testing::Test::RecordProperty(name + ".draws.null", std::to_string(held.mean_draws));
  int number = 0;
  for (const auto& effect : effects) {
    const auto seen = endings(name + ".effect", fresh, effect, rates, few, most);
    EXPECT_FALSE(seen.accepted.refutes_at_most(rates.beta)) << name << " effect " << number;
    EXPECT_EQ(seen.undecided.hits, 0u) << name << " effect " << number;
    EXPECT_LT(seen.mean_draws, fixed) << name << " effect " << number;
    ::testing::Test::RecordProperty(name + ".draws.effect" + std::to_string(number++),
                                    std::to_string(seen.mean_draws));
  }
}

double z(double tail) { return quantile(complement(boost::math::normal_distribution<>(), tail)); }

/// Draws at which a test with equal tails sees an effect: by the exact law, where it has one.
double fixed_for_mean(double effect) {
  return std::pow((z(0.5 * rates.alpha) + z(rates.beta)) / effect, 2);
}
double fixed_for_variance(double effect) {
  const double ratio = std::pow(1.0 + effect, 2);
  const auto sees = [&](double n) {
    const boost::math::chi_squared_distribution<> law(n);
    const double upper = quantile(complement(law, 0.5 * rates.alpha));
    const double lower = quantile(law, 0.5 * rates.alpha);
    return cdf(law, upper / ratio) <= rates.beta &&
           cdf(complement(law, lower * ratio)) <= rates.beta;
  };
  double n = 1.0;
  while (!sees(n)) n = std::ceil(1.01 * n);
  return n;
}
double fixed_for_proportion(double p, double effect) {
  const auto sees = [&](double n) {
    using Binomial = boost::math::binomial_distribution<>;
    const Binomial null(n, p);
    const double lower = quantile(null, 0.5 * rates.alpha);
    const double upper = quantile(complement(null, 0.5 * rates.alpha));
    return cdf(Binomial(n, p + effect), upper) <= rates.beta &&
           cdf(complement(Binomial(n, p - effect), lower)) <= rates.beta;
  };
  double n = 10.0;
  while (!sees(n)) n = std::ceil(1.01 * n);
  return n;
}
/// Hoeffding's inequality for both tails.
double fixed_for_bounded(double effect) {
  const double root = std::sqrt(std::log(2.0 / rates.alpha)) + std::sqrt(-std::log(rates.beta));
  return 0.5 * std::pow(root / effect, 2);
}

TEST(sequential_rates, the_mean_of_a_normal_law) {
  expect_alpha("mean", NormalMean(0.3), Shifted{0.0});
  expect_decisions("mean", NormalMean(0.2), Shifted{0.0}, {Shifted{0.2}, Shifted{-0.2}},
                   fixed_for_mean(0.2));
}

TEST(sequential_rates, the_variance_of_a_normal_law) {
  expect_alpha("variance", NormalVariance(0.2), Scaled{1.0});
  expect_decisions("variance", NormalVariance(0.2), Scaled{1.0}, {Scaled{1.2}, Scaled{1 / 1.2}},
                   fixed_for_variance(0.2));
}

TEST(sequential_rates, a_proportion) {
  expect_alpha("proportion", Proportion(0.3, 0.1), Coin{0.3});
  expect_decisions("proportion", Proportion(0.3, 0.1), Coin{0.3}, {Coin{0.4}, Coin{0.2}},
                   fixed_for_proportion(0.3, 0.1));
}

TEST(sequential_rates, a_proportion_over_all_sequences) {
  for (const double p : {0.02, 0.3, 0.9})
    for (const double alpha : {1e-2, 1e-6, 1e-10}) {
      const double effect = 0.1, c = std::max(p * (1 - p) / (effect * effect), 0.5);
      const BetaMixture mixture(c * p, c * (1 - p));
      const double wrong = probability_of_leaving(p, 2000, [&](std::uint64_t k, std::uint64_t n) {
        return mixture.log_e_value(k, n, p) >= -std::log(alpha);
      });
      EXPECT_LE(wrong, alpha) << p;
      EXPECT_GE(wrong, alpha / 100) << p;
      std::ostringstream what, value;
      what << "exact." << p << "." << alpha, value << wrong;
      RecordProperty(what.str(), value.str());
    }
}

TEST(sequential_rates, a_bounded_mean) {
  expect_alpha("bounded", BoundedMean(0.4, 0.1), ZeroOrOne{0.4});
  expect_decisions("bounded", BoundedMean(0.4, 0.1), ZeroOrOne{0.4},
                   {ZeroOrOne{0.5}, ZeroOrOne{0.3}}, fixed_for_bounded(0.1));
  expect_alpha("narrow", BoundedMean(0.4, 0.1), Narrow{0.4});
  expect_decisions("narrow", BoundedMean(0.4, 0.1), Narrow{0.4}, {Narrow{0.5}, Narrow{0.3}},
                   fixed_for_bounded(0.1));
}

TEST(sequential_rates, equality_of_two_means) {
  expect_alpha("equality", EqualMeans(0.2), Pair{0.0});
  expect_decisions("equality", EqualMeans(0.2), Pair{0.0}, {Pair{0.2}, Pair{-0.2}},
                   fixed_for_bounded(0.1));
}
}  // namespace
}  // namespace embedscale::properties::evidence::sequential
