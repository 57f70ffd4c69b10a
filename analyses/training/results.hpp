#pragma once
// What the committed runs come to: outcomes of arms, and differences between them, setting by
// setting.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "properties/training/claims.hpp"
#include "properties/training/design.hpp"
#include "properties/training/paired.hpp"
#include "report/section.hpp"
#include "training/study/record.hpp"
#include "training/study/runs.hpp"

namespace embedscale::training_analysis {

using namespace report;
using cli::Options;
using namespace properties::training;
using properties::Part;
using training::Record, training::Outcome, training::Run;

/// How a measurement says that it compares two arms seed by seed.
inline constexpr const char* paired = "paired runs of the training study";

/// "text, pre-norm", and what is unlike the first settings: "text, pre-norm, momentum".
std::string title_of(const Setting& setting);

/// The settings of the design whose runs are all there, in its order.
std::vector<Cell> finished_cells(const Record& record);

/// All runs of one arm of a setting at one rate, on the seeds that compare.
struct ArmRuns {
  const Cell* cell;
  Arm arm;
  double rate;
  std::vector<const Outcome*> outcomes;  ///< seed by seed

  std::vector<double> losses() const;
  /// The first step at the threshold or below, as a share of all steps; above 1 for never.
  std::vector<double> steps_to(double threshold) const;
  std::uint64_t never_at(double threshold) const;
  std::uint64_t diverged() const;
  /// Those that know hardly more in the end than how frequent the tokens are.
  std::uint64_t failed() const;
};
/// Errors    std::out_of_range where a run is missing; so below.
ArmRuns runs_of(const Record& record, const Cell& cell, Arm arm, double rate);
ArmRuns runs_of(const Record& record, const Cell& cell, Arm arm);

/// The loss that a run of this setting is timed to.
double threshold(const Record& record, const Cell& cell);

/// The median over seeds, with its interval.
Value median_over_seeds(std::vector<double> values);

/// A comparison, decided by the loss at the end; the steps to the threshold are told beside it.
/// Open in a setting that most runs of `up` do not learn either.
struct Decided {
  const Cell* cell;
  Comparison comparison;
  Value loss;                  ///< median difference, with its interval
  std::optional<Value> steps;  ///< the same; none where some run is never at the threshold
  double half_width;           ///< of the interval of the loss
  Finding by_loss, by_steps;
  bool is_beyond;  ///< the whole interval of the loss is further from 0 than what counts

  Place place() const;
};

/// All comparisons of these cells that `is_asked` wants.
std::vector<Decided> decided(const Record& record, const std::vector<Cell>& cells,
                             const std::function<bool(const Comparison&)>& is_asked);

/// Measures them: the differences, and what was seen in them.
void measure_differences(Section& s, const std::vector<Decided>& all);

/// A belief about every comparison: `refutes` says which finding is against it. Where none is, but
/// one is undecided, nothing is settled.
void settle(Section& s, const std::vector<Decided>& all,
            const std::function<bool(Finding)>& refutes);

}  // namespace embedscale::training_analysis
