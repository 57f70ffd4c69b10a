// What a post-norm block makes of a factor where what compensates it is changed, in 50 digits.
#include <algorithm>
#include <cmath>
#include <string>

#include "normalization/sections.hpp"
#include "properties/normalization/changes.hpp"
#include "report/parallel.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;

/// Whether the i-th drawn block's output changes: c = 2^(k/4), k = −16 … 16 without 0, and a/c from
/// 1/4 to 4.
bool changes_output(const Stream& stream, std::uint64_t i, const Change& change) {
  const int k = static_cast<int>(i % 32) - 16;
  const Wide c(std::exp2((k < 0 ? k : k + 1) / 4.0)),
      a(c * Wide(std::exp2((static_cast<int>(i / 32 % 17) - 8) / 4.0)));
  const auto drawn =
      drawn_block<Wide>(stream, i, wide_shape, wide_tokens, NormPlacement::post, change.biases);
  return !output_stays(drawn, c, a, change, BlockPrimitives{});
}

void count_changed(Section& s, const Options& options, const Change& change) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/wide");
  std::vector<char> changed(std::max<std::uint64_t>(1, options.samples / 40));
  in_parallel(changed.size(),
              [&](std::uint64_t i) { changed[i] = changes_output(stream, i, change); });
  s.measure("blocks_changed", {{"change", change.name}},
            over<Tally>(changed.size(), [&](std::uint64_t i) { return changed[i] != 0; }),
            "drawn blocks of 4 channels in 50 digits");
}

}  // namespace

void post_norm_block(Section& s, const Options& options) {
  s.measure_failures("outputs_changed", {}, "compensated_in_50_digits");
  s.measure_worst("worst_share_of_bound", {}, "compensated_in_50_digits");
  for (const auto& change : harmless_changes) {
    count_changed(s, options, change);
    if (&change != harmless_changes)  // it changes something
      s.measure_failures("harmless_changes", {{"change", change.name}}, "compensated_in_50_digits");
  }
  for (const auto& change : harmful_changes) {
    s.measure_failures("outputs_that_stay", {{"change", change.name}}, "each_part_is_needed");
    count_changed(s, options, change);
  }
  s.measure_failures("bit_disagreements", {}, "compensated_to_the_bit");
  s.measure_failures("temperature_disagreements", {}, "otherwise_a_temperature");
  measure_post_norm_starts(s, options);
}

}  // namespace embedscale::normalization_analysis
