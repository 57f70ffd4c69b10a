// The answer's page, its drawing, and what the README has of it, from rows made for the purpose.
#include "answer/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "answer/equivalence.hpp"
#include "answer_rows.hpp"
#include "report/table.hpp"

namespace embedscale::answer {
namespace {

/// Words of a whole page, with these items in the answer to S1.
report::Words words_with(const std::string& answer, const std::string& also = "") {
  return report::Words::parse(
      "# T\nIntroduction.\n## terms\n### text\nTerms.\n## in short\n### sentences\n- Short. {holds "
      "a.holds}\n"
      "## drawing\n### title\nDrawing\n### text\nText.\n### alternative text\nOne\ntwo.\n"
      "## drawing 1\n### title\nOne & two?\n### left\na < b\n### right\nb\n### stages\n"
      "- First: same. {holds a.holds}\n- Second: same if. {holds if a.condition}\n"
      "- Third: not. {fails a.fails}\n- Fourth: who knows. {open a.open}\n"
      "- Fifth: a secret. {holds b.planned}\n"
      "## S1\n### title\nWhy?\n### asked\n“Why\nthis?”\n### answer\n" +
          answer + "\n### also asked\n" + also +
          "\n## failing\n### text\nF.\n## open\n### text\nO.\n## claims\n### text\nC.\n"
          "## topics\n### names\n- a: the first\n## read on\n### text\nRead {topics}.\n",
      "w.md");
}

std::string why(const std::string& answer, const Json& results = few_claims()) {
  return refusal([&] { page(results, words_with(answer)); });
}

std::string repeated(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += "- It is. {holds a.holds}\n";
  return all;
}

TEST(answer, shows_what_is_settled_and_links_it) {
  const auto text = page(few_claims(), words_with("- It is {a.holds share}. {holds a.holds}"));
  EXPECT_TRUE(contains(text, "\n- It is 12.5. <sub>[a.holds](a.md#a.holds)</sub>\n"));
  EXPECT_TRUE(contains(text, "\n- Short. <sub>"));
  EXPECT_TRUE(contains(text, "> “Why this?”\n"));
  EXPECT_TRUE(contains(text, "(https://datascience.stackexchange.com/questions/87906)"));
  EXPECT_TRUE(contains(text, "![One two.](figures/equivalence.svg)"));
  EXPECT_FALSE(contains(text, "Also asked"));
}

TEST(answer, keeps_back_what_waits_and_says_who_waits) {
  const auto words = words_with("- Now. {holds a.holds}\n- Later. {fails b.planned}");
  const auto before = page(few_claims(), words);
  EXPECT_FALSE(contains(before, "Later."));
  EXPECT_TRUE(contains(before, "| b.planned | It is b.planned. | S1 "));
  auto results = few_claims();
  results["claims"][4] = settled_row("b.planned", "fails");
  // The drawing presumes another verdict.
  EXPECT_TRUE(contains(refusal([&] { page(results, words); }), "drawing 1"));
  results["claims"][4] = settled_row("b.planned", "holds");
  EXPECT_TRUE(
      contains(refusal([&] { page(results, words); }), "section 'S1', part 'answer', item 2"));
}

TEST(answer, waits_for_what_was_asked_there) {
  auto results = few_claims();
  results["claims"][4]["asked_in"] = {"S1", "S2"};
  EXPECT_TRUE(
      contains(page(results, words_with(repeated(1))), "| b.planned | It is b.planned. | S1 "));
}

TEST(answer, switches_a_sentence_on_when_its_claim_is_settled) {
  const auto words = words_with("- Now. {holds a.holds}\n- Later. {holds b.planned}");
  auto results = few_claims();
  results["claims"][4] = settled_row("b.planned", "holds");
  const auto after = page(results, words);
  EXPECT_TRUE(contains(after, "- Later. <sub>[b.planned](b.md#b.planned)</sub>"));
  EXPECT_FALSE(contains(after, "| b.planned | It is"));
  EXPECT_TRUE(contains(after, "**=** Fifth: a secret."));
}

TEST(answer, has_at_most_five_sentences) {
  EXPECT_EQ(why(repeated(5)), "not refused");
  EXPECT_TRUE(contains(why(repeated(6)), "section 'S1': 6 items in its answer instead of 1 to 5"));
  // A claim's own sentence counts for as many as it has, here two.
  EXPECT_EQ(why(repeated(3) + "- {claim a.holds}\n"), "not refused");
  EXPECT_TRUE(contains(why(repeated(4) + "- {claim a.holds}\n"), "has 6 sentences to show"));
}

TEST(answer, is_refused_where_it_has_nothing_to_show) {
  EXPECT_TRUE(contains(why("- Later. {holds b.planned}"), "section 'S1': its answer has 0"));
}

TEST(answer, is_refused_with_a_verdict_that_did_not_come) {
  for (const char* wrong : {"holds if", "fails", "open"})
    EXPECT_TRUE(contains(why("- It is. {" + std::string(wrong) + " a.holds}"),
                         "w.md, section 'S1', part 'answer', item 1: presumes that a.holds is '"))
        << wrong;
}

TEST(answer, also_tells_what_else_was_asked) {
  const auto text = page(few_claims(), words_with("- It is. {holds a.holds}",
                                                  "- *Is it even?* If. {holds if a.condition}"));
  EXPECT_TRUE(contains(text, "Also asked or said there:\n\n- *Is it even?* If. <sub>"));
}

TEST(answer, lists_what_fails_with_its_counterexample_and_what_is_open) {
  const auto text = page(few_claims(), words_with(repeated(1)));
  EXPECT_TRUE(contains(text, "- “It is a.fails.” — d = 3: 1 against 2 <sub>[a.fails]"));
  EXPECT_FALSE(contains(text, "“It is a.holds.”"));
  EXPECT_TRUE(contains(text, "- “It is a.open.” — So it is."));
  auto results = few_claims();
  results["claims"][2]["counterexample"] = nullptr;
  EXPECT_TRUE(contains(failing(results), "— So it is. In two sentences. <sub>"));
}

TEST(answer, has_a_row_for_each_claim) {
  const auto text = page(few_claims(), words_with(repeated(1)));
  for (const char* row :
       {"\n| [a.holds](a.md#a.holds) ", "\n| [a.condition](a.md#a.condition) ", "\n| b.planned "})
    EXPECT_TRUE(contains(text, row)) << row;
  EXPECT_TRUE(contains(text, "**holds if d is even**"));
  // The topic of the planned claim has no page.
  EXPECT_TRUE(contains(text, "Read [the first](a.md).\n"));
}

TEST(in_short, has_at_most_five_lines) {
  const auto lines = [](int n) {
    return report::Words::parse("## in short\n### sentences\n" + repeated(n), "w.md");
  };
  EXPECT_EQ(std::ranges::count(in_short(few_claims(), lines(5), "r/"), '\n'), 5);
  EXPECT_TRUE(contains(in_short(few_claims(), lines(1), "r/"), "](r/a.md#a.holds)"));
  for (const int n : {0, 6})
    EXPECT_TRUE(
        contains(refusal([&] { in_short(few_claims(), lines(n), ""); }), "instead of 1 to 5"));
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
  EXPECT_EQ(signs, (std::vector<std::string>{"=", "= if", "≠", "?", "?"}));
}

TEST(drawing, says_nothing_of_what_is_planned) {
  const auto all = comparisons(words_with(repeated(1)));
  for (const auto& text : {drawing(few_claims(), all), list(few_claims(), all, "")}) {
    EXPECT_TRUE(contains(text, "Fifth"));
    EXPECT_TRUE(contains(text, "planned: not settled yet."));
    EXPECT_FALSE(contains(text, "secret"));
  }
}

TEST(drawing, escapes_its_texts_and_is_the_same_each_time) {
  const auto all = comparisons(words_with(repeated(1)));
  const auto svg = drawing(few_claims(), all);
  EXPECT_TRUE(contains(svg, ">One &amp; two?</text>"));
  EXPECT_TRUE(contains(svg, ">a &lt; b</text>"));
  EXPECT_EQ(svg, drawing(few_claims(), all));
}

TEST(drawing, refuses_a_stage_without_a_name) {
  const auto words = report::Words::parse(
      "## drawing 1\n### title\nT\n### left\na\n### right\nb\n### stages\n- No. {holds a.holds}\n",
      "w.md");
  EXPECT_TRUE(contains(refusal([&] { comparisons(words); }), "has no name and colon"));
}

TEST(wrapped, breaks_at_spaces) {
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("√d·e + p", 8), (std::vector<std::string>{"√d·e + p"}));
  EXPECT_EQ(wrapped("immeasurable", 3), (std::vector<std::string>{"immeasurable"}));
}

}  // namespace
}  // namespace embedscale::answer
