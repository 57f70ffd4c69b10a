#pragma once
// reports/results.json, and the small files that are made from it.
#include <cstdint>
#include <filesystem>
#include <string>

#include "report/json.hpp"
#include "report/row.hpp"

namespace embedscale::report {

/// Merges the pages' rows (`data/<topic>.json` below `reports`), in the order of the catalogue.
///
/// Errors    FileError; std::invalid_argument where a claim's row is not there.
Json merged_results(const std::filesystem::path& reports);

/// One line for each verdict that is another, "topic.claim: holds → fails"; "" where none is.
std::string verdict_changes(const Json& before, const Json& after);

/// A badge endpoint for shields.io: green only while every claim of the topic is settled and every
/// mutant is rejected.
Json badge(const Json& results, std::string_view topic);

/// The same for one claim: its finding. The colour says whether it is settled
/// and never what came out, for nobody has to like a truth.
Json claim_badge(const Json& row);

/// Of a tally of source mutants: those that its score is a share of, which compile and are not
/// argued equivalent.
std::uint64_t judged_mutants(const Json& tally);

/// What this was made with; differs from machine to machine.
Json provenance();

}  // namespace embedscale::report
