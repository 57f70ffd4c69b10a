#include "training/study/runs.hpp"

#include <algorithm>

namespace embedscale::training {

namespace study = properties::training;

std::vector<Run> swept_runs(const study::Cell& cell) {
  std::vector<Run> all;
  for (const auto arm : cell.arms)
    for (const double rate : cell.rates)
      for (std::size_t i = 0; i < study::swept_seeds; ++i)
        all.push_back({cell.setting, arm, rate, study::swept_seed(i)});
  return all;
}

std::vector<study::Swept> swept(const study::Cell& cell, study::Arm arm, const Record& record) {
  std::vector<study::Swept> all;
  for (const double rate : cell.rates) {
    study::Swept of{rate, {}};
    for (std::size_t i = 0; i < study::swept_seeds; ++i)
      of.losses.push_back(record.of({cell.setting, arm, rate, study::swept_seed(i)}).loss);
    all.push_back(std::move(of));
  }
  return all;
}

double own_rate(const study::Cell& cell, study::Arm arm, const Record& record) {
  const auto all = swept(cell, arm, record);
  return all[study::own_rate(all)].rate;
}

std::vector<Run> compared_runs(const study::Setting& setting, study::Arm arm, double rate) {
  std::vector<Run> all;
  for (std::size_t i = 0; i < study::compared_seeds; ++i)
    all.push_back({setting, arm, rate, study::compared_seed(i)});
  return all;
}

std::vector<Run> compared_runs(const study::Cell& cell, const Record& record) {
  std::vector<Run> all;
  const auto add = [&](study::Arm arm, double rate) {
    for (auto& run : compared_runs(cell.setting, arm, rate)) all.push_back(std::move(run));
  };
  for (const auto arm : cell.arms) add(arm, own_rate(cell, arm, record));
  for (const auto& comparison : study::comparisons(cell))
    if (comparison.at_equal_rate) {
      const double rate = own_rate(cell, comparison.with, record);
      if (rate != own_rate(cell, comparison.arm, record)) add(comparison.arm, rate);
    }
  return all;
}

std::size_t missing_runs(const study::Cell& cell, const Record& record) {
  const auto missing = [&](const std::vector<Run>& runs) {
    return static_cast<std::size_t>(
        std::ranges::count_if(runs, [&](const Run& run) { return record.find(run) == nullptr; }));
  };
  const auto swept = missing(swept_runs(cell));
  return swept > 0 ? swept + cell.arms.size() * study::compared_seeds
                   : missing(compared_runs(cell, record));
}

/// As measured: the time grows a little slower than the square of the width.
std::uint64_t cost(const study::Setting& setting) {
  const std::uint64_t by_width = setting.d <= 64 ? 1 : setting.d <= 128 ? 3 : 7;
  return by_width * static_cast<std::uint64_t>(setting.steps / study::Setting{}.steps);
}

}  // namespace embedscale::training
