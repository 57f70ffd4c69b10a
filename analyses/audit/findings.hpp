#pragma once
// What stands out in an audit, each finding with the claim that it is an instance of.
#include "audit/scales.hpp"

#include <string>
#include <vector>

namespace embedscale::audit {

enum class Severity {
  note,    ///< worth knowing
  warning  ///< one part all but drowns another, or a softmax or a loss starts far from uniform
};

struct Finding {
  std::string claim;  ///< "topic.predicate"
  Severity severity;
  std::string sentence;  ///< with its numbers
};

/// In the order of the computation: input, first norm, first attention, output.
std::vector<Finding> findings_of(const Configuration& configuration, const Scales& scales);

std::string_view name_of(Severity severity);

}  // namespace embedscale::audit
