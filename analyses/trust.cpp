// What the page about the checks takes of the code, as JSON: how often each kind of check errs,
// which takes minutes, and what the ledger and the claims declare. The page is trust.py's.
#include <fmt/format.h>
#include "properties/catalogue.hpp"
#include "properties/evidence/coverage.hpp"
#include "properties/evidence/normal.hpp"
#include "properties/ledger.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "report/figure.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "trust.hpp"

namespace embedscale {
namespace {

using namespace trust_analysis;
using Json = nlohmann::ordered_json;

Json json(Rates rates) { return {{"alpha", rates.alpha}, {"beta", rates.beta}}; }
Json json(const Count& count) {
  const auto [lower, upper] = interval(count);
  return {{"hits", count.hits}, {"runs", count.runs}, {"lower", lower}, {"upper", upper}};
}
Json json(const Calibration& one) {
  Json misses = Json::array();
  for (const auto& missed : one.misses) {
    misses.push_back(json(missed.count));
    misses.back()["where"] = missed.where;
  }
  return {{"kind", one.kind},
          {"drawn", one.drawn},
          {"draws", one.draws},
          {"declares", one.declares == Declares::exactly ? "exactly" : "at most"},
          {"alarms", json(one.alarms)},
          {"unit", one.unit},
          {"effect", one.effect},
          {"misses", misses}};
}

report::Figure figure_of(const std::vector<Calibration>& all, Rates rates) {
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

/// The counts, and the page's figure of them.
void simulate(const Plan& plan, const std::filesystem::path& counts) {
  const auto all = simulated_kinds(plan);
  const auto figure = figure_of(all, plan.rates);
  Json kinds = Json::array();
  for (const auto& one : all) kinds.push_back(json(one));
  const Json made{{"rates", json(plan.rates)},
                  {"interval_alpha", interval_alpha},
                  {"figure", {{"name", figure.name}, {"title", figure.title}}},
                  {"kinds", kinds}};
  report::write_figure(figure, counts.parent_path() / "reports");
  report::write_file(counts, made.dump(1) + "\n");
}

Json declared() {
  namespace ledger = properties::ledger;
  Json entries = Json::array(), claims = Json::object();
  for (const auto& entry : ledger::entries)
    entries.push_back({{"id", entry.id},
                       {"kind", entry.kind},
                       {"alpha", entry.alpha},
                       {"beta", entry.beta},
                       {"effect", entry.effect},
                       {"about", entry.about}});
  const auto add = [&claims](const std::vector<properties::Claim>& all, const char* role) {
    for (const auto& one : all)
      claims[std::string(one.id)] = {{"role", role}, {"kind", properties::name_of(one.kind)}};
  };
  add(properties::catalogue(), "claim");
  add(properties::facts(), "fact");
  return {{"usual", json(Rates{ledger::default_alpha, ledger::default_beta})},
          {"most", json(Rates{ledger::most_alpha, ledger::most_beta})},
          {"sum", json(ledger::sum_of_rates(ledger::entries))},
          {"unproved_kind", properties::evidence::BatchMean::name},
          {"enough_of_required", properties::evidence::enough_of_required},
          {"entries", entries},
          {"claims", claims}};
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("What the page about the checks takes of the code", "trust");
  std::filesystem::path told, counts;
  std::uint64_t seed = 0;
  int samples = 1000000;
  arguments.option("--declared", told, "write what is declared to this file");
  arguments.option("--counts", counts, "simulate: counts to this file, their figure to reports/");
  arguments.option("--seed", seed, "of every stream of random numbers");
  arguments.option("--samples", samples, "nulls of each kind").between(10, 1000000000);
  return arguments.run(argc, argv, [&] {
    const auto nulls = static_cast<std::uint64_t>(samples);
    if (!told.empty()) report::write_file(told, declared().dump(1) + "\n");
    if (!counts.empty())
      simulate(
          {.seed = seed, .nulls = nulls, .alternatives = std::max<std::uint64_t>(nulls / 10, 100)},
          counts);
    return cli::done;
  });
}
