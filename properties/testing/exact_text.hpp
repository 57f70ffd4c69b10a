#pragma once
// Numbers as a counterexample must show them, so that nothing is lost: in decimal for the eye, and
// as hexadecimal floats for the hand that repeats the case.
#include <embedscale/format.hpp>

#include <array>
#include <charconv>
#include <ostream>
#include <sstream>
#include <string>

namespace embedscale::properties::testing {

/// A float of any format, as opposed to whole numbers and fractions, which are exact as they are.
template <class T>
struct IsFloat : std::is_floating_point<T> {};
template <int ExponentBits, int MantissaBits, Specials Special>
struct IsFloat<Format<ExponentBits, MantissaBits, Special>> : std::true_type {};

/// "0.1 (0x1.999999999999ap-4)": the shortest decimal that names this value of its format among the
/// others, and the value itself. "inf", "-inf", "nan", "-nan" and "-0" are said once.
template <class Real>
requires IsFloat<Real>::value std::string exact_text(Real x) {
  // The small formats have no shortest decimal of their own: every value of theirs is a double.
  using Number = std::conditional_t<std::is_floating_point_v<Real>, Real, double>;
  const auto number = static_cast<Number>(x);
  std::array<char, 64> room;
  const auto write = [&](auto... format) {
    return std::string(
        room.data(), std::to_chars(room.data(), room.data() + room.size(), number, format...).ptr);
  };
  const std::string decimal = write();
  if (number - number != Number(0) || number == Number(0)) return decimal;
  std::string hexadecimal = write(std::chars_format::hex);
  hexadecimal.insert(number < Number(0) ? 1 : 0, "0x");
  return decimal + " (" + hexadecimal + ")";
}

/// So many significant digits: for what is said beside an exact number.
inline std::string rounded_text(double x, int digits = 6) {
  std::ostringstream text;
  text.precision(digits);
  text << x;
  return text.str();
}

/// A drawn value that RapidCheck shows exactly.
template <class T>
struct Exactly {
  T value;
};

template <class T>
std::ostream& operator<<(std::ostream& out, const Exactly<T>& drawn) {
  return out << exact_text(drawn.value);
}

}  // namespace embedscale::properties::testing
