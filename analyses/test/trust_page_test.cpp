// The page about the checks follows what is counted and recorded; and a short version of what it
// counts.
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

const std::vector<Calibration>& kinds() {
  static const auto all = simulated_kinds(short_plan());
  return all;
}

TEST(trust, kinds_alarm_at_most_as_declared) {
  properties::testing::Assertion<"trust.kinds_alarm_at_most_as_declared", ProportionAtMost> grid(
      kinds().size());
  for (const auto& one : kinds())
    grid.judge(trials(one.alarms, short_plan().rates.alpha), one.kind);
}

TEST(trust, kinds_miss_at_most_as_declared) {
  std::size_t cases = 0;
  for (const auto& one : kinds()) cases += one.misses.size();
  properties::testing::Assertion<"trust.kinds_miss_at_most_as_declared", ProportionAtMost> grid(
      cases);
  for (const auto& one : kinds())
    for (const auto& missed : one.misses)
      grid.judge(trials(missed.count, short_plan().rates.beta), one.kind + ", " + missed.where);
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

/// A record as it is committed, of which tests change what they look for.
Json committed(const char* file) {
  return report::read_json(std::filesystem::path(EMBEDSCALE_SOURCE_DIR) / file);
}

/// Three ways of making the reports, in which so many values, and files, differ.
Json identity() {
  Json made = committed("analyses/identity/record.json");
  const auto way = [first = made.at("tried").at(0)](const char* changed, int values, int files) {
    Json one = first;
    one.update({{"changed", changed},
                {"build", "a compiler"},
                {"version", "1.2"},
                {"files_that_differ", files},
                {"values_that_differ", values}});
    return one;
  };
  made["functions"] = {{{"instructions", "no FMA"}, {"other_bits", {"exp"}}}};
  made["tried"] = {way("", 0, 0), way("threads", 7, 0), way("threads, compiler", 9, 1)};
  made["nearest"][0]["times"] = 1234;
  made["differences"] = {
      {{"way", "way"}, {"file", "topic.md"}, {"row", "line 3"}, {"committed", "1"}, {"made", "2"}}};
  return made;
}

Json mutation() {
  Json made = committed("properties/mutation/score.json");
  made["population"] = 900;
  made["total"].update({{"mutants", 200},
                        {"killed", 180},
                        {"timed_out", 5},
                        {"survived", 3},
                        {"score", 0.984},
                        {"lower", 0.954},
                        {"upper", 0.997}});
  made["unexplained"] = {{{"id", "attention.hpp#12"}, {"before", "a + b"}, {"after", "a - b"}}};
  made["explanations"] = "# c\nformat.hpp#1f\n  x for y.\n  Equal.\n";
  return made;
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
              {"mutation", mutation()},
              {"identity", identity()}};
  /// With its evidence.
  std::string text() const {
    const auto made = trust_page(report::Words::read(words_file), plan, kinds, inputs);
    return report::markdown(made) + made.evidence;
  }
  void expect(std::initializer_list<const char*> all) const {
    const auto made = text();
    for (const char* what : all) EXPECT_TRUE(contains(made, what)) << what << "\n" << made;
  }
};

TEST(trust, page_says_what_was_counted_and_names_what_is_broken) {
  const Given sound;
  sound.expect({"all 1 have a rate", "**no record**"});
  EXPECT_FALSE(contains(sound.text(), "| **broken** |"));
  Given given;
  given.kinds[0].alarms.hits = 2000;
  given.expect({"0 of 1 have a rate", "Above it: one kind."});
  given.kinds[0].alarms.hits = 500;
  given.kinds[0].misses[1].count.hits = 3000;  // one side only
  given.expect({"0 of 1 miss it", "More often: one kind.",
                "although the rate itself is declared: one kind."});
}

Json entry(const std::string& id, const std::string& spends, bool passed) {
  return {{"ledger", id},     {"spends", spends},
          {"kind", "a kind"}, {"alpha", "1e-10"},
          {"beta", "1e-07"},  {"effect", "0.5"},
          {"grid", "3"},      {"passed", passed},
          {"draws", "54321"}, {"smallest_effect", "0.1234"}};
}
Json planted(const char* claim, const char* property, const char* subject, bool passed) {
  return {{"claim", claim},
          {"property", property},
          {"subject", subject},
          {"cases", "7"},
          {"passed", passed}};
}

TEST(trust, page_shows_the_records) {
  Given given;
  const std::string id(properties::ledger::entries[0].id);
  given.inputs["ledger"] = {entry(id, "alpha", true), entry(id, "beta", false)};
  given.inputs["mutants"] = {
      planted("combination.rounds_identically", "p", "divides_twice", false)};
  given.expect({"| 54,321 |", "divides twice", "**survives**", "0 of 1 wrong primitives",
                "0 of 3 wrong distributions beside these"});
}

TEST(trust, page_tells_whether_one_percent_is_caught) {
  Given given;
  given.expect({"0 of 3"});
  auto law = entry("initializer.normal_draws_have_their_variance", "beta", true);
  law["mutants"] = "standard deviation one percent high (0.01)";
  given.inputs["ledger"] = {law};
  given.inputs["mutants"] = {planted("conventions.multiplier_sets_the_scale", "ratio",
                                     "multiplies_by_one_percent_more", true),
                             planted("primitives.scale_is_that_of_a_head", "in_each_format",
                                     "scales_logits_by_one_percent_more", false)};
  given.expect({"2 of 3", "1 of 2 wrong primitives",
                "1 by a claim's,\n  0 by that of a stated fact",
                "**not caught** by primitives.scale_is_that_of_a_head: in each format"});
}

TEST(trust, page_shows_in_which_ways_the_reports_were_made) {
  Given().expect({"3 ways, by a compiler (1.2)", "any way: 1.",
                  "other bits for exp (of those looked at)", " 1,200 |",
                  "- way: `topic.md`, line 3: `1` committed, `2` made"});
}

TEST(trust, page_shows_the_score_and_what_survives) {
  Given().expect({"**98.4 %** of the 188 that compile and are not argued equivalent",
                  "95.4 % to 99.7 %", "Of 900 possible changes 200 were tried",
                  "- Survives unexplained: `attention.hpp#12`, `a + b` → `a - b`",
                  "- `format.hpp#1f`:\n  x for y.\n  Equal.\n"});
}

}  // namespace
}  // namespace embedscale::trust_page_test
