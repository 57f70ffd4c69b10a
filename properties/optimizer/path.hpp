#pragma once
// Training, step by step: the same table with the factor at the token, with its inverse at the
// position, or folded into the table; and how far two such paths part.
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <variant>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::optimizer {

/// x = m·e + p, x = e + p/m, or x = e′ + p with a table that holds m·e.
enum class Placing { up, down, folded };

/// What training starts from, and on what: row i of the input is that of tokens[i] at positions[i].
template <Scalar Real>
struct Start {
  std::size_t d;
  std::vector<std::size_t> tokens;
  std::vector<Real> positions;  ///< (n, d)
  std::vector<Real> table;      ///< (V, d)
  std::vector<Real> head;       ///< the other weights, none of them folded
};

/// How the parts are combined, and what moves the table and the head.
template <Scalar Real>
struct Run {
  Placing placing;
  Real m;
  Optimiser<Real> of_table, of_head;
};

/// The run of the folded table that goes the same way as `run`, by the primitive.
template <Scalar Real>
Run<Real> folded_run(const Run<Real>& run, const PrimitivesIn<Real>& primitives) {
  return {Placing::folded, run.m, primitives.folded(run.of_table, run.m), run.of_head};
}

/// The same at the settings as they are.
template <Scalar Real>
Run<Real> with(const Run<Real>& run, Placing placing) {
  return {placing, run.m, run.of_table, run.of_head};
}

/// The gradients of a loss to the inputs x, (n, d), and to the weights of the head; to a gain and a
/// bias where it has them. A loss gives them all: loss(x, head, primitives).
template <Scalar Real>
struct Slopes {
  std::vector<Real> of_input, of_head, of_gain = {}, of_bias = {};
};

/// What any of the optimisers remembers of one entry.
template <Scalar Real>
struct Memory {
  Velocity<Real> velocity = {};
  Moments<Real> moments = {};
};

/// One step of one entry.
template <Scalar Real>
void move(Real& t, const Real& g, const Optimiser<Real>& by, Memory<Real>& memory,
          const PrimitivesIn<Real>& primitives) {
  if (const auto* plain = std::get_if<Sgd<Real>>(&by)) t = primitives.sgd(t, g, *plain);
  if (const auto* heavy = std::get_if<Momentum<Real>>(&by))
    t = primitives.momentum(t, g, *heavy, memory.velocity);
  if constexpr (AnalyticScalar<Real>) {
    if (const auto* adam = std::get_if<Adam<Real>>(&by))
      t = primitives.adam(t, g, *adam, memory.moments);
    if (const auto* adamw = std::get_if<AdamW<Real>>(&by))
      t = primitives.adamw(t, g, *adamw, memory.moments);
  }
}

/// How an entry and its position become a channel of the input, and what the slope to that is
/// multiplied by on its way back to the entry.
template <Scalar Real>
struct Combination {
  std::function<Real(const Real& e, const Real& p)> input;
  Real back;
};

/// As a run places the factor.
template <Scalar Real>
Combination<Real> combination_of(const Run<Real>& run, const PrimitivesIn<Real>& primitives) {
  if (run.placing == Placing::folded) return {primitives.sum, Real(1)};
  const bool up = run.placing == Placing::up;
  return {[combine = up ? primitives.up : primitives.down, m = run.m](
              const Real& e, const Real& p) { return combine(e, p, m); },
          up ? run.m : Real(1)};
}

template <Scalar Real>
class Training {
 public:
  Training(const Start<Real>& start, const Combination<Real>& combination,
           const Optimiser<Real>& of_table, const Optimiser<Real>& of_head,
           const PrimitivesIn<Real>& primitives)
      : start_(start),
        combination_(combination),
        of_table_(of_table),
        of_head_(of_head),
        primitives_(primitives),
        memories_(start.table.size() + start.head.size()) {}
  /// As a run places the factor, which the folded table of the start then takes.
  Training(const Start<Real>& start, const Run<Real>& run, const PrimitivesIn<Real>& primitives)
      : Training(start, combination_of<Real>(run, primitives), run.of_table, run.of_head,
                 primitives) {
    if (run.placing != Placing::folded) return;
    factor_ = run.m;
    for (Real& e : start_.table) e = run.m * e;
  }

  const std::vector<Real>& table() const { return start_.table; }
  const std::vector<Real>& head() const { return start_.head; }
  /// How the table compares with the one of the factor at the token.
  const Real& factor() const { return factor_; }

  std::vector<Real> inputs() const {
    std::vector<Real> x(start_.positions.size(), Real(0));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Real& e = start_.table[start_.tokens[i / start_.d] * start_.d + i % start_.d];
      x[i] = combination_.input(e, start_.positions[i]);
    }
    return x;
  }

  /// The gradient to the table, given that to the inputs.
  std::vector<Real> gradient(const std::vector<Real>& of_input) const {
    std::vector<Real> out(start_.table.size(), Real(0));
    primitives_.add_look_up_gradient(start_.tokens, of_input, combination_.back, start_.d, out);
    return out;
  }

  /// At so many times the learning rates.
  template <class Loss>
  void step(const Loss& loss, const Real& of_rate = Real(1)) {
    const auto slopes = loss(inputs(), start_.head, primitives_);
    const auto all = [&](std::vector<Real>& weights, const std::vector<Real>& gradients,
                         Optimiser<Real> by, std::size_t first) {
      Real& rate = rate_of(by);
      rate = of_rate * rate;
      for (std::size_t k = 0; k < weights.size(); ++k)
        move(weights[k], gradients[k], by, memories_[first + k], primitives_);
    };
    all(start_.table, gradient(slopes.of_input), of_table_, 0);
    all(start_.head, slopes.of_head, of_head_, start_.table.size());
  }

 private:
  Start<Real> start_;
  Combination<Real> combination_;
  Optimiser<Real> of_table_, of_head_;
  Real factor_ = Real(1);
  const Operations<Real>& primitives_;
  std::vector<Memory<Real>> memories_;
};

/// Whether the second is so many times the first, in every entry and to the last bit, a zero's sign
/// included.
template <Scalar Real>
bool is_multiple(const std::vector<Real>& one, const std::vector<Real>& other, const Real& factor) {
  return std::ranges::equal(one, other, [&](const Real& a, const Real& b) {
    return factor * a == b && std::signbit(factor * a) == std::signbit(b);
  });
}

/// max |b − c·a| over max |c·a|, c what table b is meant to hold of a; 1 where b is meant to be 0
/// and is not, as after a step that takes a table to 0.
template <Scalar Real>
Real relative_distance(const std::vector<Real>& a, const std::vector<Real>& b, const Real& c) {
  const auto size_of = [](const Real& x) { return x < Real(0) ? Real(-x) : x; };
  Real apart(0), size(0);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Real meant = c * a[k];
    apart = std::max(apart, size_of(Real(b[k] - meant)));
    size = std::max(size, size_of(meant));
  }
  if (apart == Real(0)) return Real(0);
  return size == Real(0) ? Real(1) : Real(apart / size);
}

/// A table every entry of which is off by 10^−30 of itself.
template <AnalyticScalar Real>
std::vector<Real> off_in_the_thirtieth_digit(std::vector<Real> table) {
  const Real part = Real(1) / Real(1000000), square = part * part;
  const Real thirtieth = square * Real(square * part);
  for (std::size_t k = 0; k < table.size(); ++k) {
    const Real off = thirtieth * table[k];
    table[k] = k % 2 == 0 ? Real(table[k] + off) : Real(table[k] - off);
  }
  return table;
}

/// Whether they have the same bits: a head, and a table so many times as large.
template <Scalar Real>
bool agree(const Training<Real>& one, const Training<Real>& other, const Real& factor) {
  return is_multiple(one.table(), other.table(), factor) &&
         is_multiple(one.head(), other.head(), Real(1));
}

/// The larger relative distance of the tables and the heads; the table of `other` is meant to be
/// so many times that of `one`.
template <Scalar Real>
Real distance(const Training<Real>& one, const Training<Real>& other) {
  return std::max(relative_distance(one.table(), other.table(), other.factor()),
                  relative_distance(one.head(), other.head(), Real(1)));
}

/// Whether no operation of `run` under- or overflows: makes a number that is not 0 and below the
/// least normal one, or one beyond the greatest, and has to round it (IEEE 754-2019, 7.4 and 7.5;
/// read from the flags that it then raises). What a run of the C library does counts, too.
template <class Run>
bool stays_in_range(const Run& run) {
  std::feclearexcept(FE_UNDERFLOW | FE_OVERFLOW);
  run();
  return std::fetestexcept(FE_UNDERFLOW | FE_OVERFLOW) == 0;
}

/// Whether two paths have the same bits, and whether no operation of either under- or overflows.
struct Bits {
  bool same, in_range;
};
template <class Same>
Bits bits_of(const Same& same) {
  Bits out{};
  out.in_range = stays_in_range([&] { out.same = same(); });
  return out;
}

/// A start, a model of what follows the sum, whose loss is trained for, and the run with the factor
/// at the token, to be compared with other runs from there.
template <Scalar Real, class Model>
struct Problem {
  Start<Real> start;
  Model model;
  Run<Real> up;

  /// Calls each(one, other) at the start and after each of so many steps, as long as that is true;
  /// whether it always was.
  template <class Each>
  bool follow(const Run<Real>& second, int steps, const PrimitivesIn<Real>& primitives,
              const Each& each) const {
    Training one(start, up, primitives), other(start, second, primitives);
    for (int k = 0;; ++k) {
      if (!each(one, other)) return false;
      if (k == steps) return true;
      for (auto* path : {&one, &other}) path->step(model);
    }
  }

  /// The distances there.
  std::vector<Real> distances(const Run<Real>& second, int steps,
                              const PrimitivesIn<Real>& primitives) const {
    std::vector<Real> all;
    follow(second, steps, primitives, [&](const auto& one, const auto& other) {
      all.push_back(distance(one, other));
      return true;
    });
    return all;
  }
  /// The largest of them.
  Real deviation(const Run<Real>& second, int steps, const PrimitivesIn<Real>& primitives) const {
    return std::ranges::max(distances(second, steps, primitives));
  }

  /// Whether both have the same numbers, zeros of one sign among them: at every step and in every
  /// entry, the second run's divided by its factor.
  ///
  /// Ensures  so it is by the library at a power of two where no operation under- or overflows, if
  ///          `second` is one that takes the same path over the reals: of what an operation of one
  ///          run has exactly, that of the other has 2^k times as much, with k from what it takes
  ///          alone (an even one under a root), and without limits to the exponent rounding takes
  ///          2^k·x to 2^k times what x is rounded to.
  bool same_bits(const Run<Real>& second, int steps, const PrimitivesIn<Real>& primitives) const {
    return follow(second, steps, primitives, [](const auto& one, const auto& other) {
      return agree(one, other, other.factor());
    });
  }

  /// How far two paths part, over how far one of them parts from itself when every entry of the
  /// table at the start is off by 10^−30 of itself: at most 1 where the second is the first as a
  /// table that is changed in its thirtieth digit would have it. In 50 digits rounding is 10^20
  /// times smaller, and whatever the path does to it, it does to the change as well.
  double share_of_thirtieth_digit(const Run<Real>& second, int steps,
                                  const PrimitivesIn<Real>& primitives) const {
    Start<Real> changed = start;
    changed.table = off_in_the_thirtieth_digit(start.table);
    Training one(start, up, primitives), other(start, second, primitives);
    Training moved(changed, up, primitives);
    Real apart(0), allowed(0);
    for (int k = 0;; ++k) {
      apart = std::max(apart, distance(one, other));
      allowed = std::max(allowed, relative_distance(one.table(), moved.table(), Real(1)));
      if (k == steps) return static_cast<double>(Real(apart / allowed));
      for (auto* path : {&one, &other, &moved}) path->step(model);
    }
  }
};
template <Scalar Real, class Model>
Problem(Start<Real>, Model, Run<Real>) -> Problem<Real, Model>;

}  // namespace embedscale::properties::optimizer
