// The rules of the house that a program can check: sizes, the first line of a header, names, and
// that nothing statistical is asserted beside the ledger. (That each entry is spent, once, and
// rejects mutants is told by the record of the tests: analyses/test/evidence_test.cpp.)
#include <gtest/gtest.h>

#include <array>
#include <regex>

#include "source_tree.hpp"

namespace embedscale::properties::self_test {
namespace {

constexpr std::size_t most_lines = 500, most_columns = 100;

/// Words that say nothing about what is inside.
constexpr std::array empty_words{"utils",   "util", "common", "commons",      "helper",
                                 "helpers", "misc", "stuff",  "miscellaneous"};

/// Unicode characters of UTF-8 text: the bytes that do not continue one.
std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) >> 6) != 2; }));
}

/// Lines are counted in every file, columns in what is formatted: code and build files. Data and
/// prose break where their meaning does.
bool has_columns(std::string_view path) {
  return is_code(path) || path.ends_with("CMakeLists.txt");
}

std::vector<std::string> violations(const std::vector<SourceFile>& files) {
  std::vector<std::string> found;
  for (const auto& [path, text] : files) {
    const auto lines = lines_of(text);
    // Words hold the views of a page as well, tables of cases what is known of an audit; programs
    // write records and the score.
    const auto may_be_long = [&path = path](const char* end) { return path.ends_with(end); };
    constexpr std::array long_ones{"/words.md",   "/answer.md",  "/cases.txt",
                                   "record.json", "/score.json", "/package-lock.json"};
    if (lines.size() > most_lines && std::ranges::none_of(long_ones, may_be_long))
      found.push_back(path + ": " + std::to_string(lines.size()) + " lines");
    for (std::size_t i = 0; has_columns(path) && i < lines.size(); ++i)
      if (columns(lines[i]) > most_columns)
        found.push_back(path + ":" + std::to_string(i + 1) + ": " +
                        std::to_string(columns(lines[i])) + " columns");
    if (path.ends_with(".hpp") && (lines.empty() || lines[0] != "#pragma once"))
      found.push_back(path + ": does not start with #pragma once");
    for (std::string_view rest = path; !rest.empty();) {
      const auto end = std::min(rest.find_first_of("/_.-"), rest.size());
      if (std::ranges::count(empty_words, rest.substr(0, end)) > 0)
        found.push_back(path + ": the name " + std::string(rest.substr(0, end)) + " says nothing");
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return found;
}

/// What a statistical assertion beside the ledger looks like: quantiles of a law, levels and rules
/// of thumb, randomness that no seed repeats.
std::vector<std::string> strays(const SourceFile& file) {
  static const std::regex stray(
      R"((^|[^A-Za-z0-9_])(quantile\(|complement\(|standard error|false_alarm|students_t|)"
      R"(fisher_f|chi_squared|random_device|normal_distribution))");
  std::vector<std::string> found;
  std::size_t number = 0;
  for (const auto line : lines_of(file.text)) {
    ++number;
    std::cmatch match;
    if (std::regex_search(line.data(), line.data() + line.size(), match, stray))
      found.push_back(file.path + ":" + std::to_string(number) + ": " + match.str(2) +
                      " belongs into properties/evidence");
  }
  return found;
}

/// The evidence itself, the tests of it, and this file.
bool may_know_laws(const std::string& path) {
  return path.starts_with("properties/evidence/") ||
         path.starts_with("properties/self_test/house_test.cpp");
}

TEST(house, files_are_short_lines_fit_and_names_say_something) {
  const auto files = read_tree(EMBEDSCALE_SOURCE_DIR, {"lib", "properties", "analyses"});
  for (const char* known : {"lib/embedscale/combination.hpp", "properties/self_test/house_test.cpp",
                            "analyses/CMakeLists.txt"})
    EXPECT_EQ(std::ranges::count(files, known, &SourceFile::path), 1) << known << " was not read";
  for (const auto& violation : violations(files)) ADD_FAILURE() << violation;
}

TEST(house, planted_violations_are_reported_and_what_is_allowed_is_not) {
  struct Row {
    const char* path;
    std::string text, violation;  // the latter without the path; none where there is none
  };
  std::string wide;  // 100 characters, not bytes
  for (int i = 0; i < 100; ++i) wide += "√";
  const std::vector<Row> rows{
      {"a.json", std::string(500, '\n') + "last without an end", ": 501 lines"},
      {"a.cpp", wide, ""},
      {"a.cpp", "\n" + wide + "√\n", ":2: 101 columns"},
      {"a.md", wide + "√", ""},
      {"a.hpp", "// Words.\n#pragma once\n", ": does not start with #pragma once"},
      {"lib/utils/a.cpp", "", ": the name utils says nothing"},
  };
  for (const auto& [path, text, violation] : rows) {
    const auto expected =
        violation.empty() ? std::vector<std::string>{} : std::vector<std::string>{path + violation};
    EXPECT_EQ(violations({{path, text}}), expected) << path;
  }
}

TEST(house, asserts_nothing_statistical_beside_the_ledger) {
  for (const auto& file :
       read_tree(EMBEDSCALE_SOURCE_DIR, {"lib", "properties", "analyses", "examples"})) {
    const bool asserts = file.path.ends_with("_test.cpp") ||
                         (is_code(file.path) && file.path.starts_with("properties/"));
    if (asserts && !may_know_laws(file.path))
      for (const auto& stray : strays(file)) ADD_FAILURE() << stray;
  }
  for (const char* planted :
       {"EXPECT_LE(x, quantile(law, 0.5e-10));", "// Six standard errors: a false alarm of 2e-9.",
        "const boost::math::students_t law(63);", "std::random_device entropy;"})
    EXPECT_EQ(strays({"planted_test.cpp", planted}).size(), 1u) << planted;
}

}  // namespace
}  // namespace embedscale::properties::self_test
