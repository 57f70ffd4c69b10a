// Every way to a verdict, and every way to be denied one. A verdict is what the reports print, so
// a lenient judge would make every page of them worthless.
#include "../verdict.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace embedscale::properties {
namespace {

Judgement judged(std::initializer_list<Obligation> obligations) {
  return judge(std::vector<Obligation>(obligations));
}

Verdict verdict(std::initializer_list<Obligation> obligations) {
  return judged(obligations).verdict;
}

// What was looked at completely, met or not.
constexpr Obligation statement{Part::statement, true, 10, 10};
constexpr Obligation belief{Part::belief, true, 10, 10};
constexpr Obligation elsewhere{Part::belief_elsewhere, true, 10, 10};

constexpr Obligation unmet(Obligation o) {
  o.met = false;
  return o;
}
constexpr Obligation seen(Obligation o, std::uint64_t evaluated, std::uint64_t expected) {
  o.evaluated = evaluated;
  o.expected = expected;
  return o;
}

TEST(judge, a_belief_met_in_every_case_holds) {
  EXPECT_EQ(verdict({belief}), Verdict::holds);
  EXPECT_EQ(verdict({statement, belief}), Verdict::holds);
  EXPECT_EQ(verdict({belief, statement, belief}), Verdict::holds);
}

TEST(judge, an_unmet_belief_fails) {
  EXPECT_EQ(verdict({unmet(belief)}), Verdict::fails);
  EXPECT_EQ(verdict({statement, unmet(belief)}), Verdict::fails);
}

TEST(judge, one_unmet_belief_among_met_ones_fails_in_any_order) {
  EXPECT_EQ(verdict({belief, unmet(belief)}), Verdict::fails);
  EXPECT_EQ(verdict({unmet(belief), belief}), Verdict::fails);
}

TEST(judge, a_belief_that_fails_everywhere_outside_its_condition_holds_if) {
  EXPECT_EQ(verdict({belief, elsewhere}), Verdict::holds_if);
  EXPECT_EQ(verdict({elsewhere, statement, belief}), Verdict::holds_if);
}

TEST(judge, a_condition_that_is_not_sufficient_does_not_save_the_belief) {
  EXPECT_EQ(verdict({unmet(belief), elsewhere}), Verdict::fails);
}

TEST(judge, a_condition_that_is_not_necessary_leaves_it_open) {
  EXPECT_EQ(verdict({belief, unmet(elsewhere)}), Verdict::open);
  EXPECT_EQ(verdict({unmet(belief), unmet(elsewhere)}), Verdict::open);
}

TEST(judge, an_unmet_statement_leaves_it_open_whatever_the_belief) {
  EXPECT_EQ(verdict({unmet(statement), belief}), Verdict::open);
  EXPECT_EQ(verdict({unmet(statement), unmet(belief)}), Verdict::open);
  EXPECT_EQ(verdict({belief, elsewhere, unmet(statement)}), Verdict::open);
  EXPECT_EQ(verdict({unmet(statement), statement, belief}), Verdict::open);
}

TEST(judge, nothing_about_the_belief_leaves_it_open) {
  EXPECT_EQ(verdict({}), Verdict::open);
  EXPECT_EQ(verdict({statement}), Verdict::open);
}

TEST(judge, a_belief_without_a_case_on_its_condition_fails) {
  EXPECT_EQ(verdict({elsewhere}), Verdict::fails);
  EXPECT_EQ(verdict({statement, elsewhere}), Verdict::fails);
}

TEST(judge, a_single_case_not_looked_at_leaves_it_open_in_every_part) {
  EXPECT_EQ(verdict({seen(belief, 9, 10)}), Verdict::open);
  EXPECT_EQ(verdict({seen(statement, 9, 10), belief}), Verdict::open);
  EXPECT_EQ(verdict({belief, seen(elsewhere, 9, 10)}), Verdict::open);
  // A counterexample is one however much else was left out; but then the sums are not the stated
  // ones, and the verdict waits for them.
  EXPECT_EQ(verdict({seen(unmet(belief), 9, 10)}), Verdict::open);
}

TEST(judge, what_one_part_saw_too_much_does_not_make_up_for_another) {
  EXPECT_EQ(verdict({seen(statement, 11, 10), seen(belief, 9, 10)}), Verdict::open);
  EXPECT_EQ(verdict({seen(belief, 11, 10)}), Verdict::open);
}

TEST(judge, expecting_nothing_leaves_it_open) {
  EXPECT_EQ(verdict({seen(belief, 0, 0)}), Verdict::open);
  EXPECT_EQ(verdict({seen(statement, 0, 0), belief}), Verdict::open);
  EXPECT_EQ(verdict({belief, seen(elsewhere, 0, 0)}), Verdict::open);
}

TEST(judge, counts_are_summed_over_all_obligations_even_when_it_stays_open) {
  const auto settled = judged({seen(statement, 1, 1), seen(belief, 20, 20), elsewhere});
  EXPECT_EQ(settled.verdict, Verdict::holds_if);
  EXPECT_EQ(settled.evaluated, 31u);
  EXPECT_EQ(settled.expected, 31u);

  const auto open = judged({seen(unmet(statement), 1, 3), seen(belief, 20, 50), elsewhere});
  EXPECT_EQ(open.verdict, Verdict::open);
  EXPECT_EQ(open.evaluated, 31u);
  EXPECT_EQ(open.expected, 63u);

  EXPECT_EQ(judged({}).evaluated, 0u);
  EXPECT_EQ(judged({}).expected, 0u);
}

TEST(judge, counts_beyond_32_bits_are_exact) {
  constexpr std::uint64_t all_pairs = std::uint64_t{1} << 32;
  const auto result = judged({seen(belief, all_pairs, all_pairs), seen(statement, 1, 1)});
  EXPECT_EQ(result.verdict, Verdict::holds);
  EXPECT_EQ(result.evaluated, all_pairs + 1);
  EXPECT_EQ(verdict({seen(belief, 0, all_pairs)}), Verdict::open);  // equal in the low 32 bits
}

TEST(name_of, verdicts_are_spelled_as_the_reports_print_them) {
  EXPECT_EQ(name_of(Verdict::holds), "holds");
  EXPECT_EQ(name_of(Verdict::holds_if), "holds if");
  EXPECT_EQ(name_of(Verdict::fails), "fails");
  EXPECT_EQ(name_of(Verdict::open), "open");
}

}  // namespace
}  // namespace embedscale::properties
