// The mutator is tested, too: on texts so small that all of their mutants can be written down.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>
#include <stdexcept>

#include "../../analyses/report/file.hpp"
#include "../evidence/proportion.hpp"
#include "judge.hpp"

namespace embedscale::properties::mutation {
namespace {

using Lines = std::set<std::string>;

/// A text, and the lines that the mutants of an operator leave behind. Where operators take what is
/// no behaviour for some, the mutant does not compile or survives, which is seen.
struct OfOperator {
  Operator op;
  const char* text;
  Lines after = {};
};
const std::vector<OfOperator> of_operators{
    // What is no code hides none behind it.
    {Operator::arithmetic,
     "#if A + 1 > 2  // b + 1\n\"a // \\\" b + 1\" /* 1 + 2 */ 'c' 1'000u R\"m(\")\" + 1)m\"\n"
     "// c - 1\ny = a + b;",
     {"y = a - b;"}},
    {Operator::arithmetic, "auto y = a * b;", {"auto y = a / b;", "auto y = a + b;"}},
    {Operator::arithmetic, "auto y = a >> b;", {"auto y = a << b;"}},
    {Operator::arithmetic, "f(++i);", {"f(--i);"}},
    // The boundary moved, or the opposite.
    {Operator::relational, "auto y = a < b;", {"auto y = a <= b;", "auto y = a >= b;"}},
    {Operator::relational, "auto y = a == b;", {"auto y = a != b;"}},
    {Operator::logical,
     "if (a && !b) f();",
     {"if (a || !b) f();", "if (a && b) f();", "if (!(a && !b)) f();"}},
    {Operator::logical, "y = a ? b : c;", {"y = !a ? b : c;"}},
    {Operator::constant, "x = 0;", {"x = 1;"}},
    {Operator::constant, "x = 2u;", {"x = 3u;", "x = 1u;"}},
    {Operator::constant, "x = 0.5;", {"x = 2.0;", "x = 0.25;"}},
    {Operator::constant, "x = 1.0;", {"x = 2.0;", "x = 0.0;"}},
    {Operator::constant, "x = 0x1p-52;", {"x = 0x1p-51;", "x = 0x1p-53;"}},
    {Operator::constant, "x = true;", {"x = false;"}},
    {Operator::statement, "void f() { x = 1; }", {"void f() { ; }"}},
    {Operator::statement, "void f() { g(x); }", {"void f() { ; }"}},
    {Operator::statement, "void f() { if (x) continue; }", {"void f() { if (x) ; }"}},
    {Operator::statement, "void f() { if (x) throw E(1 + 1); }", {"void f() { if (x) ; }"}},
    {Operator::statement, "void f() { if (x) { a[i] += 1; } }", {"void f() { if (x) { ; } }"}},
    {Operator::arguments, "f(a, b + 1, c);", {"f(b + 1, a, c);", "f(a, c, b + 1);"}},
    {Operator::arguments, "x = {a, g(b, c)};", {"x = {g(b, c), a};", "x = {a, g(c, b)};"}},
    {Operator::sign, "T f() { return -a; }", {"T f() { return a; }"}},
    {Operator::sign, "T f() { return a * b; }", {"T f() { return -(a * b); }"}},
    {Operator::function, "x = std::sin(y);", {"x = std::cos(y);"}},
};

TEST(mutation_operators, make_of_a_text_what_each_is_for) {
  for (const auto& [op, text, after] : of_operators) {
    Lines lines;
    for (const auto& mutant : mutants_of("a.hpp", text))
      if (mutant.edit.op == op) lines.insert(mutant.after);
    EXPECT_EQ(lines, after) << name_of(op) << ": " << text;
  }
}

TEST(mutation_ids, survive_what_happens_to_other_lines_and_end_with_their_own) {
  const auto ids = [](const std::string& text) {
    Lines all;
    for (const auto& mutant : mutants_of("a.hpp", text)) all.insert(mutant.id);
    return all;
  };
  const auto before = ids("T x = a + b;\n");
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(ids("// Words.\n\n    T x = a + b;\n"), before);
  EXPECT_NE(ids("T x = a + c;\n"), before);
  const auto twice = ids("T x = a + b;\nT x = a + b;\n");
  EXPECT_EQ(twice.size(), 2u);
  EXPECT_EQ(twice.count(*before.begin()), 1u);
  EXPECT_NE(mutants_of("b.hpp", "T x = a + b;\n")[0].id, *before.begin());
}

TEST(mutation_equivalents, have_a_reason_and_are_named_once) {
  const auto argued =
      parse_equivalents("# Words.\n\na.hpp#12\n  One\n  reason.\nb/c.cpp#34\n  Two.\n");
  EXPECT_EQ(argued, (Equivalents{{"a.hpp#12", "One reason."}, {"b/c.cpp#34", "Two."}}));
  for (const char* text : {"a.hpp#12\n", "a.hpp#12\nb.hpp#34\n  Why.\n", "  Why.\n", "a.hpp 12\n",
                           "a.hpp#12\n  A.\na.hpp#12\n  B.\n"})
    EXPECT_THROW(parse_equivalents(text), std::invalid_argument) << text;
}

/// A line that is changed takes the ids of its mutants with it, and ./dev mutate, which takes half
/// an hour, is not the first to be told.
TEST(mutation_equivalents, of_the_library_are_mutants_of_it) {
  std::set<std::string> ids;
  for (const auto& mutant : all_mutants(EMBEDSCALE_SOURCE_DIR)) ids.insert(mutant.id);
  for (const auto& [id, reason] : parse_equivalents(report::read_file(
           fs::path(EMBEDSCALE_SOURCE_DIR) / "properties/mutation/equivalent.txt")))
    EXPECT_TRUE(ids.contains(id)) << id << ": " << reason;
}

/// 40 mutants in a.hpp, 8 in b.hpp.
std::vector<Mutant> some_mutants() {
  std::string long_text;
  for (int i = 0; i < 40; ++i) long_text += "T x = a + b" + std::to_string(i) + ";\n";
  auto all = mutants_of("a.hpp", long_text);
  for (auto& mutant : mutants_of("b.hpp", long_text.substr(0, long_text.find("b8"))))
    all.push_back(mutant);
  return all;
}

TEST(mutation_order, is_a_function_of_the_seed_and_gives_every_mutant_its_turn_at_the_front) {
  const auto ids = [](std::uint64_t seed) {
    auto order = some_mutants();
    shuffle(order, seed);
    std::vector<std::string> list;
    for (const auto& mutant : order) list.push_back(mutant.id);
    return list;
  };
  EXPECT_EQ(ids(7), ids(7));
  EXPECT_NE(ids(7), ids(8));
  std::map<std::string, int> first_half;
  constexpr int seeds = 200;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    for (const auto order = ids(seed); const auto& id : std::span(order).first(24))
      ++first_half[id];
  // In half of the runs each, ±6 standard deviations √(200/4): wrong for one of 48 with
  // probability 48·2·exp(−18) = 1.5e-6 at most (Hoeffding), and the seeds are fixed.
  for (const auto& mutant : some_mutants())
    EXPECT_LE(std::abs(first_half[mutant.id] - seeds / 2), 6 * std::sqrt(seeds) / 2) << mutant.id;
}

/// One for each mutant of some_mutants, in their order.
std::vector<Result> results(const std::vector<MutantStatus>& fates) {
  const auto mutants = some_mutants();
  std::vector<Result> list;
  for (std::size_t i = 0; i < fates.size(); ++i)
    list.push_back({.id = mutants[i].id, .fate = fates[i], .tried = {{"t", 0.5}}});
  return list;
}

TEST(mutation_score, counts_the_killed_of_those_that_compile_and_are_not_equivalent) {
  const auto list = results({MutantStatus::killed, MutantStatus::timed_out, MutantStatus::survived,
                             MutantStatus::invalid, MutantStatus::survived});
  const auto found = score(list, some_mutants(), {{list[4].id, "why"}}, 5);
  EXPECT_EQ(found.at("seed"), 5);
  EXPECT_EQ(found.at("population"), 48);
  EXPECT_DOUBLE_EQ(found.at("total").at("score"), 2.0 / 3.0);
  const auto [lower, upper] = evidence::clopper_pearson(3, 2, 0.05);
  EXPECT_EQ(found.at("total").at("lower"), lower);
  EXPECT_EQ(found.at("total").at("upper"), upper);
  EXPECT_EQ(found.at("total").at("equivalent"), 1);
  ASSERT_EQ(found.at("unexplained").size(), 1u);
  EXPECT_EQ(found.at("unexplained")[0].at("id"), list[2].id);
  EXPECT_EQ(found.at("unexplained")[0].at("before"), "T x = a + b2;");
  EXPECT_EQ(found.at("headers")[0].at("header"), "a.hpp");
  EXPECT_EQ(found.at("headers")[0].at("mutants"), 5);
}

TEST(mutation_score, an_unexplained_survivor_a_killed_equivalent_and_nothing_at_all_fail) {
  const auto passed = [](const std::vector<Result>& list, const Equivalents& argued) {
    return passes(score(list, some_mutants(), argued, 0));
  };
  const std::vector<MutantStatus> killed(30, MutantStatus::killed);
  auto one_survives = killed;
  one_survives[3] = MutantStatus::survived;
  const auto list = results(one_survives);
  EXPECT_TRUE(passed(results(killed), {}));
  EXPECT_FALSE(passed(list, {})) << "29 of 30 are enough, but one is not explained";
  EXPECT_TRUE(passed(list, {{list[3].id, "why"}}));
  EXPECT_FALSE(passed(list, {{list[3].id, "why"}, {list[4].id, "why"}})) << "argued, but killed";
  EXPECT_FALSE(passed({}, {}));
  EXPECT_FALSE(passed(results({MutantStatus::invalid}), {}));
}

}  // namespace
}  // namespace embedscale::properties::mutation
