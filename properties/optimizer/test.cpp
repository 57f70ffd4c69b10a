// An entry without gradients, and what is right and not the library's.
#include <embedscale/optimizer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "claims.hpp"
#include "path.hpp"
#include "trials.hpp"

namespace embedscale::properties::optimizer {
namespace {

using std::sqrt;

// An entry whose gradient was always 0: the row of a token that has not come yet.
TEST(optimizer, adam_leaves_an_entry_without_gradients_where_it_is) {
  for (const double epsilon : {0.0, 1e-8}) {
    Moments<double> state;
    EXPECT_EQ(adam(0.75, 0.0, Adam<double>{0.25, 0.9, 0.999, epsilon}, state), 0.75);
  }
}

// A step may take a table to 0: with an L2 penalty λ = 1/rate and no gradient it does.
TEST(optimizer, any_distance_from_a_table_of_zeros_is_all_of_it) {
  EXPECT_EQ(relative_distance<double>({0, 0}, {0, 3}, 2), 1);
  EXPECT_EQ(relative_distance<double>({0, 0}, {0, 0}, 2), 0);
  EXPECT_EQ(relative_distance<double>({4, 0}, {0, 0}, 2), 1);
}

/// The backward of textbooks, which takes the slopes as they are in its product with x̂; or that of
/// PyTorch: n times all of it, and 1/n at last.
template <class Real, bool fused>
void norm_gradient(Norm norm, const Real& epsilon, std::span<const Real> x, std::span<const Real> g,
                   std::span<Real> out) {
  const auto n = static_cast<Real>(static_cast<double>(x.size()));
  const bool layer = norm == Norm::layer_norm;
  Real sum(0), squares(0), slopes(0), products(0);
  for (const Real& v : x) sum = sum + v;
  const Real mean = layer ? Real(sum / n) : Real(0);
  for (const Real& v : x) squares = squares + (v - mean) * (v - mean);
  const Real factor = Real(1) / sqrt(Real(squares / n + epsilon)), last = factor / n;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (layer) slopes = slopes + g[j];
    products = products + g[j] * ((x[j] - mean) * factor);
  }
  for (std::size_t j = 0; j < x.size(); ++j)
    out[j] = fused ? Real((n * g[j] - (x[j] - mean) * factor * products - slopes) * last)
                   : Real(factor * (g[j] - slopes / n - (x[j] - mean) * factor * (products / n)));
}

/// PyTorch's Adam: exp_avg.lerp_(g, 1 − β₁), and the correction of its graphs, α/c₁ in the divisor.
template <class Real>
Real lerped_adam(const Real& t, const Real& gradient, const Adam<Real>& by, Moments<Real>& state) {
  const Real one(1), g = gradient + by.penalty * t;
  const Real w = one - by.beta_1, apart = g - state.first;
  state.first = w < one / Real(2) ? Real(state.first + w * apart) : Real(g - apart * (one - w));
  state.second = state.second * by.beta_2 + (one - by.beta_2) * g * g;
  state.power_1 = state.power_1 * by.beta_1;
  state.power_2 = state.power_2 * by.beta_2;
  if (state.second == Real(0)) return t;
  const Real step = by.rate / (one - state.power_1);
  const Real divisor =
      sqrt(state.second) / (sqrt(Real(one - state.power_2)) * step) + by.epsilon / step;
  return t - state.first / divisor;
}

// What is right and not the library's passes, over the properties' own draws.
TEST(honest_implementations, pass) {
  Primitives own;
  own.of<float>().normalize_gradient = norm_gradient<float, false>;
  own.of<double>().normalize_gradient = norm_gradient<double, true>;
  own.of<Wide>().normalize_gradient = norm_gradient<Wide, false>;
  own.of<float>().adam = lerped_adam<float>;
  own.of<double>().adam = lerped_adam<double>;
  own.of<Wide>().adam = lerped_adam<Wide>;
  expect_holds(own, value_properties, steps_are_their_formulas, "of_adam_and_adamw");
  expect_holds(own, value_properties, norms_and_their_gradients);
}

}  // namespace
}  // namespace embedscale::properties::optimizer
