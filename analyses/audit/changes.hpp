#pragma once
// Fields of a document changed from outside: "what if token.multiplier were 1?"
#include "audit/configuration.hpp"
#include "audit/entry.hpp"

#include <span>

namespace embedscale::audit {

/// Puts the values of `changes` in the place of a document's own, in order.
///
/// Errors    ContentError "--set path=value: …" for a path that is not among the `known` ones, or
///           in no table.
void apply(const std::vector<Change>& changes, std::span<const std::string> known,
           Document& document);

}  // namespace embedscale::audit
