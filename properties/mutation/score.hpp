#pragma once
// What became of the mutants, counted, and the score with its interval.
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../evidence/proportion.hpp"
#include "equivalent.hpp"
#include "mutant.hpp"

namespace embedscale::properties::mutation {

enum class Fate {
  killed,     ///< a test failed, or a static_assert of one
  timed_out,  ///< a test used ten times its processor time and more: killed
  survived,   ///< every program that includes the header passed
  invalid     ///< does not compile: no mutant
};

struct Result {
  Mutant mutant;
  Fate fate;
  std::string by;      ///< the program and its test that killed it; why it is invalid
  double seconds = 0;  ///< of the processor, compiling and running
};

/// Both tails of the interval of a score together.
inline constexpr double interval_alpha = 0.05;

/// How many of what; a survivor that is argued equivalent counts as that only.
struct Tally {
  std::uint64_t mutants = 0, killed = 0, timed_out = 0, survived = 0, equivalent = 0, invalid = 0;

  std::uint64_t dead() const { return killed + timed_out; }
  std::uint64_t judged() const { return dead() + survived; }
  /// Killed of those not argued equivalent; 1 where there are none.
  double score() const {
    return judged() == 0 ? 1.0 : static_cast<double>(dead()) / static_cast<double>(judged());
  }
  evidence::Interval interval() const {
    return evidence::clopper_pearson(judged(), dead(), interval_alpha);
  }
};

/// What a run has to say.
struct Verdict {
  std::map<std::string, Tally> by_header;
  Tally total;
  double seconds = 0;                      ///< of the processor, for all of them
  std::vector<Result> unexplained;         ///< survived, not argued equivalent
  std::vector<Result> killed_equivalents;  ///< argued equivalent, killed all the same

  bool passes(double least_score) const {
    return total.judged() + total.equivalent > 0 && total.score() >= least_score &&
           unexplained.empty() && killed_equivalents.empty();
  }
};

inline Verdict judge(const std::vector<Result>& results, const std::vector<Equivalent>& argued) {
  Verdict verdict;
  for (const Result& result : results) {
    verdict.seconds += result.seconds;
    const bool listed = std::ranges::count(argued, result.mutant.id, &Equivalent::id) > 0;
    const bool dead = result.fate == Fate::killed || result.fate == Fate::timed_out;
    const bool explained = listed && result.fate == Fate::survived;
    for (Tally* tally : {&verdict.by_header[result.mutant.header], &verdict.total}) {
      ++tally->mutants;
      tally->killed += result.fate == Fate::killed;
      tally->timed_out += result.fate == Fate::timed_out;
      tally->invalid += result.fate == Fate::invalid;
      tally->equivalent += explained;
      tally->survived += result.fate == Fate::survived && !explained;
    }
    if (listed && dead) verdict.killed_equivalents.push_back(result);
    if (!listed && result.fate == Fate::survived) verdict.unexplained.push_back(result);
  }
  return verdict;
}

}  // namespace embedscale::properties::mutation
