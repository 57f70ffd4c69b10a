#pragma once
// Fields of a document changed from outside: "what if token.multiplier were 1?"
#include <span>
#include <string>
#include <vector>

namespace embedscale::audit {

struct Document;

/// A field changed, "what if": the path of a field and its value in TOML, or as bare words. An
/// empty value takes the field away.
struct Change {
  std::string path, value;
};

/// "token.multiplier=1" as a change.
///
/// Errors    ContentError where there is no "=".
Change change_from(const std::string& text);

/// Puts the values of `changes` in the place of a document's own, in order.
///
/// Errors    ContentError "--set path=value: …" for a path that is not among the `known` ones, or
///           in no table.
void apply(const std::vector<Change>& changes, std::span<const std::string> known,
           Document& document);

}  // namespace embedscale::audit
