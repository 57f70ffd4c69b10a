#pragma once
// One run of a property's body by RapidCheck, case by case, and what came of it.
#include <functional>
#include <string>

#include "../ledger.hpp"
#include "holds.hpp"
#include "outcome.hpp"

namespace embedscale::properties::testing {

/// How many cases a cheap property runs, and every other one at least.
inline constexpr int default_cases = 10000;

/// How often the coverage of one class may be judged wrongly, either way: the classes of a run
/// share an entry of the ledger. `covers` refuses more of them in one property; a self-test counts
/// the properties.
inline constexpr int most_properties = 300;
inline constexpr double alpha_of_a_class = ledger::entry<"properties.required_coverage">.alpha /
                                           (most_properties * static_cast<double>(most_classes));

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

}  // namespace embedscale::properties::testing
