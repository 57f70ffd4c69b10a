#pragma once
// What a configuration does to the scale of tokens and positions at initialisation: expectations
// over the initial law, in closed form.
#include "audit/configuration.hpp"

#include <optional>
#include <string>
#include <vector>

namespace embedscale::audit {

/// A result under its path, such as "token.rms", or the reason why there is none.
///
/// Ensures   a double is finite; `missing` is empty exactly where there is a value.
template <class Value>
struct Result {
  std::string path;
  std::optional<Value> value;
  std::string missing;
};
using Quantity = Result<double>;
using Verdict = Result<bool>;

/// What would change if the multiplier m moved from the tokens to the positions, so that
/// x = e + p/m instead of m·e + p.
struct ScaledDown {
  Quantity factor;          ///< m, rounded to its format: everything shrinks by it
  Quantity exact_factor;    ///< m before it is rounded to its format
  Quantity rounding_error;  ///< (factor − exact_factor)/exact_factor
  Quantity input_rms;       ///< input.rms/|m|
  /// Whether m·(e + p/m) has the bits of m·e + p for every e and p that neither under- nor
  /// overflow: so it is exactly where fl(m) is a power of two [combination.rounds_identically].
  /// A statement about m; it is made where nothing is added, too. By format: binary32, then the
  /// multiplier's own if that is another.
  std::vector<Verdict> rounds_identically;
};

/// RMS: root mean square over coordinates, and over positions 0 … L−1 where they come in.
struct Scales {
  Quantity token_rms;          ///< |m|·√E[e²], with m as rounded
  Quantity position_rms;       ///< of what is added, times its multiplier
  Quantity token_to_position;  ///< token_rms/position_rms
  Quantity input_rms;          ///< √(token_rms² + position_rms²); token_rms if nothing is added
  ScaledDown scaled_down;
};

/// Requires  a configuration that was read, hence checked.
Scales scales_of(const Configuration& configuration);

/// Every number, and every yes or no, in the order in which they are reported.
std::vector<Quantity> quantities(const Scales& scales);
std::vector<Verdict> verdicts(const Scales& scales);

}  // namespace embedscale::audit
