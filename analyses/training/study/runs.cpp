#include "training/study/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>

namespace embedscale::training {

namespace study = properties::training;

namespace {

std::vector<Run> chosen_from(const study::Cell& cell, study::Arm arm,
                             std::span<const double> rates) {
  std::vector<Run> all;
  for (const double rate : rates)
    for (std::size_t i = 0; i < study::swept_seeds; ++i)
      all.push_back({cell.setting, arm, rate, study::swept_seed(i)});
  return all;
}

std::vector<study::Swept> found_at(const study::Cell& cell, study::Arm arm,
                                   std::span<const double> rates, const Record& record) {
  std::vector<study::Swept> all;
  for (const double rate : rates) {
    study::Swept of{rate, {}};
    for (const auto& run : chosen_from(cell, arm, std::span(&rate, 1)))
      of.losses.push_back(record.of(run).loss);
    all.push_back(std::move(of));
  }
  return all;
}

/// A factor √2 below and above, to three digits: what a run is called by.
std::array<double, 2> between(double rate) {
  const auto short_of = [](double x) { return std::stod(fmt::format("{:.3g}", x)); };
  return {short_of(rate / std::sqrt(2.0)), short_of(rate * std::sqrt(2.0))};
}

std::array<double, 2> refined_rates(const study::Cell& cell, study::Arm arm, const Record& record) {
  const auto grid = found_at(cell, arm, cell.rates, record);
  return between(grid[study::own_rate(grid)].rate);
}

}  // namespace

std::vector<Run> swept_runs(const study::Cell& cell) {
  std::vector<Run> all;
  for (const auto arm : cell.arms)
    std::ranges::copy(chosen_from(cell, arm, cell.rates), std::back_inserter(all));
  return all;
}

std::vector<Run> refined_runs(const study::Cell& cell, const Record& record) {
  std::vector<Run> all;
  for (const auto arm : cell.arms)
    std::ranges::copy(chosen_from(cell, arm, refined_rates(cell, arm, record)),
                      std::back_inserter(all));
  return all;
}

std::vector<study::Swept> swept(const study::Cell& cell, study::Arm arm, const Record& record) {
  auto all = found_at(cell, arm, cell.rates, record);
  std::ranges::copy(found_at(cell, arm, refined_rates(cell, arm, record), record),
                    std::back_inserter(all));
  std::ranges::sort(all, {}, &study::Swept::rate);
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
  const std::size_t compared = cell.arms.size() * study::compared_seeds;
  if (const auto swept = missing(swept_runs(cell)))
    return swept + cell.arms.size() * 2 * study::swept_seeds + compared;
  if (const auto refined = missing(refined_runs(cell, record))) return refined + compared;
  return missing(compared_runs(cell, record));
}

Record finished(const Record& record) {
  Record all(record.provenance());
  for (const auto& cell : study::cells()) {
    if (missing_runs(cell, record) > 0) continue;
    for (const auto& runs : {swept_runs(cell), refined_runs(cell, record)})
      for (const auto& run : runs) {
        Outcome outcome = record.of(run);
        outcome.ratio.clear();
        if (run.arm != study::up) outcome.curve.clear();
        all.keep(name_of(run), {outcome});
      }
    for (const auto& run : compared_runs(cell, record)) all.keep(name_of(run), {record.of(run)});
  }
  return all;
}

bool is_exact(const study::Setting& setting) {
  const double root = std::sqrt(static_cast<double>(setting.d));
  return std::exp2(std::round(std::log2(root))) == root;
}

/// As measured: the time grows a little slower than the square of the width.
std::uint64_t cost(const study::Setting& setting) {
  const std::uint64_t by_width = setting.d <= 64 ? 1 : setting.d <= 128 ? 3 : 7;
  return by_width * static_cast<std::uint64_t>(setting.steps / study::Setting{}.steps);
}

}  // namespace embedscale::training
