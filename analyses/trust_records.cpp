// What the tests recorded, as tables: the ledger's entries, the mutants, the source mutants.
#include <fmt/format.h>
#include "properties/catalogue.hpp"
#include "properties/evidence/normal.hpp"
#include "properties/ledger.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "report/digits.hpp"
#include "report/evidence.hpp"
#include "report/results.hpp"
#include "report/table.hpp"
#include "trust.hpp"

namespace embedscale::trust_analysis {
namespace {

using report::Json;
using report::significant, report::spoken;
using report::Table;

/// A number that a test recorded as text, with three digits.
std::string shortened(const Json& row, const char* key) {
  return significant(std::stod(text(row, key)), 3);
}
/// The record of an entry that was spent on its null; null where there is none.
Json record_of(const Json& inputs, std::string_view id) {
  for (const auto& row : inputs.at("ledger"))
    if (text(row, "ledger") == id && text(row, "spends") == "alpha") return row;
  return nullptr;
}

std::string kind_of(std::string_view claim) {
  for (const auto& among : {properties::catalogue(), properties::facts()})
    for (const auto& one : among)
      if (one.id == claim) return std::string(properties::name_of(one.kind));
  return "no such claim";
}

bool passed(const Json& row) { return row.at("passed").get<bool>(); }
std::string rejected(const Json& row) { return passed(row) ? "rejected" : "**survives**"; }

/// What a record of rejected mutants calls them; none for a null's.
std::string mutants_of(const Json& row) { return row.value("mutants", std::string()); }
std::string property_of(const Json& row) {
  return fmt::format("{}: {}", text(row, "claim"), spoken(text(row, "property")));
}

}  // namespace

Shown ledger_table(const Json& inputs, Fields& fields) {
  namespace ledger = properties::ledger;
  auto table = Table::headed(
      "Entry|Kind of check|α:|β:|Effect cared about:|Smallest effect seen:|Draws:|Cases:|"
      "Why that effect");
  std::size_t recorded = 0, failed = 0;
  for (const auto& entry : ledger::entries) {
    const Json row = record_of(inputs, entry.id);
    const bool known = !row.is_null();
    recorded += known ? 1 : 0;
    failed += known && !row.at("passed").get<bool>() ? 1 : 0;
    table.row({std::string(entry.id), std::string(entry.kind), significant(entry.alpha, 1),
               significant(entry.beta, 1), significant(entry.effect, 3),
               known ? shortened(row, "smallest_effect") : "**no record**",
               known ? counted(row, "draws") : "—", known ? counted(row, "grid") : "—",
               std::string(entry.about)});
  }
  const auto sum = ledger::sum_of_rates(ledger::entries);
  fields["entries"] = std::to_string(ledger::entries.size());
  fields["recorded"] = std::to_string(recorded);
  fields["entries_failed"] = std::to_string(failed);
  fields["unproved"] = std::to_string(std::ranges::count(
      ledger::entries, properties::evidence::BatchMean::name, &ledger::Entry::kind));
  fields["sum_alpha"] = report::at_most(sum.alpha);
  fields["most_alpha"] = significant(ledger::most_alpha, 1);
  fields["sum_beta"] = report::at_most(sum.beta);
  fields["most_beta"] = significant(ledger::most_beta, 1);
  return {.evidence = table.markdown()};
}

Shown mutant_table(const Json& inputs, Fields& fields) {
  struct Tally {
    std::size_t total = 0, killed = 0;
    std::uint64_t most_cases = 0;
  };
  std::map<std::string, Tally> by_kind;
  Tally all, of_claims, of_facts;
  auto each = Table::headed("Mutant|Rejected by|Kind of claim|Cases before:|");
  for (const auto& row : inputs.at("mutants")) {
    const auto claim = text(row, "claim"), kind = kind_of(claim);
    const bool of_a_fact =
        std::ranges::count(properties::facts(), claim, &properties::Claim::id) > 0;
    for (Tally* tally : {&all, &by_kind[kind], of_a_fact ? &of_facts : &of_claims}) {
      ++tally->total, tally->killed += row.at("passed").get<bool>() ? 1 : 0;
      tally->most_cases =
          std::max<std::uint64_t>(tally->most_cases, std::stoull(text(row, "cases")));
    }
    each.row({spoken(text(row, "subject")), property_of(row), kind, counted(row, "cases"),
              rejected(row)});
  }
  auto kinds = Table::headed("Kind of claim|Mutants:|Rejected:|Most cases before:");
  for (const auto& [kind, tally] : by_kind)
    kinds.row({kind, std::to_string(tally.total), std::to_string(tally.killed),
               report::count(tally.most_cases)});
  auto statistical = Table::headed(
      "Entry|Kind of check|Mutants:|Effect of the faintest:|Smallest effect seen:|Draws:|"
      "What they are, and their effects|");
  Tally by_draws;
  for (const auto& row : inputs.at("ledger")) {
    const auto* entry = properties::ledger::find(text(row, "ledger"));
    if (text(row, "spends") != "beta" || entry == nullptr) continue;  // the ledger's own tests'
    const auto mutants = std::stoull(text(row, "grid"));
    by_draws.total += mutants;
    by_draws.killed += row.at("passed").get<bool>() ? mutants : 0;
    statistical.row({std::string(entry->id), std::string(entry->kind), report::count(mutants),
                     shortened(row, "effect"), shortened(row, "smallest_effect"),
                     counted(row, "draws"), mutants_of(row), rejected(row)});
  }
  fields["mutants"] = std::to_string(all.total);
  fields["killed"] = std::to_string(all.killed);
  fields["claims_killed"] = std::to_string(of_claims.killed);
  fields["facts_killed"] = std::to_string(of_facts.killed);
  fields["statistical_mutants"] = std::to_string(by_draws.total);
  fields["statistical_killed"] = std::to_string(by_draws.killed);
  Shown shown;
  if (statistical.size() > 0) shown.evidence = statistical.markdown() + "\n";
  if (each.size() > 0) shown.page = kinds.markdown(), shown.evidence += each.markdown();
  return shown;
}

Shown one_percent_table(const Json& inputs, Fields& fields) {
  auto table = Table::headed("1 % too much of|Kind of check|Rejected by|Cases before:|Draws:");
  std::size_t caught = 0, planted = 0;
  const auto add = [&](std::string of, const Json& row, const std::string& by,
                       const std::string& kind, const std::string& cases,
                       const std::string& draws) {
    ++planted, caught += passed(row) ? 1 : 0;
    table.row({std::move(of), kind, passed(row) ? by : "**not caught** by " + by, cases, draws});
  };
  const auto missing = [&](const std::string& of, bool found) {
    if (!found) ++planted, table.row({of, "—", "**not caught**: no record", "—", "—"});
  };
  const std::string deviation = "a distribution's standard deviation";
  bool found = false;
  for (const auto& row : inputs.at("ledger"))
    if (mutants_of(row).find("standard deviation one percent high") != std::string::npos) {
      const auto id = text(row, "ledger");
      add(deviation, row, id, text(row, "kind"), "—", counted(row, "draws"));
      found = true;
    }
  missing(deviation, found);
  for (const auto& [of, subject] :
       {std::pair("√d, the multiplier", "multiplies_by_one_percent_more"),
        {"1/√d_k, attention's scale", "scales_logits_by_one_percent_more"}}) {
    found = false;
    for (const auto& row : inputs.at("mutants"))
      if (text(row, "subject") == subject) {
        add(of, row, property_of(row), kind_of(text(row, "claim")), counted(row, "cases"), "—");
        found = true;
      }
    missing(of, found);
  }
  fields["one_percent_caught"] = std::to_string(caught);
  fields["one_percent_planted"] = std::to_string(planted);
  return {.page = table.markdown()};
}

Shown mutation_table(const Json& inputs, Fields& fields) {
  const auto& score = inputs.at("mutation");
  auto table = Table::headed(
      "Header|Mutants:|Killed:|Timed out:|Survived:|Argued equivalent:|Invalid:|Score:");
  const auto row = [&](const std::string& name, const Json& tally) {
    table.row({name, counted(tally, "mutants"), counted(tally, "killed"),
               counted(tally, "timed_out"), counted(tally, "survived"),
               counted(tally, "equivalent"), counted(tally, "invalid"),
               significant(100 * tally.at("score").get<double>(), 3) + " %"});
  };
  const auto& total = score.at("total");
  for (const auto& tally : score.at("headers")) row("`" + text(tally, "header") + "`", tally);
  row("all", total);
  const auto percent = [&](const char* key) {
    return significant(100 * total.at(key).get<double>(), 3);
  };
  fields["mutation_seed"] = score.at("seed").dump();
  fields["score"] = percent("score");
  fields["score_lower"] = percent("lower");
  fields["score_upper"] = percent("upper");
  fields["score_confidence"] = significant(100 * (1 - score.at("interval_alpha").get<double>()), 2);
  fields["tried"] = counted(total, "mutants");
  fields["judged"] = report::count(report::judged_mutants(total));
  fields["population"] = counted(score, "population");
  fields["least_score"] = significant(100 * score.at("least_score").get<double>(), 2);
  fields["unexplained"] = std::to_string(score.at("unexplained").size());
  std::string survivors;
  for (const auto& one : score.at("unexplained"))
    survivors += fmt::format("- Survives unexplained: `{}`, `{}` → `{}`\n", text(one, "id"),
                             text(one, "before"), text(one, "after"));
  // The explanations as people wrote them: an id, and below it, indented, why.
  std::istringstream lines(text(score, "explanations"));
  for (std::string line; std::getline(lines, line);) {
    const auto begin = line.find_first_not_of(' ');
    if (begin == std::string::npos || line[0] == '#') continue;
    survivors += begin == 0 ? fmt::format("- `{}`:\n", line) : "  " + line.substr(begin) + "\n";
  }
  return {.evidence = table.markdown() + (survivors.empty() ? "" : "\n" + survivors)};
}

}  // namespace embedscale::trust_analysis
