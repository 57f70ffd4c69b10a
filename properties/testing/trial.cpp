#include "trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "run.hpp"

namespace embedscale::properties::testing {
namespace {

/// A property that calls an operation in one case of twenty is missed with 4 %.
constexpr int cases_that_show_calls = 64;

constexpr std::string_view name_of(Trial::Role role) {
  constexpr std::string_view names[] = {"holds", "rejects", "refutes"};
  return names[static_cast<std::size_t>(role)];
}

/// Those that are `wanted`, each once with its number types.
std::string text_of(const Members& members, bool (*wanted)(const Member&)) {
  std::map<std::string_view, std::vector<std::string_view>> numbers;
  for (const auto& member : members.all())
    if (wanted(member)) numbers[member.name].push_back(member.number);
  std::string text;
  for (const auto& [name, of] : numbers) {
    text += (text.empty() ? "" : "; ") + std::string(name);
    for (std::size_t i = 0; i < of.size(); ++i)
      if (!of[i].empty()) text += (i == 0 ? " (" : ", ") + std::string(of[i]);
    if (!of[0].empty()) text += ")";
  }
  return text;
}

/// "combination.rounds_identically.else_within_eight_u".
std::string name_of(const Row& row) { return std::string(row.claim->id) + "." + row.name; }

/// The same, "of up (binary32)", and what the claim states.
std::string asserted(const Trial& trial, const std::string& of) {
  return name_of(trial) + (of.empty() ? "" : ", of " + of) +
         "\nthe claim: " + std::string(trial.claim->states);
}

Outcome run_of(const Trial& trial) {
  const auto [costs, points, is_sample] = trial.cases;
  auto outcome = run(name_of(trial), points > 0 ? points : cases_of_run(costs), trial.body);
  outcome.exhaustive = points > 0 && !is_sample;
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
  return trial.role == Trial::Role::holds     ? trial.name
         : trial.role == Trial::Role::rejects ? trial.name + "_rejects_" + trial.subject
                                              : "refutes_" + trial.name;
}

}  // namespace

std::string called(const Members& members) {
  return text_of(members, [](const Member& member) { return member.own->was_called(); });
}

std::string ones_own(const Members& members) {
  return text_of(members, [](const Member& member) { return member.ones_own; });
}

void judge(const Trial& trial) {
  trial.members.forget();
  const auto outcome = run_of(trial);
  record(*trial.claim, trial.name, name_of(trial.role), trial.subject, outcome);
  if (trial.role == Trial::Role::holds)
    ::testing::Test::RecordProperty("calls", called(trial.members));
  if (trial.role != Trial::Role::rejects)
    ::testing::Test::RecordProperty("speaks_about", std::string(name_of(trial.about)));
  switch (trial.role) {
    case Trial::Role::holds: return expect_held(outcome, trial.place, asserted(trial, ""));
    case Trial::Role::rejects: return expect_falsified(outcome, "the mutant");
    case Trial::Role::refutes: return expect_falsified(outcome, "the belief");
  }
}

void expect_holds(const Trials& all, const Claim& claim, std::string_view name, const Place& own) {
  std::string ran, others;
  bool any = false;
  const auto one_was_called = [](const Members& members) {
    return std::ranges::any_of(members.all(), [](const Member& member) {
      return member.ones_own && member.own->was_called();
    });
  };
  for (const Trial& trial : all) {
    if (trial.claim->id != claim.id || (!name.empty() && trial.name != name)) continue;
    trial.members.forget();
    expect_held(run_of(trial), trial.place, asserted(trial, ones_own(trial.members)), own);
    any = any || one_was_called(trial.members);
    ran += "\n  " + trial.name + " calls " + called(trial.members);
  }
  if (ran.empty())
    throw std::invalid_argument(std::string(claim.id) + " has no property " + std::string(name));
  if (any) return;
  const auto of = ones_own(all.front().members);
  if (of.empty())
    return fail_at(own,
                   std::string(claim.id) + ": no function is one's own; the library was tested");
  for (const Trial& trial : all) {
    trial.members.forget();
    run(trial.name, cases_that_show_calls, trial.body);
    if (one_was_called(trial.members)) others += "\n  " + name_of(trial);
  }
  fail_at(own, std::string(claim.id) + ": never called: " + of + ran +
                   (others.empty() ? "\nno property of the topic calls it"
                                   : "\nit is called by" + others));
}

int run_tests(int argc, char** argv, const Trials& trials, const std::string& suffix) {
  ::testing::InitGoogleTest(&argc, argv);
  for (const Trial& trial : trials)
    ::testing::RegisterTest((suite_of(trial) + suffix).c_str(), test_of(trial).c_str(), nullptr,
                            nullptr, trial.place.file, trial.place.line,
                            [&trial]() -> ::testing::Test* { return new TrialTest(trial); });
  return RUN_ALL_TESTS();
}

}  // namespace embedscale::properties::testing
