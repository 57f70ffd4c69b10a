// The page of decisions: its tables and sentences.
#include "decide.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "results_rows.hpp"

namespace embedscale::decide {
namespace {

std::string page_with(const std::string& list, const std::string& sentences = "",
                      const std::string& text = "",
                      const std::string& verdicts = "- *leave it (computed)*") {
  std::string words = "# Title\nFor d = {d_model}.\n";
  for (const char* part : {"positions", "blocks", "output", "scales", "systems"})
    words += "## " + std::string(part) + "\n### title\nOf " + part + "\n### text\n" + text +
             "\n### sentences\n" + sentences + "\n### list\n" + list + "\n";
  words += "### verdicts\n" + verdicts + "\n## short\n### sentences\n" + sentences + "\n";
  return page(few_claims(), report::Words::parse(words, "d.md"));
}

TEST(page, has_tables_verdicts_and_sentences) {
  const auto text = page_with("bert_google", "- So. {true a.true}", "V = {vocabulary}");
  for (const char* said :
       {"# Title\n\nFor d = 512.\n\n- So. <sub>[true](a.md#a.true)</sub>\n\n## Of systems\n",
        "## Of positions\n\nV = 32,768\n\n| Ratio", "\n- *leave it (computed)*\n- So.",
        "[bert_google](https://github.com/google-research/bert/tree/"})
    EXPECT_TRUE(contains(text, said)) << said << "\n" << text;
  const auto row = [&](const std::string& begin, const std::vector<std::string>& figures) {
    const auto at = text.find("| " + begin);
    ASSERT_NE(at, text.npos) << begin << "\n" << text;
    std::istringstream cells(text.substr(at, text.find('\n', at) - at));
    std::vector<std::string> found;
    for (std::string cell; std::getline(cells, cell, '|');)
      if (const auto from = cell.find_first_not_of(' '); from != cell.npos)
        found.push_back(cell.substr(from, cell.find_last_not_of(' ') + 1 - from));
    found.erase(found.begin());
    EXPECT_EQ(found, figures) << begin;
  };
  // √512/√2 of tables of σ = d^−½ and 1 beside sinusoids, and without √512; ln 32768.
  row("sinusoids, N(0, 1/d)", {"1.41", "1.41", "1.41", "0.0625"});
  row("sinusoids, N(0, 1)", {"32.0", "32.0", "32.0", "1.41"});
  row("Adam's", {"22.6", "1.00", "22.6", "22.6"});
  row("pre-norm, nothing added", {"9.86", "9.86", "—", "0.0144"});
  row("tied, logits over √d", {"10.4", "10.9", "10.4", "10.4"});
  // One law for both parts, and √768 as much.
  row("[bert_google]", {"leave it (computed)", "none, d = 768, learned, post, norm on the sum",
                        "1.00", "27.7", "—", "—"});
}

TEST(page, refuses_what_there_is_not) {
  EXPECT_TRUE(contains(refusal([] { page_with("gpt2"); }), "d.md: no system named 'gpt2'"));
  EXPECT_TRUE(contains(refusal([] { page_with("", "", "{width}"); }), "no field named {width}"));
  EXPECT_TRUE(contains(refusal([] { page_with("", "- So. {false a.true}"); }), "presumes that"));
  EXPECT_TRUE(contains(refusal([] { page_with("bert_google", "", "", "- *keep*"); }),
                       "d.md: verdict 'leave it (computed)' is not told"));
}

}  // namespace
}  // namespace embedscale::decide
