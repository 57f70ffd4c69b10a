#pragma once
// One run of a property's body by RapidCheck, case by case: what came of it, how a test records
// that, and when the test fails.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../claim.hpp"
#include "../evidence/coverage.hpp"
#include "holds.hpp"

namespace embedscale::properties::testing {

/// How many cases a cheap property runs, and every other one at least.
inline constexpr int default_cases = 10000;

/// How many properties share the rate at which the coverage of a class may be judged wrongly; a
/// self-test counts them.
inline constexpr int most_properties = 300;

/// How often a class that the body requires was met.
struct ClassCoverage {
  std::string name;       ///< as `covers` was told
  double required_share;  ///< of the cases
  std::uint64_t cases;    ///< in the class
  evidence::Coverage judgement;
};

/// What one property did.
struct Outcome {
  enum class Ending {
    held,
    falsified,         ///< by `holds` or `holds_exactly`
    threw,             ///< the body ended in an exception: neither a proof nor a counterexample
    gave_up,           ///< too many cases were discarded
    not_tested_enough  ///< nothing failed; a required class has too few cases, or none was judged
  };
  Ending verdict = Ending::gave_up;
  int cases = 0;               ///< judged by a `holds`, the falsifying one not counted
  bool exhaustive = false;     ///< at each point there is: nothing was drawn
  std::uint64_t seed = 0;      ///< from the property's name and the run's seed
  double worst = 0.0;          ///< largest ratio of all cases, those tried in simplifying, too
  std::string worst_ratio;     ///< the same exactly; "" where nothing was compared to a bound
  std::string worst_case;      ///< where that was
  std::string counterexample;  ///< the simplest one, "m = 2, e = 0, p = 1"
  std::string explanation;     ///< what failed there
  Place place;                 ///< of the `holds` that failed
  std::vector<ClassCoverage> coverage;
};

/// How many cases a property runs whose cases cost so many times a cheap one's: default_cases, or
/// what EMBEDSCALE_CASES says; a `costs`-th of that, but of default_cases none less.
///
/// Requires costs >= 1.
/// Errors   std::invalid_argument if EMBEDSCALE_CASES is not a whole number from 1 on.
int cases_of_run(int costs = 1);

/// Runs a body until it fails or `cases` pass. `name` is its identity: the seed derives from it, so
/// the same property draws the same cases on every machine; EMBEDSCALE_SEED=n shifts all of them.
///
/// EMBEDSCALE_OBSERVATIONS=FILE has each case written there, see observation.hpp.
Outcome run(const std::string& name, int cases, const std::function<void()>& body);

/// A property that held in n cases fails on at most this share of what its generators draw, at a
/// confidence of 95 %: −ln(0.05)/n, or 1 if that is more.
///
/// Source   A share x hides from n independent cases with probability (1 − x)^n <= e^(−nx), which
///          is 0.05 at x = −ln(0.05)/n: Hanley and Lippman-Hand 1983, the "rule of three".
double failing_mass(int cases);

/// "combination_rounds_identically.never_at_another_root"; "" where no test runs.
std::string running_test();

/// The command that repeats the running test with this run's seed and cases.
std::string command_to_repeat();

/// "signs differ: 4988 of 10000 cases (49.9 %, 25 % required)".
std::string text_of(const ClassCoverage& coverage, int cases);

/// Writes an outcome into the test's record; of one that held, the standard output has a line, too,
/// unless GoogleTest was told to be brief.
void record(const Claim& claim, std::string_view property, std::string_view role,
            std::string_view subject, const Outcome& outcome);

/// A GoogleTest failure there, or where the running test is.
void fail_at(const Place& place, const std::string& message);

/// A GoogleTest failure unless the property held: where its `holds` failed, or else where the
/// property is, or else where the running test is; or at a line of the one who tests code of their
/// `own`, with these told. `what` was tested, if that is said.
void expect_held(const Outcome& outcome, const Place& property = {}, std::string_view what = {},
                 const Place& own = {});

/// A GoogleTest failure at the running test unless a mutant (a belief) was falsified.
void expect_falsified(const Outcome& outcome, std::string_view what);

}  // namespace embedscale::properties::testing
