#pragma once
// What one property did, how a test records it, and when the test fails.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../claim.hpp"
#include "../evidence/coverage.hpp"
#include "holds.hpp"

namespace embedscale::properties::testing {

/// How often a class that the body requires was met.
struct ClassCoverage {
  std::string name;       ///< as `covers` was told
  double required_share;  ///< of the cases
  std::uint64_t cases;    ///< in the class
  evidence::Coverage judgement;
};

/// What one property did.
struct Outcome {
  enum class Verdict {
    held,
    falsified,         ///< by `holds` or `holds_exactly`
    threw,             ///< the body ended in an exception: neither a proof nor a counterexample
    gave_up,           ///< too many cases were discarded
    not_tested_enough  ///< nothing failed; a required class has too few cases, or none was judged
  };
  Verdict verdict = Verdict::gave_up;
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

/// A property that held in n cases fails on at most this share of what its generators draw, at a
/// confidence of 95 %: −ln(0.05)/n, or 1 if that is more.
///
/// Source   A share x hides from n independent cases with probability (1 − x)^n <= e^(−nx), which
///          is 0.05 at x = −ln(0.05)/n: Hanley and Lippman-Hand 1983, the "rule of three".
double failing_mass(int cases);

/// The command that repeats the running test with this run's seed and cases.
std::string command_to_repeat();

/// "signs differ: 4988 of 10000 cases (49.9 %, 25 % required)".
std::string text_of(const ClassCoverage& coverage, int cases);

/// Writes an outcome into the test's record; of one that held, the standard output has a line, too,
/// unless GoogleTest was told to be brief.
void record(const Claim& claim, std::string_view property, std::string_view role,
            std::string_view subject, const Outcome& outcome);

/// A GoogleTest failure unless the property held: where its `holds` failed, or else where the
/// property is, or else where the running test is.
void expect_held(const Outcome& outcome, const Place& property = {});

/// A GoogleTest failure at the running test unless a mutant (a belief) was falsified.
void expect_falsified(const Outcome& outcome, std::string_view what);

}  // namespace embedscale::properties::testing
