#pragma once
// A claim's row in results.json, for people: what `embedscale list` and `show` print.
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::report {

using Json = nlohmann::ordered_json;

/// Errors    nlohmann::json::exception.
Json parsed(std::string_view text);

/// Errors    FileError; std::invalid_argument naming the file where it is not JSON.
Json read_json(const std::filesystem::path& path);

// What the command prints of a results.json.  Errors as read_json; std::invalid_argument where it
// is no list of claims.

/// A line for each claim, with its verdict.
std::string list_of_claims(const std::filesystem::path& results);

/// A line for each primitive that a property calls: topic and name, number types, claim, property.
std::string list_of_primitives(const std::filesystem::path& results);

/// The descriptions of some claims, an empty line between two.
///
/// Errors    std::invalid_argument for an id that is not there.
std::string descriptions(const std::filesystem::path& results, const std::vector<std::string>& ids);

}  // namespace embedscale::report
