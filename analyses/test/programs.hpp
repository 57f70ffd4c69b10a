#pragma once
// The programs under test, and what they wrote.
#include <filesystem>
#include <map>
#include <string>
#include <utility>
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

/// Runs the analysis of combination.
inline Ended measure(std::vector<std::string> arguments, const report::Command& in = {}) {
  arguments.insert(arguments.begin(), "combination");
  return run(program::analyses, std::move(arguments), in);
}

/// Small parameters of such a run that take some milliseconds.
inline const std::vector<std::string> quick{"--positions", "16", "--samples", "20"};

/// Every file below a directory, by its relative path.
inline std::map<std::string, std::string> tree(const std::filesystem::path& root) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.is_regular_file())
      all[entry.path().lexically_relative(root).string()] = report::read_file(entry.path());
  return all;
}

}  // namespace embedscale
