#pragma once
// How a token part e and a position part p become the input x of the first block, one channel at a
// time and one vector at a time. m is the multiplier, √d_model in the paper.
//
//   up      x = m·e + p        Vaswani et al. 2017, sections 3.4 and 3.5
//   down    x = e + p/m        the same directions: up = m·down over the reals
//   sum     x = e + p          no multiplier (or one folded into the table)
//
// In floating point each operation rounds, so up and m·down part by a few u of the larger term:
// combination.rounds_identically says when not, and how far.
#include <embedscale/scalar.hpp>

#include <span>

namespace embedscale {

/// fl(fl(m·e) + p).
template <Scalar Real>
constexpr Real up(const Real& e, const Real& p, const Real& m) {
  const Real t = m * e;
  return t + p;
}

/// fl(e + fl(p/m)).  Requires m != 0.  Ensures m·down = up over the reals
/// [combination.up_is_down_times_root_d].
template <Scalar Real>
constexpr Real down(const Real& e, const Real& p, const Real& m) {
  const Real faint = p / m;
  return e + faint;
}

/// fl(e + fl(p·fl(1/m))): what code does that keeps the reciprocal. One rounding more than `down`.
template <Scalar Real>
constexpr Real down_by_reciprocal(const Real& e, const Real& p, const Real& m) {
  const Real reciprocal = Real(1) / m;
  const Real faint = p * reciprocal;
  return e + faint;
}

/// fl(e + p).
template <Scalar Real>
constexpr Real sum(const Real& e, const Real& p) {
  return e + p;
}

/// Combines vectors channel by channel: out[j] = combine(e[j], p[j]).
///
/// Requires  e, p and out of one size d.
/// Errors    std::invalid_argument where the sizes differ.
template <Scalar Real, class Combine>
void combine(std::span<const Real> e, std::span<const Real> p, std::span<Real> out, Combine each) {
  require_size("combine: positions", p.size(), e.size());
  require_size("combine: output", out.size(), e.size());
  for (std::size_t j = 0; j < e.size(); ++j) out[j] = each(e[j], p[j]);
}

}  // namespace embedscale
