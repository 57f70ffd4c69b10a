#pragma once
// What the properties of scales and places measure, on tables whose averages are what expectations
// are: functions of a sample and of the primitives under test.
#include <embedscale/format.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::tied_output {

using domain::Rational;

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

/// Signs: a state of RMS 1, whatever the bits.
template <Scalar Real>
std::vector<Real> signs(std::size_t d, std::uint64_t bits) {
  std::vector<Real> h;
  for (std::size_t j = 0; j < d; ++j) h.push_back(Real((bits >> (j % 64)) & 1 ? -1 : 1));
  return h;
}

/// Whether both scales are 1, for a state of RMS 1.
inline bool both_are_one(const EmbeddingTable<Rational>& table,
                         const EmbeddingTable<Rational>& output, std::uint64_t bits,
                         const Rational& m, const Rational& c, const Primitives& primitives) {
  const auto h = signs<Rational>(table.width(), bits);
  const auto scales = two_scales<Rational>(table, output, h, m, c, primitives.of<Rational>());
  return scales.input_square == 1 && scales.logit_square == 1;
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
struct Multipliers {
  Rational in, out;
};

/// A sample: two channels of a row, of a position and of a final state.
struct TwoChannels {
  std::vector<Rational> e, p, h;
};

/// Input and logit of one row.
struct Behaviour {
  std::vector<Rational> x;
  Rational z;
};

inline Behaviour behaviour(const TwoChannels& at, const Multipliers& by,
                           const Primitives& primitives) {
  const auto& of = primitives.of<Rational>();
  std::vector<Rational> z(1);
  of.logits(EmbeddingTable<Rational>(1, 2, at.e), at.h, by.out, z);
  return {{of.input(at.e[0], at.p[0], by.in), of.input(at.e[1], at.p[1], by.in)}, z[0]};
}

/// x₀y₁ − x₁y₀: 0 exactly where two inputs are parallel.
inline Rational minor_of(const std::vector<Rational>& x, const std::vector<Rational>& y) {
  return x[0] * y[1] - x[1] * y[0];
}

}  // namespace embedscale::properties::tied_output
