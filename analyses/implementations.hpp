#pragma once
// The page "What do real implementations do?": what `embedscale check --json` found in functions of
// others, one file for each of them and each format. The words are analyses/implementations.md:
//
//   ## tables            ### implementations, ### operations: before each table;
//                        ### violated, ### bounds: headings
//   ## NAME              an implementation, by the name of its files
//   ### claim.property   of what it violates: whose error it is, and what it does to a model;
//                        "*" for all that no other part is about
#include <filesystem>
#include <map>
#include <string>

#include "report/json.hpp"
#include "report/words.hpp"

namespace embedscale::implementations {

using report::Json;

/// What was found, by "name.format".
using Found = std::map<std::string, Json>;
/// Errors    report::FileError; nlohmann::json::exception.
Found read(const std::filesystem::path& directory);

/// One hash of all implementations' sources, as they are below the project: of others the page is
/// stale.
std::string hash_of(const std::filesystem::path& project);

/// reports/implementations.md.
///
/// Errors    std::invalid_argument where what is violated has no words, or words have nothing that
///           is violated; nlohmann::json::exception.
std::string page(const Found& found, const report::Words& words, const std::string& hash);

}  // namespace embedscale::implementations
