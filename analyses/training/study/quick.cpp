#include "training/study/quick.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "cli/program.hpp"
#include "training/study/runs.hpp"
#include "training/study/train.hpp"

namespace embedscale::training {

namespace study = properties::training;

namespace {

constexpr int few_steps = 15;

/// Every arm once, and the first one twice.
std::vector<Run> runs_of(const study::Cell& cell) {
  auto setting = cell.setting;
  setting.steps = few_steps;
  std::vector<Run> all;
  for (const auto arm : cell.arms) all.push_back({setting, arm, cell.rates[1], 0});
  all.push_back(all.front());
  return all;
}

/// What is wrong with these runs of one cell; "" where nothing is.
std::string fault(const std::vector<Run>& runs, const std::vector<study::Outcome>& outcomes) {
  if (outcomes.front().bits != outcomes.back().bits) return "one run twice has other bits";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& outcome = outcomes[i];
    if (outcome.diverged)
      return fmt::format("{} diverges in {} steps", name_of(runs[i]), few_steps);
    if (runs[i].arm == study::Arm::up && !(outcome.curve.back() < outcome.curve.front()))
      return "up learns nothing";
    if (runs[i].arm == study::Arm::folded_at_its_rate && is_exact(runs[i].setting) &&
        outcome.bits != outcomes.front().bits)
      return "the folded table at its rate has other bits than up";
    if (runs[i].arm == study::Arm::unscaled && outcome.bits == outcomes.front().bits)
      return "unscaled has the bits of up";
  }
  return "";
}

}  // namespace

int quick(const std::vector<study::Cell>& cells, const Text& text) {
  std::atomic<int> code{cli::done};
  tbb::parallel_for(std::size_t{0}, cells.size(), [&](std::size_t i) {
    const auto runs = runs_of(cells[i]);
    std::vector<study::Outcome> outcomes;
    for (const auto& run : runs) outcomes.push_back(trained(run, text));
    const auto wrong = fault(runs, outcomes);
    if (wrong.empty()) return;
    fmt::print(stderr, "training: {}: {}\n", study::name_of(cells[i].setting), wrong);
    code = cli::differs;
  });
  return code;
}

}  // namespace embedscale::training
