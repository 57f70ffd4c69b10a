// The real page follows its measurements, too: the analysis of `combination`, its own words, and
// what becomes of verdict and sentence when one measured figure is another.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cli/analysis.hpp"
#include "report/file.hpp"
#include "report/json.hpp"

namespace embedscale {
namespace {

using report::Json;

constexpr std::string_view rounding = "combination.rounds_identically";
const std::filesystem::path file = EMBEDSCALE_WORDS_DIR "/combination/words.md";

cli::Options small() {
  cli::Options options;
  options.widths = {64, 512};
  options.samples = 50;
  options.positions = {64};
  return options;
}

report::Page page_of(const cli::Options& options) {
  return cli::page_of(analysis(), options, report::Words::read(file));
}
const report::Page& measured() {
  static const report::Page page = page_of(small());
  return page;
}

Json row_of(const report::Page& page, std::string_view id) {
  for (const auto& row : results(page))
    if (row.at("id") == id) return row;
  return nullptr;
}

/// The line of the list that opens the page, from the verdict on.
std::string bullet_of(const report::Page& page, std::string_view id) {
  const auto text = markdown(page);
  const auto link = text.find("](#" + std::string(id) + ")");
  const auto begin = text.rfind('\n', link) + 1;
  return link == text.npos ? "" : text.substr(begin, text.find('\n', link) - begin);
}

report::Section& section_of(report::Page& page, std::string_view id) {
  for (auto& section : page.sections)
    if (section.claim().id == id) return section;
  throw std::invalid_argument("no such section: " + std::string(id));
}

/// Puts `value` in the place of the first measurement of `quantity`.
void change(report::Section& section, std::string_view quantity, double value) {
  for (auto& m : section.measurements())
    if (m.quantity == quantity) {
      m.value = value;
      return;
    }
  throw std::invalid_argument("nothing measures " + std::string(quantity));
}

/// The words, with a sentence for `part` where they have none: the real ones need none for a
/// verdict that the real measurements do not come to.
report::Words with_part(std::string_view part) {
  auto text = report::read_file(file);
  const auto words = report::Words::parse(text, "combination.md");
  if (words.has_part(rounding, part)) return words;
  const auto heading = "## " + std::string(rounding) + "\n";
  text.insert(text.find("\n" + heading) + 1 + heading.size(),
              "### " + std::string(part) + "\nA sentence of its own.\n");
  return report::Words::parse(text, "combination.md");
}

TEST(combination_page, comes_to_its_verdicts) {
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(measured())) verdicts[row.at("id")] = row.at("verdict");
  const std::map<std::string, std::string> expected = {
      {"combination.up_is_down_times_root_d", "holds"},
      {"combination.only_the_ratio_sets_direction", "holds"},
      {"combination.rounds_identically", "holds if"},
      {"combination.down_makes_positions_too_faint", "fails"},
      {"combination.dropout_commutes", "holds if"},
      {"combination.multiplier_commutes_with_order", "fails"}};
  EXPECT_EQ(verdicts, expected);
}

TEST(combination_page, says_in_the_list_what_it_says_in_the_results) {
  const auto page = measured();
  for (const auto& row : results(page)) {
    const auto bullet = bullet_of(page, row.at("id").get<std::string>());
    EXPECT_TRUE(bullet.starts_with("- **" + row.at("verdict").get<std::string>())) << bullet;
    EXPECT_TRUE(bullet.ends_with(row.at("summary").get<std::string>())) << bullet;
  }
}

TEST(combination_page, leaves_no_field_of_its_words) {
  const auto text = markdown(measured());
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    EXPECT_EQ(text[at + 1], '"') << text.substr(at, 60);  // {"format": …}: where it was measured
}

TEST(combination_page, is_open_when_the_bound_does_not_stand) {
  auto page = measured();
  const auto before = row_of(page, rounding);
  change(section_of(page, rounding), "worst_share_of_bound", 1.2);
  const auto after = row_of(page, rounding);
  EXPECT_EQ(before.at("verdict"), "holds if");
  EXPECT_EQ(after.at("verdict"), "open");
  EXPECT_EQ(after.at("condition"), nullptr);
  const auto sentence = after.at("summary").get<std::string>();
  EXPECT_NE(sentence.find("`worst_share_of_bound`"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("1.20"), std::string::npos) << sentence;
  const auto bullet = bullet_of(page, rounding);
  EXPECT_TRUE(bullet.starts_with("- **open**")) << bullet;
  EXPECT_TRUE(bullet.ends_with(sentence)) << bullet;
}

TEST(combination_page, fails_when_a_power_of_two_parts_the_ways) {
  auto page = measured();
  const auto before = bullet_of(page, rounding);
  page.words = with_part("fails");
  change(section_of(page, rounding), "disagreements_at_powers_of_two", 1);
  const auto row = row_of(page, rounding);
  EXPECT_EQ(row.at("verdict"), "fails");
  const auto bullet = bullet_of(page, rounding);
  EXPECT_TRUE(bullet.starts_with("- **fails**")) << bullet;
  EXPECT_TRUE(bullet.ends_with(row.at("summary").get<std::string>())) << bullet;
  EXPECT_EQ(before.find(row.at("summary").get<std::string>()), std::string::npos);
}

TEST(combination_page, is_open_when_the_condition_is_not_necessary) {
  auto page = measured();
  change(section_of(page, rounding), "other_widths_that_agree", 1);
  EXPECT_EQ(row_of(page, rounding).at("verdict"), "open");
  EXPECT_NE(bullet_of(page, rounding).find("`other_widths_that_agree`"), std::string::npos);
}

TEST(combination_page, is_open_when_a_width_was_left_out) {
  auto page = measured();
  for (auto& m : section_of(page, rounding).measurements())
    if (m.rule) {
      --m.samples;
      break;
    }
  EXPECT_EQ(row_of(page, rounding).at("verdict"), "open");
  const auto row = row_of(page, rounding);
  EXPECT_EQ(row.at("evaluated").get<int>() + 1, row.at("obligations").get<int>());
}

TEST(combination_page, changes_no_other_claim_with_it) {
  auto page = measured();
  const auto before = results(page);
  change(section_of(page, rounding), "worst_share_of_bound", 1.2);
  for (const auto& row : before) {
    const auto id = row.at("id").get<std::string>();
    EXPECT_EQ(row_of(page, id) == row, id != rounding) << id;
  }
}

TEST(combination_page, fails_where_exact_arithmetic_finds_an_exception) {
  auto page = measured();
  auto& section = section_of(page, "combination.up_is_down_times_root_d");
  change(section, "exact_disagreements", 1);
  EXPECT_EQ(section.verdict(page.words), "fails");
}

TEST(combination_page, draws_by_the_seed_alone) {
  auto other = small();
  other.seed = 1;
  EXPECT_EQ(results(measured()), results(page_of(small())));
  EXPECT_NE(results(measured()), results(page_of(other)));
}

}  // namespace
}  // namespace embedscale
