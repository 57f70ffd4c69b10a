// What becomes of families, verdicts and sentences where the atlas is another one.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>

#include "conventions/sections.hpp"
#include "report/file.hpp"

namespace embedscale::conventions_atlas_test {
namespace {

using namespace conventions_analysis;
using atlas::Family;

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
  for (auto& test : report::read_evidence(folder / "../properties/record.json"))
    if (test.claim == claim.id) section.add_test(std::move(test));
  measure(section, small(), all);
  return section;
}
report::Section scale_of(const Systems& all) {
  return of(properties::conventions::multiplier_sets_the_scale, multiplier_sets_the_scale, all);
}
report::Section frequencies_of(const Systems& all) {
  return of(properties::conventions::code_uses_the_papers_frequencies,
            code_uses_the_papers_frequencies, all);
}
report::Section code_of(const Systems& all) {
  return of(properties::conventions::paper_and_code_agree, paper_and_code_agree, all);
}

std::string counterexample(const report::Section& section) {
  return section.counterexample(report::Words::read(folder / "conventions/words.md"));
}
double value(const report::Section& section, const std::string& look_up) {
  return report::LookUp(look_up).in(section.all()).number.value();
}

TEST(multiplier, is_the_rounded_one_and_nobody_asks_the_record_for_another) {
  for (const System& s : atlas::systems_in(folder / "systems")) {
    if (s.configuration.name == "hf_gemma") {
      EXPECT_EQ(multiplier_of(s), 55.5);
    }
    EXPECT_EQ(multiplier_of(s).has_value(), meant_multiplier_of(s).has_value());
  }
  // These take one configuration of anybody's, and not the atlas.
  const std::set<std::string> programs = {"audit", "cli", "compare", "port"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto& path = entry.path();
    const auto part = std::filesystem::relative(path, folder).begin()->string();
    if ((path.extension() != ".cpp" && path.extension() != ".hpp") || programs.contains(part) ||
        part == "test" || path.filename() == "atlas.hpp")
      continue;
    const auto text = report::read_file(path);
    for (const char* of_one : {".token.multiplier", "scaled_down.factor", ".exact_factor"})
      EXPECT_EQ(text.find(of_one), text.npos) << path << " reads " << of_one;
  }
}

TEST(page_body, has_every_system_once_by_ratio_and_says_why_one_has_none) {
  report::Page page{.topic = "conventions",
                    .words = report::Words::read(folder / "conventions/words.md"),
                    .sections = {}};
  const auto all = atlas::systems_in(folder / "systems");
  describe(all, page);
  EXPECT_GE(all.size(), 40u);
  std::map<std::size_t, double> ratios;  // by where the row stands
  for (const System& s : all) {
    const auto row = "| " + linked(s.configuration) + " ";
    const auto first = page.body.find(row);
    ASSERT_NE(first, page.body.npos) << s.configuration.name;
    EXPECT_EQ(page.body.find(row, first + 1), page.body.npos) << s.configuration.name;
    const auto line = page.body.substr(first, page.body.find('\n', first) - first);
    const bool adds = audit::adds_positions(s.configuration.position.kind);
    EXPECT_EQ(line.find("nothing added") == line.npos, adds) << line;
    if (adds && !ratio_of(s)) {
      EXPECT_NE(line.find("not recorded |"), line.npos) << line;
    }
    ratios[first] = ratio_of(s).value_or(adds ? 0 : -1);
  }
  double above = std::numeric_limits<double>::infinity();
  for (const auto& [place, ratio] : ratios) {
    EXPECT_LE(ratio, above);
    above = ratio;
  }
  EXPECT_NE(page.body.find("hf_marian](https"), page.body.npos);
  EXPECT_EQ(page.body.find("hf_marian)"), page.body.npos) << "without what its converter does";
}

TEST(scale_section, counts_none_where_every_system_is_balanced) {
  const auto section = scale_of(
      {system("one", root_d, sinusoids), system("two", root_d, sinusoids + "\nbase = 500")});
  EXPECT_EQ(value(section, "unbalanced_systems"), 0);
  EXPECT_EQ(counterexample(section), "");
}

TEST(scale_section, has_its_counterexample_by_the_system_that_is_not_balanced) {
  const auto section =
      scale_of({system("one", root_d, sinusoids), system("loud", unit_root_d, sinusoids)});
  EXPECT_EQ(value(section, "unbalanced_systems"), 1);
  // √64·1 over √½: two roots, a product, a quotient, as many on the other side
  EXPECT_NEAR(value(section, "largest_ratio"), 8 * std::numbers::sqrt2,
              8 * 0x1p-53 * 8 * std::numbers::sqrt2);
  EXPECT_TRUE(counterexample(section).starts_with("loud: σ = 1.00, m = 8.00"));
}

TEST(scale_section, counts_neither_unscaled_systems_nor_learned_positions) {
  const auto section = scale_of(
      {system("one", root_d, sinusoids), system("unscaled", unit, sinusoids),
       system("learned", unit_root_d, "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 1")});
  EXPECT_EQ(value(section, "samples of unbalanced_systems"), 1);
  EXPECT_EQ(value(section, "unbalanced_systems"), 0);
}

TEST(frequency_section, goes_by_the_papers_code_and_counts_the_others) {
  const auto other = system("other", unit, sinusoids + "\nfrequencies = 'tensor2tensor'");
  const auto paper = system("tensor2tensor", root_d, sinusoids);
  const auto code = system("tensor2tensor", root_d, sinusoids + "\nfrequencies = 'tensor2tensor'");
  EXPECT_EQ(value(frequencies_of({paper, other}), "frequencies_off_the_paper"), 0);
  EXPECT_EQ(counterexample(frequencies_of({paper, other})), "");
  const auto section = frequencies_of({code, other});
  EXPECT_EQ(value(section, "frequencies_off_the_paper"), 31);  // of 32, all but the first
  EXPECT_EQ(value(section, "systems_without_the_papers_frequencies"), 2);
  EXPECT_THROW(frequencies_of({other}), std::invalid_argument);
}

TEST(paper_section, goes_by_what_the_papers_code_has) {
  const auto code = [](const std::string& token, const std::string& output) {
    return code_of({system("tensor2tensor", token, sinusoids, output)});
  };
  const auto section = code(root_d, "");
  EXPECT_EQ(value(section, "departures_from_section_3_4"), 0);
  EXPECT_EQ(
      report::LookUp("does of papers_code").in(section.all()).text,
      "multiplies by √d_model and shares its table with the output, as section 3.4 specifies");
  const auto departures = [&](const std::string& token, const std::string& output) {
    return value(code(token, output), "departures_from_section_3_4");
  };
  EXPECT_EQ(departures(unit, ""), 1);
  EXPECT_EQ(departures(root_d, "[output]\nmultiplier = 'd_model^-0.5'"), 1);
  EXPECT_EQ(departures(root_d, "[output]\ntied = false\nlaw = 'normal'\nstandard_deviation = 1"),
            1);
  EXPECT_THROW(code_of({system("another", root_d, sinusoids)}), std::invalid_argument);
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
}  // namespace embedscale::conventions_atlas_test
