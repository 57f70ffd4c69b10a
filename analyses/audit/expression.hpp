#pragma once
// The formulas that numbers may be written as, such as "d_model^-0.5" or "1/sqrt(d_k)".
#include <optional>
#include <span>
#include <string_view>

namespace embedscale::audit {

/// A name that a formula may use, and what it stands for: nothing, where that is unknown.
struct Variable {
  std::string_view name;
  std::optional<double> value;
};

/// The longest formula that is read, in characters; it bounds the nesting too.
inline constexpr std::size_t longest_expression = 1000;

/// The value of a formula in muParser's syntax: + - * / ^, comparisons, c ? a : b, sqrt, ln, exp,
/// min, max and the other functions of muParser itself, _pi, _e, and the given variables.
///
/// Ensures   a finite number, computed in double; nothing where it hangs on a variable that stands
///           for nothing.
/// Errors    std::invalid_argument, whose text begins with the quoted formula: not one formula in
///           printable ASCII, too long, an unknown name, or a value that is not finite.
std::optional<double> evaluate(std::string_view expression, std::span<const Variable> variables);

}  // namespace embedscale::audit
