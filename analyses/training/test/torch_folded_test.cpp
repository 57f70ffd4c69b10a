// The folded settings in libtorch: they take the table m·E along m times the path of E, with the
// gradient's factor m at the table instead of the multiplier.
#include <embedscale/optimizer.hpp>

#include "training/test/optimizer_run.hpp"

namespace embedscale::training {
namespace {

template <class>
class torch_folded : public testing::Test {};
TYPED_TEST_SUITE(torch_folded, Formats);

/// Whether m·E by one method has the bits of m times E by another, whose gradients are m times as
/// large, at every step.
template <class Real>
bool folds(double m, const Method& of_table, const Method& of_folded) {
  for (const double size : sizes) {
    const Path<Real> path(size);
    auto times_m = path, scaled = path;
    for (auto& gradient : times_m.gradients)
      for (double& value : gradient) value *= m;
    for (double& value : scaled.start) value *= m;
    if (!torch::equal(run(of_table, times_m) * m, run(of_folded, scaled))) return false;
  }
  return true;
}

optim::AdamOptions options_of(const Adam<double>& of) {
  return optim::AdamOptions(of.rate)
      .betas({of.beta_1, of.beta_2})
      .eps(of.epsilon)
      .weight_decay(of.penalty);
}
optim::SGDOptions options_of(const Momentum<double>& of) {
  return optim::SGDOptions(of.rate).momentum(of.momentum).weight_decay(of.penalty);
}

TYPED_TEST(torch_folded, table_goes_along_the_path_bit_for_bit) {
  using Real = TypeParam;
  const double m = 8;  // √64: all that it multiplies is exact
  const Adam<double> by{rate, beta_1, beta_2, adam_epsilon, penalty};
  const Momentum<double> heavy{rate, momentum_coefficient, penalty};
  const auto adam = [](const Adam<double>& of) { return method<optim::Adam>(options_of(of)); };
  const auto sgd = [](const Momentum<double>& of) { return method<optim::SGD>(options_of(of)); };
  EXPECT_TRUE(folds<Real>(m, adam(by), adam(folded(by, m))));
  EXPECT_TRUE(folds<Real>(m, sgd(heavy), sgd(folded(heavy, m))));

  auto own_epsilon = folded(by, m), own_rate = own_epsilon, own_penalty = own_epsilon;
  own_epsilon.epsilon = by.epsilon, own_rate.rate = by.rate, own_penalty.penalty = by.penalty;
  for (const auto& wrong : {by, own_epsilon, own_rate, own_penalty})
    EXPECT_FALSE(folds<Real>(m, adam(by), adam(wrong)));
  auto once = folded(heavy, m);
  once.rate = m * heavy.rate;  // as Adam's
  for (const auto& wrong : {heavy, once}) EXPECT_FALSE(folds<Real>(m, sgd(heavy), sgd(wrong)));
}

}  // namespace
}  // namespace embedscale::training
