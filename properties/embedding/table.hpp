#pragma once
// What a table has to be that is drawn at initialisation: repeatable by its seed, another one by
// another seed, of rows that differ, within the range of its distribution, and of that as a whole.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <vector>

#include "../evidence/whole_law.hpp"
#include "primitives.hpp"

namespace embedscale::properties::embedding {

/// A distribution as its formula says it: P(draw <= x), and the range of draws.
struct Stated {
  evidence::Law cumulative;
  double most = HUGE_VAL;  ///< |draw| <= most
};

inline double below_standard_normal(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

inline Stated normal_of(double deviation) {
  return {[deviation](double x) { return below_standard_normal(x / deviation); }};
}
inline Stated uniform_within(double a) {
  return {[a](double x) { return std::clamp((1 + x / a) / 2, 0.0, 1.0); }, a};
}
inline Stated stated(const Normal& of) { return normal_of(of.standard_deviation); }
inline Stated stated(const Uniform& of) { return uniform_within(of.half_range); }
inline Stated stated(const TruncatedNormal& of) {
  const double deviation = of.standard_deviation, cut = below_standard_normal(-2);
  return {[deviation, cut](double x) {
            return std::clamp((below_standard_normal(x / deviation) - cut) / (1 - 2 * cut), 0.0,
                              1.0);
          },
          2 * deviation};
}
inline double sum_of_fans(std::size_t vocabulary, std::size_t d_model) {
  return static_cast<double>(vocabulary + d_model);
}
inline Stated stated(const XavierUniform& of) {
  return uniform_within(std::sqrt(6 / sum_of_fans(of.vocabulary, of.d_model)));
}
inline Stated stated(const XavierNormal& of) {
  return normal_of(std::sqrt(2 / sum_of_fans(of.vocabulary, of.d_model)));
}

/// (512, 128) of each distribution, at a σ or a as people choose it.
inline constexpr std::size_t table_rows = 512, table_columns = 128;
inline const std::vector<Initializer> table_distributions{
    Normal{0.02}, Uniform{0.05}, TruncatedNormal{0.02}, XavierUniform{table_rows, table_columns},
    XavierNormal{table_rows, table_columns}};

struct DrawnTables {
  bool repeat, differ, rows_differ, in_range;
  double share;  ///< of the distance from the distribution that is allowed
};

/// Of tables in this format, by seeds that never change: so the verdict is the same in every run,
/// and a right program that was not tried before fails with probability 10^−10 or less. A deviation
/// that is off by 7 % is seen: it moves F by 0.242 of that, and 65,536 draws allow 0.0135, in
/// bfloat16 0.0155.
template <AnalyticScalar Real>
DrawnTables drawn_tables(const Initializer& of, const PrimitivesIn<Real>& primitives) {
  constexpr double alpha = 1e-10, u = unit_roundoff<Real>;
  const auto drawn = [&](std::uint64_t seed) {
    std::vector<Real> table(table_rows * table_columns);
    primitives.initialise(of, table_rows, table_columns, seed, table);
    return table;
  };
  const auto table = drawn(1);
  const auto right = std::visit([](const auto& one) { return stated(one); }, of);
  std::vector<double> x;
  for (const Real& value : table) x.push_back(static_cast<double>(value));
  const double most = right.most * (1 + 2 * u);
  const bool in_range =
      std::ranges::all_of(x, [&](double value) { return std::abs(value) <= most; });
  // P(sup |F_n − F| >= t) <= 2 exp(−2nt²), see evidence::WholeLaw. Rounding moves x by u·|x| at
  // most, hence F by u/2: max |x|·F'(x) is 1/2 of a uniform distribution, 1/4 of a cut normal.
  const double allowed =
      std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(x.size()))) + u / 2;
  std::set<std::vector<Real>> rows;
  for (auto row = table.begin(); row != table.end(); row += table_columns)
    rows.emplace(row, row + table_columns);
  return {table == drawn(1), table != drawn(2), rows.size() == table_rows, in_range,
          evidence::distance_from(x, right.cumulative).distance / allowed};
}

}  // namespace embedscale::properties::embedding
