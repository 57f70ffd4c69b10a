#pragma once
// LayerNorm and its gradient as libtorch computes them, for numbers that carry their forward error.
// The library's two passes are another way to the same function, of another error: this one takes
// mean and variance together, chunk by chunk (Welford 1962; Chan, Golub and LeVeque 1983).
#include <ATen/native/cpu/moments_utils.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

#include "training/test/forward_error.hpp"

/// What libtorch's template of the moments asks of its vectors: 256 bits of Real, as it has them
/// for layer norm on any processor.
template <class Real>
struct at::vec::Vectorized<embedscale::training::ForwardError<Real>> {
  using Number = embedscale::training::ForwardError<Real>;
  static constexpr std::int64_t size() { return 32 / sizeof(Real); }
  std::array<Number, static_cast<std::size_t>(size())> lanes;

  Vectorized() = default;
  Vectorized(const Number& x) { lanes.fill(x); }  // NOLINT: as libtorch's
  static Vectorized loadu(const Number* from) {
    Vectorized out;
    std::copy_n(from, size(), out.lanes.begin());
    return out;
  }
  void store(Number* to) const { std::ranges::copy(lanes, to); }

  template <class Operation>
  static Vectorized each(const Vectorized& a, const Vectorized& b, Operation of) {
    Vectorized out;
    std::ranges::transform(a.lanes, b.lanes, out.lanes.begin(), of);
    return out;
  }
  friend Vectorized operator+(const Vectorized& a, const Vectorized& b) {
    return each(a, b, std::plus<>());
  }
  friend Vectorized operator-(const Vectorized& a, const Vectorized& b) {
    return each(a, b, std::minus<>());
  }
  /// By copies: some factors are static, and would keep the errors of one evaluation for the next.
  friend Vectorized operator*(const Vectorized& a, const Vectorized& b) {
    return each(a, b, [](const Number& x, Number y) { return x * y; });
  }
  Vectorized& operator+=(const Vectorized& b) { return *this = *this + b; }
};

namespace embedscale::training {

/// Errors have numbers in their order: those below are met before what follows.
template <class Number>
std::size_t errors_before(std::span<const Number> x) {
  for (const Number& value : x) stored(value);
  return ErrorShares::met();
}

/// What both directions keep of x.
template <class Number>
struct RowMoments {
  Number mean, reciprocal;  ///< 1/√(var + ε)
};

/// By the very template that libtorch instantiates for float and double.
template <class Number>
RowMoments<Number> row_moments(std::span<const Number> x, const Number& epsilon) {
  const auto [mean, variance] =
      at::native::utils::RowwiseMoments(x.data(), static_cast<std::int64_t>(x.size()));
  return {stored(mean), Number(1) / sqrt(variance + epsilon)};
}

/// torch::layer_norm of one row, without gain and bias.
///
/// Source    libtorch 1.13, native/cpu/layer_norm_kernel.cpp, LayerNormKernelImplInternal. Later
///           ones subtract before they multiply, which is within the same bound.
template <class Number>
std::vector<Number> layer_norm_in_torch(std::span<const Number> x, const Number& epsilon) {
  const std::size_t before = errors_before(x);
  const auto [mean, reciprocal] = row_moments(x, epsilon);
  const Number shift = -reciprocal * mean;
  std::vector<Number> out;
  for (const Number& value : x) out.push_back(merged(value * reciprocal + shift, before));
  return out;
}

/// Jᵀ g of it, with mean and 1/σ from the way forward.
///
/// Source    the same file, LayerNormBackwardKernelImplInternal.
template <class Number>
std::vector<Number> layer_norm_gradient_in_torch(std::span<const Number> x,
                                                 std::span<const Number> upstream,
                                                 const Number& epsilon) {
  errors_before(x);
  const std::size_t before = errors_before(upstream);
  const auto [mean, a] = row_moments(x, epsilon);
  const Number scale = Number(1) / Number(static_cast<int>(x.size()));
  Number products(0), sum(0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    products = products + upstream[j] * x[j];
    sum = sum + upstream[j];
  }
  const Number b = (sum * mean - products) * a * a * a * scale;
  const Number c = -b * mean - sum * a * scale;
  std::vector<Number> out;
  for (std::size_t j = 0; j < x.size(); ++j)
    out.push_back(merged(a * upstream[j] + b * x[j] + c, before));
  return out;
}

}  // namespace embedscale::training
