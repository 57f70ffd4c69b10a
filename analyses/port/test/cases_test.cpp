// Ports as cases.txt has them, and what one side does not tell.
#include "port/test/ports.hpp"

#include <fstream>

namespace embedscale::port {
namespace {

/// What cases.txt has of two sides: of each line how it has to begin, end or read.
void expect(const std::string& from, std::string to, const std::string& line) {
  std::optional<FactorPlace> place;
  if (const auto at = to.find(" --place "); at != to.npos) {
    const auto word = to.substr(at + 9);
    place = word == "logit_factor" ? FactorPlace::logit_factor
            : word == "final_norm" ? FactorPlace::final_norm
                                   : FactorPlace::own_table;
    to.erase(at);
  }
  const auto said = line.substr(std::min<std::size_t>(2, line.size()));
  if (line[0] == '!') {
    EXPECT_EQ(refusal(side(from), side(to), place), "port: " + said);
    return;
  }
  const auto port = port_between(from, to, place);
  if (line[0] == '=') {
    EXPECT_EQ(story_of(port), said);
    return;
  }
  const auto text = audit::on_one_line(words_of(port));
  EXPECT_TRUE(contains(text, said)) << said << "\n" << text;
}

TEST(port_cases, come_to_what_is_expected_of_them) {
  std::ifstream in(EMBEDSCALE_CASES_FILE);
  std::string line, from, to;
  int number = 0, expected = 0;
  while (++number, std::getline(in, line)) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(fmt::format("{}:{}", EMBEDSCALE_CASES_FILE, number));
    if (std::isalpha(static_cast<unsigned char>(line[0])))
      from = line;
    else if (line[0] == '>')
      to = line.substr(2);
    else
      expect(from, to, line), ++expected;
  }
  EXPECT_GT(expected, 60);
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
    EXPECT_EQ(refusal(without, whole), "port: FROM " + says);
  }
}

}  // namespace
}  // namespace embedscale::port
