// The mutator is tested, too: on texts so small that all of their mutants can be written down.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "judge.hpp"
#include "score.hpp"
#include "source.hpp"

namespace embedscale::properties::mutation {
namespace {

using Lines = std::set<std::string>;

TEST(mutation_tokens, comments_are_left_out_and_strings_and_directives_are_one_each) {
  const std::string text =
      "#include <a> // b\n#define c \\\n  d\nx = \"a // \\\" b\" /* 1 + 2 */ + 'c'; // - 3\n"
      "R\"m(\")\" + 1)m\" 0x1p-52 1'000u 1e-9\n";
  std::vector<std::string> tokens;
  for (const auto& token : tokens_of(text)) tokens.emplace_back(token.text);
  EXPECT_EQ(tokens, (std::vector<std::string>{"#include <a> // b", "#define c \\\n  d", "x", "=",
                                              "\"a // \\\" b\"", "+", "'c'", ";",
                                              "R\"m(\")\" + 1)m\"", "0x1p-52", "1'000u", "1e-9"}));
}

TEST(mutation_tokens, an_unfinished_text_ends_all_the_same) {
  for (const char* text :
       {"\"abc", "/* abc", "R\"(abc", "'", "\"\\", "f(a, {", ")]}", "#", "<", "if ("})
    EXPECT_NO_THROW(mutants_of("a.hpp", text)) << text;
}

/// A text, and the lines that the mutants of an operator leave behind.
struct OfOperator {
  Operator op;
  const char* text;
  Lines after = {};
};
const std::vector<OfOperator> of_operators{
    {Operator::arithmetic, "auto y = a * b;", {"auto y = a / b;", "auto y = a + b;"}},
    {Operator::arithmetic, "auto y = a >> b;", {"auto y = a << b;"}},
    {Operator::arithmetic, "f(++i);", {"f(--i);"}},
    {Operator::arithmetic, "const T* a; const T& b; out << c;"},
    // The boundary moved, or the opposite.
    {Operator::relational, "auto y = a < b;", {"auto y = a <= b;", "auto y = a >= b;"}},
    {Operator::relational, "auto y = a == b;", {"auto y = a != b;"}},
    {Operator::relational, "std::vector<T> a; x->y;"},
    {Operator::logical,
     "if (a && !b) f();",
     {"if (a || !b) f();", "if (a && b) f();", "if (!(a && !b)) f();"}},
    {Operator::logical, "y = a ? b : c;", {"y = !a ? b : c;"}},
    {Operator::logical, "if (a < b) f();"},  // relational has it
    {Operator::constant, "x = 0;", {"x = 1;"}},
    {Operator::constant, "x = 2u;", {"x = 3u;", "x = 1u;"}},
    {Operator::constant, "x = 0.5;", {"x = 2.0;", "x = 0.25;"}},
    {Operator::constant, "x = 1.0;", {"x = 2.0;", "x = 0.0;"}},
    {Operator::constant, "x = 0x1p-52;", {"x = 0x1p-51;", "x = 0x1p-53;"}},
    {Operator::constant, "x = true;", {"x = false;"}},
    // What acts is left out, what declares is kept.
    {Operator::statement, "void f() { x = 1; }", {"void f() { ; }"}},
    {Operator::statement, "void f() { g(x); }", {"void f() { ; }"}},
    {Operator::statement, "void f() { if (x) continue; }", {"void f() { if (x) ; }"}},
    {Operator::statement, "void f() { if (x) throw E(1 + 1); }", {"void f() { if (x) ; }"}},
    {Operator::statement, "void f() { if (x) { a[i] += 1; } }", {"void f() { if (x) { ; } }"}},
    {Operator::statement, "void f() { T x = 1; }"},
    {Operator::statement, "void f() { const T& x = y; }"},
    {Operator::statement, "void f() { T x(1); }"},
    {Operator::statement, "void f() { std::vector<T> x(n), y(n); }"},
    {Operator::statement, "T f() { return g(x); }"},
    {Operator::statement, "struct S { T x = 1; };"},
    {Operator::statement, "void f() { for (T i = 0; i < n; ++i) T x = 1; }"},
    {Operator::statement, "using std::sin;"},
    {Operator::arguments, "f(a, b + 1, c);", {"f(b + 1, a, c);", "f(a, c, b + 1);"}},
    {Operator::arguments, "x = {a, g(b, c)};", {"x = {g(b, c), a};", "x = {a, g(c, b)};"}},
    {Operator::arguments, "void f(T a, T b);"},
    {Operator::arguments, "f(a, a);"},
    {Operator::arguments, "f(\"a\", b);"},
    {Operator::arguments, "std::max(a, b);"},
    {Operator::arguments, "for (a; b; c) {}"},
    {Operator::arguments, "g([&](T x) { return x; }, y);"},
    {Operator::arguments, "h<a, b>(c);"},
    {Operator::sign, "T f() { return -a; }", {"T f() { return a; }"}},
    {Operator::sign, "T f() { return a * b; }", {"T f() { return -(a * b); }"}},
    {Operator::sign, "T f() { return a - b == c; }"},
    {Operator::function, "x = std::sin(y);", {"x = std::cos(y);"}},
    {Operator::function, "friend T sin(T y);"},
};

TEST(mutation_operators, make_of_a_text_what_each_is_for) {
  for (const auto& [op, text, after] : of_operators) {
    Lines lines;
    for (const auto& mutant : mutants_of("a.hpp", text))
      if (mutant.edit.op == op) lines.insert(mutant.after);
    EXPECT_EQ(lines, after) << name_of(op) << ": " << text;
  }
}

TEST(mutation_operators, leave_alone_what_is_no_behaviour) {
  for (const char* text :
       {"// a + 1", "/* a + 1 */", "#if A + 1 > 2", "static_assert(a + 1 < 2);",
        "template <int A = 1 + 1>", "using T = A<1 + 1>;", "enum class E { a, b };",
        "concept C = requires { a + 1; };", "throw E(\"a\" + f(1 + 1));", "std::array<T, 4> x;",
        "bool operator<(T);"})
    EXPECT_EQ(mutants_of("a.hpp", text).size(), 0u) << text;
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

TEST(mutation_ids, go_with_line_column_and_both_texts) {
  const auto mutants = mutants_of("a.hpp", "int f() {\n  return a +\n         b;\n}\n");
  ASSERT_EQ(mutants.size(), 2u);
  const auto& plus = mutants[1];
  EXPECT_TRUE(difference(plus).starts_with("a.hpp:2:12 arithmetic  a.hpp#")) << difference(plus);
  EXPECT_EQ(plus.before, "return a +");
  EXPECT_EQ(plus.after, "return a -");
  EXPECT_EQ(mutants[0].before, "return a + b;") << "two lines, joined";
  EXPECT_EQ(applied("a + b", {2, 1, "-", Operator::arithmetic}), "a - b");
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
  for (const auto& [id, reason] : parse_equivalents(
           read(fs::path(EMBEDSCALE_SOURCE_DIR) / "properties/mutation/equivalent.txt")))
    EXPECT_TRUE(ids.contains(id)) << id << ": " << reason;
}

/// 40 arithmetic mutants in a.hpp, 8 in b.hpp.
std::vector<Mutant> two_strata() {
  std::string long_text, short_text;
  for (int i = 0; i < 40; ++i)
    long_text += "T x = a + b" + std::string(static_cast<std::size_t>(i), 'b') + ";\n";
  for (int i = 0; i < 8; ++i)
    short_text += "T x = a + c" + std::string(static_cast<std::size_t>(i), 'c') + ";\n";
  auto all = mutants_of("a.hpp", long_text);
  for (auto& mutant : mutants_of("b.hpp", short_text)) all.push_back(mutant);
  return all;
}

TEST(mutation_sampling, every_beginning_is_stratified) {
  const auto order = in_sampling_order(two_strata(), 1);
  ASSERT_EQ(order.size(), 48u);
  for (std::size_t n = 1; n <= order.size(); ++n) {
    const auto b = std::ranges::count(order.begin(), order.begin() + static_cast<long>(n),
                                      std::string("b.hpp"), &Mutant::file);
    // Up to key t there are 40 t and 8 t, each to less than one.
    EXPECT_LT(std::abs(static_cast<double>(b) - static_cast<double>(n) / 6.0), 1.2) << n;
  }
}

TEST(mutation_sampling, is_a_function_of_the_seed_and_gives_every_mutant_its_turn_at_the_front) {
  const auto all = two_strata();
  const auto ids = [](const std::vector<Mutant>& order) {
    std::vector<std::string> list;
    for (const auto& mutant : order) list.push_back(mutant.id);
    return list;
  };
  EXPECT_EQ(ids(in_sampling_order(all, 7)), ids(in_sampling_order(all, 7)));
  EXPECT_NE(ids(in_sampling_order(all, 7)), ids(in_sampling_order(all, 8)));
  std::map<std::string, int> first_half;
  constexpr int seeds = 200;
  for (int seed = 0; seed < seeds; ++seed) {
    const auto order = ids(in_sampling_order(all, static_cast<std::uint64_t>(seed)));
    for (std::size_t i = 0; i < 24; ++i) ++first_half[order[i]];
  }
  // In half of the runs each, ±6 standard deviations √(200/4): wrong for one of 48 with
  // probability 48·2·exp(−18) = 1.5e-6 at most (Hoeffding), and the seeds are fixed.
  for (const auto& mutant : all)
    EXPECT_LE(std::abs(first_half[mutant.id] - seeds / 2), 6 * std::sqrt(seeds) / 2) << mutant.id;
}

/// One for each mutant of two_strata, in their order.
std::vector<Result> results(const std::vector<MutantStatus>& fates) {
  const auto mutants = two_strata();
  std::vector<Result> list;
  for (std::size_t i = 0; i < fates.size(); ++i)
    list.push_back({.id = mutants[i].id, .fate = fates[i], .tried = {{"t", 0.5}}});
  return list;
}

TEST(mutation_score, has_the_interval_of_clopper_and_pearson) {
  // No survivor of n: the lower end is (α/2)^(1/n), the upper one 1; and the other way round.
  // Roots below 1, of two roundings on either side.
  constexpr double rounded = 4 * 0x1p-53;
  const auto all = tally(results(std::vector<MutantStatus>(40, MutantStatus::killed)), {});
  EXPECT_NEAR(all.at("lower"), std::pow(0.025, 1.0 / 40), rounded);
  EXPECT_EQ(all.at("upper"), 1.0);
  const auto none = tally(results(std::vector<MutantStatus>(40, MutantStatus::survived)), {});
  EXPECT_EQ(none.at("lower"), 0.0);
  EXPECT_NEAR(none.at("upper"), 1 - std::pow(0.025, 1.0 / 40), rounded);
  EXPECT_EQ(tally({}, {}).at("lower"), 0.0);
  EXPECT_EQ(tally({}, {}).at("upper"), 1.0);
}

TEST(mutation_score, counts_the_killed_of_those_that_compile_and_are_not_equivalent) {
  const auto list = results({MutantStatus::killed, MutantStatus::timed_out, MutantStatus::survived,
                             MutantStatus::invalid, MutantStatus::survived});
  const auto found = score(list, two_strata(), {{list[4].id, "why"}}, 5);
  EXPECT_EQ(found.at("seed"), 5);
  EXPECT_EQ(found.at("population"), 48);
  EXPECT_EQ(found.at("argued_equivalent"), 1);
  EXPECT_DOUBLE_EQ(found.at("total").at("score"), 2.0 / 3.0);
  EXPECT_EQ(found.at("total").at("equivalent"), 1);
  ASSERT_EQ(found.at("unexplained").size(), 1u);
  EXPECT_EQ(found.at("unexplained")[0].at("id"), list[2].id);
  EXPECT_EQ(found.at("unexplained")[0].at("before"), "T x = a + bbb;");
  EXPECT_EQ(found.at("headers")[0].at("header"), "a.hpp");
  EXPECT_EQ(found.at("headers")[0].at("mutants"), 5);
}

TEST(mutation_score, an_unexplained_survivor_a_killed_equivalent_and_nothing_at_all_fail) {
  const auto passed = [](const std::vector<Result>& list, const Equivalents& argued) {
    return passes(score(list, two_strata(), argued, 0));
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

TEST(mutation_score, progress_tells_counts_and_the_time_left) {
  const auto list = results({MutantStatus::killed, MutantStatus::timed_out, MutantStatus::survived,
                             MutantStatus::invalid});
  EXPECT_EQ(progress(tally(list, {}), 48, 90),
            "4 of 48 mutants: 2 killed, 1 survived, 1 invalid; 2 min left");
  EXPECT_EQ(progress(tally(list, {}), 48, 0),
            "4 of 48 mutants: 2 killed, 1 survived, 1 invalid; no time is left, finishing what has "
            "begun");
  EXPECT_EQ(progress(tally({}, {}), 48, INFINITY), "0 of 48 mutants: 0 killed, 0 survived");
}

}  // namespace
}  // namespace embedscale::properties::mutation
