// torch::optim's Adam, AdamW and SGD with momentum against the library's, step by step.
#include <embedscale/optimizer.hpp>

#include <functional>
#include <memory>
#include <tuple>
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

/// The same by a step of the library, on entries with a memory. What the bound charges for its
/// powers of β and for 1 − β is more than for libtorch's, which are computed in double and rounded
/// once; of b/(1 − β₂ᵗ), libtorch takes the roots before it divides.
///
/// Source    libtorch 1.13, torch/csrc/api/src/optim/adam.cpp, adamw.cpp, sgd.cpp.
template <template <class> class Memory, class Real, class Step>
Reference<Real> reference_of(const Path<Real>& path, const Step& step) {
  return reference<Real>([&](auto zero) {
    using Number = decltype(zero);
    auto parameters = as<Number>(path.start);
    std::vector<Memory<Number>> memory(entries);
    std::vector<Number> all;
    for (const auto& gradient : path.gradients)
      for (std::size_t i = 0; i < entries; ++i) {
        parameters[i] = step(parameters[i], Number(gradient[i]), memory[i]);
        all.push_back(parameters[i]);
      }
    return all;
  });
}

template <class Real>
Reference<Real> momentum_of(const Path<Real>& path) {
  return reference_of<Velocity>(path, []<class Number>(const Number& t, const Number& g, auto& v) {
    return momentum<Number>(t, g, {rate, momentum_coefficient, penalty}, v);
  });
}
template <class Real>
Reference<Real> adam_of(const Path<Real>& path) {
  return reference_of<Moments>(path, []<class Number>(const Number& t, const Number& g, auto& of) {
    return adam<Number>(t, g, {rate, beta_1, beta_2, adam_epsilon, penalty}, of);
  });
}
/// PyTorch's spelling: its rate is η, which multiplies the decay as well, and it decays before it
/// steps.
template <class Real>
Reference<Real> adamw_of(const Path<Real>& path) {
  return reference_of<Moments>(path, []<class Number>(const Number& t, const Number& g, auto& of) {
    if constexpr (std::same_as<Number, Exact>)
      return adamw<Number>(t, g, {{1, beta_1, beta_2, adam_epsilon}, decay, rate}, of);
    const Number left = Number(1) - Number(rate) * Number(decay);
    return adam<Number>(t * left, g, {rate, beta_1, beta_2, adam_epsilon}, of);
  });
}

TYPED_TEST(torch_agreement, of_optimisers_at_every_step) {
  using Real = TypeParam;
  const std::vector<Path<Real>> paths(std::begin(sizes), std::end(sizes));
  const auto expect = [&](const char* what, const Method& method, auto of) {
    expect_agreement(name<Real>(what), paths,
                     [&](const Path<Real>& path) { return share(run(method, path), of(path)); });
  };
  const std::tuple betas{beta_1, beta_2};
  expect("SGD with momentum",
         method<optim::SGD>(
             optim::SGDOptions(rate).momentum(momentum_coefficient).weight_decay(penalty)),
         momentum_of<Real>);
  expect("Adam",
         method<optim::Adam>(
             optim::AdamOptions(rate).betas(betas).eps(adam_epsilon).weight_decay(penalty)),
         adam_of<Real>);
  expect("AdamW",
         method<optim::AdamW>(
             optim::AdamWOptions(rate).betas(betas).eps(adam_epsilon).weight_decay(decay)),
         adamw_of<Real>);
}

}  // namespace
}  // namespace embedscale::training
