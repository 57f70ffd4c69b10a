#pragma once
// Another program as a child process: what it is given, how it ends, what it has printed.
#include <atomic>
#include <limits>
#include <string>
#include <vector>

namespace embedscale::report {

struct Command {
  std::vector<std::string> words;             ///< the program, by path or from PATH; its arguments
  std::string input = {};                     ///< its standard input
  std::vector<std::string> environment = {};  ///< NAME=value; empty: that of this process
  double seconds = std::numeric_limits<double>::infinity();  ///< it may take, by the clock
  const std::atomic<bool>* stop = nullptr;                   ///< ends it once this is true
};

/// How a child ended.
struct Ended {
  int code = -1;         ///< of its exit; -1 where a signal ended it, 127: could not be started
  int signal = 0;        ///< that ended it
  bool stopped = false;  ///< by us: its time was over, or `stop` true
  double processor_seconds = 0.0;  ///< of it and of what it has waited for
  std::string out, err;
};

/// Runs it to its end. It has a process group of its own: what it starts ends with it, and on Linux
/// it ends with the thread that started it, whatever ends that.
///
/// Errors    std::system_error: no process or no temporary file can be had.
Ended run(Command command);

}  // namespace embedscale::report
