#pragma once
// To how many digits a value is known, and where its interval ends when it is written: never nearer
// than it is, so that it has the truth as often as it says.
#include <optional>
#include <string>

namespace embedscale::report {

/// A value, and the interval that it is known to lie in.
struct Known {
  double value;
  std::optional<double> lower = {}, upper = {}, confidence = {};
};

/// A number and its significant digits.
struct Decimal {
  double x;
  int digits;
};

/// The significant digits of a value: `declared` ones at most; of an estimate no digit behind that
/// of its half width's first one, which is itself uncertain, but two where the interval is without
/// 0.
int digits_of(const Known& known, int declared);

/// Its ends as they are written, the lower one down and the upper one up: to the value's last
/// digit, or to one more of an estimate whose interval ends its digits. Where the interval is
/// certain, to `declared` digits of their own.
///
/// Requires  a lower end, or an upper one.
Decimal lower_end(const Known& known, int declared);
Decimal upper_end(const Known& known, int declared);

/// Its confidence, to six decimals and never up, so that it is not 1: 0.998, 0.9999.
///
/// Requires  a confidence.
Decimal written_confidence(const Known& known, int declared);

/// x to so many significant digits, towards −∞ and towards ∞: the nearest of those numbers that is
/// no greater, or no less.  Requires  1 <= digits <= 17.
double rounded_down(double x, int digits);
double rounded_up(double x, int digits);

}  // namespace embedscale::report
