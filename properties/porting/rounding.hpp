#pragma once
// What rounding makes of a port: of one channel of an input, of an entry that goes to code that
// multiplies, and of one tied logit. Measures of function_is_kept.
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/random.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "../domain/encoding.hpp"
#include "../evidence/rounding.hpp"
#include "primitives.hpp"

namespace embedscale::properties::porting {

/// Whether an entry is in code that multiplies by m what it was in code that does not:
/// fl(m·fl(e/m)) = e.
template <Scalar Real>
bool comes_back(const Real& e, const Real& m, const PrimitivesIn<Real>& primitives) {
  const Real t = m * primitives.divided(e, m);
  return t == e;
}

/// Whether every e does, where nothing under- or overflows: |m| is 2^i, or the number below it,
/// 2^i·(1 − u).
///
/// Let 1 <= m < 2. For e < m the quotient is below 1: it errs by at most u/2, its product with m by
/// less than u before it is rounded, and e is the nearest number. From m to 2 there are (2 − m)/2u
/// numbers e, whose quotients go from 1 to that of 2 − 2u, rounded: they are ((2 − 2u)/m − 1)/2u +
/// 3/2 at most. Where that is less, (m − 1)(2 − m) + 2u > 3um, two neighbours share theirs, and one
/// of them is lost whatever comes after: so it is from m = 1 + 2u to 2 − 6u. m = 2 − 4u: e = 2 − 2u
/// has the quotient 1 + 2u and comes back as 2. m = 2 − 2u: there is only e = m, of quotient 1.
/// (Kahan: entries of one digit less come back at m = 2^i + 2^j as well; Goldberg 1991, theorem 7.)
template <Scalar Real>
bool brings_all_back(const Real& m) {
  const double f = significand(static_cast<double>(m));
  return f == 1.0 || f == 2.0 - 2.0 * unit_roundoff<Real>;
}

/// Of the significands of e in [1, 2), how many do not come back.  Requires a small format.
template <Scalar Real>
std::uint64_t lost_entries(const Real& m, const PrimitivesIn<Real>& primitives) {
  const int count = 1 << (FormatTraits<Real>::digits - 1);
  std::uint64_t lost = 0;
  for (int k = 0; k < count; ++k)
    lost += !comes_back<Real>(static_cast<Real>(1.0 + double(k) / count), m, primitives);
  return lost;
}

/// One in [1, 2) that does not, beside the first quotients that are shared: where no half-way point
/// (s + 1/2)·m lies between m + 2us and the number after it; none where they come back.
///
/// Requires  m in (1, 2).
template <Scalar Real>
std::optional<Real> lost_entry(const Real& m, const PrimitivesIn<Real>& primitives) {
  const double first = static_cast<double>(m), step = 2.0 * unit_roundoff<Real>;
  const double s = std::ceil(0.5 / (first - 1.0) - 0.5);
  for (double k = std::max(0.0, s - 2.0); k <= s + 3.0; ++k) {
    const double e = first + step * k;
    if (e < 2.0 && !comes_back<Real>(static_cast<Real>(e), m, primitives))
      return static_cast<Real>(e);
  }
  return std::nullopt;
}

/// A tied logit of code that multiplies its tokens by m and its logits by c.
template <Scalar Real>
struct TiedLogit {
  Real m, c;
  std::vector<Real> row, h;
};

/// It, and that of the port to code without a multiplier, with a place for c/m.
template <Scalar Real>
std::array<Real, 2> both_logits(TiedLogit<Real> at, const PrimitivesIn<Real>& primitives) {
  const Convention<Real> from{.multiplier = at.m, .logit_factor = at.c},
      to{.logit_factor = Real(1)};
  const auto recipe = primitives.recipe(from, to, {});
  const Real was = at.c * dot<Real>(at.row, at.h);
  const Real s = recipe.factor_of(Parameter::token_table);
  for (Real& e : at.row) e = s * e;
  Real c(1);
  for (const auto& step : recipe.steps)
    if (step.action == Action::set_logit_factor) c = step.factor;
  return {was, Real(c * dot<Real>(at.row, at.h))};
}

/// Whether it has the bits that it had. So it has, of any row and any h, where m = 2^i and nothing
/// under- or overflows.  (At −2^i a logit of 0 changes its sign.)
template <Scalar Real>
bool logit_keeps_its_bits(const TiedLogit<Real>& at, const PrimitivesIn<Real>& primitives) {
  const auto [from, to] = both_logits(at, primitives);
  return domain::bits_of(from) == domain::bits_of(to);
}

/// The row (1 + 2u, 1, 1) on h = (1, −1, −2u), whose logit is 0 in FROM.
///
/// At every m but ±2^i it is not 0 in TO, whatever its factor is: m·(1 + 2u) is no number of the
/// format, as (2^(t−1) + 1)·k has more than t digits for every odd k > 1. With its rounded product
/// fl(m·(1 + 2u)), the first difference is exact (Sterbenz), the second leaves the error of the
/// product, which is a number of the format, and not 0.
template <Scalar Real>
TiedLogit<Real> cancelling_logit(const Real& m, const Real& c) {
  const Real one(1), least = static_cast<Real>(2.0 * unit_roundoff<Real>);
  return {m, c, {Real(one + least), one, one}, {one, Real(-one), Real(-least)}};
}

/// |z′ − z| over its bound, (γ_(n+1) + γ_(n+3))·|c|·Σ|E_j·h_j|: n roundings of the inner product
/// and one of c·; in TO those of the row and of c/m as well.
///
/// Requires  a format of at most 24 digits, with n·u below 1; no under- and overflow. In double,
///           the bound is off by some 2^−50 of itself.
template <Scalar Real>
double share_of_logit_bound(const TiedLogit<Real>& at, const PrimitivesIn<Real>& primitives) {
  const auto [from, to] = both_logits(at, primitives);
  const std::size_t n = at.row.size();
  double size = 0.0;
  for (std::size_t j = 0; j < n; ++j)
    size += std::abs(static_cast<double>(at.row[j]) * static_cast<double>(at.h[j]));
  const double bound =
      (gamma<Real>(n + 1) + gamma<Real>(n + 3)) * std::abs(static_cast<double>(at.c)) * size;
  const double apart = std::abs(static_cast<double>(to) - static_cast<double>(from));
  return apart == 0.0 ? 0.0 : apart / bound;
}

/// A final norm's gain that took 1/m and is kept as 1 + w: how far m·(1 + fl(g/m − 1)) is from g,
/// over g.
///
/// Ensures   at most u·m/(2g) where 0 < g <= m/2: |w| is from ½ to 1, where a rounding errs by u/2
///           at most, and 1 + w is exact. (A gain that is kept as itself is off by u.)
template <Scalar Real>
double offset_gain_error(const Real& g, const Real& m, const PrimitivesIn<double>& primitives) {
  const auto gain = static_cast<double>(g), by = static_cast<double>(m);
  const Convention<double> from{.multiplier = by, .gain = Gain::one_plus},
      to{.gain = Gain::one_plus};
  const double f = primitives.recipe(from, to, FactorPlace::final_norm).factor_of(Parameter::gain);
  const Real w = static_cast<Real>(f * gain - 1.0);
  return std::abs(by * (1.0 + static_cast<double>(w)) / gain - 1.0);
}
/// A row of n entries and an h of sizes ½ to 1, of either sign.
template <Scalar Real>
TiedLogit<Real> drawn_logit(const Stream& stream, std::uint64_t i, std::size_t n, const Real& m,
                            const Real& c) {
  TiedLogit<Real> at{m, c, {}, {}};
  for (std::size_t j = 0; j < n; ++j)
    for (auto* to : {&at.row, &at.h}) {
      const std::uint64_t k = 2 * (i * n + j) + (to == &at.h ? 1 : 0);
      const double size = 0.5 + 0.5 * stream.uniform(k);
      to->push_back(static_cast<Real>(stream.bits(k) % 2 == 0 ? size : -size));
    }
  return at;
}

}  // namespace embedscale::properties::porting
