// Every way to a verdict, and every way to be denied one. A verdict is what the reports print, so
// a lenient judge would make every page of them worthless.
#include "../verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace embedscale::properties {
namespace {

// What came out as asked.
constexpr Tried statement{Speaks::statement, false, true, 10};
constexpr Tried belief{Speaks::belief, false, true, 10};
constexpr Tried necessity{Speaks::necessity, false, true, 10};
constexpr Tried both{Speaks::both, false, true, 10};
constexpr Tried refuted{Speaks::statement, true, true, 3};
constexpr Tried beside{Speaks::beside, true, true, 3};

constexpr Tried failed(Tried t) { return t.as_asked = false, t; }
constexpr Tried unseen(Tried t) { return t.cases = 0, t; }

struct Row {
  const char* why;
  std::vector<Tried> tried;
  Verdict verdict;
};
const Row rows[] = {
    {"held in every case", {belief}, Verdict::is_true},
    {"held in every case", {belief, statement, belief, beside}, Verdict::is_true},
    {"refuted", {refuted}, Verdict::is_false},
    {"refuted", {statement, refuted}, Verdict::is_false},
    {"fails everywhere outside its condition", {belief, necessity}, Verdict::true_if},
    {"both by one", {both}, Verdict::true_if},
    {"refuted outside its condition", {necessity, refuted, statement, belief}, Verdict::true_if},
    {"no case on its condition", {necessity, refuted}, Verdict::is_false},
    {"the condition may not be necessary", {belief, refuted}, Verdict::open},
    {"nothing about the belief", {}, Verdict::open},
    {"nothing about the belief", {statement, beside}, Verdict::open},
    {"nothing about the belief", {necessity}, Verdict::open},
    {"does not hold", {failed(belief)}, Verdict::open},
    {"a statement does not hold", {failed(statement), refuted}, Verdict::open},
    {"the condition is not necessary", {belief, failed(necessity)}, Verdict::open},
    {"no counterexample", {failed(refuted)}, Verdict::open},
    {"no counterexample", {belief, failed(beside)}, Verdict::open},
    {"no case looked at", {unseen(belief)}, Verdict::open},
    {"no case looked at", {belief, unseen(statement)}, Verdict::open},
};

TEST(judge, allows_the_verdict_of_the_run) {
  for (const auto& [why, tried, verdict] : rows)
    EXPECT_EQ(judge(tried).verdict, verdict) << why << ", " << tried.size();
}

}  // namespace
}  // namespace embedscale::properties
