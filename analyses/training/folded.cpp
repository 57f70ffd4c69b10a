// The factor inside the table: at the rate of up, at its own, and at the rate that keeps its path.
#include "training/results.hpp"

namespace embedscale::training_analysis {

using namespace report;
using namespace properties::training;

namespace {

/// In how many runs at one rate and seed the folded table has other logits than up, in some bit.
Tally other_bits(const Record& record, const Cell& cell) {
  Tally tally;
  for (const double rate : cell.rates)
    for (std::size_t i = 0; i < swept_seeds; ++i)
      tally.evaluate([&] {
        const auto bits = [&](Arm arm) {
          return record.of({cell.setting, arm, rate, swept_seed(i)}).bits;
        };
        return bits(Arm::up) != bits(Arm::folded_at_its_rate);
      });
  return tally;
}

}  // namespace

void folded_needs_its_own_rate(Section& s, const Options&) {
  const Record record;
  const auto cells = finished_cells(record);
  const auto all = decided(record, cells, [](const Comparison& c) {
    return c.arm == Arm::folded || c.arm == Arm::folded_at_its_rate;
  });
  count_findings(s, record, cells, folded_is_as_good);
  measure_differences(s, all);
  for (const auto& cell : cells) {
    if (std::ranges::count(cell.arms, Arm::folded_at_its_rate) == 0) continue;
    s.measure("bit_disagreements", {{"setting", title_of(cell.setting)}}, other_bits(record, cell),
              "hash of the logits of held-out text");
  }
}

}  // namespace embedscale::training_analysis
