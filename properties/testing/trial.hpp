#pragma once
// One test of a claim, and the program that runs them.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../claim.hpp"
#include "holds.hpp"

namespace embedscale::properties::testing {

struct Trial {
  enum class Role { holds, rejects, refutes };
  const Claim* claim;
  std::string property;
  Role role;
  std::string subject;      ///< "Library", the mutant, or "" where a belief is refuted
  std::string_view defect;  ///< of the mutant
  std::function<void()> body;
  int costs;   ///< a case, in 30 microseconds: see cases_of_run
  int points;  ///< of an exhaustive property, each of which is a case; 0 where cases are drawn
  Place place;
};
using Trials = std::vector<Trial>;

/// Runs a trial in the running GoogleTest test, records it there, and fails that where the trial
/// ends as it must not.
void judge(const Trial& trial);

/// Fails the running test where the property does not hold; nothing is recorded.
void expect_holds(const Trial& trial);

/// Runs the trials as tests of GoogleTest beside those that are written by hand, named
/// topic_predicate.property[_rejects_mutant] and topic_predicate.refutes_belief. For main().
int run_tests(int argc, char** argv, const Trials& trials);

}  // namespace embedscale::properties::testing
