#pragma once
// Measures of a whole table, positions 0 … L−1: what its channels do over the positions, against
// Dirichlet's kernel. Errors of the entries are those of one_position.hpp.
#include <embedscale/expected/position_table.hpp>
#include <embedscale/expected/position_variance.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "one_position.hpp"

namespace embedscale::properties::sinusoidal {

/// A table of L positions of an even width.
struct Table {
  std::size_t d;
  std::int64_t length;
  FrequencyRule rule = FrequencyRule::paper;
  SinusoidalLayout layout = SinusoidalLayout::interleaved;
};

/// Its rows, in binary64.
inline std::vector<std::vector<double>> rows_of(const Table& table,
                                                const PrimitivesIn<double>& primitives) {
  const std::vector<double> w = primitives.frequencies(table.d, table.rule, 10000.0);
  std::vector<std::vector<double>> rows;
  rows.reserve(static_cast<std::size_t>(table.length));
  for (std::int64_t l = 0; l < table.length; ++l) {
    rows.emplace_back(table.d);
    primitives.encode(l, std::span<const double>(w), table.layout, std::span<double>(rows.back()));
  }
  return rows;
}

/// How far an entry of a pair may be from the closed forms' sine or cosine: an ulp, and the errors
/// of both angles at the last position, as the closed forms' frequencies are rounded, too.
inline double entry_error(const Table& table, double w) {
  return 2.0 * angle_error<double>(table.length, w) + 2.0 * unit_roundoff<double>;
}

/// The frequencies of the rule, for the closed forms.
inline std::vector<double> frequencies_of(const Table& table) {
  return sinusoidal_frequencies<double>(table.d, table.rule);
}

/// Means over positions of each channel.
inline std::vector<long double> means_of(const std::vector<std::vector<double>>& rows) {
  std::vector<long double> means(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) means[j] += row[j];
  for (auto& mean : means) mean /= static_cast<long double>(rows.size());
  return means;
}

/// Σ_j (mean over positions of p_j)² over the mean of ‖p‖².
inline double measured_constant_share(const Table& table, const PrimitivesIn<double>& primitives) {
  const auto rows = rows_of(table, primitives);
  long double constant = 0, energy = 0;
  for (const long double mean : means_of(rows)) constant += mean * mean;
  for (const auto& row : rows) energy += square_of(row);
  return static_cast<double>(constant * static_cast<long double>(rows.size()) / energy);
}

/// What rounding leaves at most of a constant share of 0 in closed form, (18 + d/2)u, for every
/// width up to 2^24: D is off by 8u, its square by 17u, the sum by d/2 additions, and a quotient.
inline constexpr double negligible_share = 1e-9;

/// How far the measured share may be from its closed form. With every entry within e of what it
/// should be, the vector of means, of length at most √(d/2), is within e·√d, and its square by
/// 2e·d/√2 + e²·d: of d/2 that is 2√2·e + 2e². The energy is off by 4u + 4u² of itself, and the
/// closed form by (18 + d/2)u; the rest is of long double.
inline double constant_share_bound(const Table& table) {
  double e = 0;
  for (const double w : frequencies_of(table)) e = std::max(e, entry_error(table, w));
  const double roundings = (24.0 + static_cast<double>(table.d) / 2.0) * unit_roundoff<double>;
  return 2.0 * std::sqrt(2.0) * e + 2.0 * e * e + roundings;
}

/// Variances over positions of each channel, in the order of the channels.
inline std::vector<double> measured_variances(const Table& table,
                                              const PrimitivesIn<double>& primitives) {
  const auto rows = rows_of(table, primitives);
  const auto means = means_of(rows);
  std::vector<long double> sums(table.d);
  for (const auto& row : rows)
    for (std::size_t j = 0; j < table.d; ++j) {
      const long double apart = row[j] - means[j];
      sums[j] += apart * apart;
    }
  std::vector<double> variances;
  for (const long double sum : sums)
    variances.push_back(static_cast<double>(sum / static_cast<long double>(table.length)));
  return variances;
}

/// The same in closed form.
inline std::vector<double> stated_variances(const Table& table) {
  const auto w = frequencies_of(table);
  std::vector<double> variances(table.d);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const auto both = expected::channel_variances(w[i], table.length);
    variances[sine_channel(i, table.d, table.layout)] = both.sine;
    variances[cosine_channel(i, table.d, table.layout)] = both.cosine;
  }
  return variances;
}

/// The share of the first `count` channels in a sum of variances.
inline double share_of_first(const std::vector<double>& variances, std::size_t count) {
  long double first = 0, all = 0;
  for (std::size_t j = 0; j < variances.size(); ++j) {
    all += variances[j];
    if (j < count) first += variances[j];
  }
  return static_cast<double>(first / all);
}

/// Deviations over positions of the first pair and of the last, sine and cosine together.
struct Ends {
  double first, last;
};
inline Ends stated_ends(const Table& table) {
  const auto w = frequencies_of(table);
  return {std::sqrt(expected::pair_variance(w.front(), table.length)),
          std::sqrt(expected::pair_variance(w.back(), table.length))};
}
/// The same of a table.
inline Ends measured_ends(const Table& table, const PrimitivesIn<double>& primitives) {
  const auto v = measured_variances(table, primitives);
  const auto pair = [&](std::size_t i) {
    return std::sqrt(v[sine_channel(i, table.d, table.layout)] +
                     v[cosine_channel(i, table.d, table.layout)]);
  };
  return {pair(0), pair(table.d / 2 - 1)};
}

/// "Only slightly": half as much as the first pair at most.
inline bool last_channel_moves_less(const Ends& ends) { return 2.0 * ends.last <= ends.first; }

/// x = L·w/2 with sin x/x = √3/2, doubled: up to it the last pair's variance, 1 − (sin x/x)² for
/// L >> 1, is at most a quarter of the first one's, 1.
inline constexpr double quiet_turn = 1.83116;

}  // namespace embedscale::properties::sinusoidal
