// Pairs that nobody thought of: they are ported, or refused in one line.
#include "audit/test/drawn.hpp"
#include "port/test/ports.hpp"
#include "properties/testing/run.hpp"

#include <cmath>
#include <optional>

namespace embedscale::port {
namespace {

namespace testing = properties::testing;
using testing::holds, testing::holds_exactly;

Configuration drawn(const char* side) { return audit::configured(audit::Drawn(side).toml()); }

/// None where it is refused.
std::optional<Port> ported(const Configuration& from, const Configuration& to) try {
  return port_of(from, to);
} catch (const ContentError& error) {
  const std::string_view said = error.what();
  holds_exactly(said.starts_with("port: ") && said.find('\n') == said.npos);
  return std::nullopt;
}

TEST(port_generated, ports_have_words_and_factors_that_are_numbers) {
  int ports = 0;
  testing::expect_held(testing::run("port_generated.words", 1000, [&ports] {
    const auto from = drawn("from ");
    auto to = drawn("to ");
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

}  // namespace
}  // namespace embedscale::port
