#pragma once
// What the committed runs come to: outcomes of arms, and differences between them, setting by
// setting.
#include <algorithm>
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
using namespace properties::training;
using cli::Options;
using training::Record, training::Outcome, training::Run;

/// The setup of the runs, a Markdown table.
///
/// Errors    std::invalid_argument where they are of another text than was counted.
std::string setup(const Record& record);
/// All numbers that training moves.
std::uint64_t parameters_of(const Setting& setting);

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

  template <class Of>
  std::vector<double> each(const Of& of) const {
    std::vector<double> all;
    for (const auto* outcome : outcomes) all.push_back(of(*outcome));
    return all;
  }
  std::vector<double> losses() const { return each(std::mem_fn(&Outcome::loss)); }
  /// What each has at this evaluation.
  std::vector<double> at(std::vector<double> Outcome::*of, int evaluation) const {
    return each([&](const Outcome& o) { return (o.*of)[static_cast<std::size_t>(evaluation)]; });
  }
  /// The first step at the threshold or below, as a share of all steps; above 1 for never.
  std::vector<double> steps_to(double threshold) const;
  std::uint64_t never_at(double threshold) const;
  std::uint64_t diverged() const;
  /// Those that end less than loss_of_failure below chance: they never start to learn.
  std::uint64_t never_started() const;
};
/// Errors    std::out_of_range where a run is missing; so below.
ArmRuns runs_of(const Record& record, const Cell& cell, Arm arm, double rate);
ArmRuns runs_of(const Record& record, const Cell& cell, Arm arm);

/// The loss that a run of this setting is timed to.
double threshold(const Record& record, const Cell& cell);

/// So many runs, each of which was trained.
class Seeds : public Counted {
 public:
  explicit Seeds(std::uint64_t n) { add_cases(n); }
};

/// The median over seeds, with its interval.
Value median_over_seeds(std::vector<double> values);

Place place_of(const Cell& cell, Arm arm);
/// That median evaluation by evaluation.
void measure_curve(Section& s, const char* quantity, const ArmRuns& runs,
                   std::vector<double> Outcome::*of);

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
  std::uint64_t never_started, never_started_against;  ///< runs of the arm, and of the other one

  Place place() const;
};

/// All comparisons of these cells that `is_asked` wants.
std::vector<Decided> decided(const Record& record, const std::vector<Cell>& cells,
                             const std::function<bool(const Comparison&)>& is_asked);

/// Measures them: the differences, and what was seen in them.
void measure_differences(Section& s, const std::vector<Decided>& all);

/// What is believed of every comparison that it asks for, and which finding is against it.
struct Believed {
  bool (*asks)(const Comparison& comparison);
  bool (*refutes)(Finding finding);
};
constexpr bool are_unlike(Finding f) { return f == Finding::lower || f == Finding::higher; }
inline constexpr Believed down_is_alike{
    [](const Comparison& c) { return c.arm == Arm::down && c.with == Arm::up; }, are_unlike};
inline constexpr Believed unscaled_is_higher{
    [](const Comparison& c) { return c.arm == Arm::unscaled && c.with == Arm::up; },
    [](Finding f) { return f == Finding::lower || f == Finding::alike; }};
inline constexpr Believed folded_is_as_good{[](const Comparison& c) { return c.at_equal_rate; },
                                            [](Finding f) { return f == Finding::higher; }};
/// Both arms start at one ratio of tokens to positions.
inline constexpr Believed one_ratio_is_alike{
    [](const Comparison& c) {
      const auto is = [&](Arm arm, Arm with) { return c.arm == arm && c.with == with; };
      return !c.at_equal_rate && (is(Arm::down, Arm::up) || is(Arm::folded, Arm::up) ||
                                  is(Arm::multiplier_halved, Arm::positions_doubled) ||
                                  is(Arm::unscaled, Arm::positions_times_root_d));
    },
    are_unlike};

/// Measures how many of those that the belief asks for are found how, and are against it: those.
/// Also by families of settings, whose variants differ in width, length, schedule or output alone
/// and so are no independent witnesses: how many families have one finding throughout.
std::vector<Decided> count_findings(Section& s, const Record& record,
                                    const std::vector<Cell>& cells, const Believed& belief);

}  // namespace embedscale::training_analysis
