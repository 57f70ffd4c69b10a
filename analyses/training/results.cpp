#include "training/results.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "properties/evidence/median.hpp"

namespace embedscale::training_analysis {
namespace {

Value with_interval(const Difference& at_first, std::span<const double> of,
                    std::span<const double> against) {
  const auto interval = [&](double confidence) {
    return paired_difference(of, against, 1 - confidence).interval;
  };
  return Estimate(at_first.median, Seeds(of.size()))
      .with_interval(interval, 1 - per_comparison_alpha());
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return properties::evidence::median(values);
}

Decided decide(const Record& record, const Cell& cell, const Comparison& comparison) {
  const auto against = runs_of(record, cell, comparison.with);
  const auto of = comparison.at_equal_rate ? runs_of(record, cell, comparison.arm, against.rate)
                                           : runs_of(record, cell, comparison.arm);
  const double limit = threshold(record, cell), alpha = per_comparison_alpha();
  const auto losses = of.losses(), other_losses = against.losses();
  const auto steps = of.steps_to(limit), other_steps = against.steps_to(limit);
  const auto loss = paired_difference(losses, other_losses, alpha);
  const auto step = paired_difference(steps, other_steps, alpha);
  const bool is_learnt = median_of(runs_of(record, cell, Arm::up).losses()) <=
                         loss_of_chance(cell.setting.task) - loss_of_failure;
  const bool is_timed = median_of(steps) <= 1 || median_of(other_steps) <= 1;
  const bool all_arrive = of.never_at(limit) + against.never_at(limit) == 0;
  return {
      .cell = &cell,
      .comparison = comparison,
      .loss = with_interval(loss, losses, other_losses),
      .steps = all_arrive ? std::optional(with_interval(step, steps, other_steps)) : std::nullopt,
      .half_width = smallest_seen(loss),
      .by_loss = is_learnt ? judged(loss, loss_that_counts) : Finding::open,
      .by_steps = is_timed ? judged(step, steps_that_count) : Finding::open,
      .is_beyond = is_learnt && (loss.interval.lower > loss_that_counts ||
                                 loss.interval.upper < -loss_that_counts),
      .never_started = of.never_started(),
      .never_started_against = against.never_started()};
}

/// Most of the runs.
bool is_most(std::uint64_t runs) { return 2 * runs > compared_seeds; }
/// Where the arm alone never starts, the difference tells of its start, not of its end.
bool never_starts(const Decided& d) {
  return is_most(d.never_started) && !is_most(d.never_started_against);
}

/// "clearly higher": by more than counts.
std::string text_of(const Decided& d) {
  if (never_starts(d)) return "never starts";
  if (is_most(d.never_started) && is_most(d.never_started_against)) return "neither starts";
  const std::string clearly = d.is_beyond ? "clearly " : "";
  switch (d.by_loss) {
    case Finding::lower: return clearly + "lower";
    case Finding::higher: return clearly + "higher";
    case Finding::open: return "open";
    case Finding::alike: break;
  }
  switch (d.by_steps) {
    case Finding::lower: return "alike, sooner";
    case Finding::higher: return "alike, later";
    default: return "alike";
  }
}

}  // namespace

std::string title_of(const Setting& s) {
  std::string title = s.task == Task::text ? "text" : "reversal";
  title += s.norms == NormPlacement::pre ? ", pre-norm" : ", post-norm";
  if (s.method == Method::momentum) title += ", momentum";
  if (s.output == Output::tied) title += ", tied output";
  if (s.schedule == Schedule::constant) title += ", constant rate";
  if (s.steps != Setting{}.steps)
    title += fmt::format(", {} times the steps", s.steps / Setting{}.steps);
  if (s.d != Setting{}.d) title += fmt::format(", d_model = {}", s.d);
  return title;
}

std::vector<Cell> finished_cells(const Record& record) {
  auto all = cells();
  std::erase_if(all, [&](const Cell& cell) { return training::missing_runs(cell, record) > 0; });
  return all;
}

std::vector<double> ArmRuns::steps_to(double threshold) const {
  return each([&](const Outcome& outcome) {
    return properties::training::steps_to(outcome.curve, threshold, 1.0);
  });
}

std::uint64_t ArmRuns::never_at(double threshold) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(steps_to(threshold), [](double share) { return share > 1; }));
}

std::uint64_t ArmRuns::never_started() const {
  const double least = loss_of_chance(cell->setting.task) - loss_of_failure;
  return static_cast<std::uint64_t>(
      std::ranges::count_if(losses(), [&](double loss) { return loss > least; }));
}

std::uint64_t ArmRuns::diverged() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(outcomes, &Outcome::diverged));
}

ArmRuns runs_of(const Record& record, const Cell& cell, Arm arm, double rate) {
  ArmRuns all{&cell, arm, rate, {}};
  for (const auto& run : training::compared_runs(cell.setting, arm, rate))
    all.outcomes.push_back(&record.of(run));
  return all;
}

ArmRuns runs_of(const Record& record, const Cell& cell, Arm arm) {
  return runs_of(record, cell, arm, training::own_rate(cell, arm, record));
}

double threshold(const Record& record, const Cell& cell) {
  const double rate = training::own_rate(cell, Arm::up, record);
  double sum = 0;
  for (std::size_t i = 0; i < swept_seeds; ++i) {
    const auto& curve = record.of({cell.setting, Arm::up, rate, swept_seed(i)}).curve;
    sum += curve[static_cast<std::size_t>(threshold_at * evaluations + 0.5)];
  }
  return sum / swept_seeds;
}

Value median_over_seeds(std::vector<double> values) {
  std::ranges::sort(values);
  const auto interval = [&](double confidence) {
    return properties::evidence::median_interval(values, 1 - confidence);
  };
  return Estimate(properties::evidence::median(values), Seeds(values.size()))
      .with_interval(interval, NormalConfidence::p999.confidence());
}

Place place_of(const Cell& cell, Arm arm) {
  return {{"setting", title_of(cell.setting)}, {"arm", name_of(arm)}};
}

void measure_curve(Section& s, const char* quantity, const ArmRuns& runs,
                   std::vector<double> Outcome::*of) {
  for (int k = 0; k <= evaluations; ++k)
    s.measure(
        quantity,
        place_of(*runs.cell, runs.arm)
            .set("step", static_cast<std::size_t>(k * (runs.cell->setting.steps / evaluations))),
        median_over_seeds(runs.at(of, k)));
}

Place Decided::place() const {
  Place at{{"setting", title_of(cell->setting)},
           {"arm", name_of(comparison.arm)},
           {"against", name_of(comparison.with)}};
  if (comparison.at_equal_rate) at.set("rates", "equal");
  return at.set("finding", text_of(*this));
}

std::vector<Decided> decided(const Record& record, const std::vector<Cell>& cells,
                             const std::function<bool(const Comparison&)>& is_asked) {
  std::vector<Decided> all;
  for (const auto& cell : cells)
    for (const auto& comparison : comparisons(cell))
      if (is_asked(comparison)) all.push_back(decide(record, cell, comparison));
  return all;
}

void measure_differences(Section& s, const std::vector<Decided>& all) {
  for (const auto& one : all) {
    const auto at = one.place();
    s.measure("loss_difference", at, one.loss, paired);
    if (one.steps) s.measure("steps_difference", at, *one.steps, paired);
    s.measure("half_width", at, Value::example(one.half_width));
    s.measure("never_started", at, static_cast<double>(one.never_started));
    s.measure("never_started_against", at, static_cast<double>(one.never_started_against));
  }
}

std::vector<Decided> count_findings(Section& s, const Record& record,
                                    const std::vector<Cell>& cells, const Believed& belief) {
  auto all = decided(record, cells, belief.asks);
  const auto count = [&](const char* quantity, const auto& is_counted) {
    s.measure(quantity, {}, over<Tally>(all, is_counted), paired);
  };
  count("against", [&](const Decided& d) { return belief.refutes(d.by_loss); });
  for (const auto& [quantity, finding] : {std::pair("undecided", Finding::open),
                                          {"alike", Finding::alike},
                                          {"lower", Finding::lower},
                                          {"higher", Finding::higher}})
    count(quantity, [finding = finding](const Decided& d) { return d.by_loss == finding; });
  count("beyond", [](const Decided& d) { return d.is_beyond; });
  count("never_starting", never_starts);

  std::map<std::tuple<Task, NormPlacement, Method>, std::set<Finding>> families;
  for (const auto& d : all) {
    const auto& of = d.cell->setting;
    families[{of.task, of.norms, of.method}].insert(d.by_loss);
  }
  const auto throughout = [&](const char* found, Finding finding) {
    s.measure("families", {{"throughout", found}},
              over<Tally>(families,
                          [&](const auto& family) { return family.second == std::set{finding}; }),
              paired);
  };
  throughout("higher", Finding::higher);
  throughout("lower", Finding::lower);
  throughout("alike", Finding::alike);
  s.measure("families", {}, static_cast<double>(families.size()), paired);
  return all;
}

}  // namespace embedscale::training_analysis
