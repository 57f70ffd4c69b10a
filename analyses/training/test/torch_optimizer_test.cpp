// torch::optim's Adam, AdamW and SGD with momentum, step by step, and clipping, against the
// library's.
#include <embedscale/clipping.hpp>
#include <embedscale/optimizer.hpp>

#include <functional>
#include <memory>
#include <tuple>
#include <vector>

#include "properties/training/recipe.hpp"
#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

namespace optim = torch::optim;

using properties::training::adam_epsilon, properties::training::momentum_coefficient;
using properties::training::beta_1, properties::training::beta_2;
constexpr std::size_t entries = 7, steps = 20;
constexpr double rate = 1e-3, penalty = 0.01;

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
/// steps. As the second study has it.
template <class Real>
Reference<Real> adamw_of(const Path<Real>& path, double decay) {
  using namespace properties::training;
  return reference_of<Moments>(path, [=]<class Number>(const Number& t, const Number& g, auto& of) {
    const Adam<Number> by{1, decoder_beta_1, decoder_beta_2, decoder_epsilon};
    if constexpr (std::same_as<Number, Exact>) return adamw<Number>(t, g, {by, decay, rate}, of);
    const Number left = Number(1) - Number(rate) * Number(decay);
    return adam<Number>(t * left, g, {rate, by.beta_1, by.beta_2, by.epsilon}, of);
  });
}

TYPED_TEST(torch_agreement, of_optimisers_at_every_step) {
  using Real = TypeParam;
  const std::vector<Path<Real>> paths(std::begin(sizes), std::end(sizes));
  const auto expect = [&](const std::string& what, const Method& method, auto of) {
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
  using namespace properties::training;
  const std::tuple decoder_betas{decoder_beta_1, decoder_beta_2};
  for (const double decay : {decoder_decay, 0.0})
    expect(fmt::format("AdamW, decay {}", decay),
           method<optim::AdamW>(optim::AdamWOptions(rate)
                                    .betas(decoder_betas)
                                    .eps(decoder_epsilon)
                                    .weight_decay(decay)),
           [=](const Path<Real>& path) { return adamw_of<Real>(path, decay); });
}

/// Three gradients of 48 entries in all, clipped to the norm 2; libtorch adds 10^-6 to theirs. A
/// norm errs by γ_48/2 and a few roundings, those of a norm of norms: 64u for both.
TEST(torch_optimizer, clips_by_the_norm_of_all) {
  for (const double size : {0x1p-10, 0.25, 0.3, 1.0, 0x1p10}) {
    Normals normals(1, "clipping");
    const Numbers all[]{normals(7, size), normals(1, size), normals(40, size)};
    std::vector<Tensor> parameters;
    for (const auto& g : all) {
      parameters.push_back(torch::zeros(whole(g.size()), torch::kDouble));
      parameters.back().mutable_grad() = tensor<double>(g, whole(g.size()));
    }
    torch::nn::utils::clip_grad_norm_(parameters, 2);
    const double factor =
        clipping_factor<double>(std::vector<GradientPart<double>>{{all[0]}, {all[1]}, {all[2]}}, 2);
    const double meant = factor < 1 ? 2 / (2 / factor + 1e-6) : 1;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < all[i].size(); ++k)
        EXPECT_NEAR(numbers(parameters[i].grad())[k], meant * all[i][k],
                    0x1p-47 * std::abs(meant * all[i][k]));
  }
}

}  // namespace
}  // namespace embedscale::training
