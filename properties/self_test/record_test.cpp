// What HOLDS, REJECTS and REFUTES write into a test's record: the reports tell from it how a claim
// was tested.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "../testing/generators/numbers.hpp"
#include "../testing/property.hpp"

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
    EXPECT_EQ(found["seed"], std::to_string(run(full_name, 1, [] {}).seed));
    if (holds) {
      EXPECT_EQ(found["cases"], std::to_string(default_cases));
      EXPECT_EQ(found["worst"], "0.9");
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
  holds(subject(x) / 10.0);
}
HOLDS(tiny, is_small, below_ten, std::identity)
REJECTS(tiny, is_small, below_ten, eleven)
REFUTES(tiny, is_small, that_it_is_below_five) {
  const int x = generators::named("x", generators::in_range(0, 1000));
  holds_exactly(x < 5);
}

}  // namespace
}  // namespace embedscale::properties::testing
