#pragma once
// Measures of a whole table, positions 0 … L−1: what its channels do over the positions, and its
// second moments, whose eigenvalues are the squares of its singular values over L, against
// Dirichlet's kernel. Errors of the entries are those of one_position.hpp.
#include <embedscale/expected/position_table.hpp>
#include <embedscale/expected/position_variance.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
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
    const auto [s, c] = channels_of(i, table.d, table.layout);
    variances[s] = both.sine, variances[c] = both.cosine;
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
    const auto [s, c] = channels_of(i, table.d, table.layout);
    return std::sqrt(v[s] + v[c]);
  };
  return {pair(0), pair(table.d / 2 - 1)};
}

/// "Only slightly": half as much as the first pair at most.
inline bool last_channel_moves_less(const Ends& ends) { return 2.0 * ends.last <= ends.first; }

/// x = L·w/2 with sin x/x = √3/2, doubled: up to it the last pair's variance, 1 − (sin x/x)² for
/// L >> 1, is at most a quarter of the first one's, 1.
inline constexpr double quiet_turn = 1.83116;

/// Whether the mean over positions is taken out first.
enum class Moments { raw, centred };

/// (1/L)·Σ p·pᵀ over the positions, or that of p less its mean: d×d, row after row.
inline std::vector<double> measured_moments(const Table& table, Moments moments,
                                            const PrimitivesIn<double>& primitives) {
  const auto rows = rows_of(table, primitives);
  auto means = means_of(rows);
  if (moments == Moments::raw) means.assign(table.d, 0.0L);
  std::vector<double> out;
  out.reserve(table.d * table.d);
  for (std::size_t j = 0; j < table.d; ++j)
    for (std::size_t k = 0; k < table.d; ++k) {
      long double sum = 0;
      for (const auto& row : rows) sum += (row[j] - means[j]) * (row[k] - means[k]);
      out.push_back(static_cast<double>(sum / static_cast<long double>(table.length)));
    }
  return out;
}

/// The same in closed form, by Dirichlet's kernel, of these frequencies.
inline std::vector<double> stated_moments(const Table& table, const std::vector<double>& w,
                                          Moments moments) {
  const std::size_t d = table.d;
  std::vector<double> out(d * d);
  for (std::size_t i = 0; i < d / 2; ++i)
    for (std::size_t k = 0; k < d / 2; ++k) {
      const auto products = expected::pair_products(w[i], w[k], table.length);
      const auto [s, c] = channels_of(i, d, table.layout);
      const auto [t, e] = channels_of(k, d, table.layout);
      out[s * d + t] = products.sine_sine;
      out[s * d + e] = out[e * d + s] = products.sine_cosine;
      out[c * d + e] = products.cosine_cosine;
    }
  if (moments == Moments::raw) return out;
  std::vector<double> means(d);
  for (std::size_t i = 0; i < d / 2; ++i) {
    const auto [s, c] = channels_of(i, d, table.layout);
    means[s] = expected::mean_sine(w[i], table.length);
    means[c] = expected::mean_cosine(w[i], table.length);
  }
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < d; ++k) out[j * d + k] -= means[j] * means[k];
  return out;
}

inline std::vector<double> stated_moments(const Table& table, Moments moments) {
  return stated_moments(table, frequencies_of(table), moments);
}

/// The eigenvalues of a symmetric matrix of d rows, row after row, ascending: by Eigen.
std::vector<double> eigenvalues_of(const std::vector<double>& matrix, std::size_t d);

/// The rank of a matrix, row after row, by elimination with the largest of all entries as the next
/// pivot: the pivots above `negligible`.
template <class Real>
std::size_t rank_of(std::vector<std::vector<Real>> rows, const Real& negligible) {
  const std::size_t width = rows.empty() ? 0 : rows[0].size();
  const auto size = [](const Real& x) { return x < Real(0) ? Real(-x) : x; };
  std::size_t rank = 0;
  for (; rank < std::min(rows.size(), width); ++rank) {
    std::size_t at = rank, in = rank;
    for (std::size_t l = rank; l < rows.size(); ++l)
      for (std::size_t j = rank; j < width; ++j)
        if (size(rows[l][j]) > size(rows[at][in])) at = l, in = j;
    if (!(size(rows[at][in]) > negligible)) return rank;
    std::swap(rows[rank], rows[at]);
    for (auto& row : rows) std::swap(row[rank], row[in]);
    for (std::size_t l = rank + 1; l < rows.size(); ++l) {
      const Real factor = rows[l][rank] / rows[rank][rank];
      for (std::size_t j = rank; j < width; ++j) rows[l][j] -= factor * rows[rank][j];
    }
  }
  return rank;
}

/// How many of the largest eigenvalues, given in any order, hold the share of their sum.
inline std::size_t directions_for(std::vector<double> eigenvalues, double share) {
  std::ranges::sort(eigenvalues, std::greater<>());
  long double all = 0, sum = 0;
  for (const double value : eigenvalues) all += value;
  std::size_t count = 0;
  while (count < eigenvalues.size() && sum < share * all) sum += eigenvalues[count++];
  return count;
}

/// Whether half of the directions hold 99 % of a table's energy, in closed form.
inline bool half_is_enough(const Table& table, const PrimitivesIn<double>& primitives) {
  const auto w = primitives.frequencies(table.d, table.rule, 10000.0);
  const auto energies = eigenvalues_of(stated_moments(table, w, Moments::raw), table.d);
  return 2 * directions_for(energies, 0.99) <= table.d;
}

}  // namespace embedscale::properties::sinusoidal
