#pragma once
// An audit in words for people, and in JSON for programs.
#include "audit/scales.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace embedscale::audit {

enum class Severity {
  note,    ///< worth knowing
  warning  ///< one part all but drowns another, or a softmax or a loss starts far from uniform
};

/// What stands out in an audit, with the claim that it is an instance of.
struct Finding {
  std::string claim;  ///< "topic.predicate"
  Severity severity;
  std::string sentence;  ///< with its numbers
};

/// In the order of the computation: input, first norm, first attention, output.
std::vector<Finding> findings_of(const Configuration& configuration, const Scales& scales);

std::string_view name_of(Severity severity);

/// "  label       text", wrapped between words at 79 columns and indented below itself. A word that
/// no line can hold is cut.
std::string paragraph(std::string_view label, const std::string& text);

/// A configuration with all that was found out about it.
struct Audit {
  Configuration configuration;
  Scales scales;
  std::vector<Finding> findings;

  bool warns() const;
};

Audit audit_of(Configuration configuration);

/// One audit as plain text, aligned, at most 79 columns wide, ending in a newline. Numbers have
/// four significant digits.
std::string summary_of(const Audit& audit);

/// One audit as nested objects in JSON, on one line without a newline: each number and each yes or
/// no at its path ("token.rms" is ["token"]["rms"]), null where it is missing; before them `name`
/// and `file`; after them
///   missing   path → the reason
///   methods   path → {method, lower, upper, samples}: the bounds of a quadrature are those of its
///             error, else both are the value; samples is 0, as nothing is drawn
///   findings  [{claim, severity, sentence}]
///   marks     field → inferred, assumed or absent; what is not there was read
///   defaults  field → the default that stands in for it
std::string json_line(const Audit& audit);

}  // namespace embedscale::audit
