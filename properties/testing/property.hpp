#pragma once
// RapidCheck properties as GoogleTest tests that belong to a claim.
//
//   // The attempt to refute: a template over the primitive `subject`; `holds` fails above 1.
//   PROPERTY(combination, rounds_identically, within_eight_u) {
//     const auto d = generators::named("d", generators::widths());
//     holds(share_of_bound(e, p, m, subject));
//   }
//   // The right primitive; a wrong one; the belief itself.
//   HOLDS(combination, rounds_identically, within_eight_u, Library)
//   REJECTS(combination, rounds_identically, within_eight_u, divides_by_m_twice)
//   REFUTES(combination, rounds_identically, that_it_always_does) { … }
//
// Each test records claim, property, subject, cases, seed, worst ratio and counterexample in
// GoogleTest's own XML and JSON, from which the reports read how a claim was tested.
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "../claim.hpp"
#include "holds.hpp"
#include "outcome.hpp"
#include "run.hpp"

namespace embedscale::properties::testing {

template <class Property, class Subject>
Outcome run_property(const Subject& subject) {
  return run(Property::full_name(), cases_of_run(Property::costs),
             [&] { Property::check(subject); });
}

template <class Property, class Subject>
void test_holds(const Subject& subject, std::string_view subject_name) {
  const auto outcome = run_property<Property>(subject);
  record(Property::claim(), Property::name, "holds", subject_name, outcome);
  expect_held(outcome, Property::place);
}

template <class Property, class Subject>
void test_rejects(const Subject& mutant, std::string_view mutant_name) {
  const auto outcome = run_property<Property>(mutant);
  record(Property::claim(), Property::name, "rejects", mutant_name, outcome);
  expect_falsified(outcome, "the mutant");
}

}  // namespace embedscale::properties::testing

/// Declares property `name` of claim `topic.predicate`; its body follows and sees `subject`.
#define PROPERTY(topic, predicate, property) EXPENSIVE_PROPERTY(topic, predicate, property, 1)

/// The same of a property whose cases cost `times` a cheap one's 30 microseconds: a run of more
/// than the usual cases has a `times`-th of them.
#define EXPENSIVE_PROPERTY(topic, predicate, property, times)                            \
  struct topic##_##predicate##_##property {                                              \
    static constexpr const char* name = #property;                                       \
    static constexpr int costs = times;                                                  \
    static constexpr ::embedscale::properties::testing::Place place{__FILE__, __LINE__}; \
    static std::string full_name() { return #topic "." #predicate "." #property; }       \
    static const ::embedscale::properties::Claim& claim() {                              \
      return ::embedscale::properties::topic::predicate;                                 \
    }                                                                                    \
    template <class Subject>                                                             \
    static void check(const Subject& subject);                                           \
  };                                                                                     \
  template <class Subject>                                                               \
  void topic##_##predicate##_##property::check([[maybe_unused]] const Subject& subject)

/// The property holds for the primitives of type `subject`.
#define HOLDS(topic, predicate, property, ...)                                                     \
  TEST(topic##_##predicate, property) {                                                            \
    ::embedscale::properties::testing::test_holds<topic##_##predicate##_##property>(__VA_ARGS__{}, \
                                                                                    #__VA_ARGS__); \
  }

/// The property rejects `mutants::mutant`.
#define REJECTS(topic, predicate, property, mutant)                                    \
  TEST(topic##_##predicate, property##_rejects_##mutant) {                             \
    ::embedscale::properties::testing::test_rejects<topic##_##predicate##_##property>( \
        mutants::mutant{}, #mutant);                                                   \
  }

/// The belief in the body is false: RapidCheck finds, and simplifies, a counterexample to it.
#define REFUTES(topic, predicate, belief)                                                          \
  static void topic##_##predicate##_##belief();                                                    \
  TEST(topic##_##predicate, refutes_##belief) {                                                    \
    const auto outcome = ::embedscale::properties::testing::run(                                   \
        #topic "." #predicate "." #belief, ::embedscale::properties::testing::cases_of_run(),      \
        topic##_##predicate##_##belief);                                                           \
    ::embedscale::properties::testing::record(::embedscale::properties::topic::predicate, #belief, \
                                              "refutes", "", outcome);                             \
    ::embedscale::properties::testing::expect_falsified(outcome, "the belief");                    \
  }                                                                                                \
  static void topic##_##predicate##_##belief()
