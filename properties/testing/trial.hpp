#pragma once
// One test of a claim, and the program that runs them.
#include <functional>
#include <string>
#include <vector>

#include "../claim.hpp"
#include "holds.hpp"

namespace embedscale::properties::testing {

struct Trial {
  enum class Role { holds, rejects, refutes };
  const Claim* claim;
  std::string property;
  Role role;
  std::string subject;  ///< "Library", the mutant, or "" where a belief is refuted
  std::function<void()> body;
  int costs;  ///< a case, in 30 microseconds: see cases_of_run
  Place place;
};
using Trials = std::vector<Trial>;

/// Fails the running GoogleTest test where the property does not hold.
void expect_holds(const Trial& trial);

/// Runs the trials as tests of GoogleTest beside those that are written by hand, named
/// topic_predicate.property[_rejects_mutant] and topic_predicate.refutes_belief. For main().
int run_tests(int argc, char** argv, const Trials& trials);

}  // namespace embedscale::properties::testing
