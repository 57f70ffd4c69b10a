// The page of decisions: its verdicts, by figures alone, and its tables.
#include "decide.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "results_rows.hpp"

namespace embedscale::decide {
namespace {

struct Case {
  std::vector<audit::Change> changes;
  std::string_view verdict;
};

compare::Parametrisations with(const std::vector<audit::Change>& changes) {
  return compare::compared(audit::parse_configuration(
      "[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = 8\n[token]\n"
      "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'\n"
      "[position]\nkind = 'sinusoidal'\n[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 0\n"
      "[output]\ntied = true\n",
      "f.toml", changes));
}

TEST(verdict, names_the_evidence_that_there_is) {
  const audit::Change none{"token.multiplier", "1"}, unit{"token.standard_deviation", "1"},
      rotary{"position.kind", "rotary"}, post{"block.norm", "post"},
      normed{"embedding_norm.kind", "rms_norm"}, small_epsilon{"embedding_norm.epsilon", "1e-9"};
  const std::vector<audit::Change> learned{{"position.kind", "learned"},
                                           {"position.law", "normal"},
                                           {"position.standard_deviation", "1/sqrt(2)"}};
  const audit::Change tiny{"token.standard_deviation", "0.02"};
  const auto gpt2 = [](std::vector<audit::Change> changes) {
    changes.insert(changes.begin(), {"block.kind", "layer_norm"});
    changes.push_back({"position.kind", "learned"});
    changes.push_back({"position.law", "normal"});
    changes.push_back({"position.standard_deviation", "0.01"});
    return changes;
  };
  for (const auto& [changes, expected] :
       std::vector<Case>{{{}, verdict::keep},
                         {{post}, verdict::keep},
                         {{none}, verdict::put_in},
                         {{unit}, verdict::leave},
                         {{unit, none}, verdict::leave},
                         // Of the study's ratio, but other positions, multiplier, norms.
                         {learned, verdict::leave},
                         {{{"token.multiplier", "4"}}, verdict::leave},
                         {{normed, small_epsilon}, verdict::leave},
                         {{{"block.norm", "none"}}, verdict::leave},
                         {{{"token.law", "xavier_uniform"},
                           {"token.standard_deviation", ""},
                           {"model.vocabulary", ""}},
                          verdict::unknown},
                         // As in the second study, rotary or learned, and beside it.
                         {{rotary}, verdict::keep},
                         {{rotary, none}, verdict::try_it},
                         {{rotary, none, tiny}, verdict::try_it},
                         {{rotary, none, unit}, verdict::leave},
                         {{rotary, none, {"block.kind", "layer_norm"}}, verdict::leave},
                         {{rotary, {"token.multiplier", "2"}}, verdict::leave},
                         {gpt2({tiny, none}), verdict::try_it},
                         {gpt2({tiny}), verdict::keep},
                         {gpt2({none}), verdict::leave},
                         {gpt2({tiny, none, {"block.kind", "rms_norm"}}), verdict::leave},
                         {gpt2({tiny,
                                none,
                                {"output.tied", "false"},
                                {"output.law", "normal"},
                                {"output.standard_deviation", "0.02"}}),
                          verdict::leave},
                         {{rotary, normed, small_epsilon}, verdict::no_matter},
                         // An ε as large as the unscaled token's variance is no detail.
                         {{rotary, normed, {"embedding_norm.epsilon", "1"}}, verdict::leave},
                         {{rotary, post}, verdict::leave}}) {
    std::string what;
    for (const auto& change : changes) what += change.path + "=" + change.value + " ";
    EXPECT_EQ(verdict_of(with(changes)), expected) << what;
  }
}

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
