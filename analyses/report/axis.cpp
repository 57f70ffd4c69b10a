#include "report/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/table.hpp"

namespace embedscale::report {
namespace {

constexpr double room = 0.04;  // on either side, of the data's extent

/// The scale's own coordinate, and back.
double along(Scale scale, double x) {
  if (scale == Scale::linear) return x;
  return scale == Scale::log2 ? std::log2(x) : std::log10(x);
}
double value_at(Scale scale, double t) {
  if (scale == Scale::linear) return t;
  return scale == Scale::log2 ? std::exp2(t) : std::pow(10.0, t);
}

double six_digits(double x) { return std::stod(fmt::format("{:.6g}", x)); }

}  // namespace

Range padded(Scale scale, double lowest, double highest) {
  double low = along(scale, lowest);
  double high = along(scale, highest);
  if (scale == Scale::linear) {
    if (low > 0 && low < high / 2) low = 0;
    if (high < 0 && high > low / 2) high = 0;
  }
  // One value only: a tenth of it to either side, or one power.
  if (low == high) {
    const double reach = scale != Scale::linear || low == 0 ? 1 : std::abs(low) / 10;
    low -= reach;
    high += reach;
  }
  const double margin = room * (high - low);
  return {six_digits(value_at(scale, low - margin)), six_digits(value_at(scale, high + margin))};
}

double fraction(Scale scale, Range range, double value) {
  const double low = along(scale, range.low);
  return (along(scale, value) - low) / (along(scale, range.high) - low);
}

std::vector<Tick> ticks(Scale scale, Range range, int most) {
  if (scale == Scale::linear) return {};
  const int base = scale == Scale::log2 ? 2 : 10;
  const int first = static_cast<int>(std::ceil(along(scale, range.low)));
  const int last = static_cast<int>(std::floor(along(scale, range.high)));
  const bool plain = base == 2 ? first >= 0 && last <= 16 : first >= -3 && last <= 4;
  std::vector<Tick> all;
  if (base == 10 && last - first < 2 && plain) {
    for (int n = first - 1; n <= last; ++n)
      for (const int digit : {1, 2, 5}) {
        const double at = digit * std::pow(10.0, n);
        if (range.low <= at && at <= range.high) all.push_back({at, fmt::format("{:.6g}", at)});
      }
    return all;
  }
  // Every step-th power, counted from the zeroth, so that the labels are round.
  const int step = std::max(1, (last - first + most) / most);
  for (int n = first; n <= last; ++n) {
    if (n % step != 0) continue;
    const double at = std::pow(static_cast<double>(base), n);
    all.push_back({at, plain ? fmt::format("{:.6g}", at) : std::to_string(base) + superscript(n)});
  }
  return all;
}

}  // namespace embedscale::report
