#pragma once
// The claims over the reals, decided in rationals: losses whose gradients are rational functions,
// and optimisers without a root. What holds for all rationals holds for all reals, √d among them.
#include <algorithm>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "path.hpp"

namespace embedscale::properties::optimizer {

using domain::Rational;

/// A loss that is the sum of term(x, slopes) over the inputs x, of d channels each.
template <class Term>
struct OverInputs {
  Term term;

  Rational value(const std::vector<Rational>& x) const { return add(x).first; }
  Slopes<Rational> operator()(const std::vector<Rational>& x, const std::vector<Rational>&,
                              const PrimitivesIn<Rational>&) const {
    return {add(x).second, {}};
  }

 private:
  std::pair<Rational, std::vector<Rational>> add(const std::vector<Rational>& x) const {
    std::pair<Rational, std::vector<Rational>> all{0, std::vector<Rational>(x.size(), 0)};
    const std::size_t d = term.a.size();
    for (std::size_t at = 0; at < x.size(); at += d)
      all.first =
          all.first + term(std::span(x).subspan(at, d), std::span(all.second).subspan(at, d));
    return all;
  }
};

/// <a, x><b, x>/‖x‖²: a smooth function of the direction of x alone. 0 has no direction, and counts
/// nothing.
struct Quotient {
  std::vector<Rational> a, b;

  Rational operator()(std::span<const Rational> x, std::span<Rational> slopes) const {
    const Rational square = dot(x, x), of_a = dot<Rational>(a, x), of_b = dot<Rational>(b, x);
    if (square == 0) return 0;
    for (std::size_t j = 0; j < a.size(); ++j)
      slopes[j] = (a[j] * of_b + b[j] * of_a - 2 * of_a * of_b * x[j] / square) / square;
    return of_a * of_b / square;
  }
};

/// <a, x> + c·‖x‖²/2 + k·<a, x>³/3: it sees a factor.
struct Cubic {
  std::vector<Rational> a;
  Rational c, k;

  Rational operator()(std::span<const Rational> x, std::span<Rational> slopes) const {
    const Rational of_a = dot<Rational>(a, x);
    for (std::size_t j = 0; j < a.size(); ++j) slopes[j] = a[j] + c * x[j] + k * of_a * of_a * a[j];
    return of_a + c * dot(x, x) / 2 + k * of_a * of_a * of_a / 3;
  }
};

using Quotients = OverInputs<Quotient>;
using Polynomial = OverInputs<Cubic>;

/// Whether the inputs are m·e + p, e + p/m and m·e + p by the folded table.
inline bool inputs_are_what_they_say(const Start<Rational>& start, const Rational& m,
                                     const PrimitivesIn<Rational>& primitives) {
  const Optimiser<Rational> none = Sgd<Rational>{0};
  for (const Placing placing : {Placing::up, Placing::down, Placing::folded}) {
    const auto x = Training(start, Run<Rational>{placing, m, none, none}, primitives).inputs();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Rational& e = start.table[start.tokens[i / start.d] * start.d + i % start.d];
      const Rational meant = m * e + start.positions[i];
      if (!((placing == Placing::down ? Rational(m * x[i]) : x[i]) == meant)) return false;
    }
  }
  return true;
}

/// Whether both runs have one loss and, to entries that are c times as large, one gradient:
/// ∂L/∂a = c·∂L/∂b of b = c·a.
template <class Loss>
bool is_one_function(const Problem<Rational, Loss>& problem, const Run<Rational>& second,
                     const PrimitivesIn<Rational>& primitives) {
  const auto& [start, loss, up] = problem;
  const Training one(start, up, primitives), other(start, second, primitives);
  const auto x = one.inputs(), y = other.inputs();
  const auto a = one.gradient(loss(x, start.head, primitives).of_input);
  const auto b = other.gradient(loss(y, start.head, primitives).of_input);
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!(a[k] == other.factor() * b[k])) return false;
  return loss.value(x) == loss.value(y);
}

/// Whether an optimiser by itself takes a step that is −rate·(gradient + penalty·t), and its heavy
/// ball −rate·μ·v more: two ways might well agree in a wrong one.
inline bool steps_are_what_they_say(const Rational& t, const Rational& g,
                                    const Momentum<Rational>& by, const Rational& v,
                                    const PrimitivesIn<Rational>& primitives) {
  Velocity<Rational> state{v};
  const Rational meant = t - by.rate * (g + by.penalty * t);
  return primitives.sgd(t, g, Sgd<Rational>{by.rate, by.penalty}) == meant &&
         primitives.momentum(t, g, by, state) == meant - by.rate * by.momentum * v &&
         state.v == by.momentum * v + g + by.penalty * t;
}

/// So many times the rate and the penalty λ of the other table.
struct Setting {
  Rational rate, penalty;
};

/// Whether one step of the folded table, at each of these settings, agrees exactly where it is
/// stated to: each entry of m·E moves by rate·(m²·g + m·λ·e), that of the folded table by
/// times.rate·rate·(g + times.penalty·λ·m·e), g = ∂L/∂e′. So it is at m² and 1/m², and elsewhere
/// where nothing moves, or one error makes up for the other.
template <class Loss>
bool settings_agree_where_stated(const Problem<Rational, Loss>& problem,
                                 std::initializer_list<Setting> settings,
                                 const PrimitivesIn<Rational>& primitives) {
  const auto& start = problem.start;
  const auto& model = problem.model;
  const auto& up = problem.up;
  Training one(start, up, primitives);
  const Training folded(start, with(up, Placing::folded), primitives);
  const auto g = folded.gradient(model(folded.inputs(), start.head, primitives).of_input);
  one.step(model);
  auto of_table = up.of_table;
  const Rational m = up.m, rate = rate_of(of_table), penalty = penalty_of(of_table);
  return std::ranges::all_of(settings, [&](const Setting& times) {
    auto second = with(up, Placing::folded);
    rate_of(second.of_table) = times.rate * rate;
    penalty_of(second.of_table) = times.penalty * penalty;
    Training other(start, second, primitives);
    other.step(model);
    bool stated = true;
    for (std::size_t k = 0; k < g.size(); ++k)
      stated &= (times.rate - m * m) * g[k] +
                    (times.rate * times.penalty - 1) * m * penalty * start.table[k] ==
                0;
    return stated == (distance(one, other) == 0);
  });
}

}  // namespace embedscale::properties::optimizer
