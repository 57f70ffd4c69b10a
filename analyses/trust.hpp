#pragma once
// How good the checks themselves are: what is simulated, and what is read of the tests' records.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/page.hpp"
#include "trust_calibration.hpp"

namespace embedscale::trust_analysis {

/// Every kind of check, on nulls and at its smallest effect.
std::vector<Calibration> simulated_kinds(const Plan& plan);

/// The fields of the words.
using Fields = std::map<std::string, std::string, std::less<>>;

// Each adds a table, or several, as Markdown, and fills the fields that its words name.
std::string calibration_table(const std::vector<Calibration>& all, Rates rates, Fields& fields);
std::string power_table(const std::vector<Calibration>& all, Rates rates, Fields& fields);
report::Figure calibration_figure(const std::vector<Calibration>& all, Rates rates);

// From the inputs, see trust_inputs.cpp.
std::string ledger_table(const report::Json& inputs, Fields& fields);
std::string mutant_table(const report::Json& inputs, Fields& fields);
/// Errors of 1 %; one that no record rejects is told, too.
std::string one_percent_table(const report::Json& inputs, Fields& fields);
/// "" where source mutation was not run.
std::string mutation_table(const report::Json& inputs, Fields& fields);

/// The page of these counts and records. A pure function.
report::Page trust_page(report::Words words, const Plan& plan,
                        const std::vector<Calibration>& kinds, const report::Json& inputs);

/// The page's numbers, for data/trust.json.
report::Json record(const std::vector<Calibration>& all);

}  // namespace embedscale::trust_analysis
