// Whether there are enough wrong primitives: three for each evaluated claim and each fact, and one
// for each defect of the table. What counts is a trial that fails if the mutant survives.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "../catalogue.hpp"
#include "../defects.hpp"
#include "../testing/run.hpp"
#include "../topics.hpp"

namespace embedscale::properties {
namespace {

constexpr std::size_t fewest_mutants = 3;

/// The mutants that a property rejects, with what each stands for, by the claim's or fact's id.
std::map<std::string, std::map<std::string, std::string>> rejected() {
  std::map<std::string, std::map<std::string, std::string>> found;
  for (const auto& trial : all_trials())
    if (trial.role == testing::Trial::Role::holds)
      found[std::string(trial.claim->id)];
    else if (trial.role == testing::Trial::Role::rejects)
      found[std::string(trial.claim->id)][trial.subject] = trial.defect;
  return found;
}

TEST(mutants, each_claim_and_each_fact_rejects_three) {
  const auto found = rejected();
  for (const auto& claim : catalogue())
    EXPECT_TRUE(found.contains(std::string(claim.id))) << claim.id << " has no property";
  for (const auto& [id, mutants] : found) {
    EXPECT_GE(mutants.size(), fewest_mutants) << id;
    for (const auto& [name, defect] : mutants) EXPECT_FALSE(defect.empty()) << id << " " << name;
  }
}

TEST(mutants, each_defect_is_one_that_names_its_thread_or_has_a_reason_why_not) {
  std::map<std::string, std::string> all;
  for (const auto& [id, mutants] : rejected())
    for (const auto& [name, defect] : mutants) all[name] += defect + "\n";
  int number = 0;
  for (const auto& defect : defects) {
    EXPECT_EQ(defect.number, ++number);
    EXPECT_FALSE(defect.what.empty() || defect.thread.empty() || defect.size.empty()) << number;
    const bool planted = defect.check != Check::none;
    EXPECT_EQ(defect.mutant.empty(), !planted) << number;
    EXPECT_EQ(defect.why_not.empty(), planted) << number;
    if (!planted) continue;
    const auto mutant = all.find(std::string(defect.mutant));
    ASSERT_NE(mutant, all.end()) << defect.mutant;
    if (defect.thread.find('#') != std::string_view::npos) {
      EXPECT_NE(mutant->second.find(defect.thread), std::string::npos) << defect.mutant;
    }
  }
  EXPECT_EQ(number, 25);
}

/// The entry of required coverage is divided among so many properties.
TEST(mutants, there_are_no_more_properties_than_share_the_entry_of_their_coverage) {
  int properties = 0;
  for (const auto& trial : all_trials())
    properties += trial.role == testing::Trial::Role::holds ? 1 : 0;
  EXPECT_GT(properties, 0);
  EXPECT_LE(properties, testing::most_properties);
}

}  // namespace
}  // namespace embedscale::properties
