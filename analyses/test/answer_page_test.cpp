// The real words of the answer against the real results: every sentence stands on claims that came
// to the verdict that it presumes, and would be missed or refused if they had not.
#include <gtest/gtest.h>

#include <filesystem>

#include "answer/equivalence.hpp"
#include "answer/page.hpp"
#include "answer_rows.hpp"
#include "folklore.hpp"
#include "report/file.hpp"
#include "report/results.hpp"

namespace embedscale::answer {
namespace {

namespace fs = std::filesystem;

class Answer : public testing::Test {
 protected:
  const Json results = report::read_results(EMBEDSCALE_SITE "/reports/results.json");
  const report::Words words = report::Words::read(EMBEDSCALE_ANALYSES_DIR "/answer.md");
  const report::Words sayings = report::Words::read(EMBEDSCALE_ANALYSES_DIR "/folklore.md");

  /// All sentences of both pages.
  std::vector<Sentence> all() const {
    auto every = sentences(words, "in short", "sentences");
    const auto add = [&every](const std::vector<Sentence>& more) {
      every.insert(every.end(), more.begin(), more.end());
    };
    for (const auto& question : questions(words)) {
      add(question.answer);
      add(question.also_asked);
    }
    for (const auto& comparison : comparisons(words))
      for (const auto& stage : comparison.stages) every.push_back(stage.sentence);
    for (const auto& entry : folklore::entries(sayings)) add(entry.settled);
    return every;
  }
  /// The results without their measurements, which take long to copy.
  Json light() const {
    Json copy = results;
    for (auto& row : copy["claims"]) row.erase("measurements");
    return copy;
  }
};
using answer_page = Answer;

/// Results with another row of one claim.
Json with(Json copy, std::string_view id, const std::function<void(Json&)>& change) {
  for (auto& row : copy["claims"])
    if (row["id"] == id) change(row);
  return copy;
}

TEST_F(answer_page, answers_each_question_in_at_most_five_sentences) {
  const auto asked = questions(words);
  std::vector<std::string> keys;
  for (const auto& question : asked) {
    keys.push_back(question.key);
    std::size_t count = 0;
    for (const auto& sentence : question.answer)
      if (waits_for(results, sentence).empty())
        count += count_sentences(text_of(results, sentence));
    EXPECT_GE(count, 3u) << question.key;
    EXPECT_LE(count, 5u) << question.key;
    EXPECT_LE(question.answer.size(), 5u) << question.key;
    for (const auto& item : question.also_asked) EXPECT_LE(item.carriers.size(), 3u) << item.where;
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"S0", "S1", "S2", "S3", "S4"}));
}

TEST_F(answer_page, stands_on_evaluated_claims_of_the_presumed_verdict) {
  const auto every = all();
  EXPECT_GE(every.size(), 90u);
  for (const auto& sentence : every) {
    ASSERT_FALSE(sentence.carriers.empty()) << sentence.where;
    if (!waits_for(results, sentence).empty()) continue;
    EXPECT_EQ(text_of(results, sentence).find_first_of("{}"), std::string::npos) << sentence.where;
    for (const auto& carrier : sentence.carriers) {
      const auto& row = *report::find_claim(results, carrier.id);
      EXPECT_EQ(row.at("status"), "evaluated") << sentence.where;
      EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << sentence.where;
      EXPECT_TRUE(carrier.verdict.empty() || row.at("verdict") == carrier.verdict)
          << sentence.where;
    }
  }
}

// Each presumption is one that the pages would not survive the loss of.
TEST_F(answer_page, is_refused_if_any_claim_comes_to_another_verdict) {
  const Json base = light();
  std::size_t tried = 0;
  for (const auto& sentence : all()) {
    if (!waits_for(results, sentence).empty()) continue;
    for (const auto& carrier : sentence.carriers) {
      if (carrier.verdict.empty()) continue;
      for (const std::string other : {"holds", "holds if", "fails", "open"}) {
        if (other == carrier.verdict) continue;
        const auto changed = with(base, carrier.id, [&](Json& row) { row["verdict"] = other; });
        EXPECT_TRUE(contains(refusal([&] { waits_for(changed, sentence); }), carrier.id))
            << sentence.where << ": " << carrier.id << " " << other;
        ++tried;
      }
    }
  }
  EXPECT_GE(tried, 200u);
}

/// One claim of each verdict, through the whole page.
TEST_F(answer_page, whole_is_refused_with_a_wrong_verdict) {
  for (const char* id : {"combination.up_is_down_times_root_d", "combination.rounds_identically",
                         "attention.factor_is_a_temperature"}) {
    const auto changed = with(results, id, [](Json& row) { row["verdict"] = "open"; });
    EXPECT_TRUE(contains(refusal([&] { page(changed, words); }), id)) << id;
    EXPECT_TRUE(contains(refusal([&] { drawing(changed, comparisons(words)); }), id)) << id;
  }
  const auto changed =
      with(results, "tied_output.initial_loss", [](Json& row) { row["verdict"] = "fails"; });
  EXPECT_TRUE(contains(refusal([&] { folklore::page(changed, sayings); }), "section 'C14'"));
}

TEST_F(answer_page, names_every_claim_and_keeps_back_what_is_planned) {
  const auto text = page(results, words);
  EXPECT_EQ(text, report::read_file(EMBEDSCALE_SITE "/reports/README.md"));
  for (const auto& row : results.at("claims"))
    EXPECT_TRUE(contains(text, row.at("id").get<std::string>()));
  const auto open = text.substr(text.find("## What remains open"));
  for (const auto& sentence : all())
    for (const auto& id : waits_for(results, sentence))
      EXPECT_TRUE(contains(open, "\n| " + id + " ")) << sentence.where;
}

TEST_F(answer_page, says_the_independently_known) {
  const auto text = page(results, words);
  // √2 for d^−½ times √d beside sinusoids of RMS 1/√2; 512/√64; √512.
  for (const char* figure :
       {"1.414 times", "RMS 0.7071", "a factor 64.00", "22.6 at d_model = 512", "d_model = 5000"})
    EXPECT_TRUE(contains(text, figure)) << figure;
}

TEST_F(answer_page, links_lead_somewhere) {
  for (const auto& [name, text] :
       {std::pair{"README", page(results, words)}, {"folklore", folklore::page(results, sayings)}})
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
      const auto target = text.substr(at + 2, text.find_first_of(")#", at + 2) - at - 2);
      if (target.empty() || target.starts_with("https://")) continue;
      // trust.md is made apart.
      EXPECT_TRUE(fs::exists(fs::path(EMBEDSCALE_SITE "/reports") / target) || target == "trust.md")
          << name << ": " << target;
    }
}

}  // namespace
}  // namespace embedscale::answer
