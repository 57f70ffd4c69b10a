// Where the sources spend the ledger: each entry once, and nothing statistical beside it.
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "../ledger.hpp"
#include "source_tree.hpp"

namespace embedscale::properties::self_test {
namespace {

/// How often each id that a pattern's first group finds in code is used: once, or as often as its
/// second group says. Comments are no code.
std::map<std::string, int> uses(const std::vector<SourceFile>& files, const char* pattern) {
  const std::regex use(pattern);
  std::map<std::string, int> found;
  for (const auto& file : files) {
    const auto has = [&](const char* word) { return file.text.find(word) != file.text.npos; };
    if (!is_code(file.path) || !(has("Assertion") || has("Rejection") || has("ledger::entry")))
      continue;
    std::string code;
    for (const auto line : lines_of(file.text))
      code += std::string(line.substr(0, line.find("//"))) + "\n";
    for (std::sregex_iterator at(code.begin(), code.end(), use), end; at != end; ++at)
      found[(*at)[1]] += at->size() > 2 ? std::stoi((*at)[2]) : 1;
  }
  return found;
}

/// How often each id is spent: by an Assertion, or by a program that looks it up.
std::map<std::string, int> spendings(const std::vector<SourceFile>& files) {
  return uses(files, R"re(\b(?:Assertion|entry)<\s*"([^"]*)")re");
}

/// How many mutants each id has to reject.
std::map<std::string, int> rejections(const std::vector<SourceFile>& files) {
  return uses(files, R"re(\bRejection<\s*"([^"]*)",\s*[\w:]+>\s*\w+\(\s*(\d+))re");
}

/// Entries about what is tested or drawn, not about the checks, that reject fewer than three
/// mutants.
std::vector<std::string> unproved(const std::map<std::string, int>& rejected) {
  std::vector<std::string> found;
  for (const auto& entry : ledger::entries) {
    const bool of_checks = entry.id.starts_with("evidence.") || entry.id.starts_with("trust.") ||
                           entry.id.starts_with("ledger.") || entry.id.starts_with("properties.");
    const auto mutants = rejected.find(std::string(entry.id));
    if (!of_checks && (mutants == rejected.end() || mutants->second < 3))
      found.push_back(std::string(entry.id));
  }
  return found;
}

std::vector<std::string> misspent(const std::map<std::string, int>& spent) {
  std::vector<std::string> found;
  for (const auto& entry : ledger::entries)
    if (!spent.contains(std::string(entry.id)))
      found.push_back(std::string(entry.id) + " is never spent");
  for (const auto& [id, times] : spent) {
    if (ledger::find(id) == nullptr) found.push_back(id + " is not in the ledger");
    if (times > 1) found.push_back(id + " is spent " + std::to_string(times) + " times");
  }
  return found;
}

/// What a statistical assertion beside the ledger looks like: quantiles of a law, levels and rules
/// of thumb, randomness that no seed repeats.
std::vector<std::string> strays(const SourceFile& file) {
  constexpr std::array<std::string_view, 9> words{
      "quantile(", "complement(", "standard error", "false_alarm",        "students_t",
      "fisher_f",  "chi_squared", "random_device",  "normal_distribution"};
  std::vector<std::string> found;
  std::size_t number = 0;
  for (const auto line : lines_of(file.text)) {
    ++number;
    const auto begins_in_line = [&](std::string_view word) {
      const auto at = line.find(word);
      return at == 0 || (at != line.npos && line[at - 1] != '_' &&
                         std::isalnum(static_cast<unsigned char>(line[at - 1])) == 0);
    };
    const auto stray = std::ranges::find_if(words, begins_in_line);
    if (stray != words.end())
      found.push_back(file.path + ":" + std::to_string(number) + ": " + std::string(*stray) +
                      " belongs into properties/evidence");
  }
  return found;
}

/// The evidence itself, the tests of it, and this file.
bool may_know_laws(std::string_view path) {
  constexpr std::array places{"properties/evidence/", "properties/self_test/ledger_use_test.cpp"};
  return std::ranges::any_of(places, [&](const char* place) { return path.starts_with(place); });
}

std::vector<SourceFile> sources() {
  return read_tree(EMBEDSCALE_SOURCE_DIR, {"lib", "properties", "analyses", "examples"});
}

TEST(ledger_use, each_entry_is_spent_once) {
  const auto spent = spendings(sources());
  EXPECT_EQ(spent.count("random.normal_has_variance_1"), 1u) << "the sources were not read";
  for (const auto& violation : misspent(spent)) ADD_FAILURE() << violation;
}

TEST(ledger_use, each_entry_about_the_library_rejects_three_mutants) {
  for (const auto& id : unproved(rejections(sources()))) ADD_FAILURE() << id;
}

TEST(ledger_use, nothing_statistical_is_asserted_beside_it) {
  for (const auto& file : sources()) {
    const bool asserts = file.path.ends_with("_test.cpp") ||
                         (is_code(file.path) && file.path.starts_with("properties/"));
    if (asserts && !may_know_laws(file.path))
      for (const auto& stray : strays(file)) ADD_FAILURE() << stray;
  }
}

TEST(ledger_use, planted_spendings_are_seen) {
  const std::string id(ledger::entries[0].id);
  const auto once = spendings({{"a_test.cpp", "Assertion<\"" + id + "\", Kind> a;\n"}});
  const auto twice = spendings({{"a_test.cpp", "  testing::Assertion<\n\"" + id + "\", Kind> a;\n"},
                                {"b.cpp", "const auto& e = ledger::entry<\"" + id + "\">;\n"}});
  const auto unknown = spendings({{"a_test.cpp", "Assertion<\"random.unknown\", Kind> a;\n"}});
  const auto comment = spendings({{"a_test.cpp", "// Assertion<\"" + id + "\", Kind> a;\n"}});
  EXPECT_EQ(misspent(once).size(), ledger::entries.size() - 1);
  EXPECT_EQ(misspent(twice).back(), id + " is spent 2 times");
  EXPECT_EQ(misspent(unknown).back(), "random.unknown is not in the ledger");
  EXPECT_TRUE(comment.empty());
}

TEST(ledger_use, planted_rejections_are_counted) {
  const std::string id(ledger::entries[0].id), begin = "Rejection<\"" + id + "\", Kind> mutants(";
  EXPECT_EQ(rejections({{"a_test.cpp", "  " + begin + "4, 2);\n"}}).at(id), 4);
  EXPECT_EQ(unproved({}).size() - unproved({{id, 3}}).size(), 1u);
  EXPECT_EQ(unproved({}).size(), unproved({{id, 2}}).size());
}

TEST(ledger_use, planted_assertions_beside_it_are_seen) {
  for (const char* line :
       {"EXPECT_LE(x, quantile(law, 0.5e-10));", "// Six standard errors: a false alarm of 2e-9.",
        "const boost::math::students_t law(63);", "std::random_device entropy;"})
    EXPECT_EQ(strays({"planted_test.cpp", line}).size(), 1u) << line;
  EXPECT_TRUE(strays({"planted_test.cpp", "laws.judge(data, \"normal\");"}).empty());
}

}  // namespace
}  // namespace embedscale::properties::self_test
