#pragma once
// What to do with a configuration's factor, by the figures of its comparison and by what was
// trained: the verdicts of reports/decide.md.
#include "compare/compare.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace embedscale::compare {

/// In brackets what each stands on.
namespace verdict {
inline constexpr std::string_view keep = "keep (trained)",  ///< √d, as in a training study
    put_in = "put it in (trained)",                         ///< unscaled, as in the first one
    try_it = "try it (trained)",                            ///< no factor, as in the second one
    no_matter = "no matter (derived)",      ///< a norm reads all; shares within a factor 2
    leave = "leave as is (computed)",       ///< figures alone, which do not tell what trains better
    unknown = "leave as is (no evidence)";  ///< a figure is missing
}  // namespace verdict

struct Decision {
  std::string_view verdict;
  std::vector<std::string_view> claims;  ///< that it stands on: "topic.predicate"
  /// Why there is no figure, where it is unknown; where it is left, what the models have that were
  /// trained, and this one has not: "the training study's models have RMSNorm".
  std::string because = {};
};

/// Requires  a comparison with the depth `decision_depth`.
/// Ensures   `because` is not empty for these two alone.
Decision decision_of(const Parametrisations& comparison);
inline constexpr std::uint64_t decision_depth = 12;

}  // namespace embedscale::compare
