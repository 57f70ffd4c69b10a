// A sentence of the answer stands on claims: it is refused without them or with a verdict that they
// did not come to.
#include "answer/sentence.hpp"

#include <gtest/gtest.h>
#include "properties/ledger.hpp"

#include "report/digits.hpp"
#include "results_rows.hpp"

namespace embedscale::answer::sentence_test {
namespace {

Sentence of(const std::string& words) { return sentence(words, "w.md, item 1"); }

std::string why(const std::string& words) {
  return refusal([&] { of(words); });
}

TEST(sentence, may_stand_on_a_page_and_have_its_totals) {
  const auto made = of("Of {trust.md settled} all {trust.md rejected}. {page trust.md}");
  EXPECT_TRUE(made.carriers.empty());
  EXPECT_EQ(made.pages, std::vector<std::string>{"trust.md"});
  EXPECT_EQ(rendered(few_claims(), made, "r/"), "Of 6 all 18. <sub>[trust.md](r/trust.md)</sub>");
  EXPECT_TRUE(
      contains(refusal([] { text_of(few_claims(), of("It is {trust.md gone}. {page trust.md}")); }),
               "no total named {trust.md gone}"));
  EXPECT_TRUE(contains(why("It is {trust.md settled}. {true a.true}"), "a figure of 'trust.md'"));
}

TEST(total, has_the_sums_of_the_ledger) {
  double alarm = 0, miss = 0;
  for (const auto& entry : properties::ledger::entries) alarm += entry.alpha, miss += entry.beta;
  EXPECT_EQ(total(few_claims(), "alarm"), report::at_most(alarm));
  EXPECT_EQ(total(few_claims(), "miss"), report::at_most(miss));
  EXPECT_EQ(total(few_claims(), "mutants"), "18");
  auto known = few_claims();
  // Not of the 20 that do not compile or are argued equivalent.
  known["source_mutants"] = {{"mutants", 1234}, {"killed", 1000},   {"timed_out", 76},
                             {"survived", 138}, {"equivalent", 15}, {"invalid", 5},
                             {"score", 0.8864}};
  EXPECT_EQ(total(known, "judged"), "1,214");
  EXPECT_EQ(total(known, "noticed"), "89");
}

TEST(sentence, is_refused_without_its_claim_or_with_a_figure_of_another) {
  EXPECT_TRUE(contains(why("It is."), "w.md, item 1: 'It is.' names no claim"));
  EXPECT_TRUE(contains(why("It is {a.false share}. {true a.true}"), "a figure of 'a.false'"));
  EXPECT_EQ(why("It is {a.true share}. {true a.true}"), "not refused");
}

TEST(sentence, is_one_without_a_figure_typed_in) {
  for (const char* words :
       {"It is. So it is. {true a.true}", "It is {true a.true}", "{true a.true}"})
    EXPECT_TRUE(contains(why(words), "is not one sentence")) << words;
  for (const char* words :
       {"It is 0.5. {true a.true}", "Of 1,024 all. {true a.true}", "It is 12%. {true a.true}"})
    EXPECT_TRUE(contains(why(words), "has a figure typed in")) << words;
  for (const char* words : {"It is (at d = 512), fl(x) = 2. {true a.true}",
                            "*About 0.01:* at d = 512, 1/√d. {true a.true}",
                            "**What it is:** it. {true a.true}", "Is it? {true a.true}"})
    EXPECT_EQ(why(words), "not refused") << words;
}

TEST(require_verdicts, refuses_every_other_verdict) {
  const std::vector<std::pair<std::string, std::string>> claims{
      {"a.true", "true"}, {"a.condition", "true if"},    {"a.false", "false"},
      {"a.open", "open"}, {"a.premise", "premise true"}, {"a.premise_if", "premise true if"}};
  for (const auto& [id, verdict] : claims)
    for (const char* presumed :
         {"true", "true if", "false", "open", "premise true", "premise true if"}) {
      const auto made = of("It is. {" + std::string(presumed) + " " + id + "}");
      const auto message =
          refusal([&, results = few_claims()] { require_verdicts(results, made); });
      if (presumed == verdict) {
        EXPECT_EQ(message, "not refused") << id;
        continue;
      }
      EXPECT_TRUE(contains(message, "w.md, item 1: presumes that " + id + " is '" + presumed + "'"))
          << message;
      EXPECT_TRUE(contains(message, "its verdict is '" + verdict)) << message;
    }
}

TEST(text_of, fills_in_figures_and_leaves_no_tag) {
  EXPECT_EQ(
      text_of(few_claims(), of("Of {a.false systems}  {a.false share} % are. {false a.false}")),
      "Of 14 12.5 % are.");
  EXPECT_EQ(text_of(few_claims(), of("It is if {a.condition condition}. {true if a.condition}")),
            "It is if d is even.");
  EXPECT_EQ(text_of(few_claims(), of("Not at {a.false counterexample}. {false a.false}")),
            "Not at d = 3: 1 against 2.");
}

TEST(text_of, finds_a_measurement_by_its_place_and_refuses_what_there_is_not) {
  const auto text = [](const std::string& field) {
    return text_of(few_claims(), of("It is {a.true " + field + "}. {true a.true}"));
  };
  EXPECT_EQ(text("ratio system=one"), "It is 1.50.");
  EXPECT_EQ(text("ratio system=two"), "It is ∞.");
  // Another quantity, another place, two of them.
  for (const char* field : {"share system=one", "ratio system=three", "ratio d=64"})
    EXPECT_TRUE(contains(refusal([&] { text(field); }), "nor one measurement")) << field;
  for (const char* field : {"gone", "condition"})
    EXPECT_TRUE(contains(refusal([&] { text(field); }), "w.md, item 1: no field named")) << field;
}

}  // namespace
}  // namespace embedscale::answer::sentence_test
