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

/// Of a tally of source mutants: those that its score is a share of, which compile and are not
/// argued equivalent.
std::uint64_t judged_mutants(const Json& tally);

/// What this was made with; differs from machine to machine.
Json provenance();

}  // namespace embedscale::report
