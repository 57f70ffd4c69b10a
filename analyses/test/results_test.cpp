// What is made from the rows of all topics: results.json, verdicts in words, badges.
#include "report/results.hpp"

#include <gtest/gtest.h>
#include "properties/catalogue.hpp"

#include "report/file.hpp"
#include "report/section.hpp"
#include "results_rows.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::results_test {
namespace {

TEST(merged_results, have_the_whole_catalogue_in_its_order) {
  const Scratch scratch;
  const auto catalogue = properties::catalogue();
  for (const auto topic : properties::topics()) {
    Json rows = Json::array();
    for (const auto& claim : catalogue)
      if (claim.topic() == topic) rows.insert(rows.begin(), settled(std::string(claim.id)));
    write_file(scratch / ("data/" + std::string(topic) + ".json"), rows.dump());
  }
  const auto results = merged_results(scratch.path());
  ASSERT_EQ(results["claims"].size(), catalogue.size());
  for (std::size_t i = 0; i < catalogue.size(); ++i)
    EXPECT_EQ(results["claims"][i]["id"], catalogue[i].id);
}

TEST(badge, tells_what_is_settled_and_rejected) {
  auto results = few_claims();
  results["claims"].push_back(settled("other.one"));
  EXPECT_EQ(badge(results, "other"),
            (Json{{"schemaVersion", 1},
                  {"label", "other"},
                  {"message", "1 of 1 claims settled, 3 of 3 mutants rejected"},
                  {"color", "brightgreen"}}));
  EXPECT_EQ(badge(results, "a")["message"], "5 of 6 claims settled, 18 of 18 mutants rejected");
  EXPECT_EQ(badge(results, "a")["color"], "orange");
  for (const auto& [key, value, colour] :
       {std::tuple<const char*, Json, const char*>{"verdict", "open", "orange"},
        {"mutants", {{"killed", 2}, {"total", 3}}, "red"}}) {
    auto changed = few_claims();
    changed["claims"].erase(3);  // the open one
    EXPECT_EQ(badge(changed, "a")["color"], "brightgreen");
    changed["claims"][0][key] = value;
    EXPECT_EQ(badge(changed, "a")["color"], colour) << key;
  }
}

/// Neither red nor green, whatever the verdict: only what is not settled looks otherwise.
TEST(claim_badge, shows_the_finding_and_no_judgement) {
  EXPECT_EQ(claim_badge(settled("topic.one", "false")), (Json{{"schemaVersion", 1},
                                                              {"label", "topic"},
                                                              {"message", "Found is topic.one"},
                                                              {"color", "blue"}}));
  for (const char* verdict : {"true", "true if", "premise true", "premise true if"})
    EXPECT_EQ(claim_badge(settled("topic.one", verdict))["color"], "blue") << verdict;
  EXPECT_EQ(claim_badge(settled("topic.one", "open"))["color"], "lightgrey");
}

}  // namespace
}  // namespace embedscale::report::results_test
