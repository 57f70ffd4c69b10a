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

/// Every kind of check of a fixed number of draws, on nulls and at its smallest effect.
std::vector<Calibration> fixed_kinds(const Plan& plan);

/// Every sequential kind, looked at after each draw.
std::vector<Calibration> sequential_kinds(const Plan& plan);

/// Draws until a sequential check has decided.
struct Spent {
  std::uint64_t runs = 0, draws = 0;  ///< of all runs
  std::uint64_t wrong = 0;            ///< rejected a null, accepted an effect, or not decided
  double mean() const { return static_cast<double>(draws) / static_cast<double>(runs); }
};

/// A sequential check beside the one of a fixed number of draws, at equal rates and effect.
struct Duration {
  std::string kind, drawn;
  double effect = 0;
  std::uint64_t fixed = 0;  ///< draws of the other
  Spent null, at_effect, at_twice;
};
/// At the ledger's rates, in so many runs each.
std::vector<Duration> durations(std::uint64_t seed, std::uint64_t runs);

/// The fields of the words.
using Fields = std::map<std::string, std::string, std::less<>>;

// Each adds a table, or several, as Markdown, and fills the fields that its words name.
std::string calibration_table(const std::vector<Calibration>& all, Rates rates, Fields& fields);
std::string power_table(const std::vector<Calibration>& all, Rates rates, Fields& fields);
std::string duration_table(const std::vector<Duration>& all, Fields& fields);
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
                        const std::vector<Calibration>& kinds,
                        const std::vector<Duration>& durations, const report::Json& inputs);

/// The page's numbers, for data/trust.json.
report::Json record(const std::vector<Calibration>& all, const std::vector<Duration>& durations);

}  // namespace embedscale::trust_analysis
