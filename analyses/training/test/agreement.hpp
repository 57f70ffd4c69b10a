#pragma once
// How far libtorch is from the library, as a share of what rounding in its format allows.
#include <torch/torch.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "properties/block/sample.hpp"
#include "properties/evidence/running_error.hpp"
#include "properties/exact/decimal50.hpp"
#include "training/test/forward_error.hpp"

namespace embedscale::training {

/// The library's result in 50 decimal digits, with what these leave open.
using Exact = properties::RunningError<properties::exact::Decimal50>;
using Numbers = std::vector<double>;
using properties::block::as, properties::block::Normals;
using torch::Tensor;

using Formats = testing::Types<float, double>;
template <class>
class torch_agreement : public testing::Test {};
TYPED_TEST_SUITE(torch_agreement, Formats);

inline std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

/// What a share is called in one format.
template <class Real>
std::string name(const std::string& of) {
  return of + (sizeof(Real) == sizeof(float) ? ", binary32" : ", binary64");
}

template <class Real>
Numbers rounded(Numbers x) {
  for (double& value : x) value = Real(value);
  return x;
}

template <class Real>
Tensor tensor(const Numbers& values, at::IntArrayRef shape) {
  return torch::tensor(values, torch::dtype(c10::CppTypeToScalarType<Real>::value)).view(shape);
}

inline Numbers numbers(const Tensor& x) {
  const auto flat = x.detach().to(torch::kDouble).contiguous();
  const double* first = flat.data_ptr<double>();
  return {first, first + flat.numel()};
}

/// What a function should give: the bound for libtorch's evaluation, and the library's result.
template <class Real>
struct Reference {
  std::vector<ForwardError<Real>> bound;
  std::vector<Exact> exact;
};

/// Both by a function of the kind of number, given as a number of it.
template <class Real, class Function>
Reference<Real> reference(const Function& f) {
  return {f(ForwardError<Real>()), f(Exact())};
}

/// The largest part that any entry takes of its bound; infinite where nothing is known.
///
/// Errors    std::logic_error where the bound is that of another function than the library's: its
///           values, in 64 digits, have 2^-11 of its error at most.
template <class Real>
double share(const Tensor& of_torch, const Reference<Real>& of) {
  const Numbers got = numbers(of_torch);
  if (got.size() != of.exact.size() || got.size() != of.bound.size())
    throw std::logic_error("agreement: sizes differ");
  double worst = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto& exact = of.exact[i];
    const auto& bound = of.bound[i];
    const auto from = [&](long double x) {
      return std::abs(static_cast<double>(x - exact.value()));
    };
    if (from(bound.value()) > 0x1p-11 * bound.error() + exact.error())
      throw std::logic_error(fmt::format("agreement: entry {}: the bound is about {}, not {}", i,
                                         bound.value(), exact.value().str(20)));
    const double apart = from(got[i]);
    const double part = apart == 0.0 ? 0.0 : apart / (bound.error() + exact.error());
    worst = std::isnan(part) ? HUGE_VAL : std::max(worst, part);
  }
  return worst;
}

/// That the largest share of some cases, which is printed, is within its bounds, and that these are
/// not idle: of n errors of either sign about √n are left of the n that a bound counts, and no
/// result here has 10^8. So what is another function by more than 10^4 of its bound is noticed.
template <class Cases, class ShareOf>
void expect_agreement(const std::string& what, const Cases& cases, const ShareOf& share_of) {
  double most = 0.0;
  for (const auto& one : cases) most = std::max(most, share_of(one));
  fmt::print("[   SHARE  ] {}: up to {:.2g}\n", what, most);
  EXPECT_LE(most, 1.0) << what;
  EXPECT_GE(most, 1e-4) << what << ": the bound says nothing";
}

}  // namespace embedscale::training
