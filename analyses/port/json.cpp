// A port for programs.
#include "port/port.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

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
  for (const auto& [parameter, s, adam, sgd] : port.optimizer)
    out.push_back({{"parameter", key(parameter)},
                   {"s", s},
                   {"adam",
                    {{"first_moment", adam.first_moment},
                     {"second_moment", adam.second_moment},
                     {"epsilon", adam.epsilon},
                     {"rate", adam.rate},
                     {"decay", adam.decay},
                     {"l2", adam.l2}}},
                   {"sgd", {{"buffer", sgd.buffer}, {"rate", sgd.rate}, {"l2", sgd.l2}}}});
  return out;
}

Json json_of(const Port& port) {
  Json clipping = Json::object(), obstacles = Json::array(), differences = Json::array();
  for (const auto& followed : port.optimizer)
    clipping[key(followed.parameter)] = std::abs(followed.s);
  for (const auto& o : port.obstacles)
    obstacles.push_back({{"name", o.name},
                         {"only_in_training", !o.stops_function},
                         {"text", o.text},
                         {"claim", o.claim}});
  for (const auto& d : port.differences)
    differences.push_back({{"field", d.name},
                           {"stops_function", d.stops_function},
                           {"text", d.text},
                           {"claim", d.claim}});
  return {{"from", named(port.from)},   {"to", named(port.to)},
          {"steps", steps(port)},       {"optimizer", optimizer(port)},
          {"clipping", clipping},       {"obstacles", obstacles},
          {"differences", differences}, {"without_effect", port.without_effect},
          {"not_told", port.not_told},  {"keeps_function", port.keeps_function()}};
}

}  // namespace

std::string json_line(const Port& port) {
  // A file's name need not be UTF-8.
  return json_of(port).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace embedscale::port
