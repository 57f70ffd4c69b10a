// torch::layer_norm and its gradient against the library's.
#include <embedscale/normalization.hpp>

#include "training/test/agreement.hpp"
#include "training/test/layer_norm.hpp"

namespace embedscale::training {
namespace {

enum class Affine { none, gain_and_bias };

/// Normal numbers of a size about a centre, in that unit: the variance's condition.
struct Row {
  std::size_t d;
  double size, centre, epsilon;
};

/// Widths that vectors of 4 and 8 leave a rest of, or all of.
std::vector<Row> rows() {
  std::vector<Row> all;
  for (const std::size_t d : {2u, 3u, 7u, 48u, 64u, 100u})
    for (const double size : {0x1p-20, 0x1p-6, 1.0, 0x1p20})
      for (const double centre : {0.0, 32.0})
        for (const double epsilon : {0.0, 1e-5}) all.push_back({d, size, centre, epsilon});
  all.push_back({600, 1.0, 1.0, 1e-5});  // in several chunks of 16 vectors
  return all;
}

template <class Real>
struct Case {
  Case(const Row& row, Affine affine)
      : d(static_cast<std::int64_t>(row.d)), epsilon(row.epsilon), gain(row.d, 1.0), bias(row.d) {
    Normals normals(row.d, "layer norm");
    x = normals(row.d, row.size);
    for (double& value : x) value += row.centre * row.size;
    x = rounded<Real>(x), upstream = rounded<Real>(normals(row.d));
    if (affine == Affine::none) return;
    gain = rounded<Real>(normals(row.d)), bias = rounded<Real>(normals(row.d));
  }

  std::int64_t d;
  double epsilon;  ///< libtorch rounds it
  Numbers x, upstream, gain, bias;
};

/// γ·N(x) + β.
template <class Real>
Reference<Real> normalized(const Case<Real>& of) {
  using Bound = ForwardError<Real>;
  Reference<Real> out{layer_norm_in_torch<Bound>(as<Bound>(of.x), of.epsilon),
                      std::vector<Exact>(of.x.size())};
  layer_norm<Exact>(as<Exact>(of.x), of.epsilon, EpsilonPlacement::variance, out.exact);
  for (std::size_t j = 0; j < of.x.size(); ++j) {
    out.bound[j] = out.bound[j] * of.gain[j] + of.bias[j];
    out.exact[j] = out.exact[j] * of.gain[j] + of.bias[j];
  }
  return out;
}

/// N'(x)ᵀ(γ·g).
template <class Real>
Reference<Real> gradient(const Case<Real>& of) {
  const auto slopes = reference<Real>([&](auto zero) {
    std::vector<decltype(zero)> all;
    for (std::size_t j = 0; j < of.x.size(); ++j)
      all.push_back(decltype(zero)(of.upstream[j]) * of.gain[j]);
    return all;
  });
  using Bound = ForwardError<Real>;
  Reference<Real> out{
      layer_norm_gradient_in_torch<Bound>(as<Bound>(of.x), slopes.bound, of.epsilon),
      std::vector<Exact>(of.x.size())};
  layer_norm_gradient<Exact>(as<Exact>(of.x), slopes.exact, of.epsilon, EpsilonPlacement::variance,
                             out.exact);
  return out;
}

template <class Real>
struct Expected {
  explicit Expected(const Case<Real>& of) : value(normalized(of)), slope(gradient(of)) {}
  Reference<Real> value, slope;
};

struct Shares {
  double value, slope;
};

/// Of a norm of libtorch, given its input, gain, bias and ε.
template <class Real, class Norm>
Shares shares(const Norm& norm, const Case<Real>& of, const Expected<Real>& expected) {
  const Tensor x = tensor<Real>(of.x, of.d).requires_grad_();
  const Tensor y = norm(x, tensor<Real>(of.gain, of.d), tensor<Real>(of.bias, of.d), of.epsilon);
  y.backward(tensor<Real>(of.upstream, of.d));
  return {share(y, expected.value), share(x.grad(), expected.slope)};
}

template <class>
class torch_layer_norm : public testing::Test {};
TYPED_TEST_SUITE(torch_layer_norm, Formats);

Tensor of_torch(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  return torch::layer_norm(x, x.sizes(), gain, bias, epsilon);
}

TYPED_TEST(torch_layer_norm, and_its_gradient_are_the_librarys) {
  for (const auto affine : {Affine::none, Affine::gain_and_bias}) {
    const std::string of_norm = affine == Affine::none ? "layer norm" : "layer norm, gain and bias";
    Worst value(name<TypeParam>(of_norm)), slope(name<TypeParam>(of_norm + ", gradient"));
    for (const auto& row : rows()) {
      const Case<TypeParam> of(row, affine);
      const auto found = shares(of_torch, of, Expected<TypeParam>(of));
      value.add(found.value), slope.add(found.slope);
    }
    value.expect_agreement(), slope.expect_agreement();
  }
}

struct Wrong {
  const char* name;
  Tensor (*norm)(const Tensor& x, double epsilon);
};
const Wrong wrong[]{
    {"epsilon outside the root",
     [](const Tensor& x, double e) { return (x - x.mean()) / (x.var(false).sqrt() + e); }},
    {"no epsilon", [](const Tensor& x, double) { return (x - x.mean()) / x.var(false).sqrt(); }},
    {"the variance of a sample",
     [](const Tensor& x, double e) { return (x - x.mean()) / (x.var(true) + e).sqrt(); }},
    {"RMSNorm", [](const Tensor& x, double e) { return x / (x.square().mean() + e).sqrt(); }},
    {"no gradient through the deviation",
     [](const Tensor& x, double e) { return (x - x.mean()) / (x.var(false) + e).sqrt().detach(); }},
};

TYPED_TEST(torch_layer_norm, rejects_what_is_another) {
  std::vector<Worst> worst;
  for (const auto& [what, norm] : wrong) worst.emplace_back(name<TypeParam>(what));
  for (const auto& row : rows()) {
    const Case<TypeParam> of(row, Affine::none);
    const Expected<TypeParam> expected(of);
    for (std::size_t i = 0; i < worst.size(); ++i) {
      const auto norm = [&](const Tensor& x, const Tensor&, const Tensor&, double epsilon) {
        return wrong[i].norm(x, epsilon);
      };
      const auto found = shares(norm, of, expected);
      worst[i].add(std::max(found.value, found.slope));
    }
  }
  for (const auto& one : worst) one.expect_rejected();
}

}  // namespace
}  // namespace embedscale::training
