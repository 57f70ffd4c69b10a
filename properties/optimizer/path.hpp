#pragma once
// Training, step by step: the same table with the factor at the token, with its inverse at the
// position, or folded into the table; and how far two such paths part.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
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

/// The gradients of a loss to the inputs x, (n, d), and to the weights of the head.
template <Scalar Real>
struct Slopes {
  std::vector<Real> of_input, of_head;
};
/// Both at (x, head).
template <Scalar Real>
using SlopesAt = std::type_identity_t<
    std::function<Slopes<Real>(const std::vector<Real>& x, const std::vector<Real>& head)>>;

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

template <Scalar Real>
class Training {
 public:
  Training(const Start<Real>& start, const Run<Real>& run, const PrimitivesIn<Real>& primitives)
      : start_(start),
        run_(run),
        primitives_(primitives),
        memories_(start.table.size() + start.head.size()) {
    if (run.placing == Placing::folded)
      for (Real& e : start_.table) e = run.m * e;
  }

  const std::vector<Real>& table() const { return start_.table; }
  const std::vector<Real>& head() const { return start_.head; }

  std::vector<Real> inputs() const {
    std::vector<Real> x(start_.positions.size(), Real(0));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Real& e = start_.table[start_.tokens[i / start_.d] * start_.d + i % start_.d];
      const Real& p = start_.positions[i];
      x[i] = run_.placing == Placing::up     ? Real(primitives_.up(e, p, run_.m))
             : run_.placing == Placing::down ? Real(primitives_.down(e, p, run_.m))
                                             : Real(primitives_.sum(e, p));
    }
    return x;
  }

  /// The gradient to the table, given that to the inputs: the factor comes back with up alone.
  std::vector<Real> gradient(const std::vector<Real>& of_input) const {
    std::vector<Real> out(start_.table.size(), Real(0));
    primitives_.add_look_up_gradient(
        std::span<const std::size_t>(start_.tokens), std::span<const Real>(of_input),
        run_.placing == Placing::up ? run_.m : Real(1), start_.d, std::span<Real>(out));
    return out;
  }

  void step(const SlopesAt<Real>& slopes_at) {
    const auto slopes = slopes_at(inputs(), start_.head);
    const auto of_table = gradient(slopes.of_input);
    for (std::size_t k = 0; k < of_table.size(); ++k)
      move(start_.table[k], of_table[k], run_.of_table, memories_[k], primitives_);
    for (std::size_t k = 0; k < start_.head.size(); ++k)
      move(start_.head[k], slopes.of_head[k], run_.of_head, memories_[of_table.size() + k],
           primitives_);
  }

 private:
  Start<Real> start_;
  Run<Real> run_;
  const Operations<Real>& primitives_;
  std::vector<Memory<Real>> memories_;
};

/// max |b − c·a| over max |c·a|, c what table b is meant to hold of a.
template <Scalar Real>
Real relative_distance(const std::vector<Real>& a, const std::vector<Real>& b, const Real& c) {
  const auto size_of = [](const Real& x) { return x < Real(0) ? Real(-x) : x; };
  Real apart(0), size(0);
  for (std::size_t k = 0; k < a.size(); ++k) {
    const Real meant = c * a[k];
    apart = std::max(apart, size_of(Real(b[k] - meant)));
    size = std::max(size, size_of(meant));
  }
  return apart == Real(0) ? Real(0) : Real(apart / size);
}

/// c: how a table of `run` compares with the one of the factor at the token.
template <Scalar Real>
Real factor_of(const Run<Real>& run) {
  return run.placing == Placing::folded ? run.m : Real(1);
}

/// The relative distances of two runs at the start and after each of so many steps, the larger of
/// the tables' and the heads'; the second's table is meant to be factor_of(second) times the first.
template <Scalar Real>
std::vector<Real> path_distances(const Start<Real>& start, const Run<Real>& first,
                                 const Run<Real>& second, const SlopesAt<Real>& slopes_at,
                                 int steps, const PrimitivesIn<Real>& primitives) {
  Training one(start, first, primitives), other(start, second, primitives);
  const Real c = factor_of(second);
  std::vector<Real> distances{relative_distance(one.table(), other.table(), c)};
  for (int k = 0; k < steps; ++k) {
    one.step(slopes_at);
    other.step(slopes_at);
    distances.push_back(std::max(relative_distance(one.table(), other.table(), c),
                                 relative_distance(one.head(), other.head(), Real(1))));
  }
  return distances;
}

/// The largest of them.
template <Scalar Real>
Real path_deviation(const Start<Real>& start, const Run<Real>& first, const Run<Real>& second,
                    const SlopesAt<Real>& slopes_at, int steps,
                    const PrimitivesIn<Real>& primitives) {
  const auto all = path_distances(start, first, second, slopes_at, steps, primitives);
  return *std::max_element(all.begin(), all.end());
}

/// Whether both have the same numbers, zeros of one sign among them: at every step and in every
/// entry, the second run's divided by factor_of(second), which has to be exact.
template <Scalar Real>
bool paths_have_the_same_bits(const Start<Real>& start, const Run<Real>& first,
                              const Run<Real>& second, const SlopesAt<Real>& slopes_at, int steps,
                              const PrimitivesIn<Real>& primitives) {
  Training one(start, first, primitives), other(start, second, primitives);
  const Real c = factor_of(second);
  const auto same = [](const Real& a, const Real& b) {
    return a == b && std::signbit(a) == std::signbit(b);
  };
  for (int k = 0; k < steps; ++k) {
    one.step(slopes_at);
    other.step(slopes_at);
    for (std::size_t i = 0; i < one.table().size(); ++i)
      if (!same(one.table()[i] * c, other.table()[i])) return false;
    for (std::size_t i = 0; i < one.head().size(); ++i)
      if (!same(one.head()[i], other.head()[i])) return false;
  }
  return true;
}

/// How far two paths part, over how far one of them parts from itself when every entry of the
/// table at the start is off by 10^−30 of itself: at most 1 where the second is the first as a
/// table that is changed in its thirtieth digit would have it. In 50 digits rounding is 10^20 times
/// smaller, and whatever the path does to it, it does to the change as well.
template <Scalar Real>
double share_of_thirtieth_digit(const Start<Real>& start, const Run<Real>& first,
                                const Run<Real>& second, const SlopesAt<Real>& slopes_at, int steps,
                                const PrimitivesIn<Real>& primitives) {
  Start<Real> changed = start;
  const Real part = Real(1) / Real(1000000);
  const Real square = part * part, thirtieth = square * square * part;
  for (std::size_t k = 0; k < start.table.size(); ++k) {
    const Real off = thirtieth * start.table[k];
    changed.table[k] = k % 2 == 0 ? Real(start.table[k] + off) : Real(start.table[k] - off);
  }
  Training one(start, first, primitives), other(start, second, primitives);
  Training moved(changed, first, primitives);
  const Real c = factor_of(second);
  Real apart = relative_distance(one.table(), other.table(), c);
  Real allowed = relative_distance(one.table(), moved.table(), Real(1));
  for (int k = 0; k < steps; ++k) {
    for (auto* path : {&one, &other, &moved}) path->step(slopes_at);
    apart = std::max(apart, relative_distance(one.table(), other.table(), c));
    apart = std::max(apart, relative_distance(one.head(), other.head(), Real(1)));
    allowed = std::max(allowed, relative_distance(one.table(), moved.table(), Real(1)));
  }
  return static_cast<double>(Real(apart / allowed));
}

}  // namespace embedscale::properties::optimizer
