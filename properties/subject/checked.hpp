#pragma once
// What the properties found in a subject.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "../testing/run.hpp"
#include "asker.hpp"
#include "candidates.hpp"

namespace embedscale::properties::subject {

struct Wanted {
  std::string claims = "*";  ///< a pattern, * for any text
  std::string format;        ///< this alone; all where it is empty
  /// About as many of each property at most: what asks much of a case tries fewer cases.
  std::uint64_t requests = 100000;
  bool shows_progress = false;
};

/// One property of one subject.
struct Finding {
  enum class Verdict {
    holds,
    violated,  ///< a counterexample was found
    failed,    ///< the subject ended, hung, or answered no message
    open       ///< too few cases of what has to be tried
  };
  const Claim* claim;
  std::string property;
  Verdict verdict;
  testing::Outcome outcome;
  std::string failure;      ///< of a subject that failed
  std::vector<Call> calls;  ///< of the simplest counterexample
  std::vector<std::string_view> defects;
  std::map<std::string, std::uint64_t> asked;  ///< requests, by "layer_norm (binary32)"
  std::set<std::string> lacked;                ///< what was not tried, as the subject lacks it
  std::string known = {};                      ///< the baseline's reason, if it has one
  double seconds = 0;

  std::string name() const { return std::string(claim->id) + "." + property; }
  bool is_ill() const { return verdict == Verdict::violated || verdict == Verdict::failed; }
};

struct Checked {
  std::string subject, claims;  ///< what was tried, and the pattern
  std::vector<Finding> findings;
  std::vector<std::string> never_asked;     ///< that it has, and no property asks
  std::vector<std::string> not_applicable;  ///< that it lacks, as a whole or of a kind
  std::vector<std::string> vanished;        ///< of the baseline, and no longer violated
  double seconds = 0;
  std::uint64_t seed = 0;

  /// 1 where something is violated that no baseline knows, or where nothing was tried.
  int exit_code() const;
};

/// Errors    std::invalid_argument: no claim fits the pattern; Failed.
Checked check(Subject& subject, const Wanted& wanted);

/// Each claim with the operations that its properties ask of a subject that has all.
std::map<std::string, std::vector<std::string>> claims_and_operations(Subject& subject);

/// Reasons of known violations, by "claim.property".
using Baseline = std::map<std::string, std::string>;
/// Errors    std::runtime_error: it cannot be read, or is no JSON object of texts.
Baseline read_baseline(const std::string& file);
/// Marks what is known, and tells what vanished of the claims that were tried.
void compare(Checked& checked, const Baseline& baseline);

}  // namespace embedscale::properties::subject
