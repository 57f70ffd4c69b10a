#pragma once
// The programs under test, and what they need to run without the project's own words and reports.
#include "properties/combination/claims.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "child.hpp"
#include "report/file.hpp"

namespace embedscale {

namespace program {
inline const std::filesystem::path analyses = PROGRAM_ANALYSES;
inline const std::filesystem::path answer = PROGRAM_ANSWER;
inline const std::filesystem::path publish = PROGRAM_PUBLISH;
inline const std::filesystem::path release = PROGRAM_RELEASE;
inline const std::filesystem::path embedscale = PROGRAM_EMBEDSCALE_COMMAND;
}  // namespace program

/// Words with every part and no field, for a page that does not change with the real ones.
inline std::string plain_words() {
  std::string text = "# Title\n\nIntroduction.\n";
  for (const auto& claim : properties::combination::claims) {
    text += "\n## " + std::string(claim.id) + "\n### finding\nIts finding\n";
    for (const char* part : {"true", "true if", "condition", "false", "why", "limits"})
      text += "### " + std::string(part) + "\nIts " + part + ".\n";
  }
  return text;
}

/// Runs the analysis of combination.
inline std::vector<std::string> of_combination(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "combination");
  return arguments;
}
inline Ended measure(std::vector<std::string> arguments, const report::Command& in = {}) {
  return run(program::analyses, of_combination(std::move(arguments)), in);
}

/// Arguments of such a run: these, and small parameters that take some milliseconds.
/// Without words, those of the topic: with its figures and series.
inline std::vector<std::string> quick(const std::filesystem::path& words,
                                      std::vector<std::string> all = {}) {
  if (!words.empty()) all.insert(all.end(), {"--words", words});
  all.insert(all.end(), {"--positions", "16"});
  if (std::ranges::find(all, "--samples") == all.end()) all.insert(all.end(), {"--samples", "20"});
  return all;
}

/// Every file below a directory, by its relative path.
inline std::map<std::string, std::string> tree(const std::filesystem::path& root) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.is_regular_file())
      all[entry.path().lexically_relative(root).string()] = report::read_file(entry.path());
  return all;
}

}  // namespace embedscale
