#pragma once
// Optimisers of libtorch on drawn gradients.
#include <functional>
#include <memory>
#include <vector>

#include "properties/training/setting.hpp"
#include "training/test/agreement.hpp"

namespace embedscale::training {

namespace optim = torch::optim;

using properties::training::adam_epsilon, properties::training::momentum_coefficient;
using properties::training::beta_1, properties::training::beta_2;
inline constexpr std::size_t entries = 7, steps = 20;
inline constexpr double rate = 1e-3, decay = 0.1, penalty = 0.01;

/// Where it starts, and the gradients on the way, of some size.
template <class Real>
struct Path {
  explicit Path(double size) {
    Normals normals(1, "optimiser");
    start = rounded<Real>(normals(entries));
    for (std::size_t k = 0; k < steps; ++k)
      gradients.push_back(rounded<Real>(normals(entries, size)));
  }
  Numbers start;
  std::vector<Numbers> gradients;
};
/// In the smallest √b̂ is near ε and b near 2^-60.
inline constexpr double sizes[]{0x1p-30, 0x1p-15, 1.0, 0x1p10};

/// A step of libtorch from the gradient that the parameter has.
using Step = std::function<void()>;
using Method = std::function<Step(Tensor parameter)>;

template <class Optimizer, class Options>
Method method(const Options& options) {
  return [=](const Tensor& parameter) -> Step {
    return [own = std::make_shared<Optimizer>(std::vector{parameter}, options)] { own->step(); };
  };
}

/// The parameter after each step.
template <class Real>
Tensor run(const Method& method, const Path<Real>& path) {
  Tensor parameter = tensor<Real>(path.start, whole(entries)).requires_grad_();
  const Step step = method(parameter);
  std::vector<Tensor> all;
  for (const auto& gradient : path.gradients) {
    parameter.mutable_grad() = tensor<Real>(gradient, whole(entries));
    step();
    all.push_back(parameter.detach().clone());
  }
  return torch::cat(all);
}

}  // namespace embedscale::training
