#pragma once
// The parts of a configuration as numbers that the formulas take: each there, or missing for a
// reason that what hangs on it hands on.
#include "audit/configuration.hpp"
#include "audit/quantity.hpp"

#include <embedscale/expected/first_layer.hpp>

#include <optional>
#include <string>
#include <vector>

namespace embedscale::audit {

/// A field's number, or that it is not told, and why.
Quantity told(const Configuration& c, const std::string& field, const Number& value);
Quantity told(const Configuration& c, const std::string& field, const Integer& value);

/// A matrix that is drawn: its law's field, its shape.
struct Matrix {
  std::string field;        ///< "token.law"
  const Quantity* rows;     ///< for the Xavier laws: fan_out, or the rows of a table
  const Quantity* columns;  ///< fan_in, or a table's width
};
/// √E[w²] of its entries.
Quantity entry_rms(const Configuration& c, const std::optional<Law>& law, const Matrix& matrix);

/// A value or the reason why there is none.
template <class Value>
struct Maybe {
  std::optional<Value> value = {};
  std::string missing = {};
};

/// What the first norm or block sees, as the formulas of lib/embedscale/expected take it. Untold
/// positions count as one and an untold base as 10000, where only what depends on the number of
/// keys hangs on them.
Maybe<expected::Input> input_of(const Configuration& c, const Quantity& token_rms,
                                const Quantity& extra_rms, const Quantity& position_rms);

/// The norms between the sum and the first attention.
Maybe<std::vector<expected::Norm>> norms_before_attention(const Configuration& c);

/// The first norm that sees the sum: on the embeddings, in the first block, or behind its attention
/// (then the branch is left out of what it sees).
Maybe<expected::Norm> first_norm(const Configuration& c);

/// Why nothing comes out of a norm whose input and ε are both 0.
inline constexpr const char* zero_by_zero = "divides 0 by 0: a norm's input and epsilon are both 0";

/// The share of the width that token vectors, or position vectors, have: 1 unless concatenated.
double token_share(const Configuration& c);
double position_share(const Configuration& c);

}  // namespace embedscale::audit
