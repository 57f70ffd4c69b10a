// torch::optim's Adam, AdamW and SGD with momentum against the library's, step by step.
#include <embedscale/optimizer.hpp>

#include <cmath>

#include "training/test/optimizer_run.hpp"

namespace embedscale::training {
namespace {

/// The same of a function of parameter, gradient and the memory of an entry.
template <class Number, class Memory, class Function>
std::vector<Number> run(const Numbers& start, const std::vector<Numbers>& gradients,
                        const Function& step) {
  auto parameters = as<Number>(start);
  std::vector<Memory> memory(start.size());
  std::vector<Number> all;
  for (const auto& gradient : gradients)
    for (std::size_t i = 0; i < start.size(); ++i) {
      parameters[i] = step(parameters[i], Number(gradient[i]), memory[i]);
      all.push_back(parameters[i]);
    }
  return all;
}

template <class Real>
Reference<Real> momentum_of(const Path<Real>& path) {
  return reference<Real>([&](auto zero) {
    using Number = decltype(zero);
    return run<Number, Velocity<Number>>(
        path.start, path.gradients, [](const auto& t, const auto& g, auto& velocity) {
          return momentum<Number>(t, g, {rate, momentum_coefficient, penalty}, velocity);
        });
  });
}

/// What libtorch remembers of an entry.
template <class Number>
struct AdamMemory {
  Number first, second;
  int step = 0;
};

/// What pulls to 0: as a penalty in the gradient, in Adam; or by itself, in AdamW.
struct Pull {
  double in_gradient, by_itself;
};

/// A step of Adam or AdamW: numbers that are the same for all entries are computed in double, and
/// rounded.
///
/// Source    libtorch 1.13, torch/csrc/api/src/optim/adam.cpp, adamw.cpp.
template <class Real>
ForwardError<Real> adam_in_torch(ForwardError<Real> t, const ForwardError<Real>& gradient,
                                 const Pull& pull, AdamMemory<ForwardError<Real>>& memory) {
  using Number = ForwardError<Real>;
  using InDouble = ForwardError<double>;
  const InDouble one(1), k(++memory.step);
  const InDouble correction_1 = one - pow(InDouble(beta_1), k);
  const InDouble correction_2 = one - pow(InDouble(beta_2), k);
  const Number g = gradient + Number(pull.in_gradient) * t;
  t = t * Number(one - InDouble(rate) * InDouble(pull.by_itself));
  memory.first = memory.first * Number(beta_1) + g * Number(one - InDouble(beta_1));
  memory.second = memory.second * Number(beta_2) + g * g * Number(one - InDouble(beta_2));
  const Number divisor = sqrt(memory.second) / Number(sqrt(correction_2)) + Number(adam_epsilon);
  return stored(t - Number(InDouble(rate) / correction_1) * memory.first / divisor);
}

template <class Real, class Function>
Reference<Real> adam_of(const Path<Real>& path, const Pull& pull, const Function& exact) {
  using Bound = ForwardError<Real>;
  return {run<Bound, AdamMemory<Bound>>(path.start, path.gradients,
                                        [&](const auto& t, const auto& g, auto& memory) {
                                          return adam_in_torch<Real>(t, g, pull, memory);
                                        }),
          run<Exact, Moments<Exact>>(path.start, path.gradients, exact)};
}

template <class Real>
Reference<Real> adam_of(const Path<Real>& path) {
  return adam_of(path, Pull{penalty, 0.0}, [](const auto& t, const auto& g, auto& moments) {
    return adam<Exact>(t, g, {rate, beta_1, beta_2, adam_epsilon, penalty}, moments);
  });
}

/// PyTorch's spelling: its rate is η, which multiplies the decay as well.
template <class Real>
Reference<Real> adamw_of(const Path<Real>& path) {
  return adam_of(path, Pull{0.0, decay}, [](const auto& t, const auto& g, auto& moments) {
    return adamw<Exact>(t, g, {{1, beta_1, beta_2, adam_epsilon}, decay, rate}, moments);
  });
}

optim::AdamOptions adam_options() {
  return optim::AdamOptions(rate).betas({beta_1, beta_2}).eps(adam_epsilon).weight_decay(penalty);
}
optim::AdamWOptions adamw_options() {
  return optim::AdamWOptions(rate).betas({beta_1, beta_2}).eps(adam_epsilon).weight_decay(decay);
}
optim::SGDOptions momentum_options() {
  return optim::SGDOptions(rate).momentum(momentum_coefficient).weight_decay(penalty);
}

template <class>
class torch_optimizer : public testing::Test {};
TYPED_TEST_SUITE(torch_optimizer, Formats);

TYPED_TEST(torch_optimizer, is_the_librarys_at_every_step) {
  using Real = TypeParam;
  Worst sgd(name<Real>("SGD with momentum")), adam(name<Real>("Adam")), adamw(name<Real>("AdamW"));
  for (const double size : sizes) {
    const Path<Real> path(size);
    sgd.add(share(run(method<optim::SGD>(momentum_options()), path), momentum_of(path)));
    adam.add(share(run(method<optim::Adam>(adam_options()), path), adam_of(path)));
    adamw.add(share(run(method<optim::AdamW>(adamw_options()), path), adamw_of(path)));
  }
  for (const auto* one : {&sgd, &adam, &adamw}) one->expect_agreement();
}

/// Adam written by hand, with these in the place of its own.
struct AdamByHand {
  Tensor (*divisor)(const Tensor& mean_square);
  double (*correction)(double power);
};
Method by_hand(const AdamByHand& of) {
  return [=](Tensor p) -> Step {
    return [=, first = torch::zeros_like(p), second = torch::zeros_like(p), k = 0]() mutable {
      const torch::NoGradGuard no_gradients;
      const Tensor g = p.grad() + penalty * p;
      first = beta_1 * first + (1 - beta_1) * g, second = beta_2 * second + (1 - beta_2) * g * g;
      ++k;
      const Tensor mean = first / of.correction(std::pow(beta_1, k));
      p -= rate * mean / of.divisor(second / of.correction(std::pow(beta_2, k)));
    };
  };
}
Tensor right_divisor(const Tensor& mean_square) { return mean_square.sqrt() + adam_epsilon; }
double right_correction(double power) { return 1 - power; }

struct Wrong {
  const char* name;
  Method method;
};

template <class Real>
void expect_rejected(const std::vector<Wrong>& all, Reference<Real> (*of)(const Path<Real>&)) {
  for (const auto& [what, method] : all) {
    Worst worst(name<Real>(what));
    for (const double size : sizes) {
      const Path<Real> path(size);
      worst.add(share(run(method, path), of(path)));
    }
    worst.expect_rejected();
  }
}

TYPED_TEST(torch_optimizer, rejects_what_is_another) {
  using Real = TypeParam;
  expect_rejected<Real>(
      {{"dampening", method<optim::SGD>(momentum_options().dampening(0.1))},
       {"Nesterov's momentum", method<optim::SGD>(momentum_options().nesterov(true))},
       {"no penalty", method<optim::SGD>(momentum_options().weight_decay(0))}},
      momentum_of<Real>);
  expect_rejected<Real>(
      {{"no bias correction", by_hand({right_divisor, [](double) { return 1.0; }})},
       {"epsilon inside the root",
        by_hand({[](const Tensor& b) { return (b + adam_epsilon).sqrt(); }, right_correction})},
       {"PyTorch's usual betas", method<optim::Adam>(adam_options().betas({beta_1, 0.999}))},
       {"AMSGrad", method<optim::Adam>(adam_options().amsgrad(true))},
       {"decoupled decay", method<optim::AdamW>(adamw_options().weight_decay(penalty))}},
      adam_of<Real>);
  expect_rejected<Real>({{"coupled L2", method<optim::Adam>(adam_options().weight_decay(decay))},
                         {"the paper's decay, without the rate",
                          method<optim::AdamW>(adamw_options().weight_decay(decay / rate))}},
                        adamw_of<Real>);
}

TYPED_TEST(torch_optimizer, by_hand_is_adam_where_nothing_is_replaced) {
  Worst worst(name<TypeParam>("Adam by hand"));
  for (const double size : sizes) {
    const Path<TypeParam> path(size);
    worst.add(share(run(by_hand({right_divisor, right_correction}), path), adam_of(path)));
  }
  worst.expect_agreement();
}

}  // namespace
}  // namespace embedscale::training
