#pragma once
// The measures of paper_and_code_agree, in exact arithmetic: what the paper's code makes of one
// table of d channels that serves both ends of a model, at widths whose root is a whole number.
#include <cstddef>

#include "primitives.hpp"

namespace embedscale::properties::conventions {

/// The row of a token as it is looked up, times √d.
inline std::vector<Rational> token_part(const EmbeddingTable<Rational>& rows, std::size_t token,
                                        int root, const Primitives& primitives) {
  std::vector<Rational> out(rows.width(), Rational(0));
  primitives.of<Rational>().look_up(rows, token, Rational(root), out);
  return out;
}

/// Whether every channel of the input is √d·e + p, and the logit of every row ⟨e, h⟩ with the
/// entries that were looked up: section 3.4, and no factor on the logits.
inline bool one_table_serves_both_ends(const EmbeddingTable<Rational>& rows, std::size_t token,
                                       int root, const std::vector<Rational>& h, const Rational& p,
                                       const Primitives& primitives) {
  const auto looked_up = token_part(rows, token, root, primitives);
  for (std::size_t j = 0; j < rows.width(); ++j) {
    const Rational e = rows.row(token)[j], meant = root * e;
    if (looked_up[j] != meant) return false;
    if (primitives.of<Rational>().input(e, p, Rational(root)) != meant + p) return false;
  }
  for (std::size_t v = 0; v < rows.vocabulary(); ++v) {
    const auto e = rows.row(v);
    Rational meant;
    for (std::size_t j = 0; j < e.size(); ++j) meant += e[j] * h[j];
    if (primitives.logit({e.begin(), e.end()}, h, 1) != meant) return false;
  }
  return true;
}

/// Whether a row of entries ±1/√d, by the bits, is looked up with mean square 1.
inline bool unit_mean_square(int root, std::uint64_t bits, const Primitives& primitives) {
  const auto d = static_cast<std::size_t>(root * root);
  std::vector<Rational> entries;
  for (std::size_t j = 0; j < d; ++j)
    entries.push_back(Rational((bits >> (j % 64)) % 2 == 0 ? 1 : -1) / root);
  Rational sum;
  for (const auto& t : token_part({1, d, entries}, 0, root, primitives)) sum += t * t;
  return sum == static_cast<int>(d);
}

}  // namespace embedscale::properties::conventions
