#pragma once
// What a configuration does to the scales of tokens, positions, first logits and output at
// initialisation: expectations over the initial laws, in closed form or by quadrature. Each is
// there, or missing for a reason.
#include "audit/configuration.hpp"

#include <optional>
#include <string>
#include <vector>

namespace embedscale::audit {

/// How a number was found.
enum class Method {
  closed_form,
  without_branches,    ///< the same, of the sum without what the blocks' branches add to it
  sum_over_positions,  ///< each position 0 … L−1 in turn
  quadrature           ///< an integral, with an estimate of its error
};

/// Ensures   a double is finite; `missing` is empty exactly where there is a value.
template <class Value>
struct Result {
  std::string path;  ///< such as "token.rms"; for a field, that field's
  std::optional<Value> value = {};
  std::string missing = {};  ///< "needs model.vocabulary …"
  Method method = Method::closed_form;
  double error = 0;  ///< of a quadrature: the value lies within this of the truth
};
using Quantity = Result<double>;
using Verdict = Result<bool>;

/// The sum that enters the first block. RMS: root mean square over coordinates, and over positions
/// where these come in.
struct InputScales {
  Quantity entry_rms;          ///< √E[e²] of the token table's entries e: σ
  Quantity token_rms;          ///< |m|·√E[e²], with m as rounded
  Quantity position_rms;       ///< of what is added, times its multiplier
  Quantity token_to_position;  ///< token_rms/position_rms
  Quantity extra_rms;          ///< of the further tables together
  Quantity input_rms;          ///< √q: of the sum, or of the whole where parts are concatenated
  Quantity constant_share;     ///< share of the positions' energy that is the same at all of them
};

/// The first attention.
struct FirstLayer {
  Quantity input_rms;            ///< behind whatever norms stand before it
  Quantity logit_std;            ///< root mean square over weights, queries and other keys
  Quantity logit_std_over_keys;  ///< of the deviation from the mean over one query's keys
  Quantity entropy;              ///< in nats, of a softmax over L normal logits of that deviation
  Quantity token_token, token_position, position_token, position_position;  ///< shares of E[z²]
};

/// The output matrix, on a final state of RMS 1.
struct OutputScales {
  Quantity logit_std;
  Quantity initial_loss;  ///< E ln Σ_v exp(s·z_v): the target is independent of the state
  Quantity own_logit;     ///< of the input token, without the blocks' branches
};

/// What would change if the multiplier m moved from the tokens to the positions, so that
/// x = e + p/m instead of m·e + p.
struct ScaledDown {
  Quantity factor;                  ///< m, rounded to its format: everything shrinks by it
  Quantity exact_factor;            ///< m before it is rounded to its format
  Quantity rounding_error;          ///< (factor − exact_factor)/exact_factor
  Quantity input_rms;               ///< input_rms/|m|
  Quantity epsilon_shrinkage_up;    ///< 1 − RMS behind the first norm that sees the sum
  Quantity epsilon_shrinkage_down;  ///< the same for the sum divided by m
  Quantity epsilon_deviation;       ///< 1 − RMS behind that norm, divided by m over as it is
  Quantity logit_std;               ///< first_layer.logit_std, where no norm takes the factor away
  /// Whether m·(e + p/m) has the bits of m·e + p for every e and p that neither under- nor
  /// overflow: so it is exactly where fl(m) is a power of two [combination.rounds_identically].
  /// A statement about m; it is made where nothing is added, too. By format: binary32, then the
  /// multiplier's own if that is another.
  std::vector<Verdict> rounds_identically;
};

struct Scales {
  InputScales input;
  FirstLayer first_layer;
  OutputScales output;
  Quantity adam_relative_step;  ///< 1/σ: Adam's first step relative to the table, per learning rate
  ScaledDown scaled_down;
};

/// Requires  a configuration that was read, hence checked.
Scales scales_of(const Configuration& configuration);

/// Every number, and every yes or no, in the order in which they are reported.
std::vector<Quantity> quantities(const Scales& scales);
std::vector<Verdict> verdicts(const Scales& scales);

}  // namespace embedscale::audit
