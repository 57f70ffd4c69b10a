// Ports as cases.txt has them, and how factors and optimisers follow.
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

// Two codes round one number to binary32, each once: 2^−23 between them at most, which is no
// difference. A factor of 1 + 2^−20 is another one, as √512 is in binary32 and in bfloat16; it is
// itself rounded to binary32.
TEST(port_steps, are_none_where_rounding_to_binary32_alone_parts_two_factors) {
  const auto s = [](double m) {
    const auto gpt = side("gpt2_openai token.multiplier=1");
    auto from = gpt;
    from.token.multiplier = m;
    return port_of(from, gpt).recipe.factor_of(Parameter::token_table);
  };
  for (const double m : {1 + 0x1p-23, 1 - 0x1p-23}) EXPECT_EQ(s(m), 1) << m;
  for (const double m : {1 + 0x1p-20, 1 - 0x1p-20, 1 + 0x1p-9, 22.625 / std::sqrt(512.0)})
    EXPECT_NEAR(s(m), m, 0x1p-24) << m;
}

TEST(port_steps, the_optimiser_follows_by_powers_of_s) {
  // s = 4: all of these are exact. A sign is the state's alone.
  const auto factors = [](double s) {
    std::vector<double> all;
    for (const auto& one : followed("gain", s).settings) all.push_back(one.factor);
    return all;
  };
  EXPECT_EQ(factors(4), (std::vector{0.25, 0.0625, 0.25, 4.0, 0.25, 0.0625, 0.25, 16.0, 0.0625}));
  EXPECT_EQ(factors(-4),
            (std::vector{-0.25, 0.0625, 0.25, 4.0, 0.25, 0.0625, -0.25, 16.0, 0.0625}));
  // Computed positions are not trained, a trained table is, and so are projections.
  const std::string fairseq = "fairseq_transformer", doubled = " position.multiplier=2",
                    learned =
                        " position.kind=learned position.law=normal "
                        "position.standard_deviation=0.02";
  EXPECT_TRUE(port_between(fairseq + doubled, fairseq).optimizer.empty());
  EXPECT_EQ(port_between(fairseq + learned + doubled, fairseq).optimizer.at(0).s, 2);
  EXPECT_EQ(port_between("hf_gpt2", "hf_gpt2 attention.scale=0.5").optimizer.at(0).s, 0.25);
}

}  // namespace
}  // namespace embedscale::port
