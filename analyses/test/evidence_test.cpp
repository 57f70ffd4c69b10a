// What the reports read of the tests: GoogleTest's own JSON, with the properties that name a claim.
#include "report/evidence.hpp"

#include <gtest/gtest.h>

#include <map>

#include "properties/ledger.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::evidence_test {
namespace {

/// A test as GoogleTest writes it.
Json test(const std::string& name) {
  Json made{{"name", name}, {"claim", "topic.is_small"}, {"role", "holds"}};
  for (const char* text : {"property", "subject", "seed"}) made[text] = "some";
  for (const char* number : {"cases", "worst"}) made[number] = "1";
  return made;
}

Json failed(Json test) {
  test["failures"] = {{{"failure", "x_test.cpp:1\nit is not"}, {"type", ""}}};
  return test;
}

Json program(Json tests) {
  return {{"tests", tests.size()},
          {"name", "AllTests"},
          {"testsuites", {{{"name", "topic_is_small"}, {"testsuite", std::move(tests)}}}}};
}

std::vector<TestRecord> read(const std::string& document) {
  const Scratch scratch;
  write_file(scratch / "topic.json", document);
  return read_evidence(scratch / "topic.json");
}

/// In the program's order, over all its suites; without what is of no claim.
TEST(evidence, has_the_tests_of_claims_in_their_order) {
  auto plain = test("plain");
  plain.erase("claim");
  auto document = program({test("a"), plain, failed(test("b"))});
  document["testsuites"].push_back({{"name", "other"}, {"testsuite", {test("c")}}});
  std::string all;
  for (const auto& record : read(document.dump()))
    all += record.test + (record.passed ? " " : " fails ");
  EXPECT_EQ(all, "topic_is_small.a topic_is_small.b fails other.c ");
  EXPECT_TRUE(read(program(Json::array()).dump()).empty());
}

/// That of the tests, as committed: another test sees that it is what they did.
TEST(record,
     spends_each_entry_of_the_ledger_once_and_those_about_the_library_reject_three_mutants) {
  std::map<std::string, int> spent, mutants;
  const auto record = parsed(read_file(EMBEDSCALE_SOURCE_DIR "/properties/record.json"));
  for (const auto& suite : record.at("testsuites"))
    for (const auto& test : suite.at("testsuite"))
      if (const auto id = test.value("ledger", std::string()); !id.empty()) {
        if (test.at("spends") == "alpha") ++spent[id];
        if (test.at("spends") == "beta")
          mutants[id] += std::stoi(test.at("grid").get<std::string>());
      }
  for (const auto& entry : properties::ledger::entries) {
    const std::string id(entry.id);
    // Spent by the classes of all properties together.
    EXPECT_EQ(spent[id], id == "properties.required_coverage" ? 0 : 1) << id;
    const bool of_checks = id.starts_with("evidence.") || id.starts_with("trust.") ||
                           id.starts_with("ledger.") || id.starts_with("properties.");
    if (!of_checks) {
      EXPECT_GE(mutants[id], 3) << id;
    }
  }
}

TEST(judgement, refuses_a_property_that_does_not_say_what_it_speaks_about) {
  const TestRecord belief{
      .property = "held", .role = "holds", .speaks_about = "belief", .cases = 1, .passed = true};
  EXPECT_EQ(judgement_of({belief}).verdict, properties::Verdict::is_true);
  for (const char* about : {"", "belif"}) {
    const TestRecord failed{.property = "failed", .role = "holds", .speaks_about = about};
    EXPECT_THROW(judgement_of({belief, failed}), std::invalid_argument) << about;
  }
}

}  // namespace
}  // namespace embedscale::report::evidence_test
