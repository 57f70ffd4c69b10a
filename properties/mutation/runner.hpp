#pragma once
// Compiles and runs the test programs over mutated headers.
//
// The library's headers are included as <embedscale/…>. A mutant is a folder with the one changed
// header, put before the library's on the include path: nothing else moves. What the programs
// include from elsewhere is compiled once, ahead, which halves the cost of a mutant. Programs are
// compiled without optimisation, the slow ones with a little, whichever is sooner over.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process.hpp"
#include "programs.hpp"
#include "score.hpp"

namespace embedscale::properties::mutation {

class Runner {
 public:
  struct Places {
    fs::path project, build, scratch;
  };

  /// Compiles what is needed for the mutants of `headers` and runs it on the library as it is.
  ///
  /// Errors    std::runtime_error where a program does not compile or fails unmutated.
  Runner(Places places, const std::vector<std::string>& headers, std::size_t jobs);

  /// What becomes of one mutant; nullopt when interrupted. `worker` owns a part of scratch.
  std::optional<Result> judge(const Mutant& mutant, const std::string& text,
                              std::size_t worker) const;

  const std::vector<Program>& programs() const { return programs_; }

 private:
  fs::path folder(std::size_t worker) const;
  void compile_ahead(const std::string& prelude, const std::string& level);
  void measure(Program& program, std::size_t worker) const;
  bool recall(Program& program, const fs::path& note) const;
  Ended compile(const Program& program, std::size_t worker) const;
  Ended run_tests(std::size_t worker, double processor_seconds) const;
  /// Changes `result` where this program settles it.
  void one_program(const Program& program, std::size_t worker, Result& result) const;

  Places places_;
  std::vector<Program> programs_;
};

/// Calls work(i, worker) for i = 0, 1, … below n on `jobs` threads, each i as soon as a thread is
/// free, while proceed(i) says so. The first exception ends all and is thrown.
void in_parallel(std::size_t n, std::size_t jobs, const std::function<bool(std::size_t)>& proceed,
                 const std::function<void(std::size_t, std::size_t)>& work);

}  // namespace embedscale::properties::mutation
