#include "trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "run.hpp"

namespace embedscale::properties::testing {
namespace {

constexpr std::string_view name_of(Trial::Role role) {
  constexpr std::string_view names[] = {"holds", "rejects", "refutes"};
  return names[static_cast<std::size_t>(role)];
}

Outcome run_of(const Trial& trial) {
  const bool exhaustive = trial.points > 0;
  auto outcome = run(std::string(trial.claim->id) + "." + trial.property,
                     exhaustive ? trial.points : cases_of_run(trial.costs), trial.body);
  outcome.exhaustive = exhaustive;
  return outcome;
}

class TrialTest : public ::testing::Test {
 public:
  explicit TrialTest(const Trial& trial) : trial_(trial) {}
  void TestBody() override { judge(trial_); }

 private:
  const Trial& trial_;
};

std::string suite_of(const Trial& trial) {
  std::string name(trial.claim->id);
  std::ranges::replace(name, '.', '_');
  return name;
}

std::string test_of(const Trial& trial) {
  switch (trial.role) {
    case Trial::Role::holds: break;
    case Trial::Role::rejects: return trial.property + "_rejects_" + trial.subject;
    case Trial::Role::refutes: return "refutes_" + trial.property;
  }
  return trial.property;
}

}  // namespace

void judge(const Trial& trial) {
  const auto outcome = run_of(trial);
  record(*trial.claim, trial.property, name_of(trial.role), trial.subject, outcome);
  switch (trial.role) {
    case Trial::Role::holds: return expect_held(outcome, trial.place);
    case Trial::Role::rejects: return expect_falsified(outcome, "the mutant");
    case Trial::Role::refutes: return expect_falsified(outcome, "the belief");
  }
}

void expect_holds(const Trial& trial) { expect_held(run_of(trial), trial.place); }

int run_tests(int argc, char** argv, const Trials& trials) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const Trial& trial : trials)
    ::testing::RegisterTest(suite_of(trial).c_str(), test_of(trial).c_str(), nullptr, nullptr,
                            trial.place.file, trial.place.line,
                            [&trial]() -> ::testing::Test* { return new TrialTest(trial); });
  return RUN_ALL_TESTS();
}

}  // namespace embedscale::properties::testing
