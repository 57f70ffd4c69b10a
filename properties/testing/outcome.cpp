#include "run.hpp"

#include <gtest/gtest.h>

#include <errno.h>  // program_invocation_name

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "exact_text.hpp"
#include "seed.hpp"

namespace embedscale::properties::testing {
namespace {

std::string percent(double share) { return rounded_text(100.0 * share, 3) + " %"; }

/// Nothing for a case that drew nothing by name.
std::string at(const std::string& drawn) { return drawn.empty() ? "" : ", at " + drawn; }

/// "properties/combination/properties.cpp:42", whichever machine compiled it.
std::string text_of(const Place& place) {
  const std::string_view file = place.file;
  const auto room = file.rfind("/properties/");
  return std::string(room == file.npos ? file : file.substr(room + 1)) + ":" +
         std::to_string(place.line);
}

/// What is said of every outcome, below what failed. A failure counts no classes: what came before
/// it are not the cases that were to be tested.
std::string circumstances(const Outcome& outcome) {
  std::string all;
  if (!outcome.counterexample.empty())
    all += "\nsimplest counterexample: " + outcome.counterexample;
  if (!outcome.worst_ratio.empty())
    all += "\nworst found: " + outcome.worst_ratio + at(outcome.worst_case);
  if (outcome.verdict != Outcome::Ending::falsified)
    for (const auto& coverage : outcome.coverage) all += "\n" + text_of(coverage, outcome.cases);
  return all + "\nafter " + std::to_string(outcome.cases) +
         " cases that held; to repeat it: " + command_to_repeat();
}

/// Nothing where it held.
std::string why_not_held(const Outcome& outcome) {
  using Ending = Outcome::Ending;
  if (outcome.verdict == Ending::held && outcome.cases > 0) return "";
  return (outcome.verdict == Ending::falsified           ? ""
          : outcome.verdict == Ending::not_tested_enough ? "not tested enough: "
                                                         : "not decided: ") +
         outcome.explanation;
}

}  // namespace

double failing_mass(int cases) {
  return cases < 3 ? 1.0 : -std::log(0.05) / static_cast<double>(cases);
}

std::string running_test() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  return test == nullptr ? "" : std::string(test->test_suite_name()) + "." + test->name();
}

std::string command_to_repeat() {
  const char* cases = std::getenv("EMBEDSCALE_CASES");
  return "EMBEDSCALE_SEED=" + std::to_string(run_seed()) +
         (cases != nullptr ? " EMBEDSCALE_CASES=" + std::string(cases) : "") + " " +
         program_invocation_name + " --gtest_filter=" + running_test();
}

std::string text_of(const ClassCoverage& coverage, int cases) {
  const double share = static_cast<double>(coverage.cases) / std::max(cases, 1);
  return coverage.name + ": " + std::to_string(coverage.cases) + " of " + std::to_string(cases) +
         " cases (" + percent(share) + ", " + percent(coverage.required_share) + " required)";
}

void record(const Claim& claim, std::string_view property, std::string_view role,
            std::string_view subject, const Outcome& outcome) {
  const auto put = [](const char* key, std::string_view value) {
    ::testing::Test::RecordProperty(key, std::string(value));
  };
  std::string coverage;
  for (const auto& of_class : outcome.coverage)
    coverage += (coverage.empty() ? "" : "; ") + text_of(of_class, outcome.cases);
  put("claim", claim.id);
  put("property", property);
  put("role", role);
  put("subject", subject);
  put("cases", std::to_string(outcome.cases));
  put("run_seed", std::to_string(run_seed()));
  put("seed", std::to_string(outcome.seed));
  put("worst", rounded_text(outcome.worst));
  put("worst_case", outcome.worst_case);
  put("counterexample", outcome.counterexample);
  put("coverage", coverage);
  put("classes", std::to_string(outcome.coverage.size()));
  if (outcome.verdict != Outcome::Ending::held) return;
  const double mass = failing_mass(outcome.cases);
  if (!outcome.exhaustive) put("failing_mass", rounded_text(mass));
  if (GTEST_FLAG_GET(brief)) return;
  if (run_seed() != 0) std::cout << "EMBEDSCALE_SEED=" << run_seed() << ": ";
  std::cout << "held in " << outcome.cases << " cases";
  if (outcome.exhaustive)
    std::cout << ", all that there are";
  else
    std::cout << ": at 95 %, at most " << rounded_text(mass, 3)
              << " of what its generators draw fails";
  if (!outcome.worst_ratio.empty())
    std::cout << "\nworst ratio " << rounded_text(outcome.worst, 3) << at(outcome.worst_case);
  for (const auto& of_class : outcome.coverage)
    std::cout << "\n" << text_of(of_class, outcome.cases);
  std::cout << std::endl;
}

void fail_at(const Place& place, const std::string& message) {
  const bool known = place.line > 0;
  const auto& test = *::testing::UnitTest::GetInstance()->current_test_info();
  ADD_FAILURE_AT(known ? place.file : test.file(), known ? place.line : test.line()) << message;
}

void expect_held(const Outcome& outcome, const Place& property, std::string_view what,
                 const Place& own) {
  const auto why = why_not_held(outcome);
  if (why.empty()) return;
  const Place& at = outcome.verdict == Outcome::Ending::falsified ? outcome.place : property;
  const bool elsewhere = own.line > 0;
  fail_at(elsewhere ? own : at, std::string(what) + (what.empty() ? "" : "\n") + why +
                                    (elsewhere ? "\nasserted at " + text_of(at) : "") +
                                    circumstances(outcome));
}

void expect_falsified(const Outcome& outcome, std::string_view what) {
  if (outcome.verdict == Outcome::Ending::falsified) return;
  const bool held = outcome.verdict == Outcome::Ending::held;
  fail_at({}, std::string(what) + " was not refuted" + (held ? "" : ": ") + outcome.explanation +
                  circumstances(outcome));
}

}  // namespace embedscale::properties::testing
