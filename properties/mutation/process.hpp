#pragma once
// A child process with limits: how mutants are compiled and run.
#include <filesystem>
#include <string>
#include <vector>

namespace embedscale::properties::mutation {

struct Limits {
  double processor_seconds;  ///< what it may compute; the clock gets ten times that
  std::size_t megabytes;     ///< of address space
};

struct Ended {
  enum class How { exited, crashed, out_of_time, interrupted };
  How how;
  int code;                  ///< exit code, or the signal of a crash
  double processor_seconds;  ///< of it and its children
};

/// Runs `command` in `folder`, its standard output and error together in the file `output`.
///
/// Processor time is what is limited, so that a busy machine makes no mutant time out. Whatever the
/// child has started ends with it. After interrupt_all() every call returns `interrupted`.
/// Errors    std::system_error where no process can be had.
Ended run(const std::vector<std::string>& command, const std::filesystem::path& folder,
          const std::filesystem::path& output, const Limits& limits);

/// From a signal handler, too.
void interrupt_all();
bool interrupted();

}  // namespace embedscale::properties::mutation
