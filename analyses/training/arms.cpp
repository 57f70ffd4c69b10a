// The arms of every setting, each at its own rate; and up against down.
#include "training/results.hpp"

namespace embedscale::training_analysis {

using namespace report;
using namespace properties::training;

namespace {

constexpr const char* method = "runs of the training study";

/// What is seen of one arm: the loss at its own rate, how wide the range of good rates is.
void measure_arm(Section& s, const Record& record, const Cell& cell, Arm arm) {
  const auto runs = runs_of(record, cell, arm);
  const auto at = place_of(cell, arm);
  const auto sweep = training::swept(cell, arm, record);
  const auto good = good_rates(sweep, good_rate_within);
  s.measure("loss", at, median_over_seeds(runs.losses()), method);
  s.measure("own_rate", at, runs.rate, "the least mean loss of the sweep");
  s.measure("diverged", at, static_cast<double>(runs.diverged()), method);
  s.measure("failed", at, static_cast<double>(runs.failed()), method);
  const double limit = threshold(record, cell);
  s.measure("never_reached", at, static_cast<double>(runs.never_at(limit)));
  if (runs.never_at(limit) == 0)
    s.measure("reached_steps", at, median_over_seeds(runs.steps_to(limit)));
  if (!good.cut_below) s.measure("good_rates_from", at, Value::example(good.lower));
  if (!good.cut_above) s.measure("good_rates_to", at, Value::example(good.upper));
  for (const auto& [rate, losses] : sweep) {
    Place swept = at;
    s.measure("swept_loss", swept.set("rate", rate),
              Value::example(mean_loss({rate, losses})).to_digits(4));
  }
}

/// What is lost at the rate that is the best for another arm.
void measure_borrowed_rate(Section& s, const Record& record, const Cell& cell, Arm arm) {
  const auto sweep = training::swept(cell, arm, record);
  const auto own = own_rate(sweep);
  const double rate = training::own_rate(cell, Arm::up, record);
  for (const auto& one : sweep)
    if (one.rate == rate)
      s.measure("loss_at_rate_of_up", place_of(cell, arm),
                Value::example(mean_loss(one) - mean_loss(sweep[own])));
}

/// How many arms are best at the first or the last rate of their grid, and might be better beyond.
std::size_t own_rates_at_an_end(const Record& record, const std::vector<Cell>& cells) {
  std::size_t all = 0;
  for (const auto& cell : cells)
    for (const Arm arm : cell.arms) {
      const auto all_rates = training::swept(cell, arm, record);
      const auto own = own_rate(all_rates);
      if (own == 0 || own + 1 == all_rates.size()) ++all;
    }
  return all;
}

}  // namespace

void up_equals_down(Section& s, const Options&) {
  const Record record;
  const auto cells = finished_cells(record);
  const auto all = count_findings(s, record, cells, down_is_alike);
  measure_differences(s, all);
  for (const auto& cell : cells) {
    for (const Arm arm : cell.arms) {
      measure_arm(s, record, cell, arm);
      measure_borrowed_rate(s, record, cell, arm);
      measure_curve(s, "curve", runs_of(record, cell, arm), &Outcome::curve);
    }
  }
  s.measure("own_rates_at_an_end", {}, static_cast<double>(own_rates_at_an_end(record, cells)));
  s.measure("settings", {}, static_cast<double>(cells.size()));
  s.measure("runs", {}, static_cast<double>(record.size()));
}

void unscaled_is_worse(Section& s, const Options&) {
  const Record record;
  const auto cells = finished_cells(record);
  const auto all = count_findings(s, record, cells, unscaled_is_higher);
  measure_differences(s, all);
  for (const auto& one : all) measure_borrowed_rate(s, record, *one.cell, Arm::unscaled);
}

}  // namespace embedscale::training_analysis
