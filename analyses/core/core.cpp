#include "core/core.hpp"

#include <fmt/core.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "audit/error.hpp"
#include "audit/summary.hpp"
#include "compare/compare.hpp"
#include "report/json_once.hpp"

namespace embedscale::core {
namespace {

std::vector<audit::Change> changes_from(const std::vector<std::string>& all) {
  std::vector<audit::Change> changes;
  for (const auto& text : all) changes.push_back(audit::change_from(text));
  return changes;
}

/// Those of one side, without its name.
std::vector<audit::Change> changes_of(const Question& question, const std::string& side) {
  std::vector<std::string> all;
  for (const auto& text : question.changes) {
    if (text.starts_with(side + "."))
      all.push_back(text.substr(side.size() + 1));
    else if (!text.starts_with("from.") && !text.starts_with("to."))
      throw std::invalid_argument(
          fmt::format("port: --set {}: must be from.PATH=VALUE or to.PATH=VALUE, such as "
                      "to.token.multiplier=1",
                      audit::printable(text)));
  }
  return changes_from(all);
}

audit::Configuration side_of(const Question& question, const audit::InputFile& input,
                             const std::string& side, const audit::ModelTypes& types) try {
  return audit::configurations_of(input, changes_of(question, side), types).back();
} catch (const audit::ContentError& error) {
  // What was set is named as it was asked for.
  const std::string_view set = "--set ", said = error.what();
  if (!said.starts_with(set)) throw;
  throw audit::ContentError(fmt::format("{}{}.{}", set, side, said.substr(set.size())));
}

std::optional<FactorPlace> place_from(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (word == "logit_factor") return FactorPlace::logit_factor;
  if (word == "final_norm") return FactorPlace::final_norm;
  if (word == "own_table") return FactorPlace::own_table;
  throw std::invalid_argument(
      fmt::format("place = {}: must be logit_factor, final_norm or own_table", word));
}

void require_inputs(const Question& question, std::size_t count) {
  if (question.inputs.size() != count)
    throw std::invalid_argument(fmt::format("{} takes {} inputs, and there are {}",
                                            question.command, count, question.inputs.size()));
}

}  // namespace

Question question_from(std::string_view json) try {
  using Json = nlohmann::ordered_json;
  const Json asked = Json::parse(json);
  Question question{asked.at("command"),
                    {},
                    asked.value("set", std::vector<std::string>()),
                    asked.value("place", std::string())};
  for (const Json& input : asked.at("inputs"))
    question.inputs.push_back({input.at("name"), input.at("text"), input.value("side", "")});
  return question;
} catch (const nlohmann::json::exception& error) {
  throw std::invalid_argument(fmt::format("is no question: {}", error.what()));
}

std::vector<audit::Configuration> configurations(const Question& question,
                                                 const audit::ModelTypes& types) {
  const auto changes = changes_from(question.changes);
  std::vector<audit::Configuration> all;
  for (const auto& input : question.inputs)
    for (auto& one : audit::configurations_of(input, changes, types)) all.push_back(std::move(one));
  return all;
}

port::Port port(const Question& question, const audit::ModelTypes& types) {
  require_inputs(question, 2);
  return port::port_of(side_of(question, question.inputs[0], "from", types),
                       side_of(question, question.inputs[1], "to", types),
                       place_from(question.place));
}

std::string answer(const Question& question, const audit::ModelTypes& types) {
  if (question.command == "port") return port::json_line(port(question, types)) + "\n";
  if (question.command == "toml") {
    require_inputs(question, 1);
    return audit::toml_of(question.inputs[0], changes_from(question.changes), types);
  }
  const bool audits = question.command == "audit";
  if (!audits && question.command != "compare")
    throw std::invalid_argument(fmt::format("command = {}: must be audit, compare, port or toml",
                                            audit::printable(question.command)));
  std::string lines;
  for (auto& one : configurations(question, types))
    lines += (audits ? audit::json_line(audit::audit_of(std::move(one)))
                     : compare::json_line(compare::compared(std::move(one)))) +
             "\n";
  return lines;
}

}  // namespace embedscale::core
