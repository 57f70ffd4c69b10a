#pragma once
// Places and multipliers, as properties draw them.
#include "../testing/draws.hpp"
#include "../testing/holds.hpp"
#include "scale.hpp"

namespace embedscale::properties::conventions {

using testing::in_range, testing::named;

/// Either rule where d has both, either layout.
inline FrequencyRule any_rule(std::size_t d) {
  const bool tensor2tensor = named("tensor2tensor", in_range(0, 2)) != 0;
  return tensor2tensor && d >= 4 ? FrequencyRule::tensor2tensor : FrequencyRule::paper;
}
inline SinusoidalLayout any_layout() {
  return named("halves", in_range(0, 2)) != 0 ? SinusoidalLayout::halves
                                              : SinusoidalLayout::interleaved;
}

/// A place or a table, where both rules and both layouts have to be among them.
template <class Where>
Where covered(const Where& at) {
  testing::covers("rule of the paper", at.rule == FrequencyRule::paper, 0.25);
  testing::covers("rule of tensor2tensor", at.rule == FrequencyRule::tensor2tensor, 0.25);
  testing::covers("interleaved", at.layout == SinusoidalLayout::interleaved, 0.25);
  testing::covers("halves", at.layout == SinusoidalLayout::halves, 0.25);
  return at;
}

/// A random place to look at: even d, position below 2^17, both rules, both layouts.
inline Start start(std::size_t largest_half) {
  const auto d = named("d", testing::even_widths(1, largest_half));
  const auto position = named("position", in_range<std::int64_t>(0, 1 << 17));
  const auto rule = any_rule(d);
  return {d, position, rule, any_layout()};
}
inline Start start_of_each_kind(std::size_t largest_half) { return covered(start(largest_half)); }

/// 2^k·(1 ± 2^−j), j up to 40: just below or above a power of two, where something may end.
struct BesideAPower {
  int k;
  bool below;
  double value;
};
inline BesideAPower beside_a_power(int lowest, int end) {
  const int k = named("k", in_range(lowest, end));
  const int j = named("j", in_range(1, 41));
  const bool below = named("below", in_range(0, 2)) != 0;
  return {k, below, std::ldexp(1.0 + std::ldexp(below ? -1.0 : 1.0, -j), k)};
}

/// √d or a fraction of either sign.
inline double multiplier(std::size_t d) {
  const auto m = named("m", testing::nonzero_rationals());
  const bool root = named("root d for m", in_range(0, 2)) != 0;
  return root ? root_multiplier<double>(d) : static_cast<double>(m);
}

}  // namespace embedscale::properties::conventions
