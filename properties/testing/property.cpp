#include "property.hpp"

#include <embedscale/random.hpp>

#include <rapidcheck/Check.h>

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace embedscale::properties::testing {
namespace {

/// The case that is running: RapidCheck bodies return nothing, so what they tell is collected here.
struct Case {
  double worst = 0.0;
  const char* file = "";
  int line = 0;
};
thread_local Case current;

struct Silent : rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

/// The seed of a property: a draw of the stream of its name, so that another run seed moves all.
std::uint64_t seed_for(std::string_view name) {
  const char* text = std::getenv("EMBEDSCALE_SEED");
  std::uint64_t run_seed = 0;
  if (text != nullptr) {
    const std::string_view digits(text);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), run_seed);
    if (error != std::errc() || end != digits.data() + digits.size())
      throw std::invalid_argument("EMBEDSCALE_SEED is not a whole number below 2^64: " +
                                  std::string(digits));
  }
  return Stream(run_seed, name).bits(0);
}

std::string describe(const rc::detail::Example& example) {
  std::string text;
  for (const auto& [name, value] : example)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text;
}

[[noreturn]] void fail(std::string why, const char* file, int line) {
  current.file = file;
  current.line = line;
  throw rc::detail::CaseResult(rc::detail::CaseResult::Type::Failure, std::move(why));
}

/// The body, with the place of an exception noted as no place: a case that simplified from a failed
/// `holds` to a thrown exception must not keep the line of the former.
void run_case(const std::function<void()>& body) {
  try {
    body();
  } catch (const rc::detail::CaseResult&) {
    throw;
  } catch (...) {
    current.file = "";
    current.line = 0;
    throw;
  }
}

}  // namespace

void holds(double ratio, const char* file, int line) {
  if (!(ratio <= 1.0)) fail("the ratio is " + std::to_string(ratio) + ", allowed is 1", file, line);
  current.worst = std::max(current.worst, ratio);
}

void holds_exactly(bool fact, const char* file, int line) {
  if (!fact) fail("the fact is false", file, line);
}

Outcome run(const std::string& name, int cases, const std::function<void()>& body) {
  current = {};
  Outcome outcome;
  outcome.seed = seed_for(name);
  rc::detail::TestParams params;
  params.seed = outcome.seed;
  params.maxSuccess = cases;
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = name;
  Silent listener;
  // With an explicit map of reproductions RapidCheck leaves RC_PARAMS alone; without one, a stray
  // `reproduce=` there makes every other property pass with no case at all.
  const auto result = rc::detail::checkProperty(rc::detail::toProperty([&] { run_case(body); }),
                                                metadata, params, listener, {});
  rc::detail::SuccessResult success;
  rc::detail::FailureResult failure;
  rc::detail::GaveUpResult gave_up;
  rc::detail::Error error;
  if (result.match(success)) {
    outcome.verdict = Outcome::Verdict::held;
    outcome.cases = success.numSuccess;
  } else if (result.match(failure)) {
    outcome.verdict = current.line > 0 ? Outcome::Verdict::falsified : Outcome::Verdict::threw;
    outcome.cases = failure.numSuccess;
    outcome.counterexample = describe(failure.counterExample);
    outcome.explanation = failure.description;
  } else if (result.match(gave_up)) {
    outcome.cases = gave_up.numSuccess;
    outcome.explanation = gave_up.description;
  } else if (result.match(error)) {
    outcome.explanation = error.description;
  }
  outcome.worst = current.worst;
  outcome.file = current.file;
  outcome.line = current.line;
  return outcome;
}

void record(const Claim& claim, std::string_view property, std::string_view role,
            std::string_view subject, const Outcome& outcome) {
  const auto put = [](const char* key, std::string_view value) {
    ::testing::Test::RecordProperty(key, std::string(value));
  };
  put("claim", claim.id);
  put("property", property);
  put("role", role);
  put("subject", subject);
  put("cases", std::to_string(outcome.cases));
  put("seed", std::to_string(outcome.seed));
  std::ostringstream worst;
  worst << outcome.worst;
  put("worst", worst.str());
  put("counterexample", outcome.counterexample);
}

void expect_held(const Outcome& outcome) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (outcome.verdict == Outcome::Verdict::falsified) {
    const char* run_seed = std::getenv("EMBEDSCALE_SEED");
    ADD_FAILURE_AT(outcome.file, outcome.line)
        << outcome.explanation << "\nsimplest counterexample: " << outcome.counterexample
        << "\nafter " << outcome.cases
        << " cases; repeat with: EMBEDSCALE_SEED=" << (run_seed != nullptr ? run_seed : "0")
        << " --gtest_filter=" << test->test_suite_name() << "." << test->name();
  } else if (outcome.verdict != Outcome::Verdict::held || outcome.cases == 0) {
    ADD_FAILURE() << "not decided after " << outcome.cases << " cases: " << outcome.explanation
                  << (outcome.counterexample.empty() ? "" : "\nat " + outcome.counterexample);
  }
}

void expect_falsified(const Outcome& outcome, std::string_view what) {
  if (outcome.verdict != Outcome::Verdict::falsified)
    ADD_FAILURE() << what << " was not refuted in " << outcome.cases << " cases "
                  << outcome.explanation;
}

}  // namespace embedscale::properties::testing
