// Every way to a verdict, and every way to be denied one. A verdict is what the reports print, so
// a lenient judge would make every page of them worthless.
#include "../verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace embedscale::properties {
namespace {

// What was looked at completely, met or not.
constexpr Obligation statement{Part::statement, true, 10, 10};
constexpr Obligation belief{Part::belief, true, 10, 10};
constexpr Obligation elsewhere{Part::necessity, true, 10, 10};

constexpr Obligation unmet(Obligation o) {
  o.met = false;
  return o;
}
constexpr Obligation seen(Obligation o, std::uint64_t evaluated, std::uint64_t expected) {
  o.evaluated = evaluated;
  o.expected = expected;
  return o;
}
constexpr std::uint64_t all_pairs = std::uint64_t{1} << 32;

struct Row {
  const char* why;
  std::vector<Obligation> obligations;
  Verdict verdict;
};
const Row rows[] = {
    {"met in every case", {belief}, Verdict::is_true},
    {"met in every case", {belief, statement, belief}, Verdict::is_true},
    {"unmet", {unmet(belief)}, Verdict::is_false},
    {"unmet", {statement, unmet(belief)}, Verdict::is_false},
    {"one unmet, the last", {belief, unmet(belief)}, Verdict::is_false},
    {"one unmet, the first", {unmet(belief), belief}, Verdict::is_false},
    {"fails everywhere outside its condition", {belief, elsewhere}, Verdict::true_if},
    {"in any order", {elsewhere, statement, belief}, Verdict::true_if},
    {"the condition is not sufficient", {unmet(belief), elsewhere}, Verdict::is_false},
    {"the condition is not necessary", {belief, unmet(elsewhere)}, Verdict::open},
    {"neither is it sufficient", {unmet(belief), unmet(elsewhere)}, Verdict::open},
    {"a statement is unmet", {unmet(statement), belief}, Verdict::open},
    {"a statement is unmet", {unmet(statement), unmet(belief)}, Verdict::open},
    {"a statement is unmet", {belief, elsewhere, unmet(statement)}, Verdict::open},
    {"one of two statements is", {unmet(statement), statement, belief}, Verdict::open},
    {"nothing about the belief", {}, Verdict::open},
    {"nothing about the belief", {statement}, Verdict::open},
    {"no case on its condition", {elsewhere}, Verdict::is_false},
    {"no case on its condition", {statement, elsewhere}, Verdict::is_false},
    {"a case not looked at", {seen(belief, 9, 10)}, Verdict::open},
    {"a case not looked at", {seen(statement, 9, 10), belief}, Verdict::open},
    {"a case not looked at", {belief, seen(elsewhere, 9, 10)}, Verdict::open},
    // A counterexample is one however much else was left out; but then the sums are not the stated
    // ones, and the verdict waits for them.
    {"a case not looked at", {seen(unmet(belief), 9, 10)}, Verdict::open},
    {"seen too much elsewhere", {seen(statement, 11, 10), seen(belief, 9, 10)}, Verdict::open},
    {"seen too much", {seen(belief, 11, 10)}, Verdict::open},
    {"nothing expected", {seen(belief, 0, 0)}, Verdict::open},
    {"nothing expected", {seen(statement, 0, 0), belief}, Verdict::open},
    {"nothing expected", {belief, seen(elsewhere, 0, 0)}, Verdict::open},
    {"equal in the low 32 bits", {seen(belief, 0, all_pairs)}, Verdict::open},
    {"beyond 32 bits", {seen(belief, all_pairs, all_pairs)}, Verdict::is_true},
};

TEST(judge, allows_the_verdict_of_its_obligations) {
  for (const auto& [why, obligations, verdict] : rows)
    EXPECT_EQ(judge(obligations).verdict, verdict) << why << ", " << obligations.size();
}

TEST(judge, counts_are_summed_over_all_obligations_whatever_the_verdict) {
  for (const auto& [why, obligations, verdict] : rows) {
    std::uint64_t evaluated = 0, expected = 0;
    for (const Obligation& o : obligations) evaluated += o.evaluated, expected += o.expected;
    EXPECT_EQ(judge(obligations).evaluated, evaluated) << why;
    EXPECT_EQ(judge(obligations).expected, expected) << why;
  }
}

TEST(name_of, verdicts_are_spelled_as_the_reports_print_them) {
  EXPECT_EQ(name_of(Verdict::is_true), "true");
  EXPECT_EQ(name_of(Verdict::true_if), "true if");
  EXPECT_EQ(name_of(Verdict::is_false), "false");
  EXPECT_EQ(name_of(Verdict::open), "open");
}

}  // namespace
}  // namespace embedscale::properties
