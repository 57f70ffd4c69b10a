#pragma once
// The steps from a configuration to its scales, each taken once and in this order: the parts of the
// configuration as formulas take them, what enters the first block, the first attention, the
// output; and what would change if the factor moved.
#include "audit/scales.hpp"

#include <embedscale/expected/first_layer.hpp>

#include <vector>

namespace embedscale::audit {

using Norms = std::vector<expected::Norm>;

/// What the formulas take of a configuration. Root mean squares are of a matrix's entries, over the
/// distribution that they are drawn from: √E[w²].
struct Parts {
  Known<double> d_model, positions, vocabulary;
  Known<double> sum_width;    ///< channels of the sum: token.width where that is projected
  Known<double> token_share;  ///< of the width, that token vectors have: 1 unless concatenated

  Known<double> multiplier;   ///< m, as it is given
  Known<double> factor;       ///< m, as rounded to its format
  Known<double> token_entry;  ///< RMS
  /// √E x²/√E u² for x = P·u, with a matrix P of d_model by w = token.width independent entries of
  /// mean 0 and deviation σ_P. Each channel of x is a sum of w products, so that E x² = w·σ_P²·E u²
  /// over P, whatever u is, and E⟨Pu, Pv⟩ = d_model·σ_P²·⟨u, v⟩. A factor of u is one of x, hence a
  /// multiplier does ahead of P what it does behind it; P keeps the RMS of u where σ_P is w^−½. All
  /// lengths share P, which correlates two of them by 2cos²(u, v)/d_model. What is left out besides
  /// is the spread of E u² itself over w channels: of relative variance 2/w for normal entries,
  /// where it would be 2/d_model without P.
  Known<double> projection_gain;
  Known<double> position_base;
  Known<double> position_rms;  ///< of what is added, times its multiplier
  Known<double> extra_rms;     ///< of the further tables together, times theirs

  /// The norms between the sum and the first attention: that on the sum, that of the first block.
  Known<Norms> norms_on_sum, norms_ahead_of_attention;
  /// The first norm that sees the sum: on the embeddings, in the first block, or behind its
  /// attention (then the branch is left out of what it sees).
  Known<expected::Norm> first_norm;

  Known<double> scale, d_k, entry_q, entry_k;  ///< of the attention; RMS of its projections
  Known<double> output_multiplier;
  Known<double> output_entry;  ///< RMS of the output matrix: the token table's where it is shared
  Known<double> residual_multiplier;
};
Parts parts_of(const Configuration& c);

InputScales input_scales(const Configuration& c, const Parts& p);

/// What the first norm, block or projection of the sum sees, as the formulas of
/// lib/embedscale/expected take it. Unknown positions count as one and an unknown base as 10000,
/// where only what depends on the number of keys hangs on them.
Known<expected::Input> input_of(const Configuration& c, const Parts& p, const InputScales& s);

/// What the first block sees, its own norm left out: behind the norm on the sum, and the sum's
/// projection.
Known<expected::InputMoments> stream_of(const Configuration& c, const Parts& p,
                                        const Known<expected::Input>& input);

FirstLayer first_layer(const Configuration& c, const Parts& p, const InputScales& s,
                       const Known<expected::Input>& input,
                       const Known<expected::InputMoments>& stream);
std::vector<MergedScales> merged_scales(const Configuration& c, const InputScales& s);
OutputScales output_scales(const Configuration& c, const Parts& p,
                           const Known<expected::Input>& input);
ScaledDown scaled_down(const Configuration& c, const Parts& p, const InputScales& s,
                       const Known<expected::Input>& input,
                       const Known<expected::InputMoments>& stream, const FirstLayer& first);

/// A field's number, where it is told.
Known<double> told(const Configuration& c, const std::string& field, const Number& value);

/// What merged rows are multiplied by until the first block gets them.
Known<double> merged_factor(const Configuration& c, const Merged& rows);

/// For what looks at one part alone.
Known<double> factor_of(const Configuration& c);
Known<expected::Norm> first_norm(const Configuration& c);

/// fl(x): x rounded once to the nearest value of the format, ties to even; infinity past its range.
double rounded_to(NumberFormat format, double x);

/// Whether it takes the mean away.
constexpr bool centres(const auto& norm) { return norm.kind == expected::Norm::Kind::layer_norm; }

/// Why nothing comes out of a norm whose input and ε are both 0.
inline constexpr const char* zero_by_zero = "divides 0 by 0: a norm's input and epsilon are both 0";

}  // namespace embedscale::audit
