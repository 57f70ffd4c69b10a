// Ports as cases.txt has them, and what one side does not tell.
#include "port/test/ports.hpp"

namespace embedscale::port {
namespace {

TEST(port_cases, come_to_what_is_expected_of_them) {
  const auto all = cases_in(EMBEDSCALE_CASES_FILE);
  EXPECT_GT(all.size(), 60u);
  for (const auto& one : all) {
    SCOPED_TRACE(fmt::format("{}:{}", EMBEDSCALE_CASES_FILE, one.number));
    const auto said = one.line.substr(std::min<std::size_t>(2, one.line.size()));
    if (one.line[0] == '!') {
      EXPECT_EQ(embedscale::refusal<ContentError>([&] { port_between(one.from, one.to); }),
                "port: " + said);
      continue;
    }
    const auto port = port_between(one.from, one.to);
    const auto text = audit::on_one_line(words_of(port));
    if (one.line[0] == '=')
      EXPECT_EQ(story_of(port), said);
    else if (one.line[0] == '"')
      EXPECT_TRUE(contains(text, said)) << said << "\n" << text;
    else
      EXPECT_EQ(one.line, "*");  // evaluated_test.cpp looks at it
  }
}

TEST(port_refuses, what_is_not_told) {
  const auto whole = side("tensor2tensor");
  const std::pair<const char*, void (*)(Configuration&)> fields[] = {
      {"model.d_model", [](Configuration& c) { c.model.d_model.reset(); }},
      {"token.multiplier", [](Configuration& c) { c.token.multiplier.reset(); }},
      {"position.base", [](Configuration& c) { c.position.base.reset(); }},
      {"position.multiplier", [](Configuration& c) { c.position.multiplier.reset(); }},
      {"output.tied", [](Configuration& c) { c.output.tied.reset(); }}};
  for (const auto& [field, take_away] : fields) {
    auto without = whole;
    take_away(without);
    const auto says = fmt::format(
        "(tensor2tensor) does not tell {}: say it with --set from.{}=VALUE", field, field);
    EXPECT_EQ(refusal(without, whole), "port: the old code " + says);
  }
}

}  // namespace
}  // namespace embedscale::port
