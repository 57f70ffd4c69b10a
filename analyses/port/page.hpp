#pragma once
// The page about moving a checkpoint, with ports of the atlas in full. The words are
// analyses/port.md: sections in the order of their names,
//
//   ### title
//   ### text     with the fields {example}, {example logits}, {defect 1}, {claim topic.predicate};
//                of a port also {command}, {steps}, {optimizer}, {besides}, {token_table} for the s
//                of a parameter
//   ### from     the port's old code: a system of the atlas, and fields that are set: "a.b=c"
//   ### to       its new code
#include <nlohmann/json_fwd.hpp>

#include <string>

#include "port/port.hpp"
#include "report/words.hpp"

namespace embedscale::port {

/// reports/port.md.
///
/// Errors    std::invalid_argument where the words miss a part or name a field, a defect or a
///           parameter that there is not; audit::ContentError, report::FileError.
std::string page(const nlohmann::ordered_json& results, const report::Words& words);

/// A model of two words and four channels in two codes, as a table: what its port keeps, and what
/// becomes of what it multiplies. And its logits if only the token table is multiplied: "14, −4".
struct Example {
  std::string table, logits_of_table_alone;
};
Example example();

}  // namespace embedscale::port
