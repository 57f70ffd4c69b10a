#pragma once
// What was found in a subject, as people and as machines read it.
#include <string>

#include "checked.hpp"

namespace embedscale::properties::subject {

/// For people: what is violated, each with the call that shows it, then a line of counts.
std::string text_of(const Checked& checked);

nlohmann::json json_of(const Checked& checked);

/// A JUnit file: a suite for each claim, a case for each property.
///
/// Errors    std::runtime_error: it cannot be written.
void write_junit(const Checked& checked, const std::string& file);

/// "::error title=…::…" of what is violated, a line each.
std::string annotations_of(const Checked& checked);

}  // namespace embedscale::properties::subject
