#pragma once
// The project's programs as child processes.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "report/process.hpp"

namespace embedscale {

using report::Ended;

inline Ended run(const std::filesystem::path& program, std::vector<std::string> arguments,
                 report::Command in = {}) {
  in.words = std::move(arguments);
  in.words.insert(in.words.begin(), program.string());
  return report::run(in);
}

/// Whether text is one line, and says so.
inline bool is_one_line_with(const std::string& text, const std::string& what) {
  return text.find('\n') + 1 == text.size() && text.find(what) != std::string::npos;
}

}  // namespace embedscale
