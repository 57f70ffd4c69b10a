#pragma once
// The page "keep, drop, fold or move the factor?", by the comparison over systems of the atlas and
// a grid of situations. The words are analyses/decide.md:
//
//   ## short, systems, positions, blocks, output
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

/// Whether a system's factor is to stay where there is one, and to stay out where there is none.
/// Balance: a ratio of token to position from ½ to 2. Share: the token's, of a pre-norm stream.
namespace verdict {
inline constexpr std::string_view keep = "keep",  ///< balanced with it, not without
    not_needed = "balanced as it is",             ///< has none, balanced without alone
    balanced_without = "balanced without it",     ///< has it, balanced without alone
    against_share = "as it is: share falls",      ///< and then with less than half the share
    would_balance = "would balance",              ///< has none, balanced with it alone
    both = "balanced either way",                 ///< with it and without
    neither = "neither balances",                 ///< nor both
    stream = "as it is: no ratio",                ///< no ratio; shares a factor 2 apart
    epsilon = "does not matter",                  ///< no ratio; shares as they are
    temperature = "sets the first attention's temperature",  ///< no ratio; no stream to have shares
    unknown = "not known";                                   ///< a figure is missing
}  // namespace verdict

/// One of them, by the figures alone.
std::string_view verdict_of(const compare::Parametrisations& comparison);

/// reports/decide.md.
///
/// Errors    std::invalid_argument where the words miss a part or a verdict, or name a system or a
///           field that there is not; whatever the sentences throw; report::FileError.
std::string page(const Json& results, const report::Words& words);

}  // namespace embedscale::decide
