// torch::softmax, torch::cross_entropy_loss and their gradients against the library's.
#include <embedscale/attention.hpp>

#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

/// Rows of logits of some size.
struct Shape {
  std::size_t rows, n;
  double size;
};

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::size_t n : {1u, 2u, 7u, 33u, 64u})
    for (const double size : {0x1p-20, 0.125, 1.0, 30.0}) all.push_back({5, n, size});
  all.push_back({3, 512, 1.0});
  return all;
}

template <class Real>
struct Case {
  explicit Case(const Shape& shape) : shape(shape) {
    Normals normals(shape.n, "softmax");
    const Stream targets_of(shape.n, "targets");
    logits = rounded<Real>(normals(shape.rows * shape.n, shape.size));
    upstream = rounded<Real>(normals(logits.size()));
    for (std::size_t i = 0; i < shape.rows; ++i)
      targets.push_back(static_cast<std::int64_t>(targets_of.below(shape.n, i)));
  }
  Tensor tensor_of(const Numbers& x) const {
    return tensor<Real>(x, {whole(shape.rows), whole(shape.n)});
  }
  template <class Number>
  std::vector<Number> row(const Numbers& x, std::size_t i) const {
    const auto first = x.begin() + whole(i * shape.n);
    return {first, first + whole(shape.n)};
  }

  std::size_t target(std::size_t i) const { return static_cast<std::size_t>(targets[i]); }

  Shape shape;
  Numbers logits, upstream;
  std::vector<std::int64_t> targets;
};

/// What a function of a row and its number gives, for each row.
template <class Number, class Real, class Function>
std::vector<Number> each_row(const Case<Real>& of, const Function& f) {
  std::vector<Number> all;
  for (std::size_t i = 0; i < of.shape.rows; ++i)
    for (const Number& value : f(of.template row<Number>(of.logits, i), i)) all.push_back(value);
  return all;
}

/// Both by one function of a row.
template <class Real, class Function>
Reference<Real> both(const Case<Real>& of, const Function& f) {
  return reference<Real>([&](auto zero) { return each_row<decltype(zero)>(of, f); });
}

template <class Real>
Reference<Real> weights(const Case<Real>& of) {
  return both(of, []<class Number>(std::vector<Number> z, std::size_t) {
    softmax<Number>(z);
    return z;
  });
}

template <class Real>
Reference<Real> weights_gradient(const Case<Real>& of) {
  return both(of, [&]<class Number>(std::vector<Number> z, std::size_t i) {
    softmax<Number>(z);
    softmax_gradient<Number>(z, of.template row<Number>(of.upstream, i), z);
    return z;
  });
}

/// ln softmax(z) as libtorch computes it: (z − max z) − ln Σ exp(z − max z).
///
/// Source    libtorch 1.13, native/cpu/SoftMaxKernel.cpp, which says that the order matters.
template <class Number>
std::vector<Number> log_softmax_in_torch(const std::vector<Number>& z) {
  const Number largest = *std::ranges::max_element(z);
  Number sum(0);
  for (const Number& value : z) sum = sum + exp(value - largest);
  std::vector<Number> out;
  for (const Number& value : z) out.push_back(-log(sum) + (value - largest));
  return out;
}

/// −ln softmax(z)_t, its mean over the rows.
template <class Real>
Reference<Real> loss(const Case<Real>& of) {
  using Bound = ForwardError<Real>;
  const auto bounds = each_row<Bound>(of, [&](std::vector<Bound> z, std::size_t i) {
    return std::vector{-log_softmax_in_torch(z)[of.target(i)]};
  });
  const auto losses = each_row<Exact>(of, [&](std::vector<Exact> z, std::size_t i) {
    softmax<Exact>(z);
    return std::vector{-log(z[of.target(i)])};
  });
  const auto mean = [](const auto& values) {
    auto sum = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) sum = sum + values[i];
    return std::vector{sum / decltype(sum)(values.size())};
  };
  return {mean(bounds), mean(losses)};
}

/// Of that mean to the logits; the library's through the slopes −1/w_t of −ln w_t.
template <class Real>
Reference<Real> loss_gradient(const Case<Real>& of) {
  using Bound = ForwardError<Real>;
  const auto bounds = each_row<Bound>(of, [&](std::vector<Bound> z, std::size_t i) {
    const Bound share = Bound(1) / Bound(of.shape.rows);
    auto out = log_softmax_in_torch(z);
    for (auto& value : out) value = exp(value) * share;
    out[of.target(i)] = out[of.target(i)] - share;
    return out;
  });
  const auto exact = each_row<Exact>(of, [&](std::vector<Exact> z, std::size_t i) {
    softmax<Exact>(z);
    std::vector<Exact> slopes(z.size());
    slopes[of.target(i)] = Exact(-1) / (z[of.target(i)] * Exact(of.shape.rows));
    softmax_gradient<Exact>(z, slopes, z);
    return z;
  });
  return {bounds, exact};
}

template <class>
class torch_softmax : public testing::Test {};
TYPED_TEST_SUITE(torch_softmax, Formats);

using Weights = Tensor (*)(const Tensor& z);
using Loss = Tensor (*)(const Tensor& z, const Tensor& targets);
Tensor softmax_of_torch(const Tensor& z) { return torch::softmax(z, -1); }
Tensor loss_of_torch(const Tensor& z, const Tensor& targets) {
  return torch::cross_entropy_loss(z, targets);
}

constexpr std::array parts{"softmax", "softmax, gradient", "cross entropy",
                           "cross entropy, gradient"};

/// The shares of these parts, case by case.
template <class Real>
std::vector<std::array<double, parts.size()>> shares(Weights weights_of, Loss loss_of) {
  std::vector<std::array<double, parts.size()>> all;
  for (const auto& shape : shapes()) {
    const Case<Real> of(shape);
    const Tensor z = of.tensor_of(of.logits).requires_grad_();
    const Tensor w = weights_of(z);
    w.backward(of.tensor_of(of.upstream));
    const Tensor slope = z.grad().clone();
    z.mutable_grad().zero_();
    const Tensor mean = loss_of(z, torch::tensor(of.targets));
    mean.backward();
    all.push_back({share(w, weights(of)), share(slope, weights_gradient(of)), share(mean, loss(of)),
                   share(z.grad(), loss_gradient(of))});
  }
  return all;
}

TYPED_TEST(torch_softmax, and_the_cross_entropy_are_the_librarys) {
  const auto all = shares<TypeParam>(softmax_of_torch, loss_of_torch);
  for (std::size_t i = 0; i < parts.size(); ++i)
    expect_agreement(name<TypeParam>(parts[i]), all, [i](const auto& of) { return of[i]; });
}

struct Wrong {
  const char* name;
  Weights weights;
  Loss loss;
};
const Wrong wrong[]{
    {"softmax over the other dimension", [](const Tensor& z) { return torch::softmax(z, 0); },
     loss_of_torch},
    {"labels smoothed by 2^-10", softmax_of_torch,
     [](const Tensor& z, const Tensor& t) {
       return torch::cross_entropy_loss(z, t, {}, at::Reduction::Mean, -100, 0x1p-10);
     }},
};

TYPED_TEST(torch_softmax, rejects_what_is_another) {
  for (const auto& [what, weights, loss] : wrong)
    expect_rejected(name<TypeParam>(what), shares<TypeParam>(weights, loss),
                    [](const auto& of) { return std::ranges::max(of); });
}

}  // namespace
}  // namespace embedscale::training
