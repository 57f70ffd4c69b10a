#pragma once
// Which keys a document may have. A misspelt one would otherwise be a default in disguise.
#include "audit/entry.hpp"

#include <span>
#include <string>
#include <string_view>

namespace embedscale::audit {

/// Of the paths ("name", "section.key"), the one most like `path`: fewest edits (a byte inserted,
/// deleted or replaced; letters left out count once) from last part to last part; then one without
/// a section; then from whole to whole; then the first. Only the first 100 bytes of `path` are
/// looked at.
///
/// Requires  at least one path.
std::string nearest_path(std::string_view path, std::span<const std::string> known);

/// Errors    ContentError for a key that is not among the `known` paths, naming the nearest one,
///           and for a section of theirs that is not a table.
void refuse_unknown_keys(const Document& document, std::span<const std::string> known);

}  // namespace embedscale::audit
