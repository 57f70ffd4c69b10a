#pragma once
// One test of a claim, and the program that runs them.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../claim.hpp"
#include "../evidence/verdict.hpp"
#include "../operation.hpp"
#include "holds.hpp"

namespace embedscale::properties::testing {

/// How many cases a row is tried in.
struct Cases {
  int costs;       ///< a case, in 30 microseconds: see cases_of_run
  int points;      ///< of `every`, each of which is a case; 0 where cases are drawn
  bool is_sample;  ///< the points are drawn ones, and not all that there are
  Cases(int costs = 1, int points = 0, bool is_sample = false)  // NOLINT: a row says just costs
      : costs(costs), points(points), is_sample(is_sample) {}
};

/// What the tables of trials.hpp and the trials made of them say of a claim.
struct Row {
  const Claim* claim;
  Speaks about;
  std::string name;
  Place place;
  Cases cases = {};
};

struct Trial : Row {
  enum class Role { holds, rejects, refutes };
  Role role;
  std::string subject;      ///< "Library", the mutant, or "" where a belief is refuted
  std::string_view defect;  ///< of the mutant
  std::function<void()> body;
  Members members = {};  ///< of the subject, which tell what the body calls
};
using Trials = std::vector<Trial>;

/// The rows of all of these, one table after the other.
template <class Rows>
Rows joined(Rows all, const auto&... more) {
  (all.insert(all.end(), more.begin(), more.end()), ...);
  return all;
}

/// Runs a trial in the running GoogleTest test, records it there, and fails that where the trial
/// ends as it must not.
void judge(const Trial& trial);

/// Fails the running test, at this line, where one of the claim's properties, or the one of this
/// name, does not hold for one's own functions, and where none of these was called by them. `all`
/// are the topic's properties with one subject. Nothing is recorded.
///
/// Errors   std::invalid_argument where there is no such property.
void expect_holds(const Trials& all, const Claim& claim, std::string_view name, const Place& own);

/// "down (binary32, binary64); up (binary32)": those that were called, or those that are one's own.
std::string called(const Members& members);
std::string ones_own(const Members& members);

/// Runs the trials as tests of GoogleTest beside those that are written by hand, named
/// topic_predicate.property[_rejects_mutant] and topic_predicate.refutes_belief, `suffix`
/// behind the predicate where another program tries it, too. For main().
int run_tests(int argc, char** argv, const Trials& trials, const std::string& suffix = "");

}  // namespace embedscale::properties::testing
