// How often the judge of coverage is wrong: exactly, over all sequences of cases, looked at after
// each. The sequential test of QuickCheck's kind, which promises 10^-9, is shown not to keep it.
#include "../coverage.hpp"
#include "binomial_walk.hpp"

#include <gtest/gtest.h>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace embedscale::properties::evidence {
namespace {

constexpr double alpha = 1e-9;
constexpr std::uint64_t most = 6400;

void record(const std::string& what, double value) {
  std::ostringstream text;
  text << value;
  ::testing::Test::RecordProperty(what, text.str());
}
std::string at(const std::string& what, double share) {
  std::ostringstream text;
  text << what << "." << share;
  return text.str();
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
    record(at("insufficient", share), wrong);
  }
}

TEST(coverage, nine_tenths_of_it_are_hardly_ever_called_sufficient) {
  for (const double required : {0.003, 0.02, 0.1, 0.5, 0.95}) {
    const double wrong = probability_of_leaving(enough_of_required * required, most,
                                                judged(Coverage::sufficient, required));
    EXPECT_LE(wrong, alpha) << required;
    EXPECT_GE(wrong, alpha / 100) << required << " is judged too carefully";
    record(at("sufficient", required), wrong);
  }
}

/// An end of Wilson's interval, as checkCoverage has them: the upper for z > 0, the lower for −z.
double wilson(std::uint64_t successes, std::uint64_t draws, double z) {
  const auto n = static_cast<double>(draws);
  const double p = static_cast<double>(successes) / n;
  return (p + z * z / (2 * n) + z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n))) /
         (1 + z * z / n);
}

TEST(coverage, the_same_computation_refutes_the_wilson_interval) {
  const double z = quantile(complement(boost::math::normal_distribution<>(), alpha / 2));
  const auto at_100 = [](std::uint64_t n) { return n == 100; };
  const auto at_doublings = [](std::uint64_t n) {
    return n % 100 == 0 && ((n / 100) & (n / 100 - 1)) == 0;
  };
  double once = 0.0, doubling = 0.0, always = 0.0, sufficient_once = 0.0;
  for (const double share : {0.002, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99}) {
    const auto insufficient = [&](std::uint64_t k, std::uint64_t n) {
      return wilson(k, n, z) < share;
    };
    const auto sufficient = [&](std::uint64_t k, std::uint64_t n) {
      return wilson(k, n, -z) >= share;  // a required share of share/0.9
    };
    once = std::max(once, probability_of_leaving(share, 100, insufficient, at_100));
    sufficient_once =
        std::max(sufficient_once, probability_of_leaving(share, 100, sufficient, at_100));
    doubling = std::max(doubling, probability_of_leaving(share, most, insufficient, at_doublings));
    always = std::max(always, probability_of_leaving(share, most, insufficient));
    // Ours, at the same shares and looked at after every case.
    EXPECT_LE(probability_of_leaving(share, most, judged(Coverage::insufficient, share)), alpha);
    EXPECT_LE(probability_of_leaving(share, most, judged(Coverage::sufficient, share / 0.9)),
              alpha);
  }
  record("wilson.at_100", once), record("wilson.sufficient_at_100", sufficient_once);
  record("wilson.doubling", doubling), record("wilson.always", always);
  EXPECT_GT(once, 1e-6);             // a share of 0.99 required, and there
  EXPECT_GT(sufficient_once, 1e-3);  // two of 100 where the share is 0.002
  EXPECT_GE(doubling, once);
  EXPECT_GT(always, doubling);
}

TEST(coverage, its_decision_is_that_of_the_interval) {
  int decided = 0;
  for (const double required : {0.01, 0.2, 0.9, 1.0})
    for (const std::uint64_t n : {1u, 10u, 500u, 100'000u})
      for (std::uint64_t step = 0; step <= 20; ++step) {
        const std::uint64_t k = n * step / 20;
        const auto [lower, upper] = share_of_class(k, n, alpha);
        const Coverage expected = upper < required         ? Coverage::insufficient
                                  : lower > 0.9 * required ? Coverage::sufficient
                                                           : Coverage::undecided;
        EXPECT_EQ(coverage(k, n, required, alpha), expected) << required << " " << k << "/" << n;
        decided += expected == Coverage::undecided ? 0 : 1;
      }
  EXPECT_GT(decided, 100);
}

TEST(coverage, the_interval_covers_at_all_times_at_once) {
  for (const double share : {0.0, 0.001, 0.05, 0.4, 0.99, 1.0})
    for (const double level : {0.1, 1e-3}) {
      const double missed =
          probability_of_leaving(share, 400, [&](std::uint64_t k, std::uint64_t n) {
            return !contains(share_of_class(k, n, level), share);
          });
      EXPECT_LE(missed, level) << share;
      record(at("missed", share) + (level == 0.1 ? ".0.1" : ".0.001"), missed);
    }
}

TEST(coverage, the_interval_without_a_hit_has_its_closed_form) {
  // B(½, n+½)/(π (1−p)^n) = 1/α.
  for (const std::uint64_t n : {1u, 7u, 100u, 10'000u}) {
    const auto draws = static_cast<double>(n);
    const double log_rest =
        (std::log(alpha * boost::math::beta(0.5, draws + 0.5)) - std::log(std::acos(-1.0))) / draws;
    const auto [lower, upper] = share_of_class(0, n, alpha);
    EXPECT_EQ(lower, 0.0);
    EXPECT_NEAR(upper, -std::expm1(log_rest), 1e-13);
    const auto mirrored = share_of_class(n, n, alpha);
    EXPECT_EQ(mirrored.upper, 1.0);
    EXPECT_NEAR(mirrored.lower, 1.0 - upper, 1e-13);
  }
  EXPECT_EQ(share_of_class(0, 0, alpha).lower, 0.0);
  EXPECT_EQ(share_of_class(0, 0, alpha).upper, 1.0);
}

TEST(coverage, the_interval_closes_in_on_the_share) {
  double last = 1.0;
  for (std::uint64_t n = 10; n <= 10'000'000'000; n *= 10) {
    const auto [lower, upper] = share_of_class(3 * n / 10, n, alpha);
    EXPECT_LT(lower, 0.3);
    EXPECT_GT(upper, 0.3);
    EXPECT_LT(upper - lower, last);
    last = upper - lower;
  }
  EXPECT_LT(last, 1e-4);
}

TEST(coverage, no_case_decides_nothing_and_one_miss_decides_always) {
  EXPECT_EQ(coverage(0, 0, 0.5, alpha), Coverage::undecided);
  EXPECT_EQ(coverage(1000, 1000, 1.0, alpha), Coverage::sufficient);
  EXPECT_EQ(coverage(999, 1000, 1.0, alpha), Coverage::insufficient);
  EXPECT_EQ(coverage(0, 100, 0.5, alpha), Coverage::insufficient);
  EXPECT_EQ(coverage(100, 100, 0.5, alpha), Coverage::sufficient);
}

TEST(coverage, ever_more_cases_decide_shares_on_either_side_of_the_required_one) {
  for (const double required : {0.01, 0.1, 0.5})
    for (const double times : {0.1, 0.5, 1.0, 1.5, 1.9}) {
      const auto cases = cases_to_decide(times * required, required, alpha);
      ASSERT_GT(cases, 0u) << required << " " << times;
      const auto in_class =
          static_cast<std::uint64_t>(std::round(times * required * static_cast<double>(cases)));
      EXPECT_EQ(coverage(in_class, cases, required, alpha),
                times < 0.9 ? Coverage::insufficient : Coverage::sufficient);
      record(at(at("cases", required), times), static_cast<double>(cases));
    }
}

TEST(coverage, answers_have_names) {
  EXPECT_EQ(name_of(Coverage::sufficient), "sufficient");
  EXPECT_EQ(name_of(Coverage::insufficient), "insufficient");
  EXPECT_EQ(name_of(Coverage::undecided), "undecided");
}

}  // namespace
}  // namespace embedscale::properties::evidence
