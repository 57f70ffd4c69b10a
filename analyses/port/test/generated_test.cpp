// Pairs that nobody thought of: they are ported, or refused in one line.
#include "port/test/ports.hpp"
#include "properties/domain/configuration_text.hpp"
#include "properties/testing/generators/configurations.hpp"
#include "properties/testing/run.hpp"

#include <cmath>
#include <optional>

namespace embedscale::port {
namespace {

namespace testing = properties::testing;
using testing::holds, testing::holds_exactly;

Configuration drawn(const char* name) {
  return audit::configured(
      properties::domain::toml_of(*testing::generators::configurations().as(name)));
}

/// None where it is refused.
std::optional<Port> ported(const Configuration& from, const Configuration& to) try {
  return port_of(from, to);
} catch (const ContentError& error) {
  const std::string_view said = error.what();
  holds_exactly(said.starts_with("port: ") && said.find('\n') == said.npos);
  return std::nullopt;
}

TEST(generated, ports_have_words_and_factors_that_are_numbers) {
  int ports = 0;
  testing::expect_held(testing::run("port_generated.words", 1000, [&ports] {
    const auto from = drawn("from");
    auto to = drawn("to");
    to.model.d_model = from.model.d_model;
    const auto port = ported(from, to);
    if (!port) return;
    ++ports;
    const auto json = Json::parse(json_line(*port));
    for (const auto& step : json.at("steps"))
      holds_exactly(step.at("factor").is_null() || step.at("factor").is_number());
    for (const auto& one : json.at("optimizer"))
      for (const auto* of : {"adam", "sgd"})
        for (const auto& [name, factor] : one.at(of).items())
          holds_exactly(factor.is_number() && std::isnormal(factor.get<double>()));
    holds_exactly((words_of(*port).find("NOT kept") == std::string::npos) ==
                  port->keeps_function());
  }));
  EXPECT_GT(ports, 250);  // not refusals alone
}

TEST(generated, nothing_is_to_be_done_to_stay) {
  testing::expect_held(testing::run("port_generated.identity", 1000, [] {
    const auto from = drawn("from");
    const auto port = ported(from, from);
    if (!port) return;
    holds_exactly(port->steps.empty() && port->obstacles.empty() && port->differences.empty() &&
                  port->without_effect.empty());
  }));
}

/// s and 1/s are quotients of the same two numbers, each rounded once.
TEST(generated, ports_lead_back) {
  testing::expect_held(testing::run("port_generated.back", 1000, [] {
    const auto from = drawn("from");
    auto to = drawn("to");
    to.model.d_model = from.model.d_model;
    const auto there = ported(from, to), back = ported(to, from);
    holds_exactly(there.has_value() == back.has_value());
    if (!there || !back) return;
    for (const auto of : {Parameter::token_table, Parameter::position_table})
      if (from.position.kind == to.position.kind || of == Parameter::token_table)
        holds(std::abs(there->recipe.factor_of(of) * back->recipe.factor_of(of) - 1) /
              (3 * 2 * audit::u64));
  }));
}

}  // namespace
}  // namespace embedscale::port
