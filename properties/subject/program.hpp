#pragma once
// A subject as a running program that is asked on its standard input.
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "message.hpp"

namespace embedscale::properties::subject {

/// A program that ended, fell silent or answered with no message. It runs no more.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A child process with a process group of its own, which ends with it, and with this process.
/// Not for two threads at once.
class Program {
 public:
  /// Errors    std::system_error: no process can be had; Failed: it cannot be started.
  explicit Program(const std::vector<std::string>& command);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Sends a message and waits for the next one, no longer than this.
  ///
  /// Errors    Failed, with the last lines of its stderr.
  Message exchange(const Message& request, std::chrono::milliseconds deadline);

  bool runs() const { return pid_ > 0; }

 private:
  using Clock = std::chrono::steady_clock;

  void drain_errors();
  /// Ends what still runs; how the program itself ended.
  std::string end();
  [[noreturn]] void fail(const std::string& why);
  /// Waits until something can be read or, of what is left to send, written.
  void wait(Clock::time_point until, bool to_send);

  int pid_ = -1, to_ = -1, from_ = -1, errors_from_ = -1;
  std::string read_, errors_;  ///< what has come, and is no message yet; the end of its stderr
};

}  // namespace embedscale::properties::subject
