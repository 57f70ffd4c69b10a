#pragma once
// Runs over every case of a finite set, which take longer than a test may: `./dev exhaustive`
// evaluates them and writes properties/exhaustive.json, which analyses read (record.hpp).
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "exhaustive/found.hpp"

namespace embedscale::exhaustive {

/// A set of cases, divided into parts that are evaluated in any order, at the same time.
struct Run {
  std::string name;  ///< "difference/bfloat16/512"; `./dev exhaustive difference` means all of them
  /// Its source, from the project's root. With all that it includes of the project, and the .cpp
  /// beside each such header, it decides what is found: include little.
  std::string source;
  std::uint64_t parts;  ///< each between a hundredth of a second and a second
  std::function<Found(std::uint64_t part)> evaluate;
};

// By topic. Values of functions above the processor's own (sine, pow) belong in here only rounded
// to what all machines agree about.
std::vector<Run> difference_runs();
std::vector<Run> position_table_runs();

/// All of them, in the order in which they are run.
inline std::vector<Run> runs() {
  auto all = difference_runs();
  for (auto& run : position_table_runs()) all.push_back(std::move(run));
  return all;
}

}  // namespace embedscale::exhaustive
