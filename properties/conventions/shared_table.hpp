#pragma once
// The measures of paper_and_code_agree, in exact arithmetic: what the paper's code makes of one
// table, at widths whose root is a whole number.
#include <cstddef>

#include "primitives.hpp"

namespace embedscale::properties::conventions {

/// A table of root² channels that serves both ends of a model.
struct SharedTable {
  int root;  ///< √d, which a token is multiplied by
  EmbeddingTable<Rational> rows;
  std::size_t token;            ///< that is looked up
  std::vector<Rational> state;  ///< that the rows are compared with

  SharedTable(int root, const std::vector<Rational>& entries, std::size_t token,
              std::vector<Rational> state)
      : root(root),
        rows(entries.size() / state.size(), state.size(), entries),
        token(token),
        state(std::move(state)) {}
};

/// The row of the token as it is looked up.
inline std::vector<Rational> token_part(const SharedTable& at, const Primitives& primitives) {
  std::vector<Rational> out(at.rows.width(), Rational(0));
  primitives.of<Rational>().look_up(at.rows, at.token, Rational(at.root), out);
  return out;
}

/// Whether every channel of the input is √d·e + p, and the logit of every row ⟨e, h⟩ with the
/// entries that were looked up: section 3.4, and no factor on the logits.
inline bool one_table_serves_both_ends(const SharedTable& at, const Rational& p,
                                       const Primitives& primitives) {
  const auto looked_up = token_part(at, primitives);
  const auto row = at.rows.row(at.token);
  for (std::size_t j = 0; j < row.size(); ++j) {
    const Rational meant = at.root * row[j];
    if (looked_up[j] != meant) return false;
    if (primitives.of<Rational>().input(row[j], p, Rational(at.root)) != meant + p) return false;
  }
  for (std::size_t v = 0; v < at.rows.vocabulary(); ++v) {
    const auto e = at.rows.row(v);
    Rational meant;
    for (std::size_t j = 0; j < e.size(); ++j) meant += e[j] * at.state[j];
    if (primitives.logit({e.begin(), e.end()}, at.state, 1) != meant) return false;
  }
  return true;
}

/// Whether a row of entries ±1/√d is looked up with mean square 1.
inline bool unit_mean_square(const SharedTable& at, const Primitives& primitives) {
  Rational sum;
  for (const auto& t : token_part(at, primitives)) sum += t * t;
  return sum == static_cast<int>(at.rows.width());
}

/// One row of entries ±1/√d at width root², by the bits.
inline SharedTable row_of_the_codes_law(int root, std::uint64_t bits) {
  const auto d = static_cast<std::size_t>(root * root);
  std::vector<Rational> entries;
  for (std::size_t j = 0; j < d; ++j)
    entries.push_back(Rational((bits >> (j % 64)) % 2 == 0 ? 1 : -1) / root);
  return {root, entries, 0, std::vector<Rational>(d, Rational(1))};
}

}  // namespace embedscale::properties::conventions
