#include "position_table.hpp"

#include <algorithm>
#include <vector>

#include "../precision/angle.hpp"
#include "../precision/position_table.hpp"
#include "../testing/draws.hpp"
#include "../testing/holds.hpp"
#include "substitute.hpp"

namespace embedscale::properties::subject {
namespace {

using precision::angle::FrequencyBy;
using precision::position_table::At;

/// In units of w·p·u.
double angle_error(std::size_t i, std::size_t d) {
  double worst = 0.0;
  for (const auto way : {FrequencyBy::pow, FrequencyBy::exp, FrequencyBy::recurrence})
    worst = std::max(worst, precision::angle::bound_over_pwu(way, i, d));
  return worst;
}

template <class Real>
void judge(const At& at, SinusoidalLayout layout, Asker& asker) {
  constexpr double u = std::is_same_v<Real, double> ? unit_roundoff<double> : unit_roundoff<float>;
  const auto row = asked_positions<Real>(asker, at.p, 1, at.d, at.rule, 10000, layout);
  const auto exact = precision::position_table::exact_pair(at);
  const double bound = bound_of_an_entry(at, u, precision::rounding_of_an_entry<Real>);
  const bool interleaved = layout == SinusoidalLayout::interleaved;
  const auto share = [&](std::size_t channel, const exact::Decimal50& right) {
    const auto is = exact::Decimal50(static_cast<double>(row[channel]));
    testing::holds(static_cast<double>(abs(is - right)) / bound);
  };
  share(interleaved ? 2 * at.i : at.i, exact.sine);
  share(interleaved ? 2 * at.i + 1 : at.d / 2 + at.i, exact.cosine);
}

}  // namespace

double bound_of_an_entry(const At& at, double computed_in, double of_format) {
  const auto w = static_cast<double>(precision::exact_frequency(at.i, at.d, at.rule));
  return static_cast<double>(at.p) * w * computed_in * angle_error(at.i, at.d) + 2 * computed_in +
         of_format;
}

void judge_an_entry_of_a_table(Asker& asker) {
  using testing::in_range, testing::named;
  std::vector<const char*> formats;
  for (const auto* format : {"binary64", "binary32", "binary16", "bfloat16"})
    if (asker.has("position_table", format)) formats.push_back(format);
  if (formats.empty()) return testing::holds_exactly(true);
  const auto d = 2 * named("d/2", in_range<std::size_t>(1, 513));
  const At at{d, named("i", in_range<std::size_t>(0, d / 2)),
              named("p", in_range<std::int64_t>(0, 1 << 14))};
  const auto layout = named("in halves", in_range(0, 2)) == 0 ? SinusoidalLayout::interleaved
                                                              : SinusoidalLayout::halves;
  const std::string_view format =
      formats[named("format", in_range<std::size_t>(0, formats.size()))];
  if (format == "binary64") judge<double>(at, layout, asker);
  if (format == "binary32") judge<float>(at, layout, asker);
  if (format == "binary16") judge<binary16>(at, layout, asker);
  if (format == "bfloat16") judge<bfloat16>(at, layout, asker);
}

}  // namespace embedscale::properties::subject
