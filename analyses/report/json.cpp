#include "report/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "report/page.hpp"
#include "report/section.hpp"
#include "report/table.hpp"

namespace embedscale::report {
namespace {

/// Of what is exact: a count, what a value is compared with.
constexpr int exact_digits = 15;

/// nlohmann would write infinities as null, and 0.1f with seventeen digits.
Json number(double value, int digits) {
  if (!std::isfinite(value)) return significant(value, digits);
  return rounded(value, digits);
}

Json names(const properties::Names& list) {
  Json out = Json::array();
  for (std::size_t i = 0; i < properties::count(list); ++i) out.push_back(list[i]);
  return out;
}

Json to_json(const Measurement& m) {
  // A count is exact, however many digits it has.
  const int digits = m.unit == counted ? exact_digits : m.digits;
  const auto written = [&](const std::optional<double>& what, Decimal (*of)(const Known&, int)) {
    if (!what || !std::isfinite(*what)) return Json(nullptr);  // no end, rather than one at ∞
    const auto [x, to] = of(m.known(), digits);
    return number(x, to);
  };
  return {{"quantity", m.quantity},
          {"at", to_json(m.at)},
          {"value", number(m.value, digits)},
          {"reference", m.reference ? number(*m.reference, exact_digits) : Json(nullptr)},
          {"lower", written(m.lower, lower_end)},
          {"upper", written(m.upper, upper_end)},
          {"confidence", written(m.confidence, written_confidence)},
          {"samples", m.samples},
          {"method", m.method},
          {"unit", m.unit}};
}

constexpr std::array shared{"quantity", "unit", "method"};
constexpr std::array numbers{"value", "reference", "lower", "upper", "confidence", "samples"};

/// Measurements that differ in coordinates and numbers alone.
bool belong_together(const Json& a, const Json& b) {
  const auto same = [&](const char* key) { return a.at(key) == b.at(key); };
  return std::ranges::all_of(shared, same) &&
         std::ranges::equal(a.at("at").items(), b.at("at").items(),
                            [](const auto& x, const auto& y) { return x.key() == y.key(); });
}

/// Whether all of a group have the same under `key` of `from` (their coordinates, or themselves).
template <class From>
bool is_common(const std::vector<const Json*>& group, const std::string& key, From from) {
  return std::ranges::all_of(
      group, [&](const Json* m) { return from(*m).at(key) == from(*group.front()).at(key); });
}

Json packed_group(const std::vector<const Json*>& group) {
  const auto itself = [](const Json& m) -> const Json& { return m; };
  const auto place = [](const Json& m) -> const Json& { return m.at("at"); };
  const Json& first = *group.front();
  Json out, at = Json::object();
  std::vector<std::string> axes, columns{"value"};
  for (const char* key : shared) out[key] = first.at(key);
  for (const auto& [axis, coordinate] : first.at("at").items())
    if (group.size() > 1 && is_common(group, axis, place))
      at[axis] = coordinate;
    else
      axes.push_back(axis);
  if (!at.empty()) out["at"] = at;
  for (const char* key : numbers) {
    if (key == columns.front()) continue;
    if (!is_common(group, key, itself))
      columns.emplace_back(key);
    else if (!first.at(key).is_null())
      out[key] = first.at(key);
  }
  out["axes"] = axes, out["columns"] = columns, out["rows"] = Json::array();
  for (const Json* m : group) {
    Json row = Json::array();
    for (const auto& axis : axes) row.push_back(m->at("at").at(axis));
    for (const auto& column : columns) row.push_back(m->at(column));
    out["rows"].push_back(std::move(row));
  }
  return out;
}

/// In the order in which each group's first one was measured.
Json in_groups(const std::deque<Measurement>& measurements) {
  std::vector<Json> all;
  for (const auto& m : measurements)
    if (m.published) all.push_back(to_json(m));
  std::vector<std::vector<const Json*>> groups;
  for (const auto& m : all) {
    const auto group = std::ranges::find_if(
        groups, [&](const auto& of) { return belong_together(*of.front(), m); });
    if (group == groups.end())
      groups.push_back({&m});
    else
      group->push_back(&m);
  }
  Json out = Json::array();
  for (const auto& group : groups) out.push_back(packed_group(group));
  return out;
}

/// What is short stands on a line, and each part of what is longer on its own, hardly indented.
std::string laid_out(const Json& json, const std::string& indent = "") {
  constexpr std::size_t short_line = 90, most_indented = 1;
  auto line = json.dump();
  if (!json.is_structured() || line.size() <= short_line) return line;
  const auto inner = indent.size() < most_indented ? indent + " " : indent;
  std::vector<std::string> parts;
  for (const auto& [key, value] : json.items())
    parts.push_back((json.is_array() ? "" : Json(key).dump() + ": ") + laid_out(value, inner));
  return fmt::format("{}\n{}{}\n{}{}", json.is_array() ? "[" : "{", inner,
                     fmt::join(parts, ",\n" + inner), indent, json.is_array() ? "]" : "}");
}

}  // namespace

Json to_json(const Place& place) {
  Json out = Json::object();
  for (const auto& [axis, coordinate] : place)
    std::visit([&, &name = axis](const auto& x) { out[name] = x; }, coordinate.any());
  return out;
}

Json to_json(const Section& section, const Words& words) {
  const auto& claim = section.claim();
  const auto judged = section.judgement();
  const auto mutants = mutants_of(section.tests());
  const auto counterexample = section.counterexample(words);
  const bool conditional = judged.verdict == properties::Verdict::true_if;
  Json row{{"id", claim.id},
           {"topic", claim.topic()},
           {"status", "evaluated"},
           {"finding", section.finding(words)},
           {"belief", claim.said},
           {"states", claim.states},
           {"asked_in", names(claim.asked_in)},
           {"cites", names(claim.cites)}};
  row["verdict"] = section.verdict(words);
  row["condition"] = conditional ? Json(section.condition(words)) : Json(nullptr);
  const auto premise = section.premise(words);
  row["premise"] = premise.empty() ? Json(nullptr) : Json(premise);
  row["counterexample"] = counterexample.empty() ? Json(nullptr) : Json(counterexample);
  row["summary"] = section.summary(words);
  row["kind"] = name_of(claim.kind);
  row["evaluated"] = row["obligations"] = judged.evaluated;
  row["tests"] = Json::array();
  for (const auto& test : section.tests()) row["tests"].push_back(test.test);
  row["calls"] = Json::object();
  for (const auto& test : section.tests())
    if (!test.calls.empty()) row["calls"][test.property] = test.calls;
  row["mutants"] = {{"killed", mutants.killed}, {"total", mutants.total}};
  row["anchor"] = fmt::format("{}.md#{}", claim.topic(), claim.id);
  row["fields"] = Json::object();
  for (const auto& [field, found] : section.fields(words)) row["fields"][field] = found.text;
  row["measurements"] = in_groups(section.measurements());
  return row;
}

Json to_json_at_own_points(const Section& section) {
  const auto& claim = section.claim();
  return {{"id", claim.id},
          {"topic", claim.topic()},
          {"belief", claim.said},
          {"states", claim.states},
          {"measurements", in_groups(section.measurements())}};
}

Json results(const Page& page) {
  Json rows = Json::array();
  for (const auto& section : page.sections) rows.push_back(to_json(section, page.words));
  return rows;
}

std::string unrounded(const Page& page) {
  const auto exact = [](std::optional<double> x) {
    if (!x) return Json();
    return std::isfinite(*x) ? Json(*x) : Json(significant(*x, 1));
  };
  std::string lines;
  for (const auto& section : page.sections)
    for (const auto& m : section.measurements())
      lines += Json::array({section.claim().id, m.quantity, to_json(m.at), m.method,
                            m.unit == counted ? exact_digits : m.digits, exact(m.value),
                            exact(m.lower), exact(m.upper)})
                   .dump() +
               "\n";
  return lines;
}

std::string text_of(const Json& rows) { return laid_out(rows) + "\n"; }

}  // namespace embedscale::report
