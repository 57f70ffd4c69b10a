// A page follows its measurements: change one, and the verdict and the sentences change with it.
#include "report/page.hpp"
#include "report/gnuplot.hpp"
#include "report/json.hpp"

#include <gtest/gtest.h>

#include "report/file.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::page_test {
namespace {

constexpr properties::Claim claim{.id = "topic.is_small",
                                  .said = "It is small.",
                                  .states = "it is at most 1 at every width",
                                  .kind = properties::Kind::bounded,
                                  .asked_in = {"S0"},
                                  .cites = {"vaswani2017"},
                                  .measures = "share:3, disagreements:count, elsewhere:count"};

constexpr std::string_view words = R"(# Is it small?

At {widths} widths.

## topic.is_small
### finding
How small it is, is known
### true
It is: {share} of the bound, {none} disagreements.
### true if
Only if so: {condition}.
### condition
d is even
### false
It is not: {none} disagreements. {counterexample}
### counterexample
d = 3: 1 against 2
### fields
share = share
none = disagreements
### why
Because the worst is {share}.
### limits
Nothing is said about larger ones.
)";

/// What the run of a property said: it held, or a counterexample was asked for.
TestRecord tried(std::string about, std::string role = "holds", bool passed = true) {
  return {.test = "topic_is_small.everywhere",
          .property = "everywhere",
          .role = std::move(role),
          .speaks_about = std::move(about),
          .cases = 24,
          .seed = "42",
          .worst = 0.87654,
          .passed = passed};
}

/// One claim, by the run of its properties.
struct SmallPage {
  explicit SmallPage(const std::vector<TestRecord>& tests = {tried("statement"), tried("belief")}) {
    for (const auto& test : tests) section.add_test(test);
  }
  Page page{.topic = "topic",
            .words = Words::parse(words, "topic.md"),
            .sections = {Section(claim)},
            .fields = {{"widths", "1,024"}}};
  Section& section = page.sections[0];
  Measurement& share = section.measure(
      "share", {{"format", "binary16"}},
      Value::of_all(0.87654, over<Tally>(1000, [](auto) { return true; })), "directed draws");
  Measurement& disagreements = section.measure(
      "disagreements", {}, over<Tally>(24, [](auto) { return false; }), "exhaustive");

  std::string text() const { return markdown(page); }
  /// With `before` in the words replaced.
  SmallPage& reword(const std::string& before, const std::string& after) {
    auto text = std::string(words);
    text.replace(text.find(before), before.size(), after);
    page.words = Words::parse(text, "topic.md");
    return *this;
  }
  Json row() const { return results(page)[0]; }
  /// The line behind the belief: the verdict on it, and the summary.
  std::string judged() const {
    const auto all = text();
    const auto begin = all.find("\n\n**", all.find("\n> ")) + 2;
    return all.substr(begin, all.find('\n', begin) - begin);
  }
};

TEST(page, has_finding_belief_verdict_and_summary_once) {
  const SmallPage small;
  const std::string sentence = "It is: 0.877 of the bound, 0 disagreements.";
  const auto text = small.text();
  EXPECT_EQ(small.judged(), "**Belief: true.** " + sentence);
  for (const char* part :
       {sentence.c_str(), "\n> “It is small.”\n", "\n## How small it is, is known\n",
        "\n- [How small it is, is known](#topic.is_small)\n", R"(<a id="topic.is_small"></a>)",
        "./dev test -R '^topic.is_small$'", "- code tested: 48 cases of 2 properties;"})
    EXPECT_EQ(occurrences(text, part), 1u) << part;
  const auto row = small.row();
  EXPECT_EQ(row["verdict"], "true");
  EXPECT_EQ(row["summary"], sentence);
  EXPECT_EQ(row["finding"], "How small it is, is known");
  EXPECT_EQ(row["anchor"], "topic.md#topic.is_small");
  EXPECT_EQ(row["evaluated"], 48);
}

/// What properties say, and what the page says then.
TEST(page, follows_the_run_of_the_properties) {
  const auto judged = [](const std::vector<TestRecord>& tests) {
    const SmallPage small(tests);
    EXPECT_TRUE(
        small.judged().starts_with("**Belief: " + small.row()["verdict"].get<std::string>()));
    return small.judged();
  };
  EXPECT_EQ(judged({tried("statement"), tried("belief", "refutes")}),
            "**Belief: false.** It is not: 0 disagreements. d = 3: 1 against 2");
  EXPECT_EQ(judged({tried("belief"), tried("necessity")}),
            "**Belief: true if** d is even. Only if so: d is even.");
  const std::string open = "**Belief: open.**";
  EXPECT_TRUE(judged({tried("statement")}).starts_with(open)) << "nothing speaks about it";
  EXPECT_TRUE(judged({tried("statement", "holds", false), tried("belief")}).starts_with(open));
  EXPECT_TRUE(judged({tried("belief"), tried("belief", "refutes")}).starts_with(open));
  EXPECT_TRUE(judged({}).starts_with(open));
}

/// A finding was written for one verdict; with another one it might be wrong.
TEST(page, needs_words_for_its_verdict_and_is_headed_by_the_belief_where_that_is_open) {
  EXPECT_EQ(SmallPage({tried("statement")}).row()["finding"], "“It is small.” is open");
  SmallPage small({tried("belief", "refutes")});
  small.reword("### false\n", "### left\n");
  EXPECT_TRUE(contains(refusal([&] { small.text(); }), "'topic.is_small' has no part '### false'"));
}

TEST(page, refuses_a_finding_with_a_figure_or_too_long_for_a_heading) {
  for (const auto& wrong : {std::string(), std::string("It is {share}"), std::string(91, 'x')})
    EXPECT_THROW(SmallPage().reword("How small it is, is known", wrong).text(),
                 std::invalid_argument)
        << wrong;
}

/// A belief that gives a reason is not proved by its premise.
TEST(page, says_where_the_premise_alone_is_settled) {
  const auto premised = [](const std::vector<TestRecord>& tests) {
    SmallPage small(tests);
    small.reword("### why", "### premise\nIt is below {none}\n### why");
    return std::pair(small.judged(), small.row());
  };
  const auto [judged, row] = premised({tried("belief")});
  EXPECT_TRUE(judged.starts_with(
      "**Belief: premise true, reason not shown.** Premise: It is below 0. It is: "));
  EXPECT_EQ(row["verdict"], "premise true");
  EXPECT_TRUE(premised({tried("both")})
                  .first.starts_with(
                      "**Belief: premise true if** d is even; **reason not shown.** Premise: "));
  EXPECT_EQ(premised({tried("belief", "refutes")}).second["verdict"], "false");
}

TEST(page, refuses_a_condition_that_says_nothing) {
  SmallPage small({tried("both")});
  small.reword("### condition\nd is even\n", "");
  EXPECT_TRUE(contains(refusal([&] { small.text(); }), "topic.md: topic.is_small is true if, so"));
}

TEST(page, shows_a_measurement_in_the_digits_it_is_committed_to) {
  SmallPage small;
  small.disagreements.value = 1234567;
  EXPECT_TRUE(contains(small.judged(), "1,234,567 disagreements"));
  small.share.digits = 2;
  EXPECT_TRUE(contains(small.text(), "Because the worst is 0.88."));
  EXPECT_EQ(small.row()["fields"], (Json{{"none", "1,234,567"}, {"share", "0.88"}}));
  const auto measurements = small.row()["measurements"];
  EXPECT_EQ(measurements[0]["rows"][0].back(), 0.88);
  EXPECT_EQ(measurements[1]["rows"][0].back(), 1234567);
}

/// JSON has no infinity: one draw tells of no end.
TEST(page, writes_no_end_where_draws_give_none) {
  SmallPage small;
  small.section.measure("elsewhere", {{"d_model", 64}},
                        over<Sum>(1, [](auto) { return 3.0; }).with_error(NormalConfidence::p999),
                        "draws");
  EXPECT_FALSE(small.row()["measurements"].back().contains("lower"));
}

TEST(page, says_how_it_was_tested) {
  auto drawn = tried("belief"), all = tried("statement");
  drawn.cases = 10000, drawn.failing_mass = 0.000299573;
  drawn.coverage = "odd: 4988 of 10000 cases (49.9 %, 25 % required)";
  drawn.calls = "down (binary32); up (binary32, binary64)";
  auto mutant = tried("", "rejects", false);
  mutant.subject = "too_big";
  all.property = "at_each_point", all.cases = 45;
  const SmallPage small({drawn, all, mutant, tried("", "rejects")});
  const auto both = small.text() + evidence_markdown(small.page);
  for (const char* said :
       {"\n- code tested: 10,045 cases of 2 properties; 1 of 2 wrong implementations "
        "rejected; worst share of the bound: 0.877\n",
        "\n- result measured: 2 numbers; kind of evidence: bounded\n",
        "](evidence/topic.md#topic.is_small)", " 0.00030 |", "|     45 |             exhaustive |",
        "- Classes that *everywhere* has to meet: odd: 4988 of 10000 cases "
        "(49.9 %, 25 % required).\n",
        "too big (**survives**)", " down (binary32); up (binary32, binary64) "})
    EXPECT_TRUE(contains(both, said)) << said << both;
  EXPECT_EQ(small.row()["mutants"], (Json{{"killed", 1}, {"total", 2}}));
  EXPECT_EQ(small.row()["calls"], (Json{{"everywhere", drawn.calls}}));
}

TEST(page, writes_the_page_and_its_rows_and_removes_only_its_own_old_figures) {
  const Scratch scratch;
  for (const char* old : {"figures/topic_old.svg", "data/topic_old.csv", "figures/other_old.svg"})
    write_file(scratch / old, "old");
  SmallPage small;
  const auto text = small.text();
  write_page(small.page, scratch.path());
  EXPECT_EQ(read_file(scratch / "topic.md"), text);
  EXPECT_EQ(read_file(scratch / "evidence/topic.md"), evidence_markdown(small.page));
  EXPECT_EQ(read_json(scratch / "data/topic.json"), results(small.page));
  EXPECT_FALSE(std::filesystem::exists(scratch / "figures/topic_old.svg"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "data/topic_old.csv"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "figures/other_old.svg"));
  small.reword("none = dis", "renamed = dis");
  EXPECT_THROW(write_page(small.page, scratch.path()), std::invalid_argument);
  EXPECT_EQ(read_file(scratch / "topic.md"), text);
}

/// Ten rows are too many for a page: it keeps some, and the whole is a file.
TEST(page, shows_tables_that_can_be_read_and_keeps_the_whole_ones_as_files) {
  SmallPage small;
  for (int k = 1; k <= 10; ++k) small.section.measure("elsewhere", {{"rate", k}}, k * k, "exact");
  const std::string table = "```\nrow rate\ncolumn \"Square\" = elsewhere\n";
  const auto with = [&](const std::string& more) {
    return Words::parse(std::string(words) + more, "topic.md");
  };
  small.page.words = with("### table\n" + table + "```\n");
  EXPECT_TRUE(contains(refusal([&] { small.text(); }), "a table of 10 rows and 2 columns"));
  small.page.words = with("### table\n" + table + "only rate 2 3\n```\n### data topic_shares\n" +
                          "all shares\n" + table + "```\n");
  EXPECT_TRUE(contains(small.text(), "|    3 |") && !contains(small.text(), "|    4 |"));
  EXPECT_TRUE(contains(small.text(), "\nData: [all shares](data/topic_shares.csv)\n"));
  const Scratch scratch;
  write_page(small.page, scratch.path());
  EXPECT_EQ(read_file(scratch / "data/topic_shares.csv"),
            "rate,Square\n1,1\n2,4\n3,9\n4,16\n5,25\n6,36\n7,49\n8,64\n9,81\n10,100\n");
}

}  // namespace
}  // namespace embedscale::report::page_test
