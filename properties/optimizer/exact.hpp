#pragma once
// The claims over the reals, decided in rationals: losses whose gradients are rational functions,
// and optimisers without a root. What holds for all rationals holds for all reals, √d among them.
#include <vector>

#include "path.hpp"

namespace embedscale::properties::optimizer {

template <Scalar Real>
Real product(const std::vector<Real>& a, const Real* x) {
  Real sum(0);
  for (std::size_t j = 0; j < a.size(); ++j) sum = sum + a[j] * x[j];
  return sum;
}

/// L = Σ <a, x><b, x>/‖x‖² over the inputs x: a smooth function of their directions alone. An input
/// of 0 has no direction, and counts nothing.
template <Scalar Real>
struct Quotients {
  std::vector<Real> a, b;  ///< d of each

  Real value(const std::vector<Real>& x) const {
    Real sum(0);
    for (std::size_t at = 0; at < x.size(); at += a.size()) {
      const Real square = product(std::vector<Real>(&x[at], &x[at] + a.size()), &x[at]);
      if (square != Real(0)) sum = sum + product(a, &x[at]) * product(b, &x[at]) / square;
    }
    return sum;
  }
  Slopes<Real> operator()(const std::vector<Real>& x, const std::vector<Real>&) const {
    Slopes<Real> slopes{std::vector<Real>(x.size(), Real(0)), {}};
    for (std::size_t at = 0; at < x.size(); at += a.size()) {
      const Real square = product(std::vector<Real>(&x[at], &x[at] + a.size()), &x[at]);
      if (square == Real(0)) continue;
      const Real of_a = product(a, &x[at]), of_b = product(b, &x[at]);
      for (std::size_t j = 0; j < a.size(); ++j)
        slopes.of_input[at + j] =
            (a[j] * of_b + b[j] * of_a - Real(2) * of_a * of_b * x[at + j] / square) / square;
    }
    return slopes;
  }
};

/// L = Σ <a, x> + c·‖x‖²/2 + k·<a, x>³/3 over the inputs: it sees a factor.
template <Scalar Real>
struct Polynomial {
  std::vector<Real> a;
  Real c, k;

  Real value(const std::vector<Real>& x) const {
    Real sum(0);
    for (std::size_t at = 0; at < x.size(); at += a.size()) {
      const Real of_a = product(a, &x[at]);
      const Real square = product(std::vector<Real>(&x[at], &x[at] + a.size()), &x[at]);
      sum = sum + of_a + c * square / Real(2) + k * of_a * of_a * of_a / Real(3);
    }
    return sum;
  }
  Slopes<Real> operator()(const std::vector<Real>& x, const std::vector<Real>&) const {
    Slopes<Real> slopes{std::vector<Real>(x.size(), Real(0)), {}};
    for (std::size_t at = 0; at < x.size(); at += a.size()) {
      const Real of_a = product(a, &x[at]);
      for (std::size_t j = 0; j < a.size(); ++j)
        slopes.of_input[at + j] = a[j] + c * x[at + j] + k * of_a * of_a * a[j];
    }
    return slopes;
  }
};

/// Whether the inputs are m·e + p, e + p/m and m·e + p by the folded table.
template <Scalar Real>
bool inputs_are_what_they_say(const Start<Real>& start, const Real& m,
                              const PrimitivesIn<Real>& primitives) {
  const Optimiser<Real> none = Sgd<Real>{Real(0)};
  for (const Placing placing : {Placing::up, Placing::down, Placing::folded}) {
    const Training at(start, Run<Real>{placing, m, none, none}, primitives);
    const auto x = at.inputs();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Real& e = start.table[start.tokens[i / start.d] * start.d + i % start.d];
      const Real meant = m * e + start.positions[i];
      if (!((placing == Placing::down ? Real(m * x[i]) : x[i]) == meant)) return false;
    }
  }
  return true;
}

/// Whether two runs have one loss and, to entries that are factor_of(second) times as large, one
/// gradient: ∂L/∂a = c·∂L/∂b of b = c·a.
template <Scalar Real, class Loss>
bool is_one_function(const Start<Real>& start, const Run<Real>& first, const Run<Real>& second,
                     const Loss& loss, const PrimitivesIn<Real>& primitives) {
  const Training one(start, first, primitives), other(start, second, primitives);
  const auto x = one.inputs(), y = other.inputs();
  const auto a = one.gradient(loss(x, start.head).of_input);
  const auto b = other.gradient(loss(y, start.head).of_input);
  const Real c = factor_of(second);
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(a[k] == c * b[k])) return false;
  return loss.value(x) == loss.value(y);
}

/// Whether an optimiser by itself takes a step that is −rate·(gradient + penalty·t), and its heavy
/// ball −rate·μ·v more: two ways might well agree in a wrong one.
template <Scalar Real>
bool steps_are_what_they_say(const Real& t, const Real& g, const Momentum<Real>& by, const Real& v,
                             const PrimitivesIn<Real>& primitives) {
  Velocity<Real> state{v};
  const Real meant = t - by.rate * (g + by.penalty * t);
  return primitives.sgd(t, g, Sgd<Real>{by.rate, by.penalty}) == meant &&
         primitives.momentum(t, g, by, state) == meant - by.rate * by.momentum * v &&
         state.v == by.momentum * v + g + by.penalty * t;
}

/// Whether one step with the folded table at so many times the rate of the other agrees exactly
/// where that is m² times, or nothing moves.  Requires no penalty.
template <Scalar Real, class Loss>
bool rates_agree_where_stated(const Start<Real>& start, const Run<Real>& up, const Real& times,
                              const Loss& loss, const PrimitivesIn<Real>& primitives) {
  const Training at(start, up, primitives);
  bool still = true;
  for (const Real& g : at.gradient(loss(at.inputs(), start.head).of_input))
    still = still && g == Real(0);
  auto folded = with(up, Placing::folded);
  rate_of(folded.of_table) = times * rate_of(folded.of_table);
  const bool agree = path_deviation(start, up, folded, loss, 1, primitives) == Real(0);
  return agree == (still || times == up.m * up.m);
}

}  // namespace embedscale::properties::optimizer
