#include "report/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "report/table.hpp"

namespace embedscale::report {
namespace {

constexpr int most_digits = 17;

/// That of the first digit: 2 of 123.4. The double nearest to 10^−6 is less, and (0.6 − 0.4)/2 less
/// than 0.1: to 12 digits they are not.  Requires  x finite, not 0.
int exponent_of(double x) {
  const auto text = fmt::format("{:.11e}", x);
  return std::stoi(text.substr(text.find('e') + 1));
}

/// 10^place, as it is read.
double power_of_ten(int place) {
  const auto text = fmt::format("1e{}", place);
  double x = 0;
  std::from_chars(text.data(), text.data() + text.size(), x);
  return x;
}

/// Digits of x up to the one at `place`; 0 and less where that is in front of them.
int digits_to(double x, int place) { return exponent_of(x) - place + 1; }

/// Towards −∞, to the digit at `place`.
double floor_at(double x, int place) {
  if (!std::isfinite(x) || x == 0) return x;
  const int digits = std::min(digits_to(x, place), most_digits);
  if (digits < 1) return x > 0 ? 0.0 : -power_of_ten(place);
  const double nearest = rounded(x, digits);
  if (nearest <= x) return nearest;
  const double below = nearest - power_of_ten(place);
  return below == 0 ? 0.0 : rounded(below, std::clamp(digits_to(below, place), 1, most_digits));
}
double ceil_at(double x, int place) { return 0.0 - floor_at(-x, place); }

/// The last digit of an estimate: that of its half width's first one.
std::optional<int> last_place(const Known& known) {
  if (!known.confidence || !known.lower || !known.upper) return {};
  const double half = (*known.upper - *known.lower) / 2;
  return std::isfinite(half) && half > 0 ? std::optional(exponent_of(half)) : std::nullopt;
}

bool is_unbounded(const Known& known) {
  return known.confidence && !(known.lower && known.upper && std::isfinite(*known.lower) &&
                               std::isfinite(*known.upper));
}

Decimal end_of(const Known& known, int declared, double end, double (*to)(double, int)) {
  if (!std::isfinite(end) || end == 0) return {end, 1};
  int place = exponent_of(end) - declared + 1;
  if (known.confidence && known.value != 0 && std::isfinite(known.value)) {
    place = exponent_of(known.value) - declared + 1;
    if (const auto last = last_place(known); last && *last >= place) place = *last - 1;
  }
  const double written = to(end, place);
  return {written, written == 0 ? 1 : std::clamp(digits_to(written, place), 1, most_digits)};
}

}  // namespace

int digits_of(const Known& known, int declared) {
  if (is_unbounded(known)) return 1;
  const auto place = last_place(known);
  if (!place || known.value == 0 || !std::isfinite(known.value)) return declared;
  // One digit alone moves a value by up to a third of itself: 2.54 is not 3.
  const bool is_not_0 = *known.lower > 0 || *known.upper < 0;
  const int least = is_not_0 ? std::min(2, declared) : 1;
  // 0.996 to the second place is 1.00: a digit more.
  const int digits = std::clamp(digits_to(known.value, *place), least, declared);
  return std::clamp(digits_to(rounded(known.value, digits), *place), least, declared);
}

Decimal lower_end(const Known& known, int declared) {
  return end_of(known, declared, *known.lower, floor_at);
}
Decimal upper_end(const Known& known, int declared) {
  return end_of(known, declared, *known.upper, ceil_at);
}

Decimal written_confidence(const Known& known, int) {
  constexpr double millionths = 1e6, rounding = 1e-6;  // that of 1 − ((1 − a) + (1 − b)), and more
  const double x = std::floor(*known.confidence * millionths + rounding) / millionths;
  const auto text = fmt::format("{}", x);
  return {x, std::max(1, static_cast<int>(text.size()) - 2)};
}

double rounded_down(double x, int digits) {
  if (!std::isfinite(x) || x == 0) return x;
  return floor_at(x, exponent_of(x) - digits + 1);
}
double rounded_up(double x, int digits) { return 0.0 - rounded_down(-x, digits); }

}  // namespace embedscale::report
