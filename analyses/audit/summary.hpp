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
  // Of a warning:
  std::string brief = {};   ///< what is off, in some words
  std::string remedy = {};  ///< "PATH = VALUE, for …": what mends it in a model to be trained
};

/// In the order of the computation: input, first norm, first attention, output.
std::vector<Finding> findings_of(const Configuration& configuration, const Scales& scales);

std::string_view name_of(Severity severity);

/// What an audit comes to, in one sentence: what is badly off and what would mend it, else that
/// nothing is; and what was not told, so that it may be.
std::string verdict_of(const Configuration& configuration, const Scales& scales,
                       const std::vector<Finding>& findings);

/// The claim that the figure at a path is an instance of, "topic.predicate".
///
/// Errors    std::invalid_argument for a path that there is not.
std::string_view claim_of(std::string_view path, const Configuration& configuration);

/// "  label       text", wrapped between words at 79 columns and indented below itself. A word that
/// no line can hold is cut.
std::string paragraph(std::string_view label, const std::string& text);

/// "missing": each reason once, with all that is missing for it.
struct Gap {
  std::string what, reason;
};
std::string missing_words(const std::vector<Gap>& gaps);

/// What the entropy and the loss of an audit are measured in, and against.
std::string entropy_words(const Configuration& configuration);
std::string loss_words(const Configuration& configuration);

/// "0.7071".
std::string four_digits(double x);

/// A configuration with all that was found out about it.
struct Audit {
  Configuration configuration;
  Scales scales;
  std::vector<Finding> findings;

  bool warns() const;
};

Audit audit_of(Configuration configuration);

/// One audit as plain text, ending in a newline: its name with its verdict; the factor, what it
/// does and, unless something is badly off, what to do with it; the configuration; the figures,
/// each with four significant digits and its claim; what stands out, and what is missing. At most
/// 79 columns wide, 99 where the figures are.
std::string summary_of(const Audit& audit);

/// The significant digits of figures in JSON: those that every processor and C library agrees on,
/// as what the formulas round is some units of 1e−16. A multiplier is there in full.
inline constexpr int json_digits = 10;
/// Two roundings to so many digits are at most so far off, relative to the number.
inline constexpr double json_precision = 1e-9;
double in_json_digits(double x);

/// One audit as nested objects in JSON, on one line without a newline: each number and each yes or
/// no at its path ("token.rms" is ["token"]["rms"]), null where it is missing; before them `name`,
/// `file` and `verdict`; after them
///   missing   path → the reason
///   methods   path → {method, lower, upper, samples}: the bounds of a quadrature are those of its
///             error, else both are the value; samples is 0, as nothing is drawn
///   claims    path → the claim that the figure is an instance of
///   findings  [{claim, severity, sentence, remedy}], remedy only of a warning
///   fields    field → {value, mark, source}: a text, null where it is not told, "" where it has no
///             effect; the last two where [marks] has them
///   marks     field → inferred, assumed or absent; what is not there was read
///   defaults  field → the default that stands in for it
///   without_effect  field → what it would need, of Configuration::without_effect
std::string json_line(const Audit& audit);

}  // namespace embedscale::audit
