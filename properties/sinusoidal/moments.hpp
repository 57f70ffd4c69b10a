#pragma once
// Measures of effective_rank: a table's second moments, whose eigenvalues are the squares of its
// singular values over L.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "table.hpp"

namespace embedscale::properties::sinusoidal {

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
      const auto s = sine_channel(i, d, table.layout), c = cosine_channel(i, d, table.layout);
      const auto t = sine_channel(k, d, table.layout), e = cosine_channel(k, d, table.layout);
      out[s * d + t] = products.sine_sine;
      out[s * d + e] = out[e * d + s] = products.sine_cosine;
      out[c * d + e] = products.cosine_cosine;
    }
  if (moments == Moments::raw) return out;
  std::vector<double> means(d);
  for (std::size_t i = 0; i < d / 2; ++i) {
    means[sine_channel(i, d, table.layout)] = expected::mean_sine(w[i], table.length);
    means[cosine_channel(i, d, table.layout)] = expected::mean_cosine(w[i], table.length);
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
