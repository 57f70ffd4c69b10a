#pragma once
// What the body of a property says of its case: RapidCheck's bodies return nothing.
#include <cstddef>
#include <string_view>

namespace embedscale::properties::testing {

/// A line of a source file; none while `line` is 0.
struct Place {
  const char* file = "";
  int line = 0;
};

/// The case fails unless 0 <= ratio <= 1 (a NaN fails); the worst ratio of all cases is kept, with
/// the case it was found at.
///
/// These three are for the body of a property: std::logic_error where none is running.
void holds(double ratio, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// The case fails unless the fact is true.
void holds_exactly(bool fact, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Classes that one property may name: all those of a run share one rate of error.
inline constexpr std::size_t most_classes = 32;

/// At least `required_share` of the cases have to be in this class, or the property was not tested
/// enough, however well it held. A case is in it if it says so at least once, and something `holds`
/// there. What is named in no case is not required: name a class in each, before the body may end.
///
/// Requires  an ASCII name, as named (draws.hpp); 0 < required_share < 1, the same at each call; at
///           most `most_classes` of a property.
/// Errors    std::invalid_argument.
void covers(std::string_view name, bool inside, double required_share);

}  // namespace embedscale::properties::testing
