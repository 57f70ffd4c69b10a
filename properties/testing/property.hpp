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
#include <rapidcheck/detail/Property.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "../claim.hpp"

namespace embedscale::properties::testing {

/// How many cases a cheap property runs.
inline constexpr int default_cases = 10000;

/// What one property did.
struct Outcome {
  enum class Verdict {
    held,
    falsified,  ///< by `holds` or `holds_exactly`
    threw,      ///< the body ended in an exception: neither a proof nor a counterexample
    gave_up     ///< too many cases were discarded
  };
  Verdict verdict = Verdict::gave_up;
  int cases = 0;               ///< evaluated, the falsifying one not counted
  std::uint64_t seed = 0;      ///< from the property's name and the run's seed
  double worst = 0.0;          ///< largest ratio that was still allowed
  std::string counterexample;  ///< the simplest one, "m = 2, e = 0, p = 1"
  std::string explanation;     ///< what failed there
  const char* file = "";       ///< of the `holds` that failed
  int line = 0;
};

/// Runs a body until it fails or `cases` pass. `name` is its identity: the seed derives from it, so
/// the same property draws the same cases on every machine; EMBEDSCALE_SEED=n shifts all of them.
Outcome run(const std::string& name, int cases, const std::function<void()>& body);

/// The case fails unless ratio <= 1 (a NaN fails); the worst ratio seen is kept for the report.
void holds(double ratio, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// The case fails unless the fact is true.
void holds_exactly(bool fact, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Writes an outcome into the test's record.
void record(const Claim& claim, std::string_view property, std::string_view role,
            std::string_view subject, const Outcome& outcome);

/// GoogleTest failures unless the property held, or a mutant (a belief) was falsified.
void expect_held(const Outcome& outcome);
void expect_falsified(const Outcome& outcome, std::string_view what);

template <class Property, class Subject>
void test_holds(const Subject& subject, std::string_view subject_name) {
  const auto outcome = run(Property::full_name(), default_cases, [&] { Property::check(subject); });
  record(Property::claim(), Property::name, "holds", subject_name, outcome);
  expect_held(outcome);
}

template <class Property, class Subject>
void test_rejects(const Subject& mutant, std::string_view mutant_name) {
  const auto outcome = run(Property::full_name(), default_cases, [&] { Property::check(mutant); });
  record(Property::claim(), Property::name, "rejects", mutant_name, outcome);
  expect_falsified(outcome, "the mutant");
}

}  // namespace embedscale::properties::testing

/// Declares property `name` of claim `topic.predicate`; its body follows and sees `subject`.
#define PROPERTY(topic, predicate, property)                                       \
  struct topic##_##predicate##_##property {                                        \
    static constexpr const char* name = #property;                                 \
    static std::string full_name() { return #topic "." #predicate "." #property; } \
    static const ::embedscale::properties::Claim& claim() {                        \
      return ::embedscale::properties::topic::predicate;                           \
    }                                                                              \
    template <class Subject>                                                       \
    static void check(const Subject& subject);                                     \
  };                                                                               \
  template <class Subject>                                                         \
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
        #topic "." #predicate "." #belief, ::embedscale::properties::testing::default_cases,       \
        topic##_##predicate##_##belief);                                                           \
    ::embedscale::properties::testing::record(::embedscale::properties::topic::predicate, #belief, \
                                              "refutes", "", outcome);                             \
    ::embedscale::properties::testing::expect_falsified(outcome, "the belief");                    \
  }                                                                                                \
  static void topic##_##predicate##_##belief()
