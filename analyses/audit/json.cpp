// An audit for programs.
#include "audit/fields.hpp"
#include "audit/summary.hpp"

#include <algorithm>
#include <cmath>

#include "report/json_once.hpp"
#include "report/table.hpp"

namespace embedscale::audit {
namespace {

using Json = nlohmann::ordered_json;

Json::json_pointer pointer(std::string path) {
  std::erase(path, ']');  // "merged[0].rms" is /merged/0/rms
  std::ranges::replace_if(
      path, [](char x) { return x == '.' || x == '['; }, '/');
  return Json::json_pointer("/" + path);
}

// A multiplier is what code computes: to the bit.
bool is_in_full(const std::string& path) {
  return path == "scaled_down.factor" || path == "scaled_down.exact_factor";
}
Json written(const Quantity& q) { return is_in_full(q.path) ? *q.value : in_json_digits(*q.value); }
Json written(const Verdict& verdict) { return *verdict.value; }

Json method_of(const Quantity& q) {
  constexpr const char* words[] = {"closed form", "closed form, the blocks' branches left out",
                                   "sum over positions", "quadrature"};
  // Further apart by what the digits leave out, and by what they leave out of the bound.
  const double off = q.error == 0 ? 0 : q.error + std::abs(*q.value) * json_precision;
  Quantity lower = q, upper = q;
  *lower.value -= off, *upper.value += off;
  return {{"method", words[static_cast<std::size_t>(q.method)]},
          {"lower", written(lower)},
          {"upper", written(upper)},
          {"samples", 0}};
}

Json json_of(const Audit& audit) {
  const Configuration& c = audit.configuration;
  Json json = {
      {"name", c.name}, {"file", c.file}, {"verdict", verdict_of(c, audit.scales, audit.findings)}};
  Json beside = {{"missing", Json::object()},  {"methods", Json::object()},
                 {"claims", Json::object()},   {"findings", Json::array()},
                 {"fields", Json::object()},   {"marks", Json::object()},
                 {"defaults", Json::object()}, {"without_effect", Json::object()}};
  const auto add = [&](const auto& result) {
    auto& at = json[pointer(result.path)] = nullptr;
    if (result.value)
      at = written(result), beside["claims"][result.path] = claim_of(result.path, c);
    else
      beside["missing"][result.path] = result.missing;
  };
  for (const Quantity& q : quantities(audit.scales)) {
    add(q);
    if (q.value) beside["methods"][q.path] = method_of(q);
  }
  for (const Verdict& verdict : verdicts(audit.scales)) add(verdict);
  for (const Finding& f : audit.findings) {
    auto& found = beside["findings"].emplace_back(
        Json{{"claim", f.claim}, {"severity", name_of(f.severity)}, {"sentence", f.sentence}});
    if (!f.remedy.empty()) found["remedy"] = f.remedy;
  }
  for (const Field& field : fields()) {
    const Told told = field.value(c);
    beside["fields"][field.path]["value"] = told ? Json(*told) : Json();
  }
  for (const auto& [field, basis] : c.marks) {
    beside["fields"][field].update({{"mark", name_of(basis.mark)}, {"source", basis.source}});
    if (basis.mark != Mark::read) beside["marks"][field] = name_of(basis.mark);
  }
  for (const auto& [field, words] : c.defaults) beside["defaults"][field] = words;
  for (const auto& [field, needs] : c.without_effect) beside["without_effect"][field] = needs;
  json.update(beside);
  return json;
}

}  // namespace

double in_json_digits(double x) { return report::rounded(x, json_digits); }

std::string json_line(const Audit& audit) {
  // A file's name need not be UTF-8.
  return json_of(audit).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace embedscale::audit
