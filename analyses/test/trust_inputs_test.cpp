// What the page about the checks is made of is collected with a hash of each thing, so that a stale
// page is seen without a run.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <embedscale/random.hpp>

#include <array>
#include <string>

#include "child.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"
#include "scratch.hpp"

namespace embedscale::trust_inputs_test {
namespace {

using Json = nlohmann::ordered_json;

const std::filesystem::path trust_inputs = PROGRAM_TRUST_INPUTS;

/// A project with one source and one record of a test program.
class collecting : public testing::Test {
 protected:
  void SetUp() override {
    report::write_file(source, "int one;\n");
    report::write_file(records, record("0.1s"));
    for (const char* file : {"properties/mutation/score.json", "analyses/identity/record.json"})
      report::write_file(scratch / file, "{}");
    report::write_file(scratch / "properties/mutation/equivalent.txt", "a.hpp#1\n  Equal.\n");
  }
  static std::string record(const std::string& time) {
    const Json spends{{"ledger", "an.entry"}, {"spends", "alpha"},
                      {"kind", "a kind"},     {"alpha", "1e-10"},
                      {"beta", "1e-07"},      {"effect", "0.5"},
                      {"grid", "3"},          {"draws", "54321"},
                      {"statistic", "0.1"},   {"smallest_effect", "0.1234"},
                      {"time", time}};
    auto rejects = spends;
    rejects["spends"] = "beta", rejects["mutants"] = "off by 1 (1)";
    const Json mutant{{"claim", "a.b"},           {"property", "p"}, {"subject", "s"},
                      {"role", "rejects"},        {"cases", "7"},    {"time", time},
                      {"failures", Json::array()}};
    const Json fewer{{"role", "holds"}, {"classes", "2"}, {"cases", "4000"}};
    const Json more{{"role", "holds"}, {"classes", "3"}, {"cases", "5000"}};
    const Json none{{"role", "holds"}, {"classes", "0"}, {"cases", "3"}};
    const Json tests{spends, rejects, mutant, more, fewer, none, {{"name", "other"}}};
    return Json{{"testsuites", {{{"testsuite", tests}}}}}.dump();
  }
  Json collected() const {
    const auto ended = run(trust_inputs, {"--source", scratch.path(), "--records", records,
                                          "--inputs", source, "--out", scratch / "inputs.json"});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return report::read_json(scratch / "inputs.json");
  }
  Scratch scratch;
  const std::filesystem::path source = scratch / "properties/evidence/one.hpp",
                              records = scratch / "evidence/one.json";
};

TEST_F(collecting, takes_what_the_page_shows_and_hashes_it) {
  const auto all = collected();
  EXPECT_EQ(all.at("ledger").at(0).at("draws"), "54321");
  EXPECT_EQ(all.at("ledger").at(0).at("passed"), true);
  EXPECT_EQ(all.at("mutants").at(0).at("passed"), false);
  EXPECT_EQ(all.at("ledger").at(1).at("mutants"), "off by 1 (1)");
  const Json& classes = all.at("ledger").at(2);
  EXPECT_EQ(classes.at("ledger"), "properties.required_coverage");
  EXPECT_EQ(classes.at("grid"), "5");
  EXPECT_EQ(classes.at("draws"), "4000");
  EXPECT_EQ(all.at("ledger").size() + all.at("mutants").size(), 4u);
  EXPECT_EQ(all.at("hashes").at("properties/evidence/one.hpp"),
            fmt::format("{:016x}", hash_of("int one;\n")));
}

TEST_F(collecting, follows_sources_records_and_score_but_not_the_clock) {
  const auto before = collected().at("hashes");
  report::write_file(records, record("0.2s"));
  EXPECT_EQ(collected().at("hashes"), before);
  auto fewer = record("0.1s");
  fewer.replace(fewer.find("54321"), 5, "12345");
  for (const auto& [file, text, name] : std::vector<std::array<std::string, 3>>{
           {source, "int two;\n", "properties/evidence/one.hpp"},
           {records, fewer, "the tests' records of the ledger"},
           {scratch / "properties/mutation/score.json", "{\"seed\": 1}\n",
            "the score of source mutation"},
           {scratch / "analyses/identity/record.json", "{\"files\": 1}\n",
            "the record of identical reports"}}) {
    report::write_file(file, text);
    const auto after = collected().at("hashes");
    EXPECT_NE(after.at(name), before.at(name)) << name;
  }
}

}  // namespace
}  // namespace embedscale::trust_inputs_test
