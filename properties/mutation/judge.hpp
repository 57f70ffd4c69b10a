#pragma once
// What the build tree knows (which test programs there are, from which object files each is linked,
// which sources an object file reads, and how both are made), and the judge, who compiles and runs
// these programs over mutants.
//
// A worker takes a copy of the sources. A mutant is one file changed in it; of a program only the
// objects that read this file are compiled anew, as the build tree does it, and linked with the
// build tree's other ones.
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mutant.hpp"
#include "score.hpp"

namespace embedscale::properties::mutation {

using Words = std::vector<std::string>;

/// Every mutant of the library's sources.
std::vector<Mutant> all_mutants(const fs::path& project);

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
  /// The programs that judge are the tests of properties/ that link GoogleTest. Those of analyses/
  /// do not take part: their pages pin numbers, and a pinned number notices any change without
  /// saying which one is right. Nor does the test of this tool.
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

/// The library's sources, as seen from the project.
inline const std::string library = "lib/embedscale/";

class Judge {
 public:
  /// Errors    std::filesystem::filesystem_error: the sources cannot be copied.
  Judge(const BuildGraph& graph, const fs::path& scratch, std::size_t workers,
        const std::atomic<bool>& stop);

  /// The programs that read a file, the most kills in a second first, as far as is known.
  std::vector<const Program*> in_order_for(const std::string& file,
                                           const std::vector<Result>& known) const;

  /// What becomes of a mutant; nothing when stopped.
  ///
  /// Requires  no more at a time than there are workers.
  /// Errors    std::runtime_error: a program fails unmutated.
  std::optional<Result> judge(const Mutant& mutant, const std::vector<const Program*>& programs);

 private:
  double compile(const Program& program, const Mutant& mutant, const fs::path& copy,
                 Result& result) const;
  double run(const Program& program, const fs::path& copy, Result& result);
  double seconds_unmutated(const Program& program);

  const BuildGraph& graph_;
  fs::path scratch_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::vector<fs::path> copies_;  // that nobody has; one that was left mutated is no more
  std::map<std::string, double> unmutated_;  // seconds by the clock, of those that have been tried
};

}  // namespace embedscale::properties::mutation
