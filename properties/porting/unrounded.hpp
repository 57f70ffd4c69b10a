#pragma once
// A port with √d in the place of the m = fl(√d) that the model was trained with: how far inputs,
// normed inputs and logits are off. Measures of rounded_multiplier_is_the_function.
#include <embedscale/normalization.hpp>

#include <cmath>
#include <vector>

#include "function.hpp"

namespace embedscale::properties::porting {

/// A channel vector of a token and of a position, the multiplier of the model and that of the port.
template <Scalar Real>
struct Misported {
  std::vector<Real> e, p;
  Real m, r;
};

/// x = m·e + p.
template <Scalar Real>
std::vector<Real> input_of(const Misported<Real>& at) {
  std::vector<Real> x;
  for (std::size_t j = 0; j < at.e.size(); ++j) x.push_back(up(at.e[j], at.p[j], at.m));
  return x;
}

/// x̂ of the port: its table by the recipe for a model that multiplies by r.
template <Scalar Real>
std::vector<Real> misported_input(const Misported<Real>& at, const PrimitivesIn<Real>& primitives) {
  const Convention<Real> from{.multiplier = at.r, .tied = false}, to{.tied = false};
  const Real s = primitives.recipe(from, to, {}).factor_of(Parameter::token_table);
  std::vector<Real> x;
  for (std::size_t j = 0; j < at.e.size(); ++j) x.push_back(sum(Real(s * at.e[j]), at.p[j]));
  return x;
}

/// ‖a‖²·‖b‖² − ⟨a, b⟩² = ‖a‖²·‖b‖²·sin²∠(a, b).
template <Scalar Real>
Real gram(const std::vector<Real>& a, const std::vector<Real>& b) {
  const Real ab = dot<Real>(a, b);
  return Real(dot<Real>(a, a) * dot<Real>(b, b)) - Real(ab * ab);
}

/// Less its mean.
template <Scalar Real>
std::vector<Real> centred(std::vector<Real> x) {
  const Real mean = embedscale::detail::mean<Real>(x);
  for (Real& value : x) value = value - mean;
  return x;
}

/// Whether x̂ − x = (r/m − 1)·m·e, and sin∠(x, x̂) = |r/m − 1|·‖m·e‖·‖p‖·sin∠(m·e, p)/(‖x‖·‖x̂‖),
/// by their squares: what a norm without ε makes of the two differs by this angle alone.
///
/// A LayerNorm takes the mean from each: the same of what is left.
///
/// As x̂ = x + ρ·t with t = m·e and x = t + p, both areas are that of t and p: that of x and x̂ is
/// |ρ| times that of x and t, which is that of p and t.
template <Scalar Real>
bool moves_as_stated(const Misported<Real>& at, const PrimitivesIn<Real>& primitives) {
  const auto x = input_of(at), other = misported_input(at, primitives);
  const Real apart = at.r - at.m;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (!(other[j] - x[j] == apart * at.e[j])) return false;
  const Real square = apart * apart;
  return gram(x, other) == square * gram(at.e, at.p) &&
         gram(centred(x), centred(other)) == square * gram(centred(at.e), centred(at.p));
}

/// √Σ(b − a)²/Σa².
template <AnalyticScalar Real>
Real relative_rms(const std::vector<Real>& a, const std::vector<Real>& b) {
  using std::sqrt;
  Real apart(0), size(0);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Real off = b[k] - a[k];
    apart = apart + Real(off * off), size = size + Real(a[k] * a[k]);
  }
  return sqrt(Real(apart / size));
}

/// How far a port is off, each over its own RMS.
struct Off {
  double input, normed, stream, logits;  ///< x, N(x), what leaves the last block, z
};
template <AnalyticScalar Real>
Off off(const Model<Real>& is, const Model<Real>& port, Norm first) {
  const auto a = is.activations(), b = port.activations();
  const auto normed = [&](const auto& of) {
    return optimizer::detail::normalized<Real>(is.task, first, of.stream[0],
                                               optimizer::library<Real>);
  };
  const auto of = [](const auto& one, const auto& other) {
    return static_cast<double>(relative_rms(one, other));
  };
  return {of(a.stream[0], b.stream[0]), of(normed(a), normed(b)),
          of(a.stream.back(), b.stream.back()), of(a.logits, b.logits)};
}

}  // namespace embedscale::properties::porting
