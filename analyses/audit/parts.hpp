#pragma once
// The parts of a configuration as the formulas take them, and the parts of an audit, which
// scales.cpp puts together. A formula asks for the numbers that it needs; the first that is not
// there is the reason why its result is missing.
#include "audit/scales.hpp"

#include <embedscale/expected/first_layer.hpp>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace embedscale::audit {

/// Thrown by a formula: why there is no result.
struct Missing {
  std::string reason;
};

/// What `compute` returns, a number or an expectation with its error; or the reason why it does
/// not.
template <class Compute>
Quantity figure(std::string path, Compute compute, Method method = Method::closed_form) try {
  Quantity made{.path = path, .method = method};
  const auto result = compute();
  if constexpr (requires { result.error; }) {
    made.value = result.value;
    made.error = result.error;
    made.method = Method::quadrature;
  } else {
    made.value = result;
  }
  if (!std::isfinite(*made.value)) throw Missing{"leaves the range of binary64"};
  return made;
} catch (const Missing& why) {
  return {.path = path, .missing = why.reason};
}

// All below throw Missing.

inline double value_of(const Quantity& q) { return q.value ? *q.value : throw Missing{q.missing}; }

/// A field's number, where it is known.
double required(const Configuration& c, const std::string& field, const Number& value);
double required(const Configuration& c, const std::string& field, const Integer& value);
double d_model(const Configuration& c);
double positions(const Configuration& c);
double vocabulary(const Configuration& c);

/// √E[w²] of the entries of a matrix that is drawn from the law of this field. Its shape, which the
/// Xavier laws need, is fan_out and fan_in, or a table's rows and width.
double entry_rms(const Configuration& c, const std::optional<Law>& law, const std::string& field,
                 const std::function<std::pair<double, double>()>& shape);

/// √E x²/√E u² for x = P·u, with a matrix P of d_model by w = token.width independent entries of
/// mean 0 and deviation σ_P. Each channel of x is a sum of w products, so that E x² = w·σ_P²·E u²
/// over P, whatever u is, and E⟨Pu, Pv⟩ = d_model·σ_P²·⟨u, v⟩. A factor of u is one of x, hence a
/// multiplier does ahead of P what it does behind it; P keeps the RMS of u where σ_P is w^−½. All
/// lengths share P, which correlates two of them by 2cos²(u, v)/d_model. What is left out besides
/// is the spread of E u² itself over w channels: of relative variance 2/w for normal entries, where
/// it would be 2/d_model without P.
double projection_gain(const Configuration& c);

/// Channels of the sum of token, position and further tables: token.width where it is projected.
double sum_width(const Configuration& c);

/// Moments of what the first block sees, its own norm left out: behind the norm on the sum, and the
/// sum's projection.
///
/// Errors    std::invalid_argument, too, as expected::input_moments.
expected::InputMoments moments_of_stream(const Configuration& c, const InputScales& scales);

/// What the first norm, block or projection of the sum sees, as the formulas of
/// lib/embedscale/expected take it. Unknown positions count as one and an unknown base as 10000,
/// where only what depends on the number of keys hangs on them.
expected::Input input_of(const Configuration& c, const InputScales& scales);

/// The norms between the sum and the first attention: that on the sum, that of the first block.
std::vector<expected::Norm> norms_on_sum(const Configuration& c);
std::vector<expected::Norm> norms_ahead_of_attention(const Configuration& c);
std::vector<expected::Norm> norms_before_attention(const Configuration& c);

/// The first norm that sees the sum: on the embeddings, in the first block, or behind its attention
/// (then the branch is left out of what it sees).
expected::Norm first_norm(const Configuration& c);

/// Why nothing comes out of a norm whose input and ε are both 0.
inline constexpr const char* zero_by_zero = "divides 0 by 0: a norm's input and epsilon are both 0";

/// The share of the width that token vectors, or position vectors, have: 1 unless concatenated.
double token_share(const Configuration& c);
double position_share(const Configuration& c);

/// The sinusoids of a configuration at so many positions.
expected::SinusoidalTable sinusoids(const Configuration& c, double base, std::int64_t length,
                                    double multiplier);

// None below throws.

/// fl(x): x rounded once to the nearest value of the format, ties to even; infinity past its range.
double rounded_to(NumberFormat format, double x);

/// m as rounded to its format.
Quantity factor_of(const Configuration& c);

InputScales input_scales(const Configuration& c, const Quantity& factor);
FirstLayer first_layer(const Configuration& c, const InputScales& input);
OutputScales output_scales(const Configuration& c, const InputScales& input,
                           const Quantity& factor);

}  // namespace embedscale::audit
