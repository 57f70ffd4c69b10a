#pragma once
// What became of mutants, a line of JSON each. And the score: the same counted, with an interval.
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "mutant.hpp"

namespace embedscale::properties::mutation {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

enum class MutantStatus {
  killed,     ///< a test failed, or a static_assert of one
  timed_out,  ///< a test program took ten times its time and more: killed
  survived,   ///< every test program that reads the file passed
  invalid     ///< does not compile: no mutant
};
NLOHMANN_JSON_SERIALIZE_ENUM(MutantStatus, {{MutantStatus::killed, "killed"},
                                            {MutantStatus::timed_out, "timed out"},
                                            {MutantStatus::survived, "survived"},
                                            {MutantStatus::invalid, "invalid"}})

struct Result {
  std::string id;  ///< of the mutant
  MutantStatus fate = MutantStatus::survived;
  std::string by = {};  ///< the program and the test that killed it; why it is invalid
  /// Programs and processor seconds of each; the last one decided.
  std::vector<std::pair<std::string, double>> tried = {};

  std::string file() const { return id.substr(0, id.find('#')); }
  bool is_dead() const { return fate == MutantStatus::killed || fate == MutantStatus::timed_out; }
};

/// As a line of JSON, and back.
std::string text_of(const Result& result);
Result result_in(const std::string& text);

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

/// Whether something that compiles was tried, and survivors, and only they, are argued equivalent.
bool passes(const Json& score);

/// Counts, score, and the ids of what makes it fail.
std::string summary(const Json& score);

/// "10 killed, 1 survived, 1 invalid": what there is.
std::string counted(const Json& tally);

}  // namespace embedscale::properties::mutation
