// Every pair of the atlas.
#include "port/test/ports.hpp"

#include "properties/catalogue.hpp"
#include "report/table.hpp"

namespace embedscale::port {
namespace {

// What is printed is what is in JSON, text for text and number for number.
void expect_one_story(const Port& port) {
  const auto json = report::parsed(json_line(port));
  const auto text = words_of(port), line = audit::on_one_line(text);
  SCOPED_TRACE(text);
  for (const auto one : report::split(text, '\n')) EXPECT_LE(report::width_of(one), 79u) << one;
  const auto has = [&](const std::string& what) {
    EXPECT_TRUE(contains(line, audit::on_one_line(what))) << what;
  };
  const auto has_claim = [&](const std::string& id) {
    EXPECT_TRUE(id.empty() || std::ranges::count(properties::catalogue(), id,
                                                 [](const auto& one) { return one.id; }) == 1);
    has(id);
  };
  ASSERT_EQ(json.at("steps").size(), port.steps.size());
  for (const auto& step : json.at("steps")) {
    has(step.at("text"));
    for (const auto& id : step.at("claims")) has_claim(id);
  }
  for (const auto& one : json.at("optimizer"))
    for (const auto* of : {"adam", "sgd"})
      for (const auto& [name, factor] : one.at(of).items()) has(number(factor));
  for (const auto* list : {"obstacles", "differences"})
    for (const auto& one : json.at(list)) has(one.at("text")), has_claim(one.at("claim"));
  EXPECT_EQ(json.at("keeps_function"), line.find("NOT kept") == std::string::npos);
}

TEST(port_pairs, that_suit_are_ported_and_say_the_same_twice) {
  const auto all = portable_systems();
  std::size_t ported = 0, kept = 0, refused = 0;
  for (const auto& from : all)
    for (const auto& to : all) {
      if (suit(from, to)) {
        const auto port = port_of(from, to);
        expect_one_story(port);
        ++ported;
        kept += port.keeps_function();
        EXPECT_TRUE(from.name != to.name ||
                    port.steps.size() + port.obstacles.size() + port.differences.size() == 0)
            << from.name;
        continue;
      }
      const auto* why = from.model.d_model == to.model.d_model
                            ? "no step makes the one from the other"
                            : "a checkpoint keeps its width";
      const auto says = embedscale::refusal<ContentError>([&] { port_of(from, to); });
      EXPECT_TRUE(contains(says, why)) << says;
      refused += from.model.d_model == to.model.d_model;
    }
  EXPECT_GT(ported, 300u);
  EXPECT_GT(kept, all.size());  // not to themselves alone
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace embedscale::port
