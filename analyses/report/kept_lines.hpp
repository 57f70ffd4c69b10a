#pragma once
// A file of lines that is added to as results come: however a program ends, the lines that it has
// written stand, and the next one goes on from there.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace embedscale::report {

class KeptLines {
 public:
  /// Makes its directory; ends a line that a killed program left unfinished.
  ///
  /// Errors    FileError, std::filesystem::filesystem_error; so below.
  explicit KeptLines(std::filesystem::path file);

  /// All of them. One that was left unfinished is among them: skip what cannot be parsed.
  std::vector<std::string> lines() const;
  /// In one piece, which is the system's as soon as this returns; one thread at a time.
  void append(std::string_view line) const;

 private:
  void write(const std::string& text) const;

  std::filesystem::path file_;
};

}  // namespace embedscale::report
