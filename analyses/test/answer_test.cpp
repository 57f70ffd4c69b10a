// The front page, the questions, the drawing, and what the README has of them, from rows made for
// the purpose.
#include "answer/page.hpp"

#include <gtest/gtest.h>

#include "answer/equivalence.hpp"
#include "report/table.hpp"
#include "results_rows.hpp"

namespace embedscale::answer::page_test {
namespace {

/// Words of both pages, with these items in the answer to "why".
report::Words words_with(const std::string& answer,
                         const std::string& list = "- First group: why, how") {
  return report::Words::parse(
      "# T\nIntroduction.\n## terms\n### text\nTerms.\n## in short\n### sentences\n- Short. {true "
      "a.true}\n"
      "## drawing\n### title\nDrawing\n### text\nText.\n### alternative text\nOne\ntwo.\n"
      "## drawing 1\n### title\nOne & two?\n### left\na < b\n### right\nb\n### stages\n"
      "- First: same. {true a.true}\n- Second: same if. {true if a.condition}\n"
      "- Third: not. {false a.false}\n- Fourth: who knows. {open a.open}\n"
      "- Fifth: so far. {premise true a.premise}\n"
      "- Sixth: so far, if. {premise true if a.premise_if}\n"
      "## questions\n### text\nAsk.\n### front\nAll {count}.\n### list\n" +
          list + "\n## question why\n### title\nWhy?\n### asked\nS1 t2t1718\n### answer\n" +
          answer +
          "\n## question how\n### title\nHow?\n### answer\n- So. {false a.false}\n"
          "## open\n### text\nO.\n## claims\n### text\nC.\n"
          "## topics\n### names\n- a: the first\n## read on\n### text\nRead {topics}.\n",
      "w.md");
}

/// Why the page of questions is refused.
std::string why(const std::string& answer, const std::string& list = "- First group: why, how") {
  return refusal([&] { questions_page(few_claims(), words_with(answer, list)); });
}

std::string repeated(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += "- It is. {true a.true}\n";
  return all;
}

TEST(questions, are_answered_under_an_anchor_that_the_list_links) {
  const auto text =
      questions_page(few_claims(), words_with("- It is {a.true share}. {true a.true}"));
  EXPECT_TRUE(contains(text,
                       "# Questions and short answers\n\nAsk.\n\n- First group\n"
                       "  - [Why?](#why)\n  - [How?](#how)\n\n## First group\n\n"
                       "<a id=\"why\"></a>\n\n### Why?\n\nAsked: "));
  EXPECT_TRUE(contains(text,
                       "[datascience.stackexchange.com 87906]("
                       "https://datascience.stackexchange.com/questions/87906) · "
                       "[tensor2tensor 1718](https://"));
  EXPECT_TRUE(contains(text, "\n- It is 12.5.\n\n<sub>[Found is a.true](a.md#a.true)</sub>\n"));
  // Nobody is named where nobody asked.
  EXPECT_TRUE(contains(text, "### How?\n\n- So.\n\n<sub>[Found is a.false](a.md#a.false)</sub>\n"));
}

TEST(questions, may_have_code_behind_their_answer) {
  const auto text = questions_page(
      few_claims(), words_with("- So. {true a.true}\n\n```\nf({\"a\": 1})\n  # and\n```"));
  EXPECT_TRUE(contains(text, "- So.\n\n```python\nf({\"a\": 1})\n  # and\n```\n\n<sub>[Found is"));
}

TEST(questions, are_each_in_the_list_once_and_answered_in_at_most_three_sentences) {
  EXPECT_EQ(why(repeated(3)), "not refused");
  EXPECT_TRUE(contains(why(repeated(1), "- G: why"), "section 'question how' is not in the list"));
  EXPECT_TRUE(contains(why(repeated(1), "- G: why, how\n- H: how"), "has 'how' twice"));
  EXPECT_TRUE(contains(why(repeated(1), "- G: why, how, when"), "'question when'"));
  EXPECT_TRUE(contains(why(repeated(4)), "'question why': 4 items in its answer instead of 1 to"));
  // A claim's own sentence counts for as many as it has, here two.
  EXPECT_TRUE(contains(why(repeated(2) + "- {claim a.true}\n"), "has 4 sentences to show"));
  EXPECT_TRUE(contains(why("- See there. {page trust.md}"), "no claim stands behind its answer"));
}

TEST(questions, link_each_claim_and_are_refused_with_another_verdict) {
  const auto words = words_with("- One. {true a.true}\n- Two. {false a.false}");
  EXPECT_TRUE(contains(questions_page(few_claims(), words),
                       "- Two.\n\n<sub>[Found is a.true](a.md#a.true) · "
                       "[Found is a.false](a.md#a.false)</sub>"));
  EXPECT_TRUE(contains(why("- One. {true a.true}\n- Two. {true a.false}"),
                       "section 'question why', part 'answer', item 2: presumes that a.false"));
}

TEST(answer, shows_what_is_settled_and_links_it_and_says_what_is_open) {
  auto results = few_claims();
  const auto words = words_with(repeated(1));
  const auto text = page(results, words);
  for (const char* said :
       {"\n- Short. <sub>[true](a.md#a.true)</sub>\n", "![One two.](figures/equivalence.svg)",
        "Read [the first](a.md).\n", "\n- “It is a.open.” <sub>[Found is a.open]"})
    EXPECT_TRUE(contains(text, said)) << said;
  // The drawing presumes another verdict.
  results["claims"][2] = settled("a.false", "true");
  EXPECT_TRUE(contains(refusal([&] { page(results, words); }), "drawing 1"));
}

TEST(questions, may_have_a_figure_with_its_caption_below) {
  const auto text = questions_page(
      few_claims(), words_with("- So. {true a.true}\n### figure\nof_it: It is: level."));
  EXPECT_TRUE(contains(text, "- So.\n\n![Why?](figures/of_it.svg)\n\n*It is: level.*\n\n<sub>"));
}

TEST(answer, links_the_questions_asked_in_most_places) {
  EXPECT_TRUE(contains(page(few_claims(), words_with(repeated(1), "- G: how, why")),
                       "\n\nAll 2.\n\n- [Why?](questions.md#why)\n- [How?](questions.md#how)\n\n"));
}

TEST(answer, has_a_row_for_each_claim_with_finding_belief_and_verdict) {
  const auto text = page(few_claims(), words_with(repeated(1)));
  const auto row = [&](const std::string& name) {
    const auto at = text.find("\n| [Found is " + name + "](a.md#" + name + ") ");
    return at == text.npos ? std::string() : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  for (const auto& [name, verdict] :
       {std::pair<std::string, std::string>{"a.true", "| true "},
        {"a.condition", "| true if d is even "},
        {"a.false", "| false "},
        {"a.premise", "| premise true, reason not shown "},
        {"a.premise_if", "| premise true if d is even (reason not shown) "}}) {
    EXPECT_TRUE(contains(row(name), "| “It is " + name + ".” ")) << row(name);
    EXPECT_TRUE(contains(row(name), verdict)) << row(name);
  }
}

TEST(with_block, replaces_between_the_marks) {
  EXPECT_EQ(with_block("a<!-- x:begin -->old<!-- x:end -->z", "x", "new"),
            "a<!-- x:begin -->\n\nnew\n<!-- x:end -->z");
  for (const char* text : {"", "<!-- x:begin -->", "<!-- x:end --><!-- x:begin -->"})
    EXPECT_TRUE(contains(refusal([&] { with_block(text, "x", ""); }), "needs <!-- x:begin -->"));
}

TEST(drawing, has_the_sign_of_each_verdict) {
  const auto all = comparisons(words_with(repeated(1)));
  ASSERT_EQ(all.size(), 1u);
  std::vector<std::string> signs;
  for (const auto& stage : all[0].stages) signs.push_back(sign_of(few_claims(), stage));
  EXPECT_EQ(signs, (std::vector<std::string>{"=", "= if", "≠", "?", "=", "= if"}));
}

}  // namespace
}  // namespace embedscale::answer::page_test
