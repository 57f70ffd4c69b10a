// What becomes of families, verdicts and sentences where the atlas is another one.
#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "conventions/sections.hpp"
#include "report/file.hpp"

namespace embedscale {
namespace {

using namespace conventions_analysis;

const std::filesystem::path folder = EMBEDSCALE_ANALYSES_DIR;

cli::Options small() {
  cli::Options options;
  options.widths = {64, 512};
  options.samples = 50;
  return options;
}

/// A system of width 64 and 1 head, with these [token] and [position] keys.
System system(const std::string& name, const std::string& token, const std::string& position,
              const std::string& rest = "") {
  return audit::audit_of(audit::parse_configuration(
      "name = '" + name +
          "'\n[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = 16\n[token]\n" +
          token + "\n[position]\n" + position + "\n" + rest,
      name + ".toml"));
}
const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'";
const std::string unit_root_d =
    "law = 'normal'\nstandard_deviation = 1\nmultiplier = 'sqrt(d_model)'";
const std::string unit = "law = 'normal'\nstandard_deviation = 1";
const std::string sinusoids = "kind = 'sinusoidal'";

report::Section of(const properties::Claim& claim, decltype(multiplier_sets_the_scale)* measure,
                   const Systems& all) {
  report::Section section(claim);
  measure(section, small(), all);
  return section;
}
report::Section scale_of(const Systems& all) {
  return of(properties::conventions::multiplier_sets_the_scale, multiplier_sets_the_scale, all);
}
report::Section frequencies_of(const Systems& all) {
  return of(properties::conventions::paper_and_code_agree, paper_and_code_agree, all);
}

std::string counterexample(const report::Section& section) {
  return section.counterexample(report::Words::read(folder / "conventions/words.md"));
}
double value(const report::Section& section, const std::string& look_up) {
  return report::LookUp(look_up).in(section.all()).number.value();
}

TEST(multiplier, is_the_rounded_one_and_nobody_asks_the_record_for_another) {
  for (const System& s : atlas(folder / "systems")) {
    if (s.configuration.name == "hf_gemma") {
      EXPECT_EQ(multiplier_of(s), 55.5);
    }
    EXPECT_EQ(multiplier_of(s).has_value(), meant_multiplier_of(s).has_value());
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto& path = entry.path();
    const auto part = std::filesystem::relative(path, folder).begin()->string();
    if ((path.extension() != ".cpp" && path.extension() != ".hpp") || part == "audit" ||
        part == "test" || path.filename() == "atlas.hpp")
      continue;
    const auto text = report::read_file(path);
    for (const char* of_one : {".token.multiplier", "scaled_down.factor", ".exact_factor"})
      EXPECT_EQ(text.find(of_one), text.npos) << path << " reads " << of_one;
  }
}

TEST(page_body, has_every_system_in_one_family_and_names_what_it_rests_on) {
  report::Page page{.topic = "conventions",
                    .words = report::Words::read(folder / "conventions/words.md"),
                    .sections = {}};
  const auto all = atlas(folder / "systems");
  describe(all, page);
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
  const auto section = scale_of(
      {system("one", root_d, sinusoids), system("two", root_d, sinusoids + "\nbase = 500")});
  EXPECT_EQ(section.verdict(), "holds");
  EXPECT_EQ(counterexample(section), "");
}

TEST(scale_section, fails_by_the_system_that_is_not_balanced) {
  const auto section =
      scale_of({system("one", root_d, sinusoids), system("loud", unit_root_d, sinusoids)});
  EXPECT_EQ(section.verdict(), "fails");
  EXPECT_EQ(value(section, "unbalanced_systems"), 1);
  // √64·1 over √½: two roots, a product, a quotient, as many on the other side
  EXPECT_NEAR(value(section, "largest_ratio"), 8 * std::numbers::sqrt2,
              8 * 0x1p-53 * 8 * std::numbers::sqrt2);
  EXPECT_TRUE(counterexample(section).starts_with("loud: σ = 1.000, m = 8.000"));
}

TEST(scale_section, counts_neither_unscaled_systems_nor_learned_positions) {
  const auto section = scale_of(
      {system("one", root_d, sinusoids), system("unscaled", unit, sinusoids),
       system("learned", unit_root_d, "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 1")});
  EXPECT_EQ(section.verdict(), "holds");
}

TEST(frequency_section, follows_the_rules_that_systems_have) {
  const auto paper = system("paper", unit, sinusoids);
  const auto code = system("code", unit, sinusoids + "\nfrequencies = 'tensor2tensor'");
  EXPECT_EQ(frequencies_of({paper}).verdict(), "holds");
  EXPECT_EQ(counterexample(frequencies_of({paper})), "");
  EXPECT_EQ(frequencies_of({paper, code}).verdict(), "fails");
}

TEST(spelling_section, tells_the_two_spellings_apart) {
  const std::string divided = "[output]\nmultiplier = 'd_model^-0.5'";
  const auto section =
      of(properties::conventions::two_spellings_one_model, two_spellings_one_model,
         {system("first", root_d, sinusoids), system("second", unit, sinusoids, divided),
          system("neither", unit_root_d, sinusoids)});
  EXPECT_EQ(value(section, "systems_by_spelling deviation=d_model^-0.5"), 1);
  EXPECT_EQ(value(section, "systems_by_spelling deviation=1"), 1);
  EXPECT_EQ(value(section, "number of adam_relative_step"), 2);
  EXPECT_NEAR(value(section, "adam_relative_step system=first") /
                  value(section, "adam_relative_step system=second"),
              8, 1e-14);
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
