// What the trials of a claim write into a test's record: the reports tell from it how a claim
// was tested.
#include <regex>
#include <stdexcept>

#include "../run.hpp"
#include "../seed.hpp"
#include "../trials.hpp"
#include "planted.hpp"

// A claim, a property and a mutant of this file's own, small enough to be checked by eye.
namespace embedscale::properties::tiny {
inline constexpr Claim is_small{.id = "tiny.is_small", .said = "x < 10", .states = "x < 10"};
struct Primitives {
  Operation<int(int x)> same = [](int x) { return x; };
  Operation<int(int x)> twice = [](int x) { return 2 * x; };
  void list(Members& to) { EMBEDSCALE_LIST(to, same, twice); }
};
testing::Trials trials();
}  // namespace embedscale::properties::tiny

namespace embedscale::properties::testing {
namespace {

/// Looks into the records of the tests at the end of this file when each of them is over.
class Records : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (std::string_view(test.test_suite_name()) != "tiny_is_small") return;
    auto found = recorded(test);
    const std::string_view name = test.name();
    const bool holds = name == "below_ten", rejects = name == "below_ten_rejects_eleven";
    EXPECT_EQ(found["claim"], "tiny.is_small");
    EXPECT_EQ(found["property"], holds || rejects ? "below_ten" : "that_it_is_below_five");
    EXPECT_EQ(found["role"], holds ? "holds" : rejects ? "rejects" : "refutes");
    EXPECT_EQ(found["subject"], holds ? "Library" : rejects ? "eleven" : "");
    EXPECT_EQ(found["counterexample"], holds ? "" : rejects ? "x = 0" : "x = 5");
    const auto full_name = "tiny.is_small." + found["property"];
    EXPECT_EQ(found["seed"], std::to_string(stream_of(full_name).bits(0)));
    EXPECT_EQ(found["run_seed"], std::to_string(run_seed()));
    EXPECT_EQ(found["worst"], holds ? "0.9" : rejects ? "1.1" : "0");
    EXPECT_EQ(found["calls"], holds ? "same" : "");
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

const Mutants<tiny::Primitives> mutants{{"eleven", "no number below ten", [](tiny::Primitives& to) {
                                           to.same = [](int) { return 11; };
                                         }}};

const Properties<tiny::Primitives> properties{{tiny::is_small,
                                               "below_ten",
                                               [](const tiny::Primitives& subject) {
                                                 const int x = named("x", in_range(0, 10));
                                                 covers("even", x % 2 == 0, 0.25);
                                                 holds(subject.same(x) / 10.0);
                                               },
                                               {"eleven"}}};

const Beliefs beliefs{{tiny::is_small, "that_it_is_below_five",
                       [] { holds_exactly(named("x", in_range(0, 1000)) < 5); }}};

constexpr int line_of_rarely_reached = __LINE__ + 1;
const Property<tiny::Primitives> rarely_reached{tiny::is_small,
                                                "rarely_reached",
                                                [](const tiny::Primitives& subject) {
                                                  const int x = named("x", in_range(0, 10));
                                                  if (x == 100) holds_exactly(false);
                                                  if (subject.same(x) == 11)
                                                    throw std::runtime_error("eleven");
                                                },
                                                {}};

/// Runs a trial of these primitives in the place of the right ones.
void try_on(const Property<tiny::Primitives>& property, Trial::Role role,
            const tiny::Primitives& primitives) {
  judge({property, role, "planted", "", [&] { property.body(primitives); }});
}

TEST(trials, fail_where_the_wrong_primitive_is_said_to_hold_and_the_right_one_to_be_a_mutant) {
  const auto wrong =
      failure_of([] { try_on(properties[0], Trial::Role::holds, mutant(mutants, "eleven")); });
  EXPECT_TRUE(has(wrong, "over its bound is 1.1")) << wrong.message();
  const auto right = failure_of([] { try_on(properties[0], Trial::Role::rejects, {}); });
  EXPECT_TRUE(has(right, "the mutant was not refuted")) << right.message();
}

TEST(trials, fail_at_the_property_where_nothing_is_judged_or_its_body_throws) {
  for (const auto& [failure, why] :
       {std::pair{failure_of([] { try_on(rarely_reached, Trial::Role::holds, {}); }),
                  "no case came to a holds"},
        {failure_of([] { try_on(rarely_reached, Trial::Role::holds, mutant(mutants, "eleven")); }),
         "eleven"}}) {
    EXPECT_TRUE(has(failure, why)) << failure.message();
    EXPECT_STREQ(failure.file_name(), __FILE__);
    EXPECT_GE(failure.line_number(), line_of_rarely_reached);
    EXPECT_LE(failure.line_number(), line_of_rarely_reached + 8);
  }
}

TEST(trials, refuse_a_mutant_that_is_not_there_or_that_nothing_rejects_and_what_holds_beside) {
  const Properties<tiny::Primitives> none{rarely_reached};
  const Properties<tiny::Primitives> aside{
      {beside(tiny::is_small), "aside", [](const auto&) {}, {}}};
  EXPECT_THROW(trials_of(aside, Mutants<tiny::Primitives>{}), std::invalid_argument);
  EXPECT_THROW(trials_of(none, mutants), std::invalid_argument);
  EXPECT_THROW(trials_of(properties, Mutants<tiny::Primitives>{}), std::invalid_argument);
}

TEST(trials, of_ones_own_primitives_hold) {
  tiny::Primitives right;
  int calls = 0;
  right.same = [&calls](int x) { return ++calls, x; };
  expect_holds(right, properties, tiny::is_small);
  EXPECT_EQ(calls, cases_of_run());
  EXPECT_THROW(expect_holds(tiny::Primitives{}, properties, tiny::is_small, "no_such"),
               std::invalid_argument);
}

TEST(trials, of_ones_own_primitives_fail_at_ones_own_line_and_name_what_was_tested) {
  const auto of = mutant(mutants, "eleven");
  const int line = __LINE__ + 1;
  const auto failure = failure_of([&] { expect_holds(of, properties, tiny::is_small); });
  EXPECT_STREQ(failure.file_name(), __FILE__);
  EXPECT_EQ(failure.line_number(), line);
  for (const char* part :
       {"tiny.is_small.below_ten, of same\nthe claim: x < 10\n",
        "\nasserted at properties/testing/test/record_test.cpp:", "simplest counterexample: x = 0"})
    EXPECT_TRUE(has(failure, part)) << failure.message();
}

/// A property that calls none of one's own functions has tested the library.
TEST(trials, of_ones_own_primitives_fail_where_none_of_them_was_called) {
  Properties<tiny::Primitives> both = properties;
  both.push_back({tiny::is_small,
                  "twice_is_below_twenty",
                  [](const tiny::Primitives& subject) {
                    holds_exactly(subject.twice(named("x", in_range(0, 10))) < 20);
                  },
                  {}});
  tiny::Primitives own;
  const auto library = failure_of([&] { expect_holds(own, both, tiny::is_small, "below_ten"); });
  EXPECT_TRUE(has(library, "no function is one's own")) << library.message();
  own.twice = [](int x) { return x + x; };
  const auto uncalled = failure_of([&] { expect_holds(own, both, tiny::is_small, "below_ten"); });
  for (const char* part : {"tiny.is_small: never called: twice\n  below_ten calls same\n",
                           "it is called by\n  tiny.is_small.twice_is_below_twenty"})
    EXPECT_TRUE(has(uncalled, part)) << uncalled.message();
  expect_holds(own, both, tiny::is_small, "twice_is_below_twenty");
  expect_holds(own, both, tiny::is_small);
  const auto by_none =
      failure_of([&] { expect_holds(own, properties, tiny::is_small, "below_ten"); });
  EXPECT_TRUE(has(by_none, "no property of the topic calls it")) << by_none.message();
}

TEST(trials, refuse_a_subject_that_does_not_name_all_its_operations) {
  struct Forgetful {
    Operation<int()> named = [] { return 1; }, forgotten = [] { return 2; };
    void list(Members& to) { EMBEDSCALE_LIST(to, named); }
  } subject;
  EXPECT_THROW(members_of(subject), std::logic_error);
}

/// Where every point was tried, no share of them can hide; where they were drawn, one can.
TEST(trials, that_are_exhaustive_record_no_failing_mass_and_samples_do) {
  for (const bool is_sample : {false, true}) {
    judge({Row{&tiny::is_small, Speaks::statement, "each", {}, Cases(1, 10, is_sample)},
           Trial::Role::holds, "Library", "", [] { holds_exactly(every("x", 10) < 10); }});
    EXPECT_TRUE(recorded().contains("cases"));
    EXPECT_EQ(recorded().contains("failing_mass"), is_sample);
  }
}

}  // namespace
}  // namespace embedscale::properties::testing

embedscale::properties::testing::Trials embedscale::properties::tiny::trials() {
  return testing::trials_of(testing::properties, testing::mutants, testing::beliefs);
}
