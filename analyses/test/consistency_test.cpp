// What people write of the claims agrees with what there is, in the tree that this build generated:
// ids, quantities, words, findings, the length of pages. What a page, an index or a bibliography
// has of a claim is made from its row, and is not looked for here.
#include <gtest/gtest.h>
#include "properties/catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "report/file.hpp"
#include "report/results.hpp"
#include "report/words.hpp"

namespace embedscale::consistency_test {
namespace {

namespace fs = std::filesystem;
using report::Json;

const fs::path source = EMBEDSCALE_SOURCE_DIR, site = EMBEDSCALE_SITE;

const Json& made() {
  static const Json all = report::read_results(site / "reports/results.json").at("claims");
  return all;
}

/// A change of an analysis shows here, whichever number it reaches: ./dev reports publishes it.
TEST(published, results_are_what_the_analyses_measure) {
  const auto committed = report::read_results(source / "reports/results.json");
  for (const auto& row : made()) {
    const auto* before = report::find_claim(committed, row.at("id").get<std::string>());
    ASSERT_NE(before, nullptr) << row.at("id");
    for (const char* key :
         {"verdict", "condition", "counterexample", "evaluated", "obligations", "fields"})
      EXPECT_EQ(before->at(key), row.at(key)) << row.at("id") << " " << key;
    const auto old = report::measurements_in(*before), now = report::measurements_in(row);
    ASSERT_EQ(old.size(), now.size()) << row.at("id");
    for (std::size_t i = 0; i < old.size(); ++i)
      EXPECT_EQ(old[i], now[i]) << row.at("id") << ", measurement " << i;
  }
}

TEST(claims, have_ids_of_their_own_and_lose_none_that_was_released) {
  std::set<std::string> ids;
  for (const auto& claim : properties::catalogue())
    EXPECT_TRUE(ids.emplace(claim.id).second) << claim.id << " appears twice";
  const auto released = report::read_json(source / "reports/release.json").at("claims");
  EXPECT_GE(released.size(), 64u);
  for (const auto& [id, digest] : released.items())
    EXPECT_TRUE(ids.contains(id)) << id << " is gone, but ids are permanent";
}

TEST(claims, measure_the_quantities_that_they_declare) {
  const auto all = properties::catalogue();
  ASSERT_EQ(made().size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::set<std::string> declared, measured;
    for (const auto& quantity : all[i].measures) declared.emplace(quantity.name);
    for (const auto& m : made()[i].at("measurements")) measured.insert(m.at("quantity"));
    EXPECT_EQ(declared, measured) << all[i].id;
  }
}

/// A claim's words are asked for; words of what is none would be read by nobody.
TEST(claims, have_all_the_words) {
  for (const auto topic : properties::topics()) {
    const auto words = report::Words::read(source / "analyses" / topic / "words.md");
    for (const auto& [id, parts] : words.sections())
      EXPECT_TRUE(id.find('.') == id.npos || std::ranges::any_of(properties::catalogue(),
                                                                 [&, &id = id](const auto& claim) {
                                                                   return claim.id == id &&
                                                                          claim.topic() == topic;
                                                                 }))
          << topic << ": words of '" << id << "'";
  }
}

/// Not the belief, nor another's, and without a figure: it stands for as long as its id.
TEST(claims, have_a_finding_of_their_own) {
  // A formula's number stands behind a letter, a sign or before a slash: √d_k, σ², 1/√d_k.
  const std::regex figure("(^| )[0-9][0-9.,]*( |%|$)");
  EXPECT_TRUE(std::regex_search("It is 0.5 of 1/√d_k", figure));
  std::set<std::string> seen;
  for (const auto& row : made()) {
    const auto finding = report::text(row, "finding");
    EXPECT_TRUE(seen.insert(finding).second) << finding;
    EXPECT_NE(finding + ".", report::text(row, "belief"));
    EXPECT_FALSE(std::regex_search(finding, figure)) << finding;
  }
}

TEST(pages, show_figures_that_there_are) {
  const std::regex picture("\\]\\((figures/[^)]*)\\)");
  std::set<std::string> shown;
  for (const auto& entry : fs::directory_iterator(site / "reports")) {
    if (entry.path().extension() != ".md") continue;
    const auto text = report::read_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), picture), end; at != end; ++at)
      shown.insert((*at)[1]);
  }
  EXPECT_TRUE(shown.contains("figures/equivalence.svg"));
  for (const auto& figure : shown) EXPECT_TRUE(fs::exists(site / "reports" / figure)) << figure;
}

/// What a page shows before a fold is opened is read in one go: 3,000 words, of some pages more; of
/// questions one is read, not all.
TEST(pages, are_read_in_one_go) {
  static const std::map<std::string, std::ptrdiff_t> others{
      {"attention.md", 4000}, {"sinusoidal.md", 4000}, {"conventions.md", 4000},
      {"folklore.md", 4000},  {"questions.md", 9000},  {"decide.md", 1300},
      {"port.md", 2150},      {"README.md", 1300}};
  for (const auto& entry : fs::directory_iterator(site / "reports")) {
    if (entry.path().extension() != ".md") continue;
    const auto name = entry.path().filename().string();
    auto text = report::read_file(entry.path());
    text.resize(std::min(text.size(), text.find("\n## All claims\n")));
    for (std::size_t fold; (fold = text.find("<details>")) != text.npos;)
      text.erase(fold, text.find("</details>", fold) - fold);
    std::istringstream in(text);
    const auto words = std::distance(std::istream_iterator<std::string>(in), {});
    EXPECT_LE(words, others.contains(name) ? others.at(name) : 3000) << name;
    EXPECT_GE(words, 300) << name;
  }
}

}  // namespace
}  // namespace embedscale::consistency_test
