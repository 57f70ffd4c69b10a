// The page about real systems follows the systems: what becomes of counts, verdicts and sentences
// when the atlas is another.
#include "conventions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cli/analysis.hpp"

namespace embedscale {
namespace {

using namespace conventions_analysis;

const std::filesystem::path words_file = EMBEDSCALE_WORDS_DIR "/conventions.md";

cli::Options small() {
  cli::Options options;
  options.widths = {64, 512};
  options.samples = 50;
  return options;
}

const report::Page& measured() {
  static const auto page = analysis().page(small(), report::Words::read(words_file));
  return page;
}

/// A system of width 64 and 1 head, with these [token] and [position] keys.
System system(const std::string& name, const std::string& token, const std::string& position,
              const std::string& rest = "") {
  return audit::audit_of(audit::parse_configuration(
      fmt::format("name = '{}'\n[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = "
                  "16\n[token]\n{}\n[position]\n{}\n{}",
                  name, token, position, rest),
      name + ".toml"));
}
const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'";
const std::string unit_root_d =
    "law = 'normal'\nstandard_deviation = 1\nmultiplier = 'sqrt(d_model)'";
const std::string unit = "law = 'normal'\nstandard_deviation = 1";
const std::string sinusoids = "kind = 'sinusoidal'";

TEST(conventions_page, comes_to_its_verdicts) {
  auto page = measured();
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(page)) {
    verdicts[row.at("id")] = row.at("verdict");
    EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << row.at("id");
  }
  const std::map<std::string, std::string> expected = {
      {"conventions.multiplier_sets_the_scale", "fails"},
      {"conventions.one_text_one_start", "fails"},
      {"conventions.paper_and_code_agree", "fails"},
      {"conventions.two_spellings_one_model", "holds if"}};
  EXPECT_EQ(verdicts, expected);
}

TEST(conventions_page, has_every_system_in_one_family_and_names_what_it_rests_on) {
  const auto page = measured();
  const auto all = atlas(EMBEDSCALE_WORDS_DIR "/systems");
  EXPECT_GE(all.size(), 40u);
  const auto bases = page.body.find("## What each system rests on");
  ASSERT_NE(bases, std::string::npos);
  for (const System& s : all) {
    const auto row = "| " + linked(s.configuration) + " ";
    const auto first = page.body.find(row);
    EXPECT_LT(first, bases) << s.configuration.name;
    EXPECT_EQ(page.body.find(row, first + 1), std::string::npos) << s.configuration.name;
    EXPECT_NE(page.body.find("- **" + linked(s.configuration), bases), std::string::npos)
        << s.configuration.name;
    for (const auto& [field, basis] : s.configuration.marks)
      if (basis.mark == audit::Mark::absent) {
        EXPECT_NE(page.body.find(basis.source, bases), std::string::npos) << basis.source;
      }
  }
}

TEST(scale_section, holds_where_every_system_is_balanced) {
  const auto section = multiplier_sets_the_scale(
      small(),
      {system("one", root_d, sinusoids), system("two", root_d, sinusoids + "\nbase = 500")});
  EXPECT_EQ(section.verdict(), "holds");
  EXPECT_FALSE(section.has_counterexample());
}

TEST(scale_section, fails_by_the_system_that_is_not_balanced) {
  const auto section = multiplier_sets_the_scale(
      small(), {system("one", root_d, sinusoids), system("loud", unit_root_d, sinusoids)});
  EXPECT_EQ(section.verdict(), "fails");
  double ratio = 0, unbalanced = 0;
  for (const auto& m : section.measurements()) {
    if (m.quantity == "largest_ratio") ratio = m.value;
    if (m.quantity == "unbalanced_systems") unbalanced = m.value;
  }
  EXPECT_EQ(unbalanced, 1);
  EXPECT_NEAR(ratio, 8 * std::numbers::sqrt2, 1e-12);  // √64·1 over √½, a few roundings off
  EXPECT_NE(section.to_json(report::Words::read(words_file))
                .at("counterexample")
                .dump()
                .find("loud: σ = 1.000, m = 8.000"),
            std::string::npos);
}

TEST(scale_section, counts_neither_unscaled_systems_nor_learned_positions) {
  const auto section = multiplier_sets_the_scale(
      small(),
      {system("one", root_d, sinusoids), system("unscaled", unit, sinusoids),
       system("learned", unit_root_d, "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 1")});
  EXPECT_EQ(section.verdict(), "holds");
}

TEST(frequency_section, follows_the_rules_that_systems_have) {
  const auto paper = system("paper", unit, sinusoids);
  const auto code = system("code", unit, sinusoids + "\nfrequencies = 'tensor2tensor'");
  EXPECT_EQ(paper_and_code_agree(small(), {paper}).verdict(), "holds");
  EXPECT_EQ(paper_and_code_agree(small(), {paper, code}).verdict(), "fails");
}

TEST(spelling_section, tells_the_two_spellings_apart) {
  const std::string divided = "[output]\nmultiplier = 'd_model^-0.5'";
  const auto section = two_spellings_one_model(
      small(), {system("first", root_d, sinusoids), system("second", unit, sinusoids, divided),
                system("neither", unit_root_d, sinusoids)});
  std::map<std::string, double> counts, steps;
  for (const auto& m : section.measurements()) {
    if (m.quantity == "systems_by_spelling")
      counts[m.at.at("deviation").get<std::string>()] = m.value;
    if (m.quantity == "adam_relative_step") steps[m.at.at("system").get<std::string>()] = m.value;
  }
  EXPECT_EQ(counts, (std::map<std::string, double>{{"d_model^-0.5", 1}, {"1", 1}}));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_NEAR(steps["first"] / steps["second"], 8, 1e-14);
}

TEST(families, go_by_how_the_law_hangs_on_the_shape) {
  const auto family = [](const std::string& token) {
    return family_of(system("x", token, sinusoids).configuration);
  };
  EXPECT_EQ(family(root_d), Family::falls_with_d);
  EXPECT_EQ(family("law = 'uniform'\nhalf_range = 'sqrt(3/d_model)'"), Family::falls_with_d);
  EXPECT_EQ(family("law = 'uniform'\nhalf_range = 0.1"), Family::fixed);
  EXPECT_EQ(family("law = 'normal'\nstandard_deviation = 0.02"), Family::fixed);
  EXPECT_EQ(family(unit), Family::unit);
  EXPECT_EQ(family("law = 'xavier_uniform'"), Family::falls_with_v);
  EXPECT_EQ(family("law = 'normal'\nstandard_deviation = 'vocabulary^-0.5'"), Family::falls_with_v);
  EXPECT_EQ(family("law = 'truncated_normal'\nstandard_deviation = 0.02"), Family::truncated);
}

}  // namespace
}  // namespace embedscale
