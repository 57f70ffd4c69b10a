// The page about the checks follows what is counted and recorded; and a short version of what it
// counts.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include "properties/evidence/normal.hpp"
#include "properties/testing/statistical.hpp"

#include <string>

#include "cli/analysis.hpp"
#include "report/json.hpp"
#include "texts.hpp"
#include "trust.hpp"

namespace embedscale::trust_page_test {
namespace {

using namespace trust_analysis;
using properties::evidence::ProportionAtMost;
using report::Json;

const std::filesystem::path words_file = EMBEDSCALE_ANALYSES_DIR "/trust.md";

/// At least 1000 nulls and 400 alternatives of each kind.
Plan short_plan() {
  return {.seed = properties::testing::stream_of("trust").bits(0),
          .nulls = 10000,
          .alternatives = 4000};
}
/// What the kinds' declared rates say of a count.
ProportionAtMost::Data trials(const Count& count, double rate) {
  return {.p = rate, .n = count.runs, .successes = count.hits};
}

TEST(trust, kinds_alarm_at_most_as_declared) {
  const auto plan = short_plan();
  const auto kinds = simulated_kinds(plan);
  properties::testing::Assertion<"trust.kinds_alarm_at_most_as_declared", ProportionAtMost> grid(
      kinds.size());
  for (const auto& one : kinds) grid.judge(trials(one.alarms, plan.rates.alpha), one.kind);
}

TEST(trust, kinds_miss_at_most_as_declared) {
  const auto plan = short_plan();
  const auto kinds = simulated_kinds(plan);
  std::size_t cases = 0;
  for (const auto& one : kinds) cases += one.misses.size();
  properties::testing::Assertion<"trust.kinds_miss_at_most_as_declared", ProportionAtMost> grid(
      cases);
  for (const auto& one : kinds)
    for (const auto& missed : one.misses)
      grid.judge(trials(missed.count, plan.rates.beta), one.kind + ", " + missed.where);
}

TEST(trust, counts_do_not_depend_on_threads) {
  const auto counted = [](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return count(3, "coins", 10000, [](const Draws& draws) { return draws.uniform(5) < 0.25; });
  };
  const auto one = counted(1);
  EXPECT_EQ(one.hits, counted(3).hits);
  EXPECT_NEAR(one.rate(), 0.25, 0.05);
  EXPECT_NE(one.hits, count(4, "coins", 10000, [](const Draws& draws) {
                        return draws.uniform(5) < 0.25;
                      }).hits);
}

// Of 10⁶ nulls at 10⁻³: the interval goes from 10⁻³ − 1.0·10⁻⁴ to 10⁻³ + 1.1·10⁻⁴ about 1000.
TEST(trust, remarks_compare_the_interval_with_the_nominal_rate) {
  const auto of = [](std::uint64_t hits, Declares declares) {
    return remark({hits, 1000000}, declares, 1e-3);
  };
  EXPECT_EQ(of(1000, Declares::exactly), Remark::as_declared);
  EXPECT_EQ(of(1080, Declares::exactly), Remark::as_declared);
  EXPECT_EQ(of(1150, Declares::exactly), Remark::broken);
  EXPECT_EQ(of(1150, Declares::at_most), Remark::broken);
  EXPECT_EQ(of(850, Declares::exactly), Remark::rarer);
  EXPECT_EQ(of(850, Declares::at_most), Remark::as_declared);
  EXPECT_EQ(of(0, Declares::exactly), Remark::conservative);
  EXPECT_EQ(of(0, Declares::at_most), Remark::conservative);
  // Of 10⁵ nulls not one is too few to tell.
  EXPECT_EQ(remark({0, 100000}, Declares::at_most, 1e-3), Remark::as_declared);
}

TEST(trust, sees_a_check_that_spends_alpha_on_each_side) {
  using properties::evidence::NormalMean;
  const auto alarms = [](double alpha) {
    return count(0, "broken", 200000, [&](const Draws& draws) {
      NormalMean::Data data;
      for (std::uint64_t i = 0; i < 4; ++i) data.add(draws.normal(i));
      return !NormalMean::accepts(data, alpha);
    });
  };
  EXPECT_EQ(remark(alarms(1e-3), Declares::exactly, 1e-3), Remark::as_declared);
  EXPECT_EQ(remark(alarms(2e-3), Declares::exactly, 1e-3), Remark::broken);
  EXPECT_EQ(remark(alarms(0.5e-3), Declares::exactly, 1e-3), Remark::rarer);
}

/// A page of counts that are given, not simulated.
struct Given {
  Plan plan;
  std::vector<Calibration> kinds{{.kind = "one kind",
                                  .drawn = "its null",
                                  .draws = 16,
                                  .declares = Declares::exactly,
                                  .alarms = {1000, 1000000},
                                  .unit = "σ",
                                  .effect = 0.5,
                                  .misses = {{"up", {1000, 100000}}, {"down", {990, 100000}}}}};
  Json inputs{{"hashes", {{"a.hpp", "1"}}},
              {"ledger", Json::array()},
              {"mutants", Json::array()},
              {"mutation", nullptr},
              {"identity", nullptr}};
  report::Page page() const {
    return trust_page(report::Words::read(words_file), plan, kinds, inputs);
  }
  /// With its evidence.
  std::string text() const {
    const auto made = page();
    return report::markdown(made) + made.evidence;
  }
};

TEST(trust, page_says_what_was_counted) {
  const Given given;
  const auto text = given.text();
  EXPECT_TRUE(contains(text, "all 1 have a rate")) << text;
  EXPECT_FALSE(contains(text, "| **broken** |")) << text;
  EXPECT_TRUE(contains(text, "so nothing is said here about changes")) << text;
  EXPECT_EQ(text, Given{}.text());
}

TEST(trust, page_names_what_is_broken) {
  Given given;
  given.kinds[0].alarms.hits = 2000;
  auto text = given.text();
  EXPECT_TRUE(contains(text, "0 of 1 have a rate")) << text;
  EXPECT_TRUE(contains(text, "Above it: one kind.")) << text;
  given = {};
  given.kinds[0].misses[1].count.hits = 3000;  // one side only
  text = given.text();
  EXPECT_TRUE(contains(text, "0 of 1 miss it")) << text;
  EXPECT_TRUE(contains(text, "More often: one kind.")) << text;
  given = {};
  given.kinds[0].alarms.hits = 500;
  EXPECT_TRUE(contains(given.text(), "although the rate itself is declared: one kind.")) << text;
}

Json entry(const std::string& id, const std::string& spends, bool passed) {
  return {{"ledger", id},     {"spends", spends},
          {"kind", "a kind"}, {"alpha", "1e-10"},
          {"beta", "1e-07"},  {"effect", "0.5"},
          {"grid", "3"},      {"passed", passed},
          {"draws", "54321"}, {"smallest_effect", "0.1234"}};
}

TEST(trust, page_shows_the_records) {
  Given given;
  const std::string id(properties::ledger::entries[0].id);
  EXPECT_TRUE(contains(given.text(), "**no record**"));
  EXPECT_TRUE(contains(given.text(),
                       fmt::format("0 of the {} entries", properties::ledger::entries.size())));
  given.inputs["ledger"] = {entry(id, "alpha", true), entry(id, "beta", false)};
  given.inputs["mutants"] = {{{"claim", "combination.rounds_identically"},
                              {"property", "within_eight_u"},
                              {"subject", "divides_twice"},
                              {"cases", "7"},
                              {"passed", false}}};
  const auto text = given.text();
  EXPECT_TRUE(contains(text, "| 54,321 |")) << text;
  EXPECT_TRUE(contains(text, "divides twice")) << text;
  EXPECT_TRUE(contains(text, "**survives**")) << text;
  EXPECT_TRUE(contains(text, "0 of 1 wrong primitives")) << text;
  EXPECT_TRUE(contains(text, "0 of 3 wrong laws beside these")) << text;
}

/// A way of making the reports in which so many values, and files, differ.
Json way(const char* changed, int values, int files) {
  return {{"way", std::string("way ") + changed},
          {"changed", changed},
          {"build", "a compiler"},
          {"instructions", "all"},
          {"threads", 1},
          {"version", "1.2"},
          {"files_that_differ", files},
          {"rows_that_differ", files},
          {"values_that_differ", values},
          {"largest", 1e-16},
          {"where", "a.b c {}"}};
}

TEST(trust, page_shows_in_which_ways_the_reports_were_made) {
  Given given;
  EXPECT_TRUE(contains(given.text(), "so nothing is said here about other compilers"));
  const Json ways{way("", 0, 0), way("threads", 7, 0), way("threads, compiler", 9, 1)};
  const Json near{{"quantity", "a.b c"}, {"place", "{}"},   {"value", 0.5}, {"digits", 2},
                  {"moved", 1e-17},      {"distance", 0.1}, {"times", 1234}};
  const Json difference{
      {"way", "way"}, {"file", "topic.md"}, {"row", "line 3"}, {"committed", "1"}, {"made", "2"}};
  given.inputs["identity"] = {
      {"reports", "abc"},
      {"libc", "2.36"},
      {"pages", 1},
      {"files", 2},
      {"rows", 3},
      {"values", 4},
      {"values_that_differ", 9},
      {"functions", {{{"instructions", "no FMA"}, {"other_bits", {"exp"}}}}},
      {"tried", ways},
      {"nearest", Json::array({near})},
      {"differences", Json::array({difference})}};
  const auto text = given.text();
  EXPECT_TRUE(contains(text, "3 ways, by a compiler (1.2)")) << text;
  EXPECT_TRUE(contains(text, "any way: 1.")) << text;
  EXPECT_TRUE(contains(text, "other bits for exp (of those looked at)")) << text;
  EXPECT_TRUE(contains(text, "- way: `topic.md`, line 3: `1` committed, `2` made")) << text;
  EXPECT_TRUE(contains(text, "| 1,200 |")) << text;
  for (const char* changed : {"| nothing ", "| threads ", "| threads, compiler "})
    EXPECT_EQ(occurrences(text, changed), 1u) << text;
}

/// Whether a table has a row of these first two cells.
bool has_row(const std::string& text, const std::string& first, const std::string& second) {
  for (std::size_t at = 0; (at = text.find("| " + first + " ", at)) != text.npos; ++at) {
    const auto next = text.find_first_not_of(" |", at + 2 + first.size());
    if (text.compare(next, second.size() + 1, second + " ") == 0) return true;
  }
  return false;
}

TEST(trust, page_tells_whether_one_percent_is_caught) {
  Given given;
  EXPECT_TRUE(contains(given.text(), "0 of 3")) << given.text();
  EXPECT_TRUE(has_row(given.text(), "√d, the multiplier", "**not caught**: no record"));
  auto law = entry("initializer.normal_draws_have_their_variance", "beta", true);
  law["mutants"] = "standard deviation one percent high (0.01)";
  const auto planted = [](const char* claim, const char* property, const char* subject,
                          bool passed) {
    return Json{{"claim", claim},
                {"property", property},
                {"subject", subject},
                {"cases", "7"},
                {"passed", passed}};
  };
  given.inputs["ledger"] = {law};
  given.inputs["mutants"] = {planted("conventions.multiplier_sets_the_scale", "ratio",
                                     "multiplies_by_one_percent_more", true),
                             planted("primitives.scale_is_that_of_a_head", "in_each_format",
                                     "scales_logits_by_one_percent_more", false)};
  const auto text = given.text();
  EXPECT_TRUE(contains(text, "2 of 3")) << text;
  // One of the claim's is rejected, one of the fact's is not.
  EXPECT_TRUE(contains(text, "1 of 2 wrong primitives")) << text;
  EXPECT_TRUE(contains(text, "1 by a claim's,\n  0 by that of a stated fact")) << text;
  EXPECT_TRUE(
      has_row(text, "a law's standard deviation", "initializer.normal_draws_have_their_variance"));
  EXPECT_TRUE(has_row(text, "√d, the multiplier", "conventions.multiplier_sets_the_scale: ratio"));
  EXPECT_TRUE(has_row(text, "1/√d_k, attention's scale",
                      "**not caught** by primitives.scale_is_that_of_a_head: in each format"));
}

TEST(trust, page_shows_the_score_and_what_survives) {
  Given given;
  const Json tally{{"mutants", 200}, {"killed", 180},    {"timed_out", 5},
                   {"survived", 3},  {"equivalent", 10}, {"invalid", 2},
                   {"score", 0.984}, {"lower", 0.954},   {"upper", 0.997}};
  Json one = tally;
  one["header"] = "attention.hpp";
  given.inputs["mutation"] = {
      {"seed", 0},
      {"population", 900},
      {"interval_alpha", 0.05},
      {"least_score", 0.95},
      {"total", tally},
      {"headers", {one}},
      {"unexplained", {{{"id", "attention.hpp#12"}, {"before", "a + b"}, {"after", "a - b"}}}},
      {"explanations", "# c\nformat.hpp#1f\n  x for y.\n  Equal.\n"}};
  const auto text = given.text();
  for (const char* what : {"**98.4 %** of the 188 that compile and are not argued equivalent",
                           "95.4 % to 99.7 %", "Of 900 possible changes 200 were tried",
                           "- Survives unexplained: `attention.hpp#12`, `a + b` → `a - b`",
                           "- `format.hpp#1f`:\n  x for y.\n  Equal.\n"})
    EXPECT_TRUE(contains(text, what)) << what << "\n" << text;
}

}  // namespace
}  // namespace embedscale::trust_page_test
