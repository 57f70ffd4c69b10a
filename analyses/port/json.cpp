// A port for programs.
#include "port/port.hpp"

#include <algorithm>
#include <cmath>

#include "report/json_once.hpp"

namespace embedscale::port {
namespace {

using Json = nlohmann::ordered_json;

Json factor_of(const std::optional<double>& factor) { return factor ? Json(*factor) : Json(); }

// "token table" as a key has it.
std::string key(std::string_view parameter) {
  std::string out(parameter);
  std::ranges::replace(out, ' ', '_');
  return out;
}

Json named(const audit::Configuration& c) { return {{"name", c.name}, {"file", c.file}}; }

Json steps(const Port& port) {
  Json out = Json::array();
  for (const auto& step : port.steps)
    out.push_back({{"action", step.action},
                   {"parameter", key(step.parameter)},
                   {"factor", factor_of(step.factor)},
                   {"fields", step.fields},
                   {"claims", step.claims},
                   {"text", step.text}});
  return out;
}

Json optimizer(const Port& port) {
  Json out = Json::array();
  for (const auto& [parameter, s, settings] : port.optimizer) {
    Json row = {{"parameter", key(parameter)}, {"s", s}};
    for (const auto& one : settings)
      row[std::string(one.optimizer)][std::string(one.name)] = one.factor;
    out.push_back(row);
  }
  return out;
}

Json remarks(const std::vector<Remark>& all, const char* name, const char* stops, bool is_stopped) {
  Json out = Json::array();
  for (const auto& one : all)
    out.push_back({{name, one.name},
                   {stops, one.stops_function == is_stopped},
                   {"text", one.text},
                   {"claim", one.claim}});
  return out;
}

Json json_of(const Port& port) {
  Json clipping = Json::object();
  for (const auto& followed : port.optimizer)
    clipping[key(followed.parameter)] = std::abs(followed.s);
  return {{"from", named(port.from)},
          {"to", named(port.to)},
          {"steps", steps(port)},
          {"optimizer", optimizer(port)},
          {"clipping", clipping},
          {"obstacles", remarks(port.obstacles, "name", "only_in_training", false)},
          {"differences", remarks(port.differences, "field", "stops_function", true)},
          {"without_effect", port.without_effect},
          {"not_told", port.not_told},
          {"keeps_function", port.keeps_function()}};
}

}  // namespace

std::string json_line(const Port& port) {
  // A file's name need not be UTF-8.
  return json_of(port).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace embedscale::port
