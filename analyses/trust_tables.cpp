// What was counted, as tables and a figure.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include "properties/evidence/coverage.hpp"
#include "properties/ledger.hpp"

#include <algorithm>

#include "report/table.hpp"
#include "trust.hpp"

namespace embedscale::trust_analysis {
namespace {

using report::significant;
using report::Table;

std::string rate(const Count& count) {
  return count.runs == 0 ? "—" : significant(count.rate(), 3);
}
std::string bounds(const Count& count) {
  const auto seen = interval(count);
  return fmt::format("{} to {}", significant(seen.lower, 3), significant(seen.upper, 3));
}

std::string name_of(Remark remark) {
  switch (remark) {
    case Remark::as_declared: return "as declared";
    case Remark::rarer: return "**rarer** than it declares";
    case Remark::conservative: return "conservative";
    case Remark::broken: break;
  }
  return "**broken**";
}

/// "all 23" or "22 of 23".
std::string share(std::size_t some, std::size_t all) {
  return some == all ? fmt::format("all {}", all) : fmt::format("{} of {}", some, all);
}

}  // namespace

std::string list(const std::vector<std::string>& names, const char* between) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, between));
}

Shown calibration_table(const std::vector<Calibration>& all, Rates rates, Fields& fields) {
  auto table = Table::headed(
      ":|Kind of check|Null that was drawn|Draws:|Nulls:|Rejected:|Rate:|Its interval|Declares|"
      "Remark");
  std::vector<std::string> broken, rarer;
  std::size_t conservative = 0;
  std::uint64_t nulls = 0, least = ~std::uint64_t{0};
  for (const auto& one : all) {
    const auto seen = remark(one.alarms, one.declares, rates.alpha);
    if (seen == Remark::broken) broken.push_back(one.kind);
    if (seen == Remark::rarer) rarer.push_back(one.kind);
    if (seen == Remark::conservative) ++conservative;
    nulls += one.alarms.runs, least = std::min(least, one.alarms.runs);
    table.row({std::to_string(table.size() + 1), one.kind, one.drawn, report::count(one.draws),
               report::count(one.alarms.runs), report::count(one.alarms.hits), rate(one.alarms),
               bounds(one.alarms), one.declares == Declares::exactly ? "α" : "≤ α", name_of(seen)});
  }
  fields["kinds"] = std::to_string(all.size());
  fields["nulls"] = report::count(nulls);
  fields["least_nulls"] = report::count(least);
  fields["alpha"] = significant(rates.alpha, 1);
  fields["beta"] = significant(rates.beta, 1);
  fields["default_alpha"] = significant(properties::ledger::default_alpha, 1);
  fields["default_beta"] = significant(properties::ledger::default_beta, 1);
  fields["confidence"] = significant(100 * (1 - interval_alpha), 3);
  fields["kept_alpha"] = share(all.size() - broken.size(), all.size());
  fields["broken"] = list(broken);
  fields["rarer"] = list(rarer);
  fields["conservative_count"] = std::to_string(conservative);
  return {.evidence = table.markdown()};
}

Shown power_table(const std::vector<Calibration>& all, Rates rates, Fields& fields) {
  auto table = Table::headed(
      ":|Kind of check|Effect:|Unit|Where|Alternatives:|Missed:|Rate:|Its interval|Remark");
  std::vector<std::string> broken;
  std::size_t number = 0, intervals = all.size();
  for (const auto& one : all) {
    ++number;
    const auto is_broken = [&](const Misses& missed) {
      return remark(missed.count, Declares::at_most, rates.beta) == Remark::broken;
    };
    if (std::ranges::any_of(one.misses, is_broken)) broken.push_back(one.kind);
    for (const auto& missed : one.misses) {
      const bool first = &missed == &one.misses.front();
      table.row({first ? std::to_string(number) : "", first ? one.kind : "",
                 first ? significant(one.effect, 3) : "", first ? one.unit : "", missed.where,
                 report::count(missed.count.runs), report::count(missed.count.hits),
                 rate(missed.count), bounds(missed.count),
                 name_of(remark(missed.count, Declares::at_most, rates.beta))});
      ++intervals;
    }
  }
  fields["kept_beta"] = share(all.size() - broken.size(), all.size());
  fields["blind"] = list(broken);
  fields["enough"] = significant(100 * properties::evidence::enough_of_required, 2);
  fields["intervals"] = std::to_string(intervals);
  fields["wrong_intervals"] = significant(interval_alpha * static_cast<double>(intervals), 1);
  return {.evidence = table.markdown()};
}

report::Figure calibration_figure(const std::vector<Calibration>& all, Rates rates) {
  const double floor = rates.alpha / 1000;  // a logarithmic axis has no 0
  report::Series range{.label = "", .x = {}, .y = {}, .mark = report::Series::Mark::line};
  double number = 0;
  for (const auto& one : all) {
    const auto [lower, upper] = interval(one.alarms);
    ++number;
    range.x.insert(range.x.end(), {number, number, number});
    range.y.insert(range.y.end(), {std::max(lower, floor), upper, NAN});
  }
  return {.name = "trust_false_alarms",
          .title = "How often each kind of check rejects a true null: intervals",
          .x_label = "number of the kind in the whole table",
          .y_label = "share of nulls rejected",
          .y_scale = report::Figure::Scale::log10,
          .series = {range},
          .levels = {{"nominal", rates.alpha}, {"a hundredth", rates.alpha / 100}}};
}

report::Json record(const std::vector<Calibration>& all) {
  const auto json = [](const Count& count) {
    const auto [lower, upper] = interval(count);
    return report::Json{{"hits", count.hits},
                        {"runs", count.runs},
                        {"lower", report::rounded(lower, 3)},
                        {"upper", report::rounded(upper, 3)}};
  };
  report::Json kinds = report::Json::array();
  for (const auto& one : all) {
    report::Json misses = report::Json::array();
    for (const auto& missed : one.misses) {
      auto row = json(missed.count);
      row["where"] = missed.where;
      misses.push_back(row);
    }
    kinds.push_back({{"kind", one.kind},
                     {"draws", one.draws},
                     {"alarms", json(one.alarms)},
                     {"effect", report::rounded(one.effect, 3)},
                     {"misses", misses}});
  }
  return {{"kinds", kinds}};
}

}  // namespace embedscale::trust_analysis
