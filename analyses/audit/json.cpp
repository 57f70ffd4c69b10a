// An audit for programs.
#include "audit/summary.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace embedscale::audit {
namespace {

using Json = nlohmann::ordered_json;

Json::json_pointer pointer(std::string path) {
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::json_pointer("/" + path);
}

const char* words_for(Method method) {
  switch (method) {
    case Method::quadrature: return "quadrature";
    case Method::without_branches: return "closed form, the blocks' branches left out";
    case Method::sum_over_positions: return "sum over positions";
    case Method::closed_form: break;
  }
  return "closed form";
}

Json method_of(const Quantity& q) {
  return {{"method", words_for(q.method)},
          {"lower", *q.value - q.error},
          {"upper", *q.value + q.error},
          {"samples", 0}};
}

template <class Value>
void put(const Result<Value>& result, Json& json, Json& missing) {
  json[pointer(result.path)] = nullptr;
  if (result.value)
    json[pointer(result.path)] = *result.value;
  else
    missing[result.path] = result.missing;
}

Json json_of(const Audit& audit) {
  const Configuration& c = audit.configuration;
  Json json = {
      {"name", c.name}, {"file", c.file}, {"verdict", verdict_of(c, audit.scales, audit.findings)}};
  Json missing = Json::object(), methods = Json::object(), marks = Json::object(),
       defaults = Json::object(), findings = Json::array(), claims = Json::object(),
       without_effect = Json::object();
  const auto add = [&](const auto& result) {
    put(result, json, missing);
    if (result.value) claims[result.path] = claim_of(result.path, c);
  };
  for (const Quantity& q : quantities(audit.scales)) {
    add(q);
    if (q.value) methods[q.path] = method_of(q);
  }
  for (const Verdict& verdict : verdicts(audit.scales)) add(verdict);
  for (const Finding& f : audit.findings) {
    findings.push_back(
        {{"claim", f.claim}, {"severity", name_of(f.severity)}, {"sentence", f.sentence}});
    if (!f.remedy.empty()) findings.back()["remedy"] = f.remedy;
  }
  for (const auto& [field, basis] : c.marks)
    if (basis.mark != Mark::read) marks[field] = name_of(basis.mark);
  for (const auto& [field, words] : c.defaults) defaults[field] = words;
  json["missing"] = missing;
  json["methods"] = methods;
  json["claims"] = claims;
  json["findings"] = findings;
  json["marks"] = marks;
  json["defaults"] = defaults;
  for (const auto& [field, needs] : c.without_effect) without_effect[field] = needs;
  json["without_effect"] = without_effect;
  return json;
}

}  // namespace

std::string json_line(const Audit& audit) {
  // A file's name need not be UTF-8.
  return json_of(audit).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace embedscale::audit
