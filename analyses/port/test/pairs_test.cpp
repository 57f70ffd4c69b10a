// Every pair of the atlas.
#include "port/test/ports.hpp"

#include "properties/catalogue.hpp"
#include "report/table.hpp"

#include <set>

namespace embedscale::port {
namespace {

const std::set<std::string_view>& claim_ids() {
  static const auto all = [] {
    std::set<std::string_view> ids;
    for (const auto& claim : properties::catalogue()) ids.insert(claim.id);
    return ids;
  }();
  return all;
}

/// The words with one space between them.
std::string on_one_line(const std::string& text) {
  std::string out;
  for (const auto& word : audit::words_of(text)) out += (out.empty() ? "" : " ") + word;
  return out;
}

// What is printed is what is in JSON, text for text and number for number.
void expect_one_story(const Port& port) {
  const auto json = Json::parse(json_line(port));
  const auto text = words_of(port), line = on_one_line(text);
  const auto where = fmt::format("{} to {}", port.from.name, port.to.name);
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);)
    EXPECT_LE(report::width_of(one), 79u) << where << ": " << one;
  const auto has = [&](const std::string& what) {
    EXPECT_NE(line.find(on_one_line(what)), std::string::npos) << where << ": " << what;
  };
  ASSERT_EQ(json.at("steps").size(), port.steps.size()) << where;
  for (const auto& step : json.at("steps")) {
    has(step.at("text"));
    for (const auto& id : step.at("claims")) {
      EXPECT_TRUE(claim_ids().contains(id.get<std::string>())) << where << ": " << id;
      has(id);
    }
  }
  for (const auto& one : json.at("optimizer"))
    for (const auto* of : {"adam", "sgd"})
      for (const auto& [name, factor] : one.at(of).items()) has(number(factor));
  for (const auto* list : {"obstacles", "differences"})
    for (const auto& one : json.at(list)) {
      has(one.at("text"));
      const std::string id = one.at("claim");
      EXPECT_TRUE(id.empty() || claim_ids().contains(id)) << where << ": " << id;
    }
  EXPECT_EQ(json.at("keeps_function"), line.find("NOT kept") == std::string::npos) << where;
}

TEST(port_pairs, of_one_width_are_ported_and_say_the_same_twice) {
  const auto all = portable_systems();
  std::size_t ported = 0, kept = 0;
  for (const auto& from : all)
    for (const auto& to : all) {
      if (!suit(from, to)) continue;
      const auto port = port_of(from, to);
      expect_one_story(port);
      ++ported;
      kept += port.keeps_function();
      if (from.name == to.name) {
        EXPECT_EQ(names(port), "") << from.name;
        EXPECT_TRUE(port.keeps_function()) << words_of(port);
      }
    }
  EXPECT_GT(ported, 300u);
  EXPECT_GT(kept, all.size());  // not to themselves alone
}

TEST(port_pairs, of_two_widths_are_refused) {
  const auto all = portable_systems();
  for (const auto& from : all)
    for (const auto& to : all) {
      if (from.model.d_model == to.model.d_model) continue;
      const auto said = audit::message_of<ContentError>([&] { port_of(from, to); });
      EXPECT_EQ(said, fmt::format("port: FROM ({}) has d_model = {}, TO ({}) {}: a checkpoint "
                                  "keeps its width; say what TO would be with --set "
                                  "to.model.d_model={}",
                                  from.name, *from.model.d_model, to.name, *to.model.d_model,
                                  *from.model.d_model));
    }
}

TEST(port_pairs, of_a_factorised_table_and_another_are_refused) {
  std::size_t refused = 0;
  for (const auto& from : portable_systems())
    for (const auto& to : portable_systems()) {
      if (from.model.d_model != to.model.d_model || suit(from, to)) continue;
      const auto said = audit::message_of<ContentError>([&] { port_of(from, to); });
      EXPECT_NE(said.find("no step makes the one from the other"), std::string::npos) << said;
      ++refused;
    }
  EXPECT_GT(refused, 0u);
}

TEST(port_pairs, that_do_not_tell_enough_are_refused) {
  const auto gpt2 = system_named("gpt2_openai");
  for (const auto& name : audit::systems()) {
    auto c = system_named(name);
    if (c.model.d_model && c.token.multiplier && c.output.tied) continue;
    if (c.model.d_model) c.model.d_model = gpt2.model.d_model;
    for (const auto& [from, to] : {std::pair(c, gpt2), {gpt2, c}})
      EXPECT_NE(audit::message_of<ContentError>([&] { port_of(from, to); }).find("does not tell"),
                std::string::npos)
          << name;
  }
}

}  // namespace
}  // namespace embedscale::port
