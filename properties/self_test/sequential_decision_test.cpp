// What is made of the e-values: thresholds, runs, batches, caps, and draws that no null draws.
#include "../evidence/sequential_bounded.hpp"
#include "../evidence/sequential_mean.hpp"
#include "../evidence/sequential_proportion.hpp"
#include "../evidence/sequential_variance.hpp"
#include "sequential_runs.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <limits>

namespace embedscale::properties::evidence::sequential {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Process>
Process after(Process process, double x) {
  process.add(x);
  return process;
}

TEST(sequential, it_rejects_from_e_values_of_1_over_alpha_on) {
  NormalMean process(0.1);
  process.add(100, 80.0);
  const double level = std::exp(-process.log_e_value());
  ASSERT_LT(level, 1e-3);
  EXPECT_TRUE(process.rejects(level * (1 + 1e-12)));
  EXPECT_FALSE(process.rejects(level * (1 - 1e-12)));
  EXPECT_EQ(process.decide({level * 1.001, 0.5}), Decision::reject);
}

TEST(sequential, it_accepts_from_e_values_of_1_over_beta_on) {
  NormalMean process(0.1);
  process.add(2000, 5.0);
  const double level = std::exp(-process.log_e_value_against_effect());
  ASSERT_LT(level, 1e-3);
  EXPECT_TRUE(process.accepts(level * (1 + 1e-12)));
  EXPECT_FALSE(process.accepts(level * (1 - 1e-12)));
  EXPECT_EQ(process.decide({1e-3, level * 1.001}), Decision::accept);
  EXPECT_EQ(process.decide({1e-3, level * 0.999}), Decision::undecided);
}

TEST(sequential, what_rejects_and_accepts_rejects) {
  NormalMean process(1e-3);  // 4 standard errors from 0, which are 0.47 effects
  process.add(72'250'000, 4.0 * 8500.0);
  ASSERT_TRUE(process.rejects(0.01));
  ASSERT_TRUE(process.accepts(0.5));
  EXPECT_EQ(process.decide({0.01, 0.5}), Decision::reject);
}

TEST(sequential, a_run_stops_at_its_first_decision_and_counts_its_draws) {
  std::uint64_t drawn = 0;
  const auto ones = [&](std::uint64_t i) {
    EXPECT_EQ(i, drawn);
    ++drawn;
    return 1.0;
  };
  const auto [decision, draws] = run(NormalMean(0.5), {1e-6, 1e-3}, 1000, ones);
  EXPECT_EQ(decision, Decision::reject);
  EXPECT_EQ(draws, drawn);
  NormalMean last(0.5), before(0.5);
  last.add(draws, static_cast<double>(draws));
  before.add(draws - 1, static_cast<double>(draws - 1));
  EXPECT_TRUE(last.rejects(1e-6));
  EXPECT_FALSE(before.rejects(1e-6));
}

TEST(sequential, a_run_without_a_decision_says_so) {
  const auto zeros = [](std::uint64_t) { return 0.0; };
  const auto [decision, draws] = run(NormalMean(0.5), {1e-6, 1e-3}, 10, zeros);
  EXPECT_EQ(decision, Decision::undecided);
  EXPECT_EQ(draws, 10u);
}

TEST(sequential, the_interval_of_a_mean_is_what_its_mixture_does_not_reject) {
  const std::uint64_t n = 50;
  const double sum = 20.0, alpha = 1e-6;
  NormalMean process(0.2);
  process.add(n, sum);
  const auto interval = process.confidence_interval(alpha);
  const auto rejects = [&](double mean) {
    NormalMean about(0.2);
    about.add(n, sum - static_cast<double>(n) * mean);
    return about.rejects(alpha);
  };
  for (const double off : {-1e-9, 1e-9}) {
    EXPECT_EQ(rejects(interval.lower + off), off < 0.0);
    EXPECT_EQ(rejects(interval.upper + off), off > 0.0);
  }
  const auto nothing = NormalMean(0.2).confidence_interval(alpha);
  EXPECT_EQ(nothing.lower, -infinity);
  EXPECT_EQ(nothing.upper, infinity);
}

TEST(sequential, batches_count_as_their_draws) {
  const Stream stream(1, "sequential.batches");
  NormalMean mean(0.1), mean_once(0.1);
  NormalVariance variance(0.1), variance_once(0.1);
  Proportion share(0.3, 0.1), share_once(0.3, 0.1);
  BoundedMean bounded(0.4, 0.1), first(0.4, 0.1), second(0.4, 0.1);
  double sum = 0, squares = 0;
  std::uint64_t successes = 0;
  constexpr std::uint64_t n = 1000;
  for (std::uint64_t i = 0; i < n; ++i) {
    // Multiples of 1/64: their sums and squares are exact in any order.
    const double z = std::round(64.0 * stream.normal(i)) / 64.0, x = stream.uniform(i, 1);
    mean.add(z), variance.add(z), share.add(x < 0.3), bounded.add(x);
    (i < 700 ? first : second).add(x);
    sum += z, squares += z * z, successes += x < 0.3 ? 1 : 0;
  }
  mean_once.add(n, sum), variance_once.add(n, squares), share_once.add(n, successes);
  EXPECT_EQ(mean.log_e_value(), mean_once.log_e_value());
  EXPECT_EQ(variance.log_e_value(), variance_once.log_e_value());
  EXPECT_EQ(share.log_e_value(), share_once.log_e_value());
  EXPECT_EQ(share.log_e_value_against_effect(), share_once.log_e_value_against_effect());
  first.add(second);
  EXPECT_EQ(first.draws(), n);
  // Products of n factors in another order: n roundings each, of a relative 2^-53.
  EXPECT_NEAR(first.log_e_value(), bounded.log_e_value(), n * 0x1p-51);
  EXPECT_NEAR(first.log_e_value_against_effect(), bounded.log_e_value_against_effect(),
              n * 0x1p-51);
}

TEST(sequential, what_no_null_draws_rejects) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(after(NormalMean(0.1), nan).rejects(1e-10));
  EXPECT_TRUE(after(NormalMean(0.1), infinity).rejects(1e-10));
  EXPECT_TRUE(after(NormalVariance(0.1), nan).rejects(1e-10));
  EXPECT_TRUE(after(NormalVariance(0.1), infinity).rejects(1e-10));
  for (const double x : {nan, -0.001, 1.001, infinity}) {
    EXPECT_EQ(after(BoundedMean(0.5, 0.1), x).decide({1e-10, 1e-5}), Decision::reject) << x;
    EXPECT_EQ(after(EqualMeans(0.1), 2 * x - 1).decide({1e-10, 1e-5}), Decision::reject) << x;
  }
  EXPECT_EQ(after(EqualMeans(0.1), -1.0).decide({1e-10, 1e-5}), Decision::undecided);
}

/// A cap that is large enough: at draws_to_accept() the null is accepted but for a share α.
template <class Process, class Law>
void expect_accepted(const Process& fresh, Law null, std::uint64_t draws, Rates wanted) {
  Count missed{0, 2000};
  for (std::uint64_t r = 0; r < missed.runs; ++r) {
    const Stream stream(r, "draws_to_accept");
    Process process = fresh;
    for (std::uint64_t i = 0; i < draws; ++i) process.add(null(stream, i));
    missed.hits += process.accepts(wanted.beta) ? 0 : 1;
  }
  EXPECT_FALSE(missed.refutes_at_most(wanted.alpha)) << draws << ": " << missed.share();
}

TEST(sequential, draws_to_accept_are_enough_and_half_of_them_are_not) {
  const Rates wanted{0.05, 1e-3};
  const auto mean = NormalMean::draws_to_accept(0.3, wanted);
  expect_accepted(NormalMean(0.3), Shifted{0.0}, mean, wanted);
  const auto variance = NormalVariance::draws_to_accept(0.2, wanted);
  expect_accepted(NormalVariance(0.2), Scaled{1.0}, variance, wanted);
  const auto share = Proportion::draws_to_accept(0.3, 0.1, wanted);
  expect_accepted(Proportion(0.3, 0.1), Coin{0.3}, share, wanted);
  const auto bounded = BoundedMean::draws_to_accept(0.4, 0.1, wanted);
  expect_accepted(BoundedMean(0.4, 0.1), ZeroOrOne{0.4}, bounded, wanted);
  expect_accepted(EqualMeans(0.2), Pair{0.0}, EqualMeans::draws_to_accept(0.2, wanted), wanted);
  RecordProperty("draws", std::to_string(mean) + " " + std::to_string(variance) + " " +
                              std::to_string(share) + " " + std::to_string(bounded));
  EXPECT_NONFATAL_FAILURE(expect_accepted(NormalMean(0.3), Shifted{0.0}, mean / 2, wanted), "");
}

}  // namespace
}  // namespace embedscale::properties::evidence::sequential
