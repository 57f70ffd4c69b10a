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

/// The rounds in a directory: NUMBER.*.json, as Google Benchmark writes them.
///
/// Errors    report::FileError; nlohmann::json::exception.
std::vector<Round> read(const std::filesystem::path& directory);

/// reports/performance.md, with {machine} of the words filled in.
///
/// Errors    std::invalid_argument where rounds are none, or not of the same works.
std::string page(const std::vector<Round>& rounds, const report::Words& words,
                 const std::string& machine);

}  // namespace embedscale::performance
