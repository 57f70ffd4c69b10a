// EMBEDSCALE_OBSERVATIONS: a line for each case. That they match the schema is checked by a
// validator that is not ours (observations_test.py); here, that they say what happened.
#include "../observation.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "../run.hpp"
#include "planted.hpp"

namespace embedscale::properties::testing {
namespace {

class Observations : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(path); }
  void TearDown() override { std::filesystem::remove(path); }

  std::vector<std::string> lines() const {
    std::vector<std::string> all;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  const std::string path =
      ::testing::TempDir() + "observations_" +
      std::to_string(std::chrono::system_clock::now().time_since_epoch().count());
  const Variable variable{"EMBEDSCALE_OBSERVATIONS", path.c_str()};
};
using observations = Observations;

TEST_F(observations, tell_failures_simplifications_and_what_was_given_up) {
  int calls = 0;
  const auto outcome = run("fails", default_cases, [&] {
    ++calls;
    const int x = any_number();
    RC_PRE(x % 2 == 0);
    holds(x < 300 ? 0.5 : std::nan(""));
  });
  EXPECT_EQ(outcome.counterexample, "x = 300");
  const auto all = lines();
  const auto count = [&](const std::string& part, const std::string& other = "") {
    return std::ranges::count_if(
        all, [&](const auto& line) { return has(line, part) && has(line, other); });
  };
  // RapidCheck runs a case again to simplify it further; only the first time is a try.
  EXPECT_LT(all.size(), static_cast<std::size_t>(calls));
  EXPECT_EQ(count(R"("status": "passed")", R"("how_generated": "drawn")"), outcome.cases);
  EXPECT_GT(count(R"("status": "gave_up", "status_reason": ")"), 0);
  EXPECT_GT(count(R"("how_generated": "simplified")"), 1);
  EXPECT_GE(count(R"("status": "failed", "status_reason": "what is measured over its bound )"
                  R"(is nan, allowed is 1")"),
            2);
  EXPECT_EQ(count(R"("representation": "x = 300", "arguments": {"x": 300})"), 1);
  EXPECT_GE(count(R"("features": {"ratio": "nan"})"), 2);
  const auto place = std::string(__FILE__) + ":" + std::to_string(outcome.place.line);
  EXPECT_EQ(count(R"("status_reason_location": ")" + place + "\""), count(R"("status": "failed")"));
}

TEST_F(observations, escape_what_json_does_and_number_a_name_that_is_drawn_again) {
  run("escapes", 1, [] {
    one_of("x", {"\"a\\\n\x01√"});
    one_of("x", {"b"});
    throw std::runtime_error("a \"tab\":\t");
  });
  const auto all = lines();
  ASSERT_GE(all.size(), 1u);
  EXPECT_TRUE(has(all[0], R"(\"tab\":\u0009)")) << all[0];
  EXPECT_TRUE(has(all[0], R"x("x (2)": ")x")) << all[0];
  EXPECT_EQ(std::ranges::count_if(all[0], [](unsigned char c) { return c < 0x20; }), 0);
}

TEST_F(observations, that_cannot_be_written_fail_the_property) {
  const auto body = [] { holds_exactly(true); };
  const Variable no_folder("EMBEDSCALE_OBSERVATIONS", (path + "/below/a.file").c_str());
  EXPECT_THROW(run("no folder", 5, body), std::runtime_error);
  const Variable full("EMBEDSCALE_OBSERVATIONS", "/dev/full");
  EXPECT_THROW(run("full", 5, body), std::runtime_error);
}

}  // namespace
}  // namespace embedscale::properties::testing
