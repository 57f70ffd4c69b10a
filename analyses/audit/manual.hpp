#pragma once
// The fields of a configuration as a person looks them up.
#include <string>

namespace embedscale::audit {

/// A line for each field: its path, what it may be, and what stands where it is not given.
std::string manual();

/// The same as a table in Markdown.
std::string manual_table();

}  // namespace embedscale::audit
