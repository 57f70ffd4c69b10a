#pragma once
// Each field of a configuration as a port takes it. What differs is made up for by a step, or bears
// on nothing that a port keeps, or is a reason why the function is not kept: this last wherever
// nothing else is said, so that no field is passed over.
#include "audit/configuration.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace embedscale::port {

enum class Bearing {
  none,     ///< on the function: names, laws of an initialisation, what a program offers
  factor,   ///< a number that counts as the same where codes' rounding may part the two
  function  ///< what is computed
};

struct Compared {
  std::string_view path;  ///< as audit::fields has it
  Bearing bearing;
  /// Its value as text that tells two apart; nothing where it is not told, "" where it does not
  /// count.
  std::optional<std::string> (*value)(const audit::Configuration& c);
  std::string_view claim = {};
};

/// A row for each field but [marks].
std::span<const Compared> compared();

/// Codes compute a factor in binary32 or better, but where a configuration says otherwise, and
/// round it once: of the four in c·m′ = c′·m two sides that should be equal differ by at most
/// 4·2^−24.
bool agree(double x, double y);

}  // namespace embedscale::port
