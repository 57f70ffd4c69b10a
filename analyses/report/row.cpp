#include "report/row.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/nearest.hpp"
#include "report/project.hpp"

namespace embedscale::report {

Json parsed(std::string_view text) { return Json::parse(text); }

Json read_json(const std::filesystem::path& path) {
  try {
    return parsed(read_file(path));
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(fmt::format("{}: not JSON: {}", path.string(), error.what()));
  }
}

namespace {

/// "" for null, and where the row is of a version that had none.
std::string text(const Json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json read_results(const std::filesystem::path& path) {
  Json results = read_json(path);
  if (!results.is_object() || !results.contains("claims") || !results["claims"].is_array())
    throw std::invalid_argument(fmt::format("{}: has no list of claims", path.string()));
  return results;
}

/// "true if m is a power of two", "false", "premise true, reason not shown".
std::string verdict_of(const Json& row) {
  const auto condition = text(row, "condition");
  auto verdict = text(row, "verdict");
  const bool is_of_premise = verdict.starts_with("premise");
  if (condition.empty()) return verdict + (is_of_premise ? ", reason not shown" : "");
  return verdict + " " + condition + (is_of_premise ? " (reason not shown)" : "");
}

std::string description(const Json& row) {
  auto out =
      fmt::format("{}\n\n  finding      {}\n  belief       {}\n  verdict      {}\n",
                  text(row, "id"), text(row, "finding"), text(row, "belief"), verdict_of(row));
  if (!text(row, "premise").empty())
    out += fmt::format("  its premise  {}\n", text(row, "premise"));
  out += fmt::format("  we state     {}\n", text(row, "states"));
  if (!text(row, "counterexample").empty())
    out += fmt::format("  against it   {}\n", text(row, "counterexample"));
  out += fmt::format("  evidence     {}, {} cases evaluated\n", text(row, "kind"),
                     row.at("evaluated").dump());
  const auto& mutants = row.at("mutants");
  out += fmt::format("  tests        {}, {} of {} mutants rejected\n", row.at("tests").size(),
                     mutants.at("killed").dump(), mutants.at("total").dump());
  return out + fmt::format("\n{}\n\n{}/blob/main/reports/{}\n", text(row, "summary"), project::url,
                           text(row, "anchor"));
}

}  // namespace

std::string list_of_claims(const std::filesystem::path& results) {
  const Json all = read_results(results);
  std::string out;
  for (const auto& row : all.at("claims"))
    out += fmt::format("{:<46}  {}\n", row.at("id").get<std::string>(), verdict_of(row));
  return out;
}

std::string list_of_primitives(const std::filesystem::path& results) {
  const Json all = read_results(results);
  std::string out;
  for (const auto& row : all.at("claims")) {
    const Json properties = row.value("calls", Json::object());
    for (const auto& [property, calls] : properties.items()) {
      std::istringstream each(calls.get<std::string>());
      for (std::string call; std::getline(each >> std::ws, call, ';');) {
        const auto numbers = call.find(" (");
        const bool typed = numbers != call.npos;
        out += fmt::format(
            "{:<34}  {:<52}  {}  {}\n", text(row, "topic") + " " + call.substr(0, numbers),
            typed ? call.substr(numbers + 2, call.size() - numbers - 3) : "no number type",
            row.at("id").get<std::string>(), property);
      }
    }
  }
  return out;
}

std::string descriptions(const std::filesystem::path& results,
                         const std::vector<std::string>& ids) {
  const Json all = read_results(results).at("claims");
  std::vector<std::string> names;
  for (const auto& row : all) names.push_back(text(row, "id"));
  std::string out;
  for (const auto& id : ids) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, id) - names.begin());
    if (at == names.size())
      throw std::invalid_argument(
          fmt::format("no claim named '{}': {}; `embedscale list` names them all", id,
                      nearest(id, names, "none is near")));
    out += (out.empty() ? "" : "\n") + description(all.at(at));
  }
  return out;
}

}  // namespace embedscale::report
