#pragma once
// Every single case, for those who ask for it: EMBEDSCALE_OBSERVATIONS=FILE appends a line of JSON
// for each of them, in the schema that Hypothesis documents for tools such as Tyche.
//
// Source   Hypothesis, "PBT Observations" (docs/reference/schema_observations.json), "Test case".
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "notes.hpp"

namespace embedscale::properties::testing {

/// One case, as RapidCheck tells of it.
struct Observation {
  std::string_view status;                                     ///< "passed", "failed", "gave_up"
  std::string reason;                                          ///< "" of one that passed
  std::vector<std::pair<std::string, std::string>> arguments;  ///< names and values, as drawn
  std::string_view how_generated;                              ///< "drawn", "simplified"
  double seconds = 0.0;                                        ///< drawing included
};

/// The file of EMBEDSCALE_OBSERVATIONS, for the length of one run.
class Observer {
 public:
  /// Of the property of this name, in the GoogleTest test that is running.
  ///
  /// Errors   std::runtime_error if the file cannot be opened for appending.
  Observer(const std::string& property, std::uint64_t seed);

  /// Whether anybody asked: if not, there is nothing to write.
  bool wanted() const { return file_ != nullptr; }

  /// Appends a line at once, by one call of the system: programs that run side by side may share
  /// the file, and a crash leaves all cases before its own. They may start within a microsecond of
  /// each other: property, run_start and the process, which Hypothesis calls os.getpid(), tell runs
  /// apart.
  ///
  /// Requires wanted(); the notes of the same case.
  /// Errors   std::runtime_error if it cannot be written.
  void write(const Observation& observation, const Notes& notes);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string property_, test_, run_start_;
  std::uint64_t seed_, cases_ = 0;
};

}  // namespace embedscale::properties::testing
