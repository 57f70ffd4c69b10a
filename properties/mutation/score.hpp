#pragma once
// The score: what became of mutants, counted, with an interval.
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mutant.hpp"
#include "results.hpp"

namespace embedscale::properties::mutation {

using Json = nlohmann::ordered_json;

/// Mutants argued to be no change at all, by their ids, with the reason.
using Equivalents = std::map<std::string, std::string>;

/// Those of a text that people write and read:
///
///   # A comment.
///   attention.hpp#1f2e3d4c5b6a
///     The change, in words or as a line.
///     Why no test can tell it from the original.
///
/// Errors    std::invalid_argument: something else, an id without a reason or given twice.
Equivalents parse_equivalents(std::string text);

/// How many of what; the score is the share of the killed in those that are valid and not argued
/// equivalent, 1 where there are none. A survivor that is argued equivalent counts as that only.
Json tally(const std::vector<Result>& results, const Equivalents& argued);

/// What score.json holds and the page about trust shows, of a beginning of `order`.
Json score(const std::vector<Result>& results, const std::vector<Mutant>& order,
           const Equivalents& argued, std::uint64_t seed);

/// Whether enough were killed, and all survivors and only survivors are argued equivalent.
bool passes(const Json& score);

/// Counts, score, and the ids of what makes it fail.
std::string summary(const Json& score);

/// "12 of 148 mutants: 10 killed, 1 survived, 1 invalid; 14 min left"; seconds may be infinite.
std::string progress(const Json& tally, std::size_t goal, double seconds_left);

}  // namespace embedscale::properties::mutation
