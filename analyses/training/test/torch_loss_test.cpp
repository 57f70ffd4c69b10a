// torch::cross_entropy_loss and its gradient against the library's softmax.
#include <embedscale/attention.hpp>

#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

/// Rows of logits of some size, and what is right in each.
template <class Real>
struct Case {
  Case(std::size_t rows, std::size_t n, double size) : rows(rows), n(n) {
    Normals normals(n, "softmax");
    const Stream targets_of(n, "targets");
    logits = rounded<Real>(normals(rows * n, size));
    for (std::size_t i = 0; i < rows; ++i)
      targets.push_back(static_cast<std::int64_t>(targets_of.below(n, i)));
  }
  std::size_t rows, n;
  Numbers logits;
  std::vector<std::int64_t> targets;
};

template <class Real>
std::vector<Case<Real>> cases() {
  std::vector<Case<Real>> all;
  for (const std::size_t n : {1u, 2u, 7u, 33u, 64u})
    for (const double size : {0x1p-20, 0.125, 1.0, 8.0}) all.emplace_back(5, n, size);
  all.emplace_back(3, 512, 1.0);
  return all;
}

/// Calls each(l, t) for the logarithms of a row's softmax and its target. libtorch has l = (z − max
/// z) − ln Σ exp(z − max z), which rounds a logarithm of ln Σ, less than l, and no quotient.
///
/// Source    libtorch 1.13, native/cpu/SoftMaxKernel.cpp.
template <class Number, class Real, class Each>
void each_row(const Case<Real>& of, const Each& each) {
  for (std::size_t i = 0; i < of.rows; ++i) {
    const auto first = of.logits.begin() + whole(i * of.n);
    std::vector<Number> row(first, first + whole(of.n));
    softmax<Number>(row);
    for (Number& value : row) value = log(value);
    each(row, static_cast<std::size_t>(of.targets[i]));
  }
}

/// −ln softmax(z)_t, its mean over the rows.
template <class Real>
Reference<Real> loss_of(const Case<Real>& of) {
  return reference<Real>([&]<class Number>(Number sum) {
    each_row<Number>(of, [&](const auto& row, std::size_t target) { sum = sum - row[target]; });
    return std::vector{sum / Number(of.rows)};
  });
}

/// Of that mean to the logits: (softmax(z) − 1_t)/n.
template <class Real>
Reference<Real> gradient_of(const Case<Real>& of) {
  return reference<Real>([&]<class Number>(const Number&) {
    std::vector<Number> all;
    each_row<Number>(of, [&](const auto& row, std::size_t target) {
      const Number share = Number(1) / Number(of.rows);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const Number part = exp(row[k]) * share;
        all.push_back(k == target ? part - share : part);
      }
    });
    return all;
  });
}

using Loss = Tensor (*)(const Tensor& z, const Tensor& targets);

/// The larger share of a loss and of its gradient.
template <class Real>
auto share_of(Loss loss) {
  return [loss](const Case<Real>& of) {
    const Tensor z = tensor<Real>(of.logits, {whole(of.rows), whole(of.n)}).requires_grad_();
    const Tensor mean = loss(z, torch::tensor(of.targets));
    mean.backward();
    return std::max(share(mean, loss_of(of)), share(z.grad(), gradient_of(of)));
  };
}

template <class>
class torch_loss : public testing::Test {};
TYPED_TEST_SUITE(torch_loss, Formats);

TYPED_TEST(torch_loss, is_the_librarys_with_its_gradient_and_no_other) {
  using Real = TypeParam;
  expect_agreement(name<Real>("cross entropy"), cases<Real>(),
                   share_of<Real>([](const Tensor& z, const Tensor& targets) {
                     return torch::cross_entropy_loss(z, targets);
                   }));
  expect_rejected(name<Real>("labels smoothed by 2^-10"), cases<Real>(),
                  share_of<Real>([](const Tensor& z, const Tensor& targets) {
                    return torch::cross_entropy_loss(z, targets, {}, at::Reduction::Mean, -100,
                                                     0x1p-10);
                  }));
}

}  // namespace
}  // namespace embedscale::training
