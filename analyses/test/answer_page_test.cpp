// What the site says in the real words has the figures that are known from elsewhere. That no
// sentence stands on another verdict than it presumes is sentence_test.cpp's, where its links lead
// ./dev site's.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "report/file.hpp"
#include "report/lookup.hpp"
#include "report/results.hpp"
#include "report/row.hpp"
#include "texts.hpp"

namespace embedscale::answer {
namespace {

namespace fs = std::filesystem;
using report::Json;

const fs::path reports = EMBEDSCALE_SITE "/reports";

std::string made(const char* page) { return report::read_file(reports / page); }

const Json& results() {
  static const Json all = report::read_results(reports / "results.json");
  return all;
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
       {"|  2.00 |      55.4 |", "|  1.41 |    0.0625 |", "| leave it (computed) ",
        "| keep (trained) ", "| no matter (derived) "}}};
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

}  // namespace
}  // namespace embedscale::answer
