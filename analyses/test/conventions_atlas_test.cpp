// What becomes of families, verdicts and sentences where the atlas is another one.
#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "conventions/sections.hpp"
#include "report/file.hpp"

namespace embedscale::conventions_atlas_test {
namespace {

using namespace conventions_analysis;
using atlas::Family;

const std::filesystem::path folder = EMBEDSCALE_ANALYSES_DIR;
const auto words = report::Words::read(folder / "conventions/words.md");

/// A system of width 64 and 1 head, with these [token] and [position] keys.
System system(const std::string& name, const std::string& token, const std::string& position) {
  return audit::audit_of(audit::parse_configuration(
      "name = '" + name +
          "'\n[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = 16\n[token]\n" +
          token + "\n[position]\n" + position,
      name + ".toml"));
}
const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'";
const std::string unit_root_d =
    "law = 'normal'\nstandard_deviation = 1\nmultiplier = 'sqrt(d_model)'";
const std::string unit = "law = 'normal'\nstandard_deviation = 1";
const std::string sinusoids = "kind = 'sinusoidal'";

report::Section scale_of(const Systems& all) {
  report::Section section(properties::conventions::multiplier_sets_the_scale);
  for (auto& test : report::read_evidence(folder / "../properties/record.json"))
    if (test.claim == section.claim().id) section.add_test(std::move(test));
  measure_scales(section, all);
  return section;
}

double value(const report::Section& section, const std::string& look_up) {
  return report::LookUp(look_up).in(section.all()).number.value();
}

TEST(scale_section, counts_and_names_the_scaled_systems_that_are_not_balanced) {
  const auto balanced = scale_of(
      {system("one", root_d, sinusoids), system("unscaled", unit, sinusoids),
       system("learned", unit_root_d, "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 1")});
  EXPECT_EQ(value(balanced, "unbalanced_systems"), 0);
  EXPECT_EQ(value(balanced, "samples of unbalanced_systems"), 1);
  EXPECT_EQ(balanced.counterexample(words), "");
  const auto section =
      scale_of({system("one", root_d, sinusoids), system("loud", unit_root_d, sinusoids)});
  EXPECT_EQ(value(section, "unbalanced_systems"), 1);
  // √64·1 over √½: two roots, a product, a quotient, as many on the other side
  EXPECT_NEAR(value(section, "largest_ratio"), 8 * std::numbers::sqrt2,
              8 * 0x1p-53 * 8 * std::numbers::sqrt2);
  EXPECT_TRUE(section.counterexample(words).starts_with("loud: σ = 1.00, m = 8.00"));
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
}  // namespace embedscale::conventions_atlas_test
