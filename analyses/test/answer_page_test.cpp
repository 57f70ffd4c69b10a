// What the site says in the real words: by claims that came to the verdict that a sentence
// presumes, with the figures that are known from elsewhere, and with links that lead somewhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "answer/equivalence.hpp"
#include "answer/page.hpp"
#include "folklore.hpp"
#include "report/file.hpp"
#include "report/lookup.hpp"
#include "report/results.hpp"
#include "report/row.hpp"
#include "texts.hpp"

namespace embedscale::answer {
namespace {

namespace fs = std::filesystem;

const fs::path reports = EMBEDSCALE_SITE "/reports", rooms = EMBEDSCALE_ANALYSES_DIR;

std::string made(const char* page) { return report::read_file(reports / page); }

const Json& results() {
  static const Json all = report::read_results(reports / "results.json");
  return all;
}

/// One claim of each verdict, through the whole pages.
TEST(answer_page, is_refused_with_a_wrong_verdict) {
  const auto words = report::Words::read(rooms / "answer.md");
  const auto sayings = report::Words::read(rooms / "folklore.md");
  auto changed = results();
  changed["source_mutants"] =
      report::read_json(rooms / "../properties/mutation/score.json").at("total");
  for (const std::string id :
       {"combination.up_is_down_times_root_d", "combination.rounds_identically",
        "attention.factor_is_a_temperature", "tied_output.initial_loss"}) {
    auto& row = *std::ranges::find(changed["claims"], id,
                                   [](const Json& of) { return report::text(of, "id"); });
    const Json before = std::exchange(row["verdict"], "open");
    const bool in_folklore = id == "tied_output.initial_loss";
    EXPECT_TRUE(contains(refusal([&] {
                           if (in_folklore)
                             folklore::page(changed, sayings);
                           else
                             page(changed, words);
                         }),
                         id));
    if (!in_folklore) {
      EXPECT_TRUE(contains(refusal([&] { questions_page(changed, words); }), id));
      EXPECT_TRUE(contains(refusal([&] { drawing(changed, comparisons(words)); }), id));
    }
    row["verdict"] = before;
  }
}

TEST(answer_page, says_the_independently_known) {
  const std::pair<const char*, std::vector<const char*>> known[] = {
      // √2 for d^−½ times √d beside sinusoids of RMS 1/√2.
      {"README.md", {"standard deviation 1, 1.41 times a sinusoid's RMS"}},
      // 512/√64; √512; 1/(2σ²) for σ = 0.01 and 0.02; 0.02·√768 and √768; ln 32128.
      {"questions.md",
       {"multiply that part by 64.", "√d_model, 22.6 at d_model = 512", "below d_model = 5,000",
        "below 1,250.", "an RMS of 0.554 beside", "√768 = 27.7,", "where ln V is 10.4"}},
      // GPT-2 and tensor2tensor are where their laws say.
      {"decide.md",
       {"|  2.00 |   55.4 |", "|  1.41 | 0.0625 |", "| balanced as it is ", "| keep ",
        "| as it is: no ratio "}}};
  for (const auto& [page, figures] : known)
    for (const char* figure : figures) EXPECT_TRUE(contains(made(page), figure)) << figure;
}

/// What folklore's C6 and the questions say in words of the systems whose tables start near 0.01.
TEST(answer_page, counts_the_systems_with_small_tables) {
  const auto measured = [&](const char* id, const char* quantity) {
    std::map<std::string, double> of;
    for (const auto& m : report::measurements_of(*report::find_claim(results(), id)))
      for (const auto& [axis, at] : m.at)
        if (m.quantity == quantity && axis == "system") of.emplace(report::grouped(at), m.value);
    return of;
  };
  const auto ratios = measured("embedding.balances_the_two_parts", "token_to_position");
  std::map<std::string, int> counts;
  for (const auto& [system, step] : measured("optimizer.relative_step", "relative_step")) {
    const double sigma = 1 / step;  // at learning rate 1, ε = 0
    if (sigma < 0.005 || sigma > 0.0200001) continue;
    const auto found = ratios.find(system);
    if (found != ratios.end())
      ++counts[found->second < 1 ? "fainter" : found->second > 1 ? "louder" : "equal"];
  }
  const auto& claim = *report::find_claim(results(), "embedding.small_tables_stay_dominated");
  const int near = std::stoi(claim.at("fields").at("near").get<std::string>());
  const int without = near - counts["fainter"] - counts["equal"] - counts["louder"];
  EXPECT_GT(2 * (counts["equal"] + without), near);
  EXPECT_LT(counts["fainter"], counts["equal"]);
  EXPECT_GT(counts["fainter"], 0);
  for (const char* said : {"most of these have positions that are learned and drawn alike",
                           "fewer have tokens fainter than their positions"})
    EXPECT_TRUE(contains(made("folklore.md"), said)) << said;
}

/// What a heading can be linked by.
std::string slug(const std::string& heading) {
  std::string all;
  for (const char c : heading)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ' ' || c == '_' || c == '-')
      all += c == ' ' ? '-' : static_cast<char>(std::tolower(c));
  return all;
}

/// To a file, and to an anchor in it.
TEST(answer_page, links_lead_somewhere) {
  const std::regex link("\\]\\(([^)#:]*)(#([^)]+))?\\)"), anchor("<a id=\"([^\"]+)\""),
      heading("\n#+ ([^\n]+)");
  std::size_t followed = 0;
  std::map<fs::path, std::set<std::string>> anchors;
  for (const auto& entry : fs::recursive_directory_iterator(reports)) {
    if (entry.path().extension() != ".md") continue;
    const auto text = report::read_file(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), anchor), end; at != end; ++at)
      anchors[entry.path()].insert(at->str(1));
    for (std::sregex_iterator at(text.begin(), text.end(), heading), end; at != end; ++at)
      anchors[entry.path()].insert(slug(at->str(1)));
  }
  for (const auto& [page, own] : anchors) {
    const auto text = report::read_file(page);
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const auto target = at->str(1), fragment = at->str(3);
      const auto file = target.empty() ? page : (page.parent_path() / target).lexically_normal();
      // trust.md is made apart; LICENSE and the like stand in the repository.
      if (file.filename() == "trust.md" || !target.find("../")) continue;
      EXPECT_TRUE(fs::exists(file)) << page << ": " << at->str();
      EXPECT_TRUE(fragment.empty() || anchors[file].contains(fragment))
          << page << ": " << at->str();
      ++followed;
    }
  }
  EXPECT_GE(followed, 500u);
}

}  // namespace
}  // namespace embedscale::answer
