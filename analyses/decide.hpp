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
#include "compare/compare.hpp"

namespace embedscale::decide {

using report::Json;

/// What to do with a system's factor, and in brackets what that stands on.
namespace verdict {
inline constexpr std::string_view keep = "keep (trained)",  ///< √d, as in a training study
    put_in = "put it in (trained)",                         ///< unscaled, as in the first one
    try_it = "try it (trained)",                            ///< no factor, as in the second one
    no_matter = "no matter (derived)",   ///< a norm reads all; shares within a factor 2
    leave = "leave it (computed)",       ///< figures alone, which do not tell what trains better
    unknown = "leave it (no evidence)";  ///< a figure is missing
}  // namespace verdict

/// One of them, by the figures and by what was trained.
std::string_view verdict_of(const compare::Parametrisations& comparison);

/// reports/decide.md.
///
/// Errors    std::invalid_argument where the words miss a part or a verdict, or name a system or a
///           field that there is not; whatever the sentences throw; report::FileError.
std::string page(const Json& results, const report::Words& words);

}  // namespace embedscale::decide
