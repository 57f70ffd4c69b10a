#pragma once
// The bytes of a configuration, before anything is made of them. What is read is bounded in size
// and in nesting, so that no file can exhaust memory or the stack of a recursive parser.
#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

namespace embedscale::audit {

/// The largest configuration that is read, in bytes: 1 MB.
inline constexpr std::size_t largest_source = 1'000'000;

/// The deepest nesting of brackets, and the most dots in one key, that are read.
inline constexpr int deepest_nesting = 16;

/// All that `in` holds; `file` is its name in errors.
///
/// Errors    ContentError where there is nothing but white space, or more than `largest_source`;
///           InputError where reading fails.
std::string read_source(std::istream& in, std::string_view file);

/// The content of a file.
///
/// Errors    as above; InputError for a missing file, a directory or one that cannot be opened.
std::string read_source(const std::string& file);

/// Errors    ContentError where brackets are nested, or keys are dotted, more than
///           `deepest_nesting` times: toml++ limits the former to 256, and the latter not at all.
void require_shallow(std::string_view toml, std::string_view file);

}  // namespace embedscale::audit
