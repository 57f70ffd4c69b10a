// What the reports read of the tests: GoogleTest's own JSON, with the properties that name a claim.
#include "report/evidence.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/file.hpp"
#include "scratch.hpp"
#include "texts.hpp"

namespace embedscale::report::evidence_test {
namespace {

using Json = nlohmann::json;

/// A test as GoogleTest writes it.
Json test(std::string name, std::string role = "holds") {
  return {{"name", std::move(name)},   {"status", "RUN"},
          {"result", "COMPLETED"},     {"time", "0.05s"},
          {"claim", "topic.is_small"}, {"property", "everywhere"},
          {"role", std::move(role)},   {"subject", "Library"},
          {"cases", "10000"},          {"seed", "18446744073709551615"},
          {"worst", "0.875"},          {"counterexample", "d = 3"},
          {"coverage", "odd: 3 of 4"}, {"failing_mass", "0.000299573"},
          {"calls", "up (binary32)"}};
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

class Evidence : public testing::Test {
 protected:
  std::vector<TestRecord> read(const Json& document) {
    write_file(scratch / "topic.json", document.dump());
    return read_evidence(scratch / "topic.json");
  }
  bool refused_by_name(std::string_view bytes) {
    write_file(scratch / "topic.json", bytes);
    return contains(refusal([&] { read_evidence(scratch / "topic.json"); }),
                    (scratch / "topic.json").string());
  }
  Scratch scratch;
};
using evidence = Evidence;

TEST_F(evidence, has_all_that_a_test_recorded) {
  const auto records = read(program({test("everywhere")}));
  ASSERT_EQ(records.size(), 1u);
  const auto& record = records[0];
  EXPECT_EQ(record.test, "topic_is_small.everywhere");
  EXPECT_EQ(record.claim, "topic.is_small");
  EXPECT_EQ(record.property, "everywhere");
  EXPECT_EQ(record.role, "holds");
  EXPECT_EQ(record.subject, "Library");
  EXPECT_EQ(record.cases, 10000u);
  EXPECT_EQ(record.seed, "18446744073709551615");
  EXPECT_EQ(record.worst, 0.875);
  EXPECT_EQ(record.counterexample, "d = 3");
  EXPECT_EQ(record.failing_mass, 0.000299573);
  EXPECT_EQ(record.coverage, "odd: 3 of 4");
  EXPECT_EQ(record.calls, "up (binary32)");
  EXPECT_TRUE(record.passed);
}

/// In the program's order, over all its suites; without what is of no claim.
TEST_F(evidence, has_the_tests_of_claims_in_their_order) {
  auto plain = test("plain");
  plain.erase("claim");
  auto document = program({test("a"), plain, failed(test("b"))});
  document["testsuites"].push_back({{"name", "other"}, {"testsuite", {test("c")}}});
  std::string all;
  for (const auto& record : read(document)) all += record.test + (record.passed ? " " : " fails ");
  EXPECT_EQ(all, "topic_is_small.a topic_is_small.b fails other.c ");
  EXPECT_TRUE(read(program(Json::array())).empty());
}

TEST_F(evidence, refuses_and_names_what_no_test_program_wrote) {
  for (const char* bytes : {"", "<testsuites/>", "{\"testsuites\": [", "[]", "{}",
                            R"({"testsuites": 1})", R"({"testsuites": [{"name": "a"}]})"})
    EXPECT_TRUE(refused_by_name(bytes)) << bytes;
  EXPECT_THROW(read_evidence(scratch / "none.json"), FileError);
}

TEST_F(evidence, counts_the_mutants_and_those_that_are_rejected) {
  const auto records = read(program({test("a"), test("b", "rejects"), test("c", "rejects"),
                                     failed(test("d", "rejects")), failed(test("e", "refutes"))}));
  const auto mutants = mutants_of(records);
  EXPECT_EQ(mutants.killed, 2u);
  EXPECT_EQ(mutants.total, 3u);
  EXPECT_EQ(mutants_of({}).total, 0u);
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
