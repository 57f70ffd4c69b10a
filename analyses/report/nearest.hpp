#pragma once
// What to say of a name that is none of those there are.
#include <span>
#include <string>
#include <string_view>

namespace embedscale::report {

/// Of names ("name", "section.key") the one most like `name`, "nearest is model.heads": fewest
/// edits (a byte inserted, deleted or replaced, two exchanged; letters left out count once) from
/// last part to last part; then one without a section; then from whole to whole; then the first.
/// Where all are more than a third of their length away: "there are mark, source" of a few,
/// `otherwise` of many. Only the first 100 bytes of `name` are looked at.
std::string nearest(std::string_view name, std::span<const std::string> known,
                    std::string_view otherwise);

}  // namespace embedscale::report
