// What others quote: that it can be quoted alone, and leads to what was released.
#include "report/citation.hpp"

#include <gtest/gtest.h>

#include "report/file.hpp"
#include "report/json.hpp"
#include "report/project.hpp"
#include "results_rows.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::citation_test {
namespace {

const std::string commit = "0123456789abcdef0123456789abcdef01234567";

/// A release of all of these rows, read back from its file.
Release released(const Json& results) {
  const Scratch scratch;
  write_file(scratch / "r.json", release_record(results, commit, "2025-03-04").dump(1));
  return read_release(scratch / "r.json");
}

std::string entry_of(const std::string& bibliography, const std::string& id) {
  const auto at = bibliography.find("@misc{embedscale:" + id + ",\n");
  return at == bibliography.npos ? ""
                                 : bibliography.substr(at, bibliography.find("\n}\n", at) - at);
}

Json review_of(const Json& row, const Release& release = {}) {
  const auto graph = claim_reviews({{"claims", {row}}}, release).at("@graph");
  return graph.empty() ? Json() : graph.at(0);
}

/// Whatever a citation repeats: a release has the row no more when one of them is another.
TEST(release, has_a_row_for_as_long_as_it_says_the_same) {
  const auto row = settled("topic.one", "true if");
  const auto release = released({{"claims", {row}}});
  const auto has = [&](const char* key, const char* value) {
    auto other = row;
    other[key] = value;
    return release.has(other);
  };
  EXPECT_TRUE(has("summary", "In other words."));
  for (const char* key : {"finding", "belief", "verdict", "condition", "premise"})
    EXPECT_FALSE(has(key, "another")) << key;
}

/// A title that asserted the belief would be quoted as what was found.
TEST(bibliography, has_the_finding_for_a_title_and_the_belief_with_its_verdict) {
  const auto entry = entry_of(bibliography(few_claims(), {}), "a.false");
  EXPECT_TRUE(contains(entry, "title = {{Found is a.false}}")) << entry;
  EXPECT_TRUE(contains(entry, "Verdict on “It is a.false.”: false}")) << entry;
}

TEST(bibliography, leads_to_the_commit_of_a_release_or_says_that_there_is_none) {
  auto results = few_claims();
  const auto release = released(results);
  results["claims"][0]["finding"] = "So it is not";
  const auto text = bibliography(results, release);
  const auto same = entry_of(text, "a.false"), changed = entry_of(text, "a.true");
  for (const std::string& what :
       {"\\url{" + std::string(project::url) + "/blob/" + commit + "/reports/a.md#a.false}",
        "version = {" + std::string(project::version) + "}", std::string("commit 0123456789ab. "),
        std::string("year = {2025}")})
    EXPECT_TRUE(contains(same, what)) << what << " in " << same;
  EXPECT_FALSE(contains(same, "not released"));
  EXPECT_TRUE(contains(changed, "/blob/main/reports/a.md#a.true}")) << changed;
  EXPECT_TRUE(contains(changed, "not released yet")) << changed;
  EXPECT_FALSE(contains(changed, "version =")) << changed;
}

TEST(bibliography, has_tex_take_its_signs) {
  auto row = settled("topic.one", "true if");
  row["finding"] = "50 % of d_model^−½ & more", row["condition"] = "a\\b ~ #1";
  const auto text = bibliography({{"claims", {row}}}, {});
  EXPECT_TRUE(contains(text, R"({{50 \% of d\_model\^{}−½ \& more}})")) << text;
  EXPECT_TRUE(contains(text, R"(: true if a\textbackslash{}b \~{} \#1})")) << text;
}

TEST(claim_reviews, rate_the_belief_and_are_named_by_the_finding) {
  const auto review = review_of(settled("topic.two", "false"));
  EXPECT_EQ(review.at("claimReviewed"), "It is topic.two.");
  EXPECT_EQ(review.at("name"), "Found is topic.two");
  EXPECT_EQ(review.at("url"), project::url + std::string("/blob/main/reports/topic.md#topic.two"));
}

TEST(claim_reviews, rate_in_words_and_in_their_order) {
  const auto rating = [](const char* verdict, Json condition = nullptr, Json premise = nullptr) {
    auto row = settled("topic.one", verdict);
    row["condition"] = std::move(condition), row["premise"] = std::move(premise);
    return review_of(row).at("reviewRating");
  };
  EXPECT_EQ(rating("false").at("ratingValue"), 1);
  EXPECT_EQ(rating("false").at("alternateName"), "False");
  EXPECT_EQ(rating("true").at("ratingValue"), 3);
  const auto condition = rating("true if", "d_model ≥ 662");
  EXPECT_EQ(condition.at("ratingValue"), 2);
  EXPECT_EQ(condition.at("alternateName"), "True if d_model ≥ 662");
  const auto premise = rating("premise true", nullptr, "they are orthogonal");
  EXPECT_EQ(premise.at("ratingValue"), 2);
  EXPECT_EQ(premise.at("alternateName"), "Premise true, reason not shown");
  EXPECT_TRUE(contains(refusal([&] { rating("likely"); }), "topic.one: a verdict"));
}

TEST(claim_reviews, say_where_the_belief_was_asked) {
  auto row = settled("topic.one");
  row["asked_in"] = {"S1"};
  const auto works = review_of(row).at("itemReviewed").at("appearance");
  ASSERT_EQ(works.size(), 1);
  EXPECT_EQ(works[0].at("url"), "https://datascience.stackexchange.com/questions/87906");
}

}  // namespace
}  // namespace embedscale::report::citation_test
