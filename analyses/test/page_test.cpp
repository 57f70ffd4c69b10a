// A page follows its measurements: change one, and the verdict and the sentences change with it.
#include "report/page.hpp"
#include "report/evidence_page.hpp"
#include "report/gnuplot.hpp"
#include "report/json.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "report/file.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::page_test {
namespace {

using properties::Part;

constexpr properties::Claim claim{
    .id = "topic.is_small",
    .said = "It is small.",
    .states = "it is at most 1 at every width",
    .kind = properties::Kind::bounded,
    .asked_in = {"S0"},
    .cites = {"vaswani2017"},
    .measures = {
        {"share", 3}, {"disagreements", properties::counted}, {"elsewhere", properties::counted}}};

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

/// One claim, all of whose obligations are met; tests change it.
struct SmallPage {
  Page page{.topic = "topic",
            .words = Words::parse(words, "topic.md"),
            .sections = {Section(claim)},
            .fields = {{"widths", "1,024"}}};
  Section& section = page.sections[0];
  Measurement& share =
      section.measure("share", {{"format", "binary16"}},
                      Value::of_all(0.87654, over<Tally>(1000, [](auto) { return true; })),
                      "directed draws", at_most(Part::statement, 1, 1000));
  Measurement& disagreements =
      section.measure("disagreements", {}, over<Tally>(24, [](auto) { return false; }),
                      "exhaustive", none_of(Part::belief, 24));
  std::string text() const { return markdown(page); }
  /// With `before` in the words replaced.
  void reword(const std::string& before, const std::string& after) {
    auto text = std::string(words);
    text.replace(text.find(before), before.size(), after);
    page.words = Words::parse(text, "topic.md");
  }
  Json row() const { return results(page)[0]; }
  /// The line behind the belief: the verdict on it, and the summary.
  std::string judged() const {
    const auto all = text();
    const auto begin = all.find("\n\n**", all.find("\n> ")) + 2;
    return all.substr(begin, all.find('\n', begin) - begin);
  }
};

TEST(page, has_the_belief_with_its_verdict_and_the_summary_once) {
  const SmallPage small;
  const std::string sentence = "It is: 0.877 of the bound, 0 disagreements.";
  EXPECT_EQ(small.judged(), "**Belief: true.** " + sentence);
  EXPECT_TRUE(contains(small.text(), "\n> “It is small.”\n"));
  EXPECT_EQ(occurrences(small.text(), sentence), 1u);
  EXPECT_EQ(small.row()["verdict"], "true");
  EXPECT_EQ(small.row()["belief"], "It is small.");
  EXPECT_EQ(small.row()["summary"], sentence);
  EXPECT_EQ(small.row()["condition"], nullptr);
  EXPECT_EQ(small.row()["premise"], nullptr);
}

TEST(page, has_another_sentence_when_the_belief_fails) {
  SmallPage small;
  small.disagreements.value = 3;
  EXPECT_EQ(small.judged(), "**Belief: false.** It is not: 3 disagreements. d = 3: 1 against 2");
  EXPECT_EQ(small.row()["verdict"], "false");
  EXPECT_EQ(small.row()["summary"], "It is not: 3 disagreements. d = 3: 1 against 2");
}

/// What cannot be quoted backwards: it does not depend on how the belief is put.
TEST(page, is_headed_by_the_finding) {
  const SmallPage small;
  EXPECT_TRUE(contains(small.text(), "\n- [How small it is, is known](#topic.is_small)\n"));
  EXPECT_TRUE(contains(small.text(), "\n## How small it is, is known\n"));
  EXPECT_EQ(small.row()["finding"], "How small it is, is known");
}

/// A finding was written for one verdict; with another one it might be wrong.
TEST(page, is_headed_by_the_belief_and_its_verdict_where_that_has_no_words) {
  SmallPage small;
  small.reword("### false\n", "### left\n");
  small.disagreements.value = 3;
  EXPECT_TRUE(contains(small.text(), "\n## “It is small.” is false\n"));
  EXPECT_TRUE(
      small.judged().starts_with("**Belief: false.** The words of this section were written for"));
  EXPECT_TRUE(contains(small.judged(), "`disagreements`"));
  EXPECT_EQ(small.row()["finding"], "“It is small.” is false");
  small.share.value = 2;
  EXPECT_TRUE(contains(small.text(), "\n## “It is small.” is open\n"));
}

TEST(page, refuses_a_finding_with_a_figure_or_too_long_for_a_heading) {
  for (const std::string wrong : {"", "It is {share}", "It is known.", "Ö"}) {
    SmallPage small;
    std::string text = wrong;
    if (wrong == "Ö")
      for (int i = 1; i < 91; ++i) text += wrong;
    small.reword("How small it is, is known", text);
    EXPECT_THROW(small.text(), std::invalid_argument) << wrong;
  }
}

/// A belief that gives a reason is not proved by its premise.
TEST(page, says_where_the_premise_alone_is_settled) {
  SmallPage small;
  small.reword("### why", "### premise\nIt is below {none}\n### why");
  EXPECT_TRUE(small.judged().starts_with(
      "**Belief: premise true, reason not shown.** Premise: It is below 0. It is: "));
  EXPECT_EQ(small.row()["verdict"], "premise true");
  EXPECT_EQ(small.row()["premise"], "It is below 0.");
  auto& elsewhere =
      small.section.measure("elsewhere", {}, over<Tally>(5, [](auto) { return false; }),
                            "exhaustive", none_of(Part::necessity, 5));
  EXPECT_TRUE(small.judged().starts_with(
      "**Belief: premise true if** d is even; **reason not shown.** Premise: "));
  EXPECT_EQ(small.row()["verdict"], "premise true if");
  EXPECT_EQ(small.row()["condition"], "d is even");
  elsewhere.value = 1;
  EXPECT_EQ(small.row()["verdict"], "open");
  elsewhere.value = 0, small.disagreements.value = 1;
  EXPECT_EQ(small.row()["verdict"], "false");
}

TEST(page, names_the_condition_where_the_belief_fails_elsewhere) {
  SmallPage small;
  auto& elsewhere =
      small.section.measure("elsewhere", {}, over<Tally>(5, [](auto) { return false; }),
                            "exhaustive", none_of(Part::necessity, 5));
  EXPECT_EQ(small.judged(), "**Belief: true if** d is even. Only if so: d is even.");
  EXPECT_EQ(small.row()["condition"], "d is even");
  elsewhere.value = 1;  // the condition is not necessary
  EXPECT_TRUE(small.judged().starts_with("**Belief: open.**"));
  EXPECT_TRUE(contains(small.judged(), "`elsewhere`"));
}

TEST(page, refuses_a_condition_that_says_nothing) {
  SmallPage small;
  small.section.measure("elsewhere", {}, over<Tally>(5, [](auto) { return false; }), "exhaustive",
                        none_of(Part::necessity, 5));
  for (const auto& left : {std::string(), std::string("### condition\n\n"),
                           "### condition\n" + std::string(91, 'd') + "\n"}) {
    small.reword("### condition\nd is even\n", left);
    EXPECT_TRUE(
        contains(refusal([&] { small.text(); }), "topic.md: topic.is_small is true if, so"));
  }
}

TEST(page, is_open_and_names_the_culprit_when_the_statement_does_not_stand) {
  SmallPage small;
  small.share.value = 1.234;
  EXPECT_TRUE(small.judged().starts_with("**Belief: open.**"));
  EXPECT_TRUE(contains(small.judged(), "`share` at format=binary16 is 1.23"));
  EXPECT_TRUE(contains(small.text(), "Because the worst is 1.23."));
  EXPECT_EQ(small.row()["verdict"], "open");
  EXPECT_TRUE(contains(small.row()["summary"].get<std::string>(), "`share`"));
  small.share.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(small.row()["verdict"], "open");
}

TEST(page, is_open_with_the_counts_when_something_was_left_out) {
  SmallPage small;
  small.disagreements.samples = 23;
  EXPECT_TRUE(small.judged().starts_with("**Belief: open.**"));
  EXPECT_TRUE(contains(small.judged(), "1023 of 1024 obligations were evaluated"));
  EXPECT_EQ(small.row()["evaluated"], 1023);
  EXPECT_EQ(small.row()["obligations"], 1024);
}

TEST(page, shows_the_denominator) {
  SmallPage small;
  EXPECT_TRUE(contains(small.text(), "1,024 of 1,024 obligations evaluated"));
  small.share.samples = 9;
  EXPECT_TRUE(contains(small.text(), "33 of 1,024 obligations evaluated"));
}

TEST(page, has_one_anchor_for_its_claim_and_links_to_it) {
  const auto text = SmallPage().text();
  EXPECT_EQ(occurrences(text, R"(<a id="topic.is_small"></a>)"), 1u);
  EXPECT_EQ(occurrences(text, "<a id="), 1u);
  EXPECT_LT(text.find("](#topic.is_small)"), text.find("<a id="));
  EXPECT_EQ(SmallPage().row()["anchor"], "topic.md#topic.is_small");
  EXPECT_TRUE(contains(text, "./dev test -R '^topic.is_small$'"));  // as CTest calls it
}

TEST(page, fills_every_field_and_refuses_the_ones_it_does_not_know) {
  SmallPage small;
  const auto text = small.text();
  EXPECT_TRUE(contains(text, "At 1,024 widths."));
  EXPECT_FALSE(contains(text, "{"));
  small.page.fields.clear();
  EXPECT_THROW(small.text(), std::invalid_argument);
  SmallPage other;
  other.reword("none = dis", "renamed = dis");
  EXPECT_THROW(other.text(), std::invalid_argument);
  EXPECT_THROW(other.row(), std::invalid_argument);
}

TEST(page, shows_a_measurement_in_the_digits_it_is_committed_to) {
  SmallPage small;
  small.disagreements.value = 1234567;
  EXPECT_TRUE(contains(small.judged(), "1,234,567 disagreements"));
  small.share.digits = 2;
  EXPECT_TRUE(contains(small.text(), "Because the worst is 0.88."));
  EXPECT_EQ(small.row()["fields"], (Json{{"none", "1,234,567"}, {"share", "0.88"}}));
  EXPECT_EQ(small.row()["measurements"][0]["value"], 0.88);
  EXPECT_EQ(small.row()["measurements"][1]["value"], 1234567);
}

TEST(page, writes_each_number_under_its_name) {
  SmallPage small;
  small.section.measure("elsewhere", {{"d_model", 64}},
                        Estimate(3.0, over<Tally>(9, [](auto) { return true; }))
                            .with_error(0.5, NormalConfidence::p999),
                        "draws", at_most(Part::belief, 4, 1));
  const Json expected{{"quantity", "elsewhere"},
                      {"at", {{"d_model", 64}}},
                      {"value", 3},
                      {"reference", 4},
                      {"lower", 1.3},
                      {"upper", 4.7},
                      {"confidence", 0.999},
                      {"samples", 9},
                      {"method", "draws"},
                      {"unit", "count"}};
  EXPECT_EQ(small.row()["measurements"].back(), expected);
  EXPECT_EQ(unpacked(packed(results(small.page))), results(small.page));
}

/// JSON has no infinity: one draw tells of no end, and is read as that.
TEST(page, writes_no_end_where_draws_give_none) {
  SmallPage small;
  small.section.measure("elsewhere", {{"d_model", 64}},
                        over<Sum>(1, [](auto) { return 3.0; }).with_error(NormalConfidence::p999),
                        "draws");
  const auto row = small.row();
  const auto& written = row["measurements"].back();
  EXPECT_EQ(written["value"], 3);
  EXPECT_EQ(written["confidence"], 0.999);
  EXPECT_TRUE(written["lower"].is_null() && written["upper"].is_null()) << written;
  EXPECT_EQ(unpacked(packed(results(small.page))), results(small.page));
  const auto read = measurements_of(row).back();
  EXPECT_EQ(read.lower, -HUGE_VAL);
  EXPECT_EQ(read.upper, HUGE_VAL);
}

TEST(page, refuses_a_quantity_that_the_claim_does_not_declare) {
  SmallPage small;
  for (const char* name : {"undeclared", ""})
    EXPECT_THROW(small.section.measure(name, {}, 1.0), std::logic_error) << name;
}

TEST(page, refuses_empty_parts) {
  for (const std::string part :
       {"finding\nHow small it is, is known", "why\nBecause the worst is {share}.",
        "limits\nNothing is said about larger ones."}) {
    SmallPage small;
    small.reword(part, part.substr(0, part.find('\n')));
    EXPECT_THROW(small.text(), std::invalid_argument) << part;
  }
}

TEST(page, leaves_the_verdict_open_at_parameters_of_ones_own) {
  SmallPage small;
  small.section.at_own_parameters();
  EXPECT_EQ(small.section.judgement().verdict, properties::Verdict::open);
  EXPECT_TRUE(contains(small.row().at("summary").get<std::string>(), "parameters of your own"));
}

TEST(page, says_how_it_was_tested) {
  SmallPage small;
  EXPECT_TRUE(contains(small.text(), "no record of the tests"));
  EXPECT_TRUE(contains(evidence_markdown(small.page), "No record of the tests"));
  small.section.add_test({.test = "topic_is_small.everywhere",
                          .property = "everywhere",
                          .role = "holds",
                          .cases = 10000,
                          .seed = "42",
                          .worst = 0.87649,
                          .coverage = "odd: 4988 of 10000 cases (49.9 %, 25 % required)",
                          .calls = "down (binary32); up (binary32, binary64)",
                          .passed = true,
                          .failing_mass = 0.000299573});
  small.section.add_test(
      {.property = "at_each_point", .role = "holds", .cases = 45, .passed = true});
  const auto evidence = [&] { return evidence_markdown(small.page); };
  EXPECT_TRUE(contains(small.text(), ", 10,045 cases of 2 properties\n"));
  EXPECT_TRUE(contains(small.text(), "\n- worst share of the bound: 0.876\n"));
  EXPECT_TRUE(contains(small.text(), "](evidence/topic.md#topic.is_small)"));
  EXPECT_TRUE(contains(evidence(), "<a id=\"topic.is_small\"></a>"));
  EXPECT_TRUE(contains(evidence(), " 0.00030 |"));
  EXPECT_TRUE(contains(evidence(), "|     45 |             exhaustive |"));
  EXPECT_TRUE(contains(evidence(),
                       "- Classes that *everywhere* has to meet: odd: 4988 of 10000 cases "
                       "(49.9 %, 25 % required).\n"));
  TestRecord mutant{.test = "m", .property = "everywhere", .role = "rejects", .subject = "too_big"};
  small.section.add_test(mutant);
  EXPECT_TRUE(contains(small.text(), "\n- 0 of 1 wrong implementations rejected\n"));
  EXPECT_TRUE(contains(evidence(), "too big (**survives**)"));
  mutant.passed = true;
  small.section.add_test(mutant);
  EXPECT_TRUE(contains(small.text(), "\n- 1 of 2 wrong implementations rejected\n"));
  EXPECT_EQ(small.row()["mutants"], (Json{{"killed", 1}, {"total", 2}}));
  EXPECT_TRUE(contains(evidence(), " down (binary32); up (binary32, binary64) "));
  EXPECT_EQ(small.row()["calls"],
            (Json{{"everywhere", "down (binary32); up (binary32, binary64)"}}));
  EXPECT_EQ(small.row()["tests"], (Json{"topic_is_small.everywhere", "", "m", "m"}));
}

TEST(page, writes_the_page_and_its_rows_and_removes_only_its_own_old_figures) {
  const Scratch scratch;
  for (const char* old : {"figures/topic_old.svg", "data/topic_old.csv", "figures/other_old.svg"})
    write_file(scratch / old, "old");
  const SmallPage small;
  write_page(small.page, scratch.path());
  EXPECT_EQ(read_file(scratch / "topic.md"), small.text());
  EXPECT_EQ(read_file(scratch / "evidence/topic.md"), evidence_markdown(small.page));
  EXPECT_EQ(unpacked(Json::parse(read_file(scratch / "data/topic.json"))), results(small.page));
  EXPECT_FALSE(std::filesystem::exists(scratch / "figures/topic_old.svg"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "data/topic_old.csv"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "figures/other_old.svg"));
}

TEST(page, leaves_the_old_one_alone_when_it_cannot_be_rendered) {
  const Scratch scratch;
  SmallPage small;
  write_page(small.page, scratch.path());
  const auto before = read_file(scratch / "topic.md");
  small.reword("none = dis", "renamed = dis");
  EXPECT_THROW(write_page(small.page, scratch.path()), std::invalid_argument);
  EXPECT_EQ(read_file(scratch / "topic.md"), before);
}

TEST(page, draws_the_first_series_of_more_than_can_be_told_apart_at_own_points_alone) {
  SmallPage small;
  for (int k = 0; k < 9; ++k)
    small.section.measure("share", {{"rate", k}, {"d_model", 64}}, 0.5 + k, "exact");
  const auto drawn = Words::parse(std::string(words) +
                                      "### figure topic_many\nMany.\n```\ntitle Many\n"
                                      "x d_model linear \"d\"\ny linear \"share\"\n"
                                      "series \"rate {}\" = share +rate by rate\n```\n",
                                  "topic.md");
  EXPECT_EQ(small.section.figure_views(drawn).at(0).figure.series.size(), 9u);
  small.section.at_own_parameters();
  const auto view = small.section.figure_views(drawn).at(0);
  ASSERT_EQ(view.figure.series.size(), most_series);
  EXPECT_EQ(view.sources.size(), most_series);
  EXPECT_EQ(view.figure.series.back().label, "rate 7");
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
  small.page.words = with("### table\n" + table + "all rows\n```\n");
  EXPECT_TRUE(contains(small.text(), "|   10 |"));
  small.page.words = with("### table\n" + table + "only rate 2 3\n```\n### data topic_shares\n" +
                          "all shares\n" + table + "```\n");
  EXPECT_TRUE(contains(small.text(), "|    3 |") && !contains(small.text(), "|    4 |"));
  EXPECT_TRUE(contains(small.text(), "\nData: [all shares](data/topic_shares.csv)\n"));
  const Scratch scratch;
  write_page(small.page, scratch.path());
  EXPECT_EQ(read_file(scratch / "data/topic_shares.csv"),
            "rate,Square\n1,1\n2,4\n3,9\n4,16\n5,25\n6,36\n7,49\n8,64\n9,81\n10,100\n");
  small.page.words = with("### data other_shares\nall shares\n" + table + "```\n");
  EXPECT_TRUE(contains(refusal([&] { write_page(small.page, scratch.path()); }), "'topic_…'"));
  small.page.words = with("### table\n" + table + "only rate 2 3\n```\n");
  small.section.at_own_parameters();
  EXPECT_TRUE(contains(small.text(), "|   10 |"));
}

TEST(page, refuses_two_figures_of_one_name) {
  const Scratch scratch;
  SmallPage small;
  Figure figure;
  figure.name = "topic_twice";
  small.page.figures = {figure, figure};
  EXPECT_THROW(write_page(small.page, scratch.path()), std::logic_error);
}

}  // namespace
}  // namespace embedscale::report::page_test
