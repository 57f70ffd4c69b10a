// The rules of the house that a program can check: sizes, the first line of a header, names.
#include <gtest/gtest.h>

#include <array>

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
    // Words hold the views of a page as well; how long a page may be is for its readers.
    if (lines.size() > most_lines && !path.ends_with("/words.md") && !path.ends_with("record.json"))
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

std::vector<std::string> violations_of(const std::string& path, const std::string& text) {
  return violations({{path, text}});
}

std::string repeated(std::size_t times, const std::string& text) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(house, files_are_short_lines_fit_and_names_say_something) {
  const auto files = read_tree(EMBEDSCALE_SOURCE_DIR, {"lib", "properties", "analyses"});
  for (const char* known : {"lib/embedscale/combination.hpp", "properties/self_test/house_test.cpp",
                            "analyses/CMakeLists.txt"})
    EXPECT_EQ(std::ranges::count(files, known, &SourceFile::path), 1) << known << " was not read";
  for (const auto& violation : violations(files)) ADD_FAILURE() << violation;
}

TEST(house, a_file_of_500_lines_passes_and_one_of_501_is_reported) {
  EXPECT_EQ(violations_of("a.cpp", repeated(500, "\n")).size(), 0u);
  EXPECT_EQ(violations_of("a.cpp", repeated(501, "\n")),
            std::vector<std::string>{"a.cpp: 501 lines"});
  EXPECT_EQ(violations_of("a.json", repeated(500, "\n") + "last without an end").size(), 1u);
}

TEST(house, columns_are_characters_not_bytes) {
  EXPECT_EQ(columns("√d ‖p‖²"), 7u);
  EXPECT_EQ(violations_of("a.cpp", repeated(100, "√")).size(), 0u);
  EXPECT_EQ(violations_of("a.cpp", "\n" + repeated(101, "√") + "\n"),
            std::vector<std::string>{"a.cpp:2: 101 columns"});
  EXPECT_EQ(violations_of("CMakeLists.txt", repeated(101, "x")).size(), 1u);
  EXPECT_EQ(violations_of("a.md", repeated(101, "x")).size(), 0u);
}

TEST(house, a_header_that_does_not_begin_with_pragma_once_is_reported) {
  EXPECT_EQ(violations_of("a.hpp", "#pragma once\n").size(), 0u);
  EXPECT_EQ(violations_of("a.hpp", "").size(), 1u);
  EXPECT_EQ(violations_of("a.hpp", "// Words.\n#pragma once\n").size(), 1u);
  EXPECT_EQ(violations_of("a.cpp", "// Words.\n").size(), 0u);
}

TEST(house, names_that_say_nothing_are_reported_in_folders_and_files) {
  for (const char* path : {"lib/utils/a.cpp", "lib/string_utils.cpp", "common.cpp", "a/misc.md",
                           "a/test-helpers/b.cpp", "common/a.cpp"})
    EXPECT_EQ(violations_of(path, "").size(), 1u) << path;
  for (const char* path : {"lib/commonality.cpp", "lib/uncommon.cpp", "a/miscount.md"})
    EXPECT_EQ(violations_of(path, "").size(), 0u) << path;
}

}  // namespace
}  // namespace embedscale::properties::self_test
