#pragma once
// What the build tree knows: which test programs there are, from which object files each is linked,
// which sources an object file reads, and how both are made.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace embedscale::properties::mutation {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string read(const fs::path& file);
void write(const fs::path& file, const std::string& text);

struct Object {
  std::string compile;          ///< for the shell; without what the output is called
  std::set<std::string> reads;  ///< files of the project: "lib/embedscale/attention.hpp"
};

struct Program {
  std::string name;  ///< "attention_test"
  fs::path path;     ///< of the one that the build tree has
  Words objects;     ///< that it is linked from, with what it takes of the project's archives
  Words link;        ///< without them and without what the output is called
};

struct BuildGraph {
  fs::path project, build;
  std::map<std::string, Object> objects;  ///< by their paths in the build tree
  std::vector<Program> programs;          ///< that judge, by name

  /// Asks ninja about the build tree, and the linker about what it takes from archives.
  ///
  /// The programs that judge are those of properties/ that link GoogleTest. Those of analyses/ do
  /// not take part: their pages pin numbers, and a pinned number notices any change without saying
  /// which one is right. Nor does the test of this tool.
  /// Requires  a current tree of CMake's, for Ninja; a linker with --trace; paths without blanks.
  /// Errors    std::runtime_error where ninja or a link fails.
  BuildGraph(const fs::path& project, const fs::path& build, const fs::path& scratch);

  /// The objects of a program that read a file of the project.
  std::set<std::string> readers(const Program& program, const std::string& file) const;

  /// Of all that decides what becomes of the mutants of a file of the project: every source that
  /// goes into a program which reads it.
  std::string fingerprint(const std::string& file) const;

 private:
  void read_dependencies();
  Program traced(const std::string& output, Words link,
                 const std::map<std::string, Words>& archives, const fs::path& scratch) const;
};

}  // namespace embedscale::properties::mutation
