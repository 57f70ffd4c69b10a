#pragma once
// An audit in words for people, and in JSON for programs.
#include "audit/configuration.hpp"
#include "audit/scales.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace embedscale::audit {

/// One audit as plain text, aligned, at most 79 columns wide, ending in a newline. Numbers have
/// four significant digits.
std::string summary_of(const Configuration& configuration, const Scales& scales);

/// One audit as nested objects: each number and each yes or no at its path ("token.rms" is
/// ["token"]["rms"]), null where it is missing; `missing` maps those paths to the reason; `marks`
/// has what is not read; before them `name` and `file`.
nlohmann::ordered_json json_of(const Configuration& configuration, const Scales& scales);

/// json_of on one line, without a newline.
std::string json_line(const Configuration& configuration, const Scales& scales);

}  // namespace embedscale::audit
