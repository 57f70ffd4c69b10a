#pragma once
// The parts of a configuration as numbers that the formulas take, each there or missing for a reason
// that what hangs on it hands on; and the parts of an audit, which scales.cpp puts together.
#include "audit/scales.hpp"

#include <embedscale/expected/first_layer.hpp>

#include <optional>
#include <string>
#include <vector>

namespace embedscale::audit {

/// A field's number, or that it is not told, and why.
Quantity told(const Configuration& c, const std::string& field, const Number& value);
Quantity told(const Configuration& c, const std::string& field, const Integer& value);
Quantity d_model(const Configuration& c);
Quantity positions(const Configuration& c);
Quantity vocabulary(const Configuration& c);

/// √E[w²] of the entries of a matrix that is drawn from the law of this field. Rows and columns are
/// for the Xavier laws: fan_out and fan_in, or a table's rows and width.
Quantity entry_rms(const Configuration& c, const std::optional<Law>& law, const std::string& field,
                   const Quantity& rows, const Quantity& columns);

/// A value or the reason why there is none.
template <class Value>
struct Maybe {
  std::optional<Value> value = {};
  std::string missing = {};
};

/// What the first norm or block sees, as the formulas of lib/embedscale/expected take it. Untold
/// positions count as one and an untold base as 10000, where only what depends on the number of
/// keys hangs on them.
Maybe<expected::Input> input_of(const Configuration& c, const InputScales& scales);

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

/// m as rounded to its format.
Quantity factor_of(const Configuration& c);

InputScales input_scales(const Configuration& c, const Quantity& factor);
FirstLayer first_layer(const Configuration& c, const InputScales& input);
OutputScales output_scales(const Configuration& c, const InputScales& input,
                           const Quantity& factor);
ScaledDown scaled_down(const Configuration& c, const InputScales& input, const FirstLayer& first,
                       const Quantity& factor);

}  // namespace embedscale::audit
