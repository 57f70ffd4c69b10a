// A sentence of the answer stands on claims: it is refused without them or with a verdict that they
// did not come to, and waits while they are planned.
#include "answer/sentence.hpp"

#include <gtest/gtest.h>

#include "answer_rows.hpp"

namespace embedscale::answer {
namespace {

Sentence of(const std::string& words) { return sentence(words, "w.md, item 1"); }

std::string why(const std::string& words) {
  return refusal([&] { of(words); });
}

TEST(sentence, names_what_carries_it_and_what_it_presumes) {
  const auto made = of("It is, if even. {holds a.holds} {holds if a.condition} {fails a.fails}");
  ASSERT_EQ(made.carriers.size(), 3u);
  EXPECT_EQ(made.carriers[0].id, "a.holds");
  EXPECT_EQ(made.carriers[0].verdict, "holds");
  EXPECT_EQ(made.carriers[1].id, "a.condition");
  EXPECT_EQ(made.carriers[1].verdict, "holds if");
  EXPECT_EQ(made.carriers[2].verdict, "fails");
}

TEST(sentence, is_refused_where_no_claim_carries_it) {
  EXPECT_TRUE(contains(why("It is."), "w.md, item 1: 'It is.' names no claim"));
  EXPECT_TRUE(contains(why("It is {a.holds share}."), "names no claim"));
}

TEST(sentence, is_refused_with_a_figure_of_a_claim_that_it_does_not_name) {
  EXPECT_TRUE(contains(why("It is {a.fails share}. {holds a.holds}"), "a figure of 'a.fails'"));
  EXPECT_EQ(why("It is {a.holds share}. {holds a.holds}"), "not refused");
}

TEST(sentence, is_one) {
  for (const char* words : {"It is. So it is. {holds a.holds}", "It is {holds a.holds}",
                            "It is? It is. {holds a.holds}", "{holds a.holds}"})
    EXPECT_TRUE(contains(why(words), "is not one sentence")) << words;
  for (const char* words :
       {"It is (at d = 512), fl(x) = 2. {holds a.holds}", "*Is it?* It is. {holds a.holds}",
        "**What it is:** it. {holds a.holds}", "Is it? {holds a.holds}"})
    EXPECT_EQ(why(words), "not refused") << words;
}

TEST(sentence, has_no_figure_typed_in) {
  for (const char* words : {"It is 0.5. {holds a.holds}", "Of 1,024 all. {holds a.holds}",
                            "It is 12 % of it. {holds a.holds}", "It is 12%. {holds a.holds}"})
    EXPECT_TRUE(contains(why(words), "has a figure typed in")) << words;
  EXPECT_EQ(why("*About 0.01:* at d = 512, 1/√d. {holds a.holds}"), "not refused");
}

TEST(sentence, may_be_the_claims_own) {
  EXPECT_EQ(text_of(few_claims(), of("{claim a.fails}")), "So it is. In two sentences.");
  EXPECT_TRUE(contains(why("And {claim a.fails}"), "is not one sentence"));
}

TEST(items, are_joined_over_lines) {
  const auto words = report::Words::parse("## S\n### p\n- One\n  two.\n- Three.\n", "w.md");
  EXPECT_EQ(items(words, "S", "p"), (std::vector<std::string>{"One   two.", "Three."}));
  EXPECT_TRUE(sentences(words, "S", "none").empty());
}

TEST(items, refuse_a_text_that_is_in_none) {
  const auto words = report::Words::parse("## S\n### p\nLost.\n- One.\n", "w.md");
  EXPECT_TRUE(contains(refusal([&] { items(words, "S", "p"); }), "'Lost.' is in no item"));
}

TEST(sentences, are_told_apart_in_complaints) {
  const auto words = report::Words::parse("## S\n### p\n- One. {holds a.b}\n- Two.\n", "w.md");
  EXPECT_TRUE(contains(refusal([&] { sentences(words, "S", "p"); }),
                       "w.md, section 'S', part 'p', item 2: 'Two.'"));
}

TEST(waits_for, is_nothing_where_all_is_settled_as_presumed) {
  for (const char* words :
       {"It is. {holds a.holds}", "It is. {holds if a.condition}", "It is not. {fails a.fails}",
        "Who knows. {open a.open}", "{claim a.open}", "{claim a.holds}"})
    EXPECT_TRUE(waits_for(few_claims(), of(words)).empty()) << words;
}

TEST(waits_for, names_the_planned_claims) {
  EXPECT_EQ(waits_for(few_claims(), of("It is. {holds a.holds} {fails b.planned}")),
            std::vector<std::string>{"b.planned"});
  EXPECT_EQ(waits_for(few_claims(), of("{claim b.planned}")).size(), 1u);
}

TEST(waits_for, refuses_every_other_verdict) {
  const std::vector<std::pair<std::string, std::string>> claims{
      {"a.holds", "holds"}, {"a.condition", "holds if"}, {"a.fails", "fails"}, {"a.open", "open"}};
  for (const auto& [id, verdict] : claims)
    for (const char* presumed : {"holds", "holds if", "fails", "open"}) {
      const auto made = of("It is. {" + std::string(presumed) + " " + id + "}");
      const auto message = refusal([&, results = few_claims()] { waits_for(results, made); });
      if (presumed == verdict) {
        EXPECT_EQ(message, "not refused") << id;
        continue;
      }
      EXPECT_TRUE(contains(message, "w.md, item 1: presumes that " + id + " is '" + presumed + "'"))
          << message;
      EXPECT_TRUE(contains(message, "its verdict is '" + verdict)) << message;
    }
}

TEST(waits_for, refuses_a_claim_that_is_none) {
  EXPECT_TRUE(contains(
      refusal([] { waits_for(few_claims(), of("It is. {holds a.holds} {fails a.gone}")); }),
      "w.md, item 1: no claim named 'a.gone'"));
}

/// A wrong verdict is found also where another claim is still planned.
TEST(waits_for, does_not_let_a_planned_claim_hide_a_wrong_one) {
  EXPECT_TRUE(contains(
      refusal([] { waits_for(few_claims(), of("It is. {fails b.planned} {holds a.fails}")); }),
      "presumes that a.fails is 'holds'"));
}

TEST(text_of, fills_in_figures_and_leaves_no_tag) {
  EXPECT_EQ(
      text_of(few_claims(), of("Of {a.fails systems}  {a.fails share} % are. {fails a.fails}")),
      "Of 14 12.5 % are.");
  EXPECT_EQ(text_of(few_claims(), of("It is if {a.condition condition}. {holds if a.condition}")),
            "It is if d is even.");
  EXPECT_EQ(text_of(few_claims(), of("Not at {a.fails counterexample}. {fails a.fails}")),
            "Not at d = 3: 1 against 2.");
}

TEST(text_of, finds_a_measurement_by_its_place) {
  const auto text = [](const std::string& field) {
    return text_of(few_claims(), of("It is {a.holds " + field + "}. {holds a.holds}"));
  };
  EXPECT_EQ(text("ratio system=one"), "It is 1.500.");
  EXPECT_EQ(text("ratio system=two"), "It is ∞.");
  // Another quantity, another place, two of them, no place.
  for (const char* field :
       {"share system=one", "ratio system=three", "ratio d=64", "ratio width=64", "ratio x"})
    EXPECT_TRUE(contains(refusal([&] { text(field); }), "nor one measurement")) << field;
}

TEST(text_of, refuses_a_field_that_the_claim_does_not_have) {
  for (const char* field : {"gone", "condition", ""})
    EXPECT_TRUE(contains(
        refusal([&] {
          text_of(few_claims(), of("It is {a.holds " + std::string(field) + "}. {holds a.holds}"));
        }),
        "w.md, item 1: no field named"))
        << field;
}

TEST(rendered, links_to_each_claim) {
  EXPECT_EQ(rendered(few_claims(), of("It is. {holds a.holds} {fails a.fails}"), "r/"),
            "It is. <sub>[a.holds](r/a.md#a.holds) · [a.fails](r/a.md#a.fails)</sub>");
}

TEST(count_sentences, counts_ends) {
  EXPECT_EQ(count_sentences(""), 0u);
  EXPECT_EQ(count_sentences("One at d = 1.5 only, fl(x)."), 1u);
  EXPECT_EQ(count_sentences("One. Two (at 0.5). Three?"), 3u);
  EXPECT_EQ(count_sentences("“One.” *Two.* three"), 2u);
}

}  // namespace
}  // namespace embedscale::answer
