// One step of each optimiser against its formula in 50 digits, whole runs against the closed form
// of what they sum up, and the misreadings of their papers that both have to notice.
#include <embedscale/format.hpp>
#include <embedscale/optimizer.hpp>
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "trials.hpp"

namespace embedscale::properties::optimizer {
namespace {

Wide wide(double x) { return Wide(x); }

/// A step of every kind from one state, all numbers of the format.
template <class Real>
struct Sample {
  Real t, g, rate, mu, penalty, v;
  Adam<Real> adam;
  Moments<Real> state;
  AdamW<Real> adamw;
};

template <class Real>
Sample<Real> sample(std::uint64_t i) {
  const Stream stream(1, "optimiser steps");
  const auto u = [&](std::uint64_t k) { return stream.uniform(32 * i + k); };
  const auto real = [](double x) { return static_cast<Real>(x); };
  const auto any = [&](std::uint64_t k) { return real(4 * u(k) - 2); };
  const double beta_1 = u(0), beta_2 = 1 - u(1) / 8, steps = 1 + std::floor(8 * u(2));
  Sample<Real> s{any(3), any(4), real(u(5)), real(u(6)), real(u(7) / 4), any(8), {}, {}, {}};
  s.adam = {s.rate, real(beta_1), real(beta_2), i % 3 == 0 ? Real(0) : real(u(9) / 64)};
  s.state = {any(10), real(u(11)), real(std::pow(beta_1, steps)), real(std::pow(beta_2, steps))};
  if (i % 4 == 0) s.state = {};
  if (i % 2 == 0) s.adam.penalty = real(u(14) / 4);
  s.adamw = {s.adam, real(u(12) / 16), real(0.5 + u(13))};
  return s;
}

/// α·â/(√b̂ + ε) in 50 digits, and what of it rounding may change.
///
/// a and its new part are 3 roundings, relative to the sum of their sizes; 1 − β^k is 1, and 1/(1 −
/// β^k) for that of β^k: κ; b is 4 and the same; quotients, root (which halves), the sum with ε,
/// the last quotient and the rate one each: u·(12 + κ₁ + κ₂/2), and 1 % for higher orders. What the
/// penalty λt adds to g is rounded, as is their sum: κ₃ = 1 + |λt|/|g + λt| of it, in a, and in b
/// twice, which the root halves.
struct Change {
  Wide value, error;
};
template <class Real>
Change change(const Sample<Real>& s) {
  const Wide b1 = wide(s.adam.beta_1), b2 = wide(s.adam.beta_2);
  const Wide pull = wide(s.adam.penalty) * wide(s.t), g = wide(s.g) + pull;
  const Wide kept = b1 * wide(s.state.first), taken = (1 - b1) * g;
  const Wide left_1 = 1 - wide(s.state.power_1) * b1, left_2 = 1 - wide(s.state.power_2) * b2;
  const Wide square = (b2 * wide(s.state.second) + (1 - b2) * g * g) / left_2;
  const Wide scale = wide(s.adam.rate) / left_1 / (sqrt(square) + wide(s.adam.epsilon));
  const Wide of_pull = pull == 0 ? Wide(0) : Wide(2 + 2 * abs(pull / g));
  const Wide roundings = 12 + 1 / left_1 + 1 / left_2 / 2 + of_pull;
  return {scale * (kept + taken),
          wide(1.01 * unit_roundoff<Real>) * roundings * scale * (abs(kept) + abs(taken))};
}

/// The largest error of the four steps over their bounds. Each bound is 1.01·u·(|result| and three
/// or four times what is taken from t), with what Adam's change may be off.
template <class Real>
double worst_share(const PrimitivesIn<Real>& primitives) {
  const Wide u = wide(1.01 * unit_roundoff<Real>);
  Wide worst = 0;
  const auto add = [&](const Wide& computed, const Wide& meant, const Wide& bound) {
    worst = std::max(worst, Wide(abs(computed - meant) / (bound + u * abs(meant))));
  };
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const auto s = sample<Real>(i);
    const Wide t = wide(s.t), g = wide(s.g), rate = wide(s.rate);
    const Wide pull = wide(s.penalty) * t, kept = wide(s.mu) * wide(s.v);
    add(wide(primitives.sgd(s.t, s.g, Sgd<Real>{s.rate, s.penalty})), t - rate * (g + pull),
        3 * u * rate * (abs(g) + abs(pull)));
    Velocity<Real> velocity{s.v};
    add(wide(primitives.momentum(s.t, s.g, Momentum<Real>{s.rate, s.mu, s.penalty}, velocity)),
        t - rate * (kept + g + pull), 4 * u * rate * (abs(g) + abs(pull) + abs(kept)));
    const auto [value, error] = change(s);
    auto moments = s.state;
    add(wide(primitives.adam(s.t, s.g, s.adam, moments)), t - value, error);
    moments = s.state;
    const Wide eta = wide(s.adamw.schedule), decay = wide(s.adamw.decay) * t;
    add(wide(primitives.adamw(s.t, s.g, s.adamw, moments)), t - eta * (value + decay),
        eta * error + 3 * u * eta * (abs(value) + abs(decay)));
  }
  return static_cast<double>(worst);
}

TEST(optimizer, each_step_is_its_formula_within_rounding) {
  EXPECT_LE(worst_share<double>(Primitives{}), 1.0);
  EXPECT_LE(worst_share<float>(Primitives{}), 1.0);
  EXPECT_GT(worst_share<float>(Primitives{}), 0.05);  // the bound is not beside the point
}

TEST(optimizer, each_misread_step_is_noticed) {
  for (const auto& table : {misread_steps, other_misreadings})
    for (const auto& row : table) {
      if (row.name == "clips_gradients_above_100") continue;  // those of the samples are below 2
      EXPECT_GT(worst_share<double>(testing::subject_of(row)), 1.0) << row.name;
    }
}

std::vector<Wide> some_gradients(std::size_t n) {
  const Stream stream(2, "optimiser runs");
  std::vector<Wide> g;
  for (std::size_t k = 0; k < n; ++k) g.push_back(wide(2 * stream.uniform(k) - 1));
  return g;
}

// The moments as weighted sums (1 − β)Σ β^(n−k) g_k over their weights' own sum. 40 digits: 40
// steps of some 20 operations in 50 digits, and a mean of terms that are no larger than 1.
TEST(optimizer, adam_divides_the_weighted_mean_of_all_gradients_by_that_of_their_squares) {
  const Adam<Wide> by{wide(0.5), wide(0.9), wide(0.99), wide(0.125)};
  const auto g = some_gradients(40);
  Moments<Wide> state;
  Wide t = 1;
  for (std::size_t n = 1; n <= g.size(); ++n) {
    Wide sum = 0, squares = 0, weights_1 = 0, weights_2 = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Wide w1 = pow(by.beta_1, Wide(static_cast<int>(n - 1 - k)));
      const Wide w2 = pow(by.beta_2, Wide(static_cast<int>(n - 1 - k)));
      sum += w1 * g[k], weights_1 += w1;
      squares += w2 * g[k] * g[k], weights_2 += w2;
    }
    const Wide meant = t - by.rate * (sum / weights_1) / (sqrt(squares / weights_2) + by.epsilon);
    t = adam(t, g[n - 1], by, state);
    ASSERT_LT(abs(t - meant), wide(1e-40)) << n;
  }
}

// An entry whose gradient was always 0: the row of a token that has not come yet.
TEST(optimizer, adam_leaves_an_entry_without_gradients_where_it_is) {
  for (const double epsilon : {0.0, 1e-8}) {
    Moments<double> state;
    EXPECT_EQ(adam(0.75, 0.0, Adam<double>{0.25, 0.9, 0.999, epsilon}, state), 0.75);
  }
}

// Each optimiser as its paper has it: settings that name no penalty have none, AdamW's schedule is
// 1, and what is remembered begins with nothing. Numbers with few binary places: exact.
TEST(optimizer, without_a_penalty_the_gradient_is_taken_as_it_is) {
  EXPECT_EQ(sgd(0.5, 0.25, Sgd<double>{0.125}), 0.5 - 0.125 * 0.25);
  Velocity<double> velocity;
  const Momentum<double> heavy{0.125, 0.5};
  const double once = momentum(0.5, 0.25, heavy, velocity);
  EXPECT_EQ(once, 0.5 - 0.125 * 0.25);
  EXPECT_EQ(momentum(once, -0.5, heavy, velocity), once - 0.125 * (0.5 * 0.25 - 0.5));
  EXPECT_EQ(velocity.v, 0.5 * 0.25 - 0.5);
  // The first step of Adam is α against the gradient's sign where ε is 0, which a penalty of t
  // would turn round here.
  const Adam<double> adaptive{0.125, 0.5, 0.75, 0.0};
  Moments<double> first, second;
  EXPECT_EQ(adam(0.5, -0.25, adaptive, first), 0.5 + 0.125);
  EXPECT_EQ(adamw(0.5, -0.25, AdamW<double>{adaptive, 0.5}, second), 0.5 + 0.125 - 0.5 * 0.5);
}

// In PyTorch's order, t·(1 − lr·λ) and then the step; 45 digits are far above 30 roundings.
TEST(optimizer, adamw_is_pytorchs_with_its_rate_as_the_schedule) {
  const Wide rate = wide(0.01), decay = wide(0.1);
  const Adam<Wide> plain{rate, wide(0.9), wide(0.999), wide(1e-8)};
  Adam<Wide> unit = plain;
  unit.rate = 1;
  Moments<Wide> one, other;
  Wide t = wide(0.7), s = t;
  for (const Wide& g : some_gradients(30)) {
    t = adamw(t, g, AdamW<Wide>{unit, decay, rate}, one);
    s = adam(Wide(s * (1 - rate * decay)), g, plain, other);
    ASSERT_LT(abs(t - s), wide(1e-45));
  }
}

}  // namespace
}  // namespace embedscale::properties::optimizer
