#pragma once
// The page "Should my model keep the factor?", by the comparison over systems of the atlas and a
// grid of situations. The words are analyses/decide.md:
//
//   ## sure, short, systems, positions, blocks, output, scales
//   ### title        some have none and go on under the one before
//   ### text         before the table, with the grid's {d_model}, {vocabulary}, {positions},
//                    {root} = d_model^−½ and {blocks}
//   ### verdicts     of `systems`, behind the table: a list that tells each, "- *keep*: …"
//   ### sentences    behind that, each with its claims; they may tell verdicts, too
//   ### list         of `systems`: their names
#include <string>
#include <string_view>

#include "answer/sentence.hpp"

namespace embedscale::decide {

using report::Json;

/// reports/decide.md.
///
/// Errors    std::invalid_argument where the words miss a part or a verdict, or name a system or a
///           field that there is not; whatever the sentences throw; report::FileError.
std::string page(const Json& results, const report::Words& words);

}  // namespace embedscale::decide
