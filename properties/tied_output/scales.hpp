#pragma once
// The measures of one_table_two_scales, multipliers_trade_places and sharing_is_not_needed, and
// what they share with the others: functions of a sample and of the primitives under test. In exact
// arithmetic each decides its claim at the sample, without a tolerance.
#include <embedscale/format.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::tied_output {

/// A table whose entries have mean 0 and deviation σ and are uncorrelated exactly, over its own
/// rows: columns 1 … d of Sylvester's matrix of signs, (−1)^(number of ones of row AND column), of
/// the least order V = 2^k > d. The columns are orthogonal and, but for column 0, sum to 0. So
/// averages over its rows are what expectations over such a law are.
template <Scalar Real>
EmbeddingTable<Real> uncorrelated_table(std::size_t d, const Real& sigma) {
  const std::size_t vocabulary = std::bit_ceil(d + 1);
  std::vector<Real> values;
  values.reserve(vocabulary * d);
  for (std::size_t v = 0; v < vocabulary; ++v)
    for (std::size_t j = 1; j <= d; ++j)
      values.push_back(std::popcount(v & j) % 2 == 0 ? sigma : Real(-sigma));
  return EmbeddingTable<Real>(vocabulary, d, std::move(values));
}

/// Means over the rows of a table, and over the channels of the first.
template <class Number>
struct TwoScales {
  Number input_square;  ///< of the token part m·e
  Number logit_mean, logit_square;
};

/// Both scales of a table that is looked up times m and, as `output`, compared with h times c. What
/// is added up here is added in Number, so that a narrow Real keeps its own roundings alone.
template <class Number, Scalar Real>
TwoScales<Number> two_scales(const EmbeddingTable<Real>& table, const EmbeddingTable<Real>& output,
                             const std::vector<Real>& h, const Real& m, const Real& c,
                             const PrimitivesIn<Real>& primitives) {
  TwoScales<Number> sums{Number(0), Number(0), Number(0)};
  std::vector<Real> t(table.width(), Real(0)), z(output.vocabulary(), Real(0));
  for (std::size_t v = 0; v < table.vocabulary(); ++v) {
    primitives.look_up(table, v, m, t);
    for (const Real& x : t) sums.input_square = sums.input_square + Number(x) * Number(x);
  }
  primitives.logits(output, h, c, z);
  for (const Real& x : z) {
    sums.logit_mean = sums.logit_mean + Number(x);
    sums.logit_square = sums.logit_square + Number(x) * Number(x);
  }
  const Number rows(static_cast<int>(output.vocabulary()));
  const Number entries(static_cast<int>(table.vocabulary() * table.width()));
  return {sums.input_square / entries, sums.logit_mean / rows, sums.logit_square / rows};
}

/// Whether the token part's mean square is m²σ², and the logits' mean and variance 0 and c²σ²‖h‖².
template <Scalar Real>
bool scales_are_as_stated(const Real& sigma, const std::vector<Real>& h, const Real& m,
                          const Real& c, const PrimitivesIn<Real>& primitives) {
  const auto table = uncorrelated_table(h.size(), sigma);
  const auto scales = two_scales<Real>(table, table, h, m, c, primitives);
  Real square(0);
  for (const Real& x : h) square = square + x * x;
  return scales.input_square == m * m * sigma * sigma && scales.logit_mean == Real(0) &&
         scales.logit_square == c * c * sigma * sigma * square;
}

/// Signs: a state of RMS 1, whatever the bits.
template <Scalar Real>
std::vector<Real> signs(std::size_t d, std::uint64_t bits) {
  std::vector<Real> h;
  for (std::size_t j = 0; j < d; ++j) h.push_back(Real((bits >> (j % 64)) & 1 ? -1 : 1));
  return h;
}

/// Whether both scales are 1, for a state of RMS 1.
template <Scalar Real>
bool both_are_one(const EmbeddingTable<Real>& table, const EmbeddingTable<Real>& output,
                  std::uint64_t bits, const Real& m, const Real& c,
                  const PrimitivesIn<Real>& primitives) {
  const auto scales =
      two_scales<Real>(table, output, signs<Real>(table.width(), bits), m, c, primitives);
  return scales.input_square == Real(1) && scales.logit_square == Real(1);
}

/// Whether a shared table has both scales 1 exactly where σ = 1/|m| and |m| = |c|·√d.
template <Scalar Real>
bool unit_scales_need_the_quotient(std::size_t d, const Real& sigma, std::uint64_t bits,
                                   const Real& m, const Real& c,
                                   const PrimitivesIn<Real>& primitives) {
  const auto table = uncorrelated_table(d, sigma);
  const bool stated =
      m * m * sigma * sigma == Real(1) && m * m == c * c * Real(static_cast<int>(d));
  return both_are_one(table, table, bits, m, c, primitives) == stated;
}

/// The larger share of their bounds that |RMS − 1| of the token part and |deviation − 1| of the
/// logits take in the paper's parametrisation, σ = fl(1/fl(√d)), m = fl(√d), c = 1, or with
/// m = 1, c = σ on a table of ones.
///
/// Token part: fl(√d) has one rounding and σ another two, m·σ another: 4u. Logits: h is ±1, so the
/// products are ±σ; the sum of d of them is off by (d − 1)u·dσ, and c by u: each logit by at most
/// d·u·√d of absolute size, and so their root mean square; σ√d is off from 1 by 3u. With higher
/// orders, and the sums here in double: times 1 + 2^−6.
template <Scalar Real>
double unit_scales_share_of_bound(std::size_t d, std::uint64_t bits,
                                  const PrimitivesIn<Real>& primitives) {
  constexpr double u = unit_roundoff<Real>, more = 1 + 0x1p-6;
  const Real m = root_multiplier<Real>(d), one(1), sigma = one / m;
  const auto h = signs<Real>(d, bits);
  const double root = std::sqrt(static_cast<double>(d)), n = static_cast<double>(d);
  const auto share = [&](const Real& deviation, const Real& in, const Real& out) {
    const auto table = uncorrelated_table(d, deviation);
    const auto scales = two_scales<double>(table, table, h, in, out, primitives);
    return std::max(std::abs(std::sqrt(scales.input_square) - 1) / (4 * u * more),
                    std::abs(std::sqrt(scales.logit_square) - 1) / ((n * root + 4) * u * more));
  };
  return std::max(share(sigma, m, one), share(one, one, sigma));
}

/// What multiplies a row on the way in, and the product with it on the way out.
template <Scalar Real>
struct Multipliers {
  Real in, out;
};

/// A sample: two channels of a row, of a position and of a final state.
template <Scalar Real>
struct TwoChannels {
  std::vector<Real> e, p, h;
  Real product() const { return e[0] * h[0] + e[1] * h[1]; }
};

/// Input and logit of one row.
template <Scalar Real>
struct Behaviour {
  std::vector<Real> x;
  Real z;
  friend bool operator==(const Behaviour&, const Behaviour&) = default;
};

template <Scalar Real>
Behaviour<Real> behaviour(const TwoChannels<Real>& at, const Multipliers<Real>& by,
                          const PrimitivesIn<Real>& primitives) {
  Behaviour<Real> out{{}, Real(0)};
  for (std::size_t j = 0; j < at.e.size(); ++j)
    out.x.push_back(primitives.input(at.e[j], at.p[j], by.in));
  std::vector<Real> z(1, Real(0));
  primitives.logits(EmbeddingTable<Real>(1, at.e.size(), at.e), at.h, by.out, z);
  out.z = z[0];
  return out;
}

/// The same sample with its row times t.
template <Scalar Real>
TwoChannels<Real> rescaled(TwoChannels<Real> at, const Real& t) {
  for (Real& e : at.e) e = t * e;
  return at;
}

/// Whether the behaviour is m·e + p and c·⟨e, h⟩: two wrong ones might well agree.
template <Scalar Real>
bool behaves_as_meant(const TwoChannels<Real>& at, const Multipliers<Real>& by,
                      const PrimitivesIn<Real>& primitives) {
  const auto [x, z] = behaviour(at, by, primitives);
  return x[0] == by.in * at.e[0] + at.p[0] && x[1] == by.in * at.e[1] + at.p[1] &&
         z == by.out * at.product();
}

/// Whether, on a table that is rescaled along with the change from `from` to `to`, the inputs
/// agree, and the logits exactly where m·c′ = m′·c or ⟨e, h⟩ = 0.
template <Scalar Real>
bool trade_follows_the_quotient(const TwoChannels<Real>& at, const Multipliers<Real>& from,
                                const Multipliers<Real>& to, const PrimitivesIn<Real>& primitives) {
  const auto before = behaviour(at, from, primitives);
  const auto after = behaviour(rescaled(at, Real(from.in / to.in)), to, primitives);
  const bool stated = from.in * to.out == to.in * from.out || at.product() == Real(0);
  return before.x == after.x && (before.z == after.z) == stated;
}

/// x₀y₁ − x₁y₀: 0 exactly where two inputs are parallel.
template <Scalar Real>
Real minor_of(const std::vector<Real>& x, const std::vector<Real>& y) {
  return x[0] * y[1] - x[1] * y[0];
}

/// Whether on one and the same table the inputs of two multipliers have the minor
/// (m − m′)·(e₀p₁ − e₁p₀): parallel only where m = m′ or e ∥ p.
template <Scalar Real>
bool kept_table_turns_the_input(const TwoChannels<Real>& at, const Multipliers<Real>& from,
                                const Multipliers<Real>& to, const PrimitivesIn<Real>& primitives) {
  return minor_of(behaviour(at, from, primitives).x, behaviour(at, to, primitives).x) ==
         (from.in - to.in) * minor_of(at.e, at.p);
}

/// In d = k² channels: whether a table of deviation 1 and an output matrix of deviation 1/k have
/// both scales 1 without a factor, a shared one of either deviation only for k = 1, and a shared
/// one of deviation 1/k with k at the input.
template <Scalar Real>
bool own_matrix_needs_no_factor(int k, std::uint64_t bits, const PrimitivesIn<Real>& primitives) {
  const auto d = static_cast<std::size_t>(k * k);
  const Real one(1), small = one / Real(k);
  const auto unit = uncorrelated_table(d, one), fine = uncorrelated_table(d, small);
  const bool alone = k == 1;
  return both_are_one(unit, fine, bits, one, one, primitives) &&
         both_are_one(unit, unit, bits, one, one, primitives) == alone &&
         both_are_one(fine, fine, bits, one, one, primitives) == alone &&
         both_are_one(fine, fine, bits, Real(k), one, primitives);
}

}  // namespace embedscale::properties::tied_output
