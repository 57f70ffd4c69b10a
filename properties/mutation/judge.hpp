#pragma once
// Compiles and runs the test programs over mutants.
//
// Each worker has a copy of the sources. A mutant is one file changed in it; of a program only the
// objects that read this file are compiled anew, as the build tree does it, and linked with the
// build tree's other ones.
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "build_graph.hpp"
#include "mutant.hpp"
#include "results.hpp"

namespace embedscale::properties::mutation {

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

  /// What becomes of a mutant; nothing when stopped. `worker` may judge one at a time.
  ///
  /// Errors    std::runtime_error: a program fails unmutated.
  std::optional<Result> judge(const Mutant& mutant, const std::vector<const Program*>& programs,
                              std::size_t worker);

 private:
  double compile(const Program& program, const Mutant& mutant, const fs::path& copy,
                 Result& result) const;
  double run(const Program& program, const fs::path& copy, Result& result);
  double seconds_unmutated(const Program& program);

  const BuildGraph& graph_;
  fs::path scratch_;
  const std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::map<std::string, double> unmutated_;  // seconds by the clock, of those that have been tried
};

}  // namespace embedscale::properties::mutation
