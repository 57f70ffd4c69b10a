// Whether there are enough wrong primitives: three for each evaluated claim, and one for each
// defect of the table. What counts is a REJECTS in a test program: it fails if the mutant survives.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "../block.hpp"
#include "../catalogue.hpp"
#include "../defects.hpp"
#include "../primitives.hpp"
#include "source_tree.hpp"

namespace embedscale::properties::self_test {
namespace {

constexpr std::size_t fewest_mutants = 3;
using Rejected = std::map<std::string, std::set<std::string>>;

/// Claim id → the mutants that one of its properties rejects.
Rejected rejected_in(const std::vector<SourceFile>& files) {
  static const std::regex rejects(R"(\nREJECTS\(\s*(\w+),\s*(\w+),\s*\w+,\s*(\w+)\s*\))");
  Rejected found;
  for (const auto& [path, text] : files) {
    if (!path.ends_with("_test.cpp")) continue;
    for (std::sregex_iterator it(text.begin(), text.end(), rejects), end; it != end; ++it)
      found[it->str(1) + "." + it->str(2)].insert(it->str(3));
  }
  return found;
}

const std::vector<SourceFile>& sources() {
  static const auto files = read_tree(EMBEDSCALE_SOURCE_DIR, {"properties"});
  return files;
}

TEST(mutants, each_evaluated_claim_rejects_three) {
  const auto rejected = rejected_in(sources());
  std::size_t claims = 0;
  for (const auto& claim : catalogue()) {
    if (claim.status != Status::evaluated) continue;
    ++claims;
    const auto found = rejected.find(std::string(claim.id));
    const std::size_t mutants = found == rejected.end() ? 0 : found->second.size();
    EXPECT_GE(mutants, fewest_mutants) << claim.id;
    RecordProperty(std::string(claim.id), static_cast<int>(mutants));
  }
  EXPECT_GT(claims, 0u);
}

TEST(mutants, each_fact_of_a_primitive_rejects_three) {
  const auto rejected = rejected_in(sources());
  const auto each_rejects_three = [&](const auto& facts) {
    for (const auto& fact : facts) {
      const auto found = rejected.find(std::string(fact.id));
      EXPECT_TRUE(found != rejected.end() && found->second.size() >= fewest_mutants) << fact.id;
    }
  };
  each_rejects_three(primitives::facts);
  each_rejects_three(block::facts);
}

TEST(mutants, each_defect_is_one_or_has_a_reason_why_not) {
  std::set<std::string> all;
  for (const auto& [claim, names] : rejected_in(sources())) all.insert(names.begin(), names.end());
  int number = 0;
  for (const auto& defect : defects) {
    EXPECT_EQ(defect.number, ++number);
    EXPECT_FALSE(defect.what.empty() || defect.thread.empty() || defect.size.empty()) << number;
    const bool planted = defect.check != Check::none;
    EXPECT_EQ(defect.mutant.empty(), !planted) << number;
    EXPECT_EQ(defect.why_not.empty(), planted) << number;
    if (planted) {
      EXPECT_TRUE(all.contains(std::string(defect.mutant))) << defect.mutant;
    }
  }
  EXPECT_EQ(number, 20);
}

/// What a mutant of a thread says of itself: its header names the thread, if it has a number.
TEST(mutants, each_defect_of_a_thread_names_it_where_the_mutant_is) {
  for (const auto& defect : defects) {
    if (defect.mutant.empty() || defect.thread.find('#') == std::string_view::npos) continue;
    const auto names_it = [&](const SourceFile& file) {
      return file.path.starts_with("properties/mutants/") &&
             file.text.find(defect.thread) != std::string::npos &&
             file.text.find(defect.mutant) != std::string::npos;
    };
    EXPECT_TRUE(std::ranges::any_of(sources(), names_it)) << defect.mutant;
  }
}

TEST(mutants, a_mutant_counts_once_and_only_where_it_is_rejected) {
  const std::string twice = "\nREJECTS(a, b, c, wrong)\nREJECTS(a, b,\n        d, wrong)\n";
  EXPECT_EQ(rejected_in({{"x_test.cpp", twice}}), (Rejected{{"a.b", {"wrong"}}}));
  EXPECT_TRUE(
      rejected_in({{"x.cpp", twice}, {"y_test.cpp", "\n// REJECTS(a, b, c, wrong)"}}).empty());
  EXPECT_TRUE(rejected_in({{"x_test.cpp", "\nHOLDS(a, b, c, Library)"}}).empty());
}

}  // namespace
}  // namespace embedscale::properties::self_test
