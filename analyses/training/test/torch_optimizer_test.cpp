// torch::optim's Adam, AdamW and SGD with momentum against the library's, step by step.
#include <embedscale/optimizer.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "properties/training/setting.hpp"
#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

namespace optim = torch::optim;

using properties::training::adam_epsilon, properties::training::momentum_coefficient;
using properties::training::beta_1, properties::training::beta_2;
constexpr std::size_t entries = 7, steps = 20;
constexpr double rate = 1e-3, decay = 0.1, penalty = 0.01;

/// Where it starts, and the gradients on the way, of some size.
template <class Real>
struct Path {
  Path(double size) {  // NOLINT: converts
    Normals normals(1, "optimiser");
    start = rounded<Real>(normals(entries));
    for (std::size_t k = 0; k < steps; ++k)
      gradients.push_back(rounded<Real>(normals(entries, size)));
  }
  Numbers start;
  std::vector<Numbers> gradients;
};
/// In the smallest √b̂ is near ε and b near 2^-60.
constexpr double sizes[]{0x1p-30, 0x1p-15, 1.0, 0x1p10};

/// An optimiser of libtorch.
using Method = std::function<std::shared_ptr<optim::Optimizer>(const Tensor& parameter)>;

template <class Optimizer, class Options>
Method method(const Options& options) {
  return [=](const Tensor& parameter) {
    return std::make_shared<Optimizer>(std::vector{parameter}, options);
  };
}

/// The parameter after each step.
template <class Real>
Tensor run(const Method& method, const Path<Real>& path) {
  Tensor parameter = tensor<Real>(path.start, whole(entries)).requires_grad_();
  const auto optimizer = method(parameter);
  std::vector<Tensor> all;
  for (const auto& gradient : path.gradients) {
    parameter.mutable_grad() = tensor<Real>(gradient, whole(entries));
    optimizer->step();
    all.push_back(parameter.detach().clone());
  }
  return torch::cat(all);
}

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

template <class Real>
std::vector<Path<Real>> paths() {
  return {std::begin(sizes), std::end(sizes)};
}
/// The share of a method beside the library's.
template <class Real>
auto share_of(const Method& method, Reference<Real> (*of)(const Path<Real>&)) {
  return [=](const Path<Real>& path) { return share(run(method, path), of(path)); };
}

TYPED_TEST(torch_optimizer, is_the_librarys_at_every_step) {
  using Real = TypeParam;
  const auto expect = [all = paths<Real>()](const char* what, const Method& method, auto of) {
    expect_agreement(name<Real>(what), all, share_of<Real>(method, of));
  };
  expect("SGD with momentum", method<optim::SGD>(momentum_options()), momentum_of<Real>);
  expect("Adam", method<optim::Adam>(adam_options()), adam_of<Real>);
  expect("AdamW", method<optim::AdamW>(adamw_options()), adamw_of<Real>);
}

TYPED_TEST(torch_optimizer, rejects_what_is_another) {
  using Real = TypeParam;
  struct Wrong {
    const char* name;
    Method method;
    Reference<Real> (*of)(const Path<Real>&);
  };
  const Wrong wrong[]{
      {"Nesterov", method<optim::SGD>(momentum_options().nesterov(true)), momentum_of<Real>},
      {"no penalty", method<optim::SGD>(momentum_options().weight_decay(0)), momentum_of<Real>},
      {"PyTorch's usual betas", method<optim::Adam>(adam_options().betas({beta_1, 0.999})),
       adam_of<Real>},
      {"decoupled decay", method<optim::AdamW>(adamw_options().weight_decay(penalty)),
       adam_of<Real>},
      {"coupled L2", method<optim::Adam>(adam_options().weight_decay(decay)), adamw_of<Real>}};
  for (const auto& [what, method, of] : wrong)
    expect_rejected(name<Real>(what), paths<Real>(), share_of<Real>(method, of));
}

}  // namespace
}  // namespace embedscale::training
