#pragma once
// Wrong softmaxes, entropies and gradients, from the largest defect to the smallest that is seen.
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "attention.hpp"

namespace embedscale::properties::mutants {

/// 2^z in the place of e^z: a temperature of 1.44.
struct raises_two : Library {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    for (Real& value : z) value = value * Real(std::numbers::ln2);
    Library::softmax(z);
  }
};

/// One unit more in the sum ("softmax off by one"): a head may attend to nothing, and a constant in
/// all logits no longer cancels.
struct adds_one_to_the_sum : Library {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    using std::exp;
    Real sum(1);
    for (Real& value : z) sum = sum + (value = exp(value));
    for (Real& value : z) value = value / sum;
  }
};

/// The same with a part in 2^40, as against a division by 0.
struct guards_the_sum : Library {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    using std::exp;
    Real sum = static_cast<Real>(0x1p-40);
    for (Real& value : z) sum = sum + (value = exp(value));
    for (Real& value : z) value = value / sum;
  }
};

/// The largest logit is not taken out: exp overflows, in binary16 from 11.1 on.
struct exponentiates_directly : Library {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    using std::exp;
    Real sum(0);
    for (Real& value : z) sum = sum + (value = exp(value));
    for (Real& value : z) value = value / sum;
  }
};

/// Logits beyond 8 start again at −8.
struct wraps_large_logits : Library {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    for (Real& value : z)
      value = static_cast<Real>(std::remainder(static_cast<double>(value), 16.0));
    Library::softmax(z);
  }
};

/// Weights rounded to a narrower format before they are used.
template <class Narrow>
struct keeps_weights_in : Library {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    Library::softmax(z);
    for (Real& value : z)
      value = static_cast<Real>(static_cast<double>(Narrow(static_cast<double>(value))));
  }
};
using keeps_weights_in_bfloat16 = keeps_weights_in<bfloat16>;
using keeps_weights_in_binary32 = keeps_weights_in<float>;

/// A temperature off by one part in 2^36.
struct cools_slightly : Library {
  template <AnalyticScalar Real>
  static void softmax(std::span<Real> z) {
    for (Real& value : z) value = value * static_cast<Real>(1.0 + 0x1p-36);
    Library::softmax(z);
  }
};

/// In bits, where nats were meant.
struct measures_in_bits : Library {
  template <AnalyticScalar Real>
  static Real entropy(std::span<const Real> weights) {
    return Library::entropy(weights) / Real(std::numbers::ln2);
  }
};

/// Σ w ln w without its sign.
struct forgets_the_sign : Library {
  template <AnalyticScalar Real>
  static Real entropy(std::span<const Real> weights) {
    return -Library::entropy(weights);
  }
};

/// Weights below 2^−30 do not count.
struct drops_small_terms : Library {
  template <AnalyticScalar Real>
  static Real entropy(std::span<const Real> weights) {
    std::vector<Real> large;
    for (const Real& w : weights)
      if (!(w < Real(0x1p-30))) large.push_back(w);
    return Library::entropy(std::span<const Real>(large));
  }
};

/// diag(a) for the Jacobian: the sum in the denominator taken as a constant.
struct forgets_the_mean : Library {
  template <Scalar Real>
  static void gradient(std::span<const Real> weights, std::span<const Real> upstream,
                       std::span<Real> out) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = weights[j] * upstream[j];
  }
};

/// g − ⟨a, g⟩ without the weight before it.
struct forgets_the_weight : Library {
  template <Scalar Real>
  static void gradient(std::span<const Real> weights, std::span<const Real> upstream,
                       std::span<Real> out) {
    const Real mean = Library::dot(weights, upstream);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = upstream[j] - mean;
  }
};

/// The plain mean of g where the weighted one was meant.
struct averages_plainly : Library {
  template <Scalar Real>
  static void gradient(std::span<const Real> weights, std::span<const Real> upstream,
                       std::span<Real> out) {
    Real mean(0);
    for (const Real& g : upstream) mean = mean + g / Real(static_cast<int>(upstream.size()));
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = weights[j] * Real(upstream[j] - mean);
  }
};

/// A part in 2^20 of the gradient goes straight through, so that it never vanishes.
struct leaks_straight_through : Library {
  template <Scalar Real>
  static void gradient(std::span<const Real> weights, std::span<const Real> upstream,
                       std::span<Real> out) {
    Library::gradient(weights, upstream, out);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = out[j] + upstream[j] / Real(1 << 20);
  }
};

/// Too large by one part in 2^60.
struct grows_slightly : Library {
  template <Scalar Real>
  static void gradient(std::span<const Real> weights, std::span<const Real> upstream,
                       std::span<Real> out) {
    Library::gradient(weights, upstream, out);
    for (Real& x : out) x = x + x / Real(1 << 30) / Real(1 << 30);
  }
};

}  // namespace embedscale::properties::mutants
