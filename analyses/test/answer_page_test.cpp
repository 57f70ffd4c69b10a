// The real words of the front page, the questions and folklore against the real results: every
// sentence stands on claims that came to the verdict that it presumes, and would be missed or
// refused if they had not.
#include <gtest/gtest.h>

#include "properties/sources.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "answer/equivalence.hpp"
#include "answer/page.hpp"
#include "answer_rows.hpp"
#include "decide.hpp"
#include "folklore.hpp"
#include "report/file.hpp"
#include "report/lookup.hpp"
#include "report/results.hpp"

namespace embedscale::answer {
namespace {

namespace fs = std::filesystem;

/// As the program has them.
Json known() {
  auto results = report::read_results(EMBEDSCALE_SITE "/reports/results.json");
  results["source_mutants"] =
      report::read_json(EMBEDSCALE_ANALYSES_DIR "/../properties/mutation/score.json").at("total");
  return results;
}

class Answer : public testing::Test {
 protected:
  const Json results = known();
  const report::Words words = report::Words::read(EMBEDSCALE_ANALYSES_DIR "/answer.md");
  const report::Words decisions = report::Words::read(EMBEDSCALE_ANALYSES_DIR "/decide.md");
  const report::Words sayings = report::Words::read(EMBEDSCALE_ANALYSES_DIR "/folklore.md");

  /// All sentences of the pages.
  std::vector<Sentence> all() const {
    auto every = sentences(words, "in short", "sentences");
    const auto add = [&every](const std::vector<Sentence>& more) {
      every.insert(every.end(), more.begin(), more.end());
    };
    for (const auto& question : asked()) add(question.answer);
    for (const auto& comparison : comparisons(words))
      for (const auto& stage : comparison.stages) every.push_back(stage.sentence);
    for (const auto& entry : folklore::entries(sayings)) add(entry.settled);
    for (const auto& [section, parts] : decisions.sections())
      add(sentences(decisions, section, "sentences"));
    return every;
  }
  std::vector<Question> asked() const {
    std::vector<Question> every;
    for (const auto& group : questions(words))
      every.insert(every.end(), group.questions.begin(), group.questions.end());
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

TEST_F(answer_page, answers_each_question_in_at_most_three_sentences) {
  const auto every = asked();
  EXPECT_GE(every.size(), 30u);
  for (const auto& question : every) {
    std::size_t count = 0, claims = 0;
    for (const auto& sentence : question.answer) {
      if (!waits_for(results, sentence).empty()) continue;
      count += count_sentences(text_of(results, sentence));
      for (const auto& carrier : sentence.carriers)
        claims += report::find_claim(results, carrier.id) != nullptr ? 1 : 0;
    }
    EXPECT_GE(count, 2u) << question.anchor;
    EXPECT_LE(count, 3u) << question.anchor;
    EXPECT_GE(claims, 1u) << question.anchor;
  }
}

TEST_F(answer_page, has_every_question_under_one_anchor_that_both_lists_link) {
  const auto text = questions_page(results, words), front = page(results, words);
  EXPECT_EQ(text, report::read_file(EMBEDSCALE_SITE "/reports/questions.md"));
  for (const auto& question : asked()) {
    EXPECT_EQ(occurrences(text, "<a id=\"" + question.anchor + "\"></a>"), 1u) << question.anchor;
    EXPECT_EQ(occurrences(text, "](#" + question.anchor + ")"), 1u) << question.anchor;
    EXPECT_EQ(occurrences(front, "](questions.md#" + question.anchor + ")"), 1u) << question.anchor;
  }
}

/// A page of a topic links a question that was asked by its anchor.
TEST_F(answer_page, has_the_questions_that_sources_name) {
  const auto every = asked();
  std::size_t named = 0;
  for (const auto& source : properties::sources) {
    EXPECT_FALSE(source.short_name.empty()) << source.key;
    if (source.question.empty()) continue;
    ++named;
    const auto found = std::ranges::find(every, source.question, &Question::anchor);
    ASSERT_NE(found, every.end()) << source.key;
    EXPECT_NE(std::ranges::find(found->asked, source.key), found->asked.end()) << source.key;
  }
  EXPECT_EQ(named, 5u);
}

TEST_F(answer_page, stands_on_evaluated_claims_of_the_presumed_verdict) {
  const auto every = all();
  EXPECT_GE(every.size(), 150u);
  for (const auto& sentence : every) {
    ASSERT_FALSE(sentence.carriers.empty() && sentence.pages.empty()) << sentence.where;
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
      for (const std::string other :
           {"true", "true if", "false", "open", "premise true", "premise true if"}) {
        if (other == carrier.verdict) continue;
        const auto changed = with(base, carrier.id, [&](Json& row) { row["verdict"] = other; });
        EXPECT_TRUE(contains(refusal([&] { waits_for(changed, sentence); }), carrier.id))
            << sentence.where << ": " << carrier.id << " " << other;
        ++tried;
      }
    }
  }
  EXPECT_GE(tried, 600u);
}

/// One claim of each verdict, through the whole pages.
TEST_F(answer_page, whole_is_refused_with_a_wrong_verdict) {
  for (const char* id : {"combination.up_is_down_times_root_d", "combination.rounds_identically",
                         "attention.factor_is_a_temperature"}) {
    const auto changed = with(results, id, [](Json& row) { row["verdict"] = "open"; });
    EXPECT_TRUE(contains(refusal([&] { page(changed, words); }), id)) << id;
    EXPECT_TRUE(contains(refusal([&] { questions_page(changed, words); }), id)) << id;
    EXPECT_TRUE(contains(refusal([&] { drawing(changed, comparisons(words)); }), id)) << id;
  }
  const auto changed =
      with(results, "tied_output.initial_loss", [](Json& row) { row["verdict"] = "false"; });
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
  const auto front = page(results, words), text = questions_page(results, words);
  // √2 for d^−½ times √d beside sinusoids of RMS 1/√2.
  EXPECT_TRUE(contains(front, "standard deviation 1, 1.41 times a sinusoid's RMS"));
  // 512/√64; √512; 1/(2σ²) for σ = 0.01 and 0.02; 0.02·√768 and √768; ln 32128.
  for (const char* figure :
       {"multiply that part by 64.", "√d_model, 22.6 at d_model = 512", "below d_model = 5,000",
        "below 1,250.", "an RMS of 0.554 beside", "√768 = 27.7,", "where ln V is 10.4"})
    EXPECT_TRUE(contains(text, figure)) << figure;
}

/// What folklore's C6 and the questions say in words of the systems whose tables start near 0.01.
TEST_F(answer_page, counts_the_systems_with_small_tables) {
  const auto measured = [&](const char* id, const char* quantity) {
    std::map<std::string, double> of;
    for (const auto& m : report::measurements_of(*report::find_claim(results, id)))
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
  const auto& claim = *report::find_claim(results, "embedding.small_tables_stay_dominated");
  const int near = std::stoi(claim.at("fields").at("near").get<std::string>());
  const int without = near - counts["fainter"] - counts["equal"] - counts["louder"];
  EXPECT_GT(2 * (counts["equal"] + without), near);
  EXPECT_LT(counts["fainter"], counts["equal"]);
  EXPECT_GT(counts["fainter"], 0);
  for (const char* said : {"most of these have positions that are learned and drawn alike",
                           "fewer have tokens fainter than their positions"})
    EXPECT_TRUE(contains(folklore::page(results, sayings), said)) << said;
}

/// GPT-2 and tensor2tensor are where their laws say, and the page is the one that is made.
TEST_F(answer_page, decides_by_figures_that_are_known) {
  const auto text = decide::page(results, decisions);
  EXPECT_EQ(text, report::read_file(EMBEDSCALE_SITE "/reports/decide.md"));
  for (const char* cells : {"|  2.00 |   55.4 |", "|  1.41 | 0.0625 |", "| balanced as it is ",
                            "| keep ", "| as it is: no ratio "})
    EXPECT_TRUE(contains(text, cells)) << cells;
}

TEST_F(answer_page, links_lead_somewhere) {
  for (const auto& [name, text] : {std::pair{"README", page(results, words)},
                                   {"questions", questions_page(results, words)},
                                   {"decide", decide::page(results, decisions)},
                                   {"folklore", folklore::page(results, sayings)}})
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
