// Where the formats overflow.
#include "properties/precision/overflow.hpp"

#include "precision/sections.hpp"
#include "properties/domain/widths.hpp"

namespace embedscale::precision_analysis::limits {
namespace {

using namespace properties::precision::overflow;

template <class Real>
void measure_thresholds(Section& s, const std::vector<std::uint64_t>& widths) {
  const Place at{{"format", FormatTraits<Real>::name}};
  for (const auto* quantity : {"overflows_below", "numbers_beyond", "down_overflows"})
    s.measure_failures(quantity, at,
                       "a_token_overflows_up_exactly_beyond_the_threshold_and_never_down");
  s.measure_failures(
      "faint_disagreements", at,
      "a_position_vanishes_down_exactly_below_half_the_least_number_and_no_token_up");
  s.measure("overflows_from", at, overflows_from<Real>(), "closed form");
  if (const auto largest = largest_width<Real>(); largest != 0)
    s.measure("largest_width", at, static_cast<double>(largest), "closed form");
  s.sweep("closed form", at, axis("d_model", widths), [](std::uint64_t d) {
    return Values{{"largest_entry", double(largest_token(root_multiplier<Real>(d)))}};
  });
  constexpr std::size_t many = 4096;  // more than 1/u of any
  s.measure("most_ones", at, sum_of_ones<Real>(many, library<Real>), exhaustive);
  for (const std::size_t n : {64u, 128u})
    s.measure("largest_in_product", Place(at).set("d_k", n),
              double(largest_in_dot<Real>(n, library<Real>)), exhaustive);
}

/// The first token of binary16 that overflows, to be checked by hand.
void measure_example(Section& s, std::uint64_t d) {
  const auto m = root_multiplier<binary16>(d);
  const auto e =
      properties::precision::number<binary16>(largest_token(m).bits() + std::uint64_t{1});
  if (!isfinite(e)) return;
  const Place at{{"d_model", d}, {"multiplier", double(m)}};
  s.measure("example_entry", at, double(e));
  s.measure("example_product", at, double(m) * double(e));
}

}  // namespace

void overflow_limits(Section& s, const Options& options) {
  const auto widths = points(options.widths, properties::domain::common_widths);
  for_each_small_format([&]<class Real>() { measure_thresholds<Real>(s, widths); });
  for (const auto d : widths) measure_example(s, d);
  measure_range_of_systems(s);
}

}  // namespace embedscale::precision_analysis::limits
