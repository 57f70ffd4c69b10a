#pragma once
// The page "How fast are the primitives?": times of several rounds, each of all ways to do a work
// one after the other. The words are analyses/performance.md.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/words.hpp"

namespace embedscale::performance {

/// One round: times by "work/way", in one unit.
using Round = std::map<std::string, double>;

/// What a ratio should be at least, or, of a limit, at most.
struct Goal {
  std::string work, way;  ///< as their names begin
  double ratio;
};

/// The rounds in a directory: NUMBER.GROUP.*.json, as Google Benchmark writes them. Of the group
/// "one" they are told as they are; "all" are works of their own, ours one more way; AVX2 is one
/// more way alone.
///
/// Errors    report::FileError; nlohmann::json::exception.
std::vector<Round> read(const std::filesystem::path& directory);
/// Of performance/works.json.
///
/// Errors    report::FileError; nlohmann::json::exception.
std::vector<Goal> read_goals(const std::filesystem::path& file);

/// reports/performance.md, with {machine} of the words filled in.
///
/// Errors    std::invalid_argument where rounds are none, or not of the same works, or a goal is of
///           nothing that was measured.
std::string page(const std::vector<Round>& rounds, const std::vector<Goal>& goals,
                 const report::Words& words, const std::string& machine);

}  // namespace embedscale::performance
