// What HOLDS, REJECTS and REFUTES write into a test's record: the reports tell from it how a claim
// was tested.
#include <gtest/gtest-spi.h>

#include <functional>
#include <map>
#include <regex>
#include <stdexcept>

#include "../testing/generators/numbers.hpp"
#include "../testing/property.hpp"
#include "../testing/seed.hpp"

// A claim, a property and a mutant of this file's own, small enough to be checked by eye.
namespace embedscale::properties::tiny {
inline constexpr Claim is_small{.id = "tiny.is_small", .said = "x < 10", .states = "x < 10"};
}
namespace embedscale::properties::mutants {
struct eleven {
  int operator()(int) const { return 11; }
};
}  // namespace embedscale::properties::mutants

namespace embedscale::properties::testing {
namespace {

/// Looks into the records of the tests at the end of this file when each of them is over.
class Records : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (std::string_view(test.test_suite_name()) != "tiny_is_small") return;
    std::map<std::string, std::string> found;
    for (int i = 0; i < test.result()->test_property_count(); ++i)
      found[test.result()->GetTestProperty(i).key()] = test.result()->GetTestProperty(i).value();
    const std::string_view name = test.name();
    const bool holds = name == "below_ten", rejects = name == "below_ten_rejects_eleven";
    EXPECT_EQ(found["claim"], "tiny.is_small");
    EXPECT_EQ(found["property"], holds || rejects ? "below_ten" : "that_it_is_below_five");
    EXPECT_EQ(found["role"], holds ? "holds" : rejects ? "rejects" : "refutes");
    EXPECT_EQ(found["subject"], holds ? "std::identity" : rejects ? "eleven" : "");
    EXPECT_EQ(found["counterexample"], holds ? "" : rejects ? "x = 0" : "x = 5");
    const auto full_name = "tiny.is_small." + found["property"];
    EXPECT_EQ(found["seed"], std::to_string(stream_of(full_name).bits(0)));
    EXPECT_EQ(found["run_seed"], std::to_string(run_seed()));
    EXPECT_EQ(found["worst"], holds ? "0.9" : rejects ? "1.1" : "0");
    EXPECT_EQ(found["worst_case"], holds ? "x = 9" : rejects ? found["worst_case"] : "");
    EXPECT_EQ(found.contains("failing_mass"), holds);
    if (holds) {
      const auto cases = std::to_string(cases_of_run());
      EXPECT_EQ(found["cases"], cases);
      const double mass = failing_mass(cases_of_run());
      EXPECT_NEAR(std::stod(found["failing_mass"]), mass, 5e-6 * mass);  // six digits
      EXPECT_TRUE(std::regex_match(
          found["coverage"],
          std::regex("even: \\d+ of " + cases + " cases \\(\\d[0-9.]* %, 25 % required\\)")))
          << found["coverage"];
    }
  }
};
const auto* const records = [] {
  auto* listener = new Records;  // owned by GoogleTest from here on
  ::testing::UnitTest::GetInstance()->listeners().Append(listener);
  return listener;
}();

PROPERTY(tiny, is_small, below_ten) {
  const int x = generators::named("x", generators::in_range(0, 10));
  covers("even", x % 2 == 0, 0.25);
  holds(subject(x) / 10.0);
}
HOLDS(tiny, is_small, below_ten, std::identity)
REJECTS(tiny, is_small, below_ten, eleven)
REFUTES(tiny, is_small, that_it_is_below_five) {
  const int x = generators::named("x", generators::in_range(0, 1000));
  holds_exactly(x < 5);
}

PROPERTY(tiny, is_small, rarely_reached) {
  const int x = generators::named("x", generators::in_range(0, 10));
  if (x == 100) holds_exactly(false);
  if (subject(x) == 11) throw std::runtime_error("eleven");
}
constexpr int line_of_rarely_reached = __LINE__ - 5;

/// The first failure of what a test does.
::testing::TestPartResult failure_of(const std::function<void()>& test) {
  ::testing::TestPartResultArray reported;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &reported);
    test();
  }
  EXPECT_EQ(reported.size(), 1);
  return reported.GetTestPartResult(0);
}

TEST(macros, fail_where_the_wrong_primitive_is_said_to_hold_and_the_right_one_to_be_a_mutant) {
  using Property = tiny_is_small_below_ten;
  const auto wrong = failure_of([] { test_holds<Property>(mutants::eleven{}, "eleven"); });
  EXPECT_NE(std::string(wrong.message()).find("the ratio is 1.1"), std::string::npos)
      << wrong.message();
  const auto right = failure_of([] { test_rejects<Property>(std::identity{}, "identity"); });
  EXPECT_NE(std::string(right.message()).find("the mutant was not refuted"), std::string::npos)
      << right.message();
}

TEST(macros, fail_at_the_property_where_nothing_is_judged_or_its_body_throws) {
  using Property = tiny_is_small_rarely_reached;
  for (const auto& [failure, why] :
       {std::pair{failure_of([] { test_holds<Property>(std::identity{}, "identity"); }),
                  "no case came to a holds"},
        {failure_of([] { test_holds<Property>(mutants::eleven{}, "eleven"); }), "eleven"}}) {
    EXPECT_NE(std::string(failure.message()).find(why), std::string::npos) << failure.message();
    EXPECT_STREQ(failure.file_name(), __FILE__);
    EXPECT_EQ(failure.line_number(), line_of_rarely_reached);
  }
}

}  // namespace
}  // namespace embedscale::properties::testing
