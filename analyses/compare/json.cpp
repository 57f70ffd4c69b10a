// A comparison for programs.

#include <fmt/core.h>

#include "audit/summary.hpp"
#include "compare/decision.hpp"
#include "report/json_once.hpp"

namespace embedscale::compare {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
Json json_of(const audit::Result<Value>& result) {
  return result.value ? Json(*result.value) : Json();
}
Json in_digits(const audit::Quantity& figure) {
  return figure.value ? Json(audit::in_json_digits(*figure.value)) : Json();
}

Json rounding_of(const audit::ScaledDown& down) {
  Json bits = Json::object();
  for (const auto& verdict : down.rounds_identically)
    bits[verdict.path.substr(verdict.path.rfind('.') + 1)] = json_of(verdict);
  return {{"exact", json_of(down.exact_factor)},
          {"rounded", json_of(down.factor)},
          {"relative_error", in_digits(down.rounding_error)},
          {"rounds_identically", bits}};
}

}  // namespace

std::string json_line(const Parametrisations& comparison) {
  Json ways = Json::object(), agree = Json::array(), claims = Json::object(),
       missing = Json::object();
  for (std::size_t i = 0; i < comparison.ways.size(); ++i) {
    const auto& [way, written] = comparison.ways[i];
    auto& figures = ways[std::string(way)] = nullptr;
    if (!written.value) {
      missing[std::string(way)] = written.missing;
      continue;
    }
    for (const Row& row : comparison.rows) {
      figures[row.path] = in_digits(row.at[i]);
      if (!row.at[i].value) missing[fmt::format("{} {}", way, row.path)] = row.at[i].missing;
    }
  }
  for (const Row& row : comparison.rows) {
    if (row.agree) agree.push_back(row.path);
    if (differs(row)) claims[row.path] = row.claim;
  }
  claims["rounding.relative_error"] = "precision.rounded_root_d";
  claims["rounding.rounds_identically"] = "combination.rounds_identically";
  const Json rounding = {{"root", comparison.root ? rounding_of(*comparison.root) : Json()},
                         {"own", rounding_of(comparison.own)}};
  const auto& c = comparison.configuration;
  const auto [verdict, stands_on, because] = decision_of(comparison);
  Json decision = {{"verdict", verdict}, {"claims", stands_on}};
  if (!because.empty()) decision["because"] = because;
  // A file's name need not be UTF-8.
  return Json{{"name", c.name},       {"file", c.file},    {"ways", ways},
              {"agree", agree},       {"claims", claims},  {"rounding", rounding},
              {"decision", decision}, {"missing", missing}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace embedscale::compare
