#pragma once
// Runs over every case of a finite set, which take longer than a test may: `./dev exhaustive`
// evaluates them part by part and writes properties/exhaustive.json, which analyses read
// (record.hpp).
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "exhaustive/found.hpp"

namespace embedscale::exhaustive {

/// One row: a set of cases, divided into parts that are evaluated in any order, at the same time.
struct Run {
  std::string name;  ///< "difference/bfloat16/512"; `./dev exhaustive difference` means all of them
  /// Its source, from the project's root. With all that it includes of the project, and the .cpp
  /// beside each such header, it decides what is found: include little.
  std::string source;
  std::uint64_t parts;  ///< each between a hundredth of a second and a second
  std::function<Found(std::uint64_t part)> evaluate;
};

/// All of them, in the order in which they are run. Values of functions above the processor's own
/// (sine, pow) belong in here only rounded to what all machines agree about.
std::vector<Run> runs();

// The rows by their topics: each in a source of its own.
std::vector<Run> difference_runs();
std::vector<Run> position_table_runs();

}  // namespace embedscale::exhaustive
