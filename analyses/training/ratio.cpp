// Two ways to one ratio of tokens to positions, and what becomes of the ratio in training.
#include "training/results.hpp"

namespace embedscale::training_analysis {

using namespace report;
using namespace properties::training;

namespace {

/// An arm against up, beside which its tokens are fainter or louder.
bool has_another_ratio(const Comparison& c) {
  return c.with == Arm::up && c.arm != Arm::down && c.arm != Arm::folded &&
         c.arm != Arm::folded_at_its_rate;
}

void measure_ratios(Section& s, const Record& record, const Cell& cell, Arm arm) {
  const auto runs = runs_of(record, cell, arm);
  const auto at = place_of(cell, arm);
  const auto vocabulary = vocabulary_of(cell.setting.task);
  s.measure("start_ratio", at,
            token_to_position_ratio(parametrisation<double>(arm, vocabulary, cell.setting.d)),
            "the initial distributions' own");
  s.measure("loss_by_ratio", at, median_over_seeds(runs.losses()));
  measure_curve(s, "ratio_curve", runs, &Outcome::ratio);
  s.measure("end_ratio", at, median_over_seeds(runs.at(&Outcome::ratio, evaluations)),
            "held-out tokens over all positions");
}

}  // namespace

void ratio_is_what_matters(Section& s, const Options&) {
  const Record record;
  const auto cells = finished_cells(record);
  const auto all = count_findings(s, record, cells, one_ratio_is_alike);
  measure_differences(s, all);
  // The other ratios, which decide nothing here.
  for (const auto& one : decided(record, cells, has_another_ratio)) {
    auto at = one.place();
    s.measure("loss_difference", at.set("shown", "ratio"), one.loss, paired);
  }
  for (const auto& cell : cells)
    for (const Arm arm : cell.arms) measure_ratios(s, record, cell, arm);
}

}  // namespace embedscale::training_analysis
