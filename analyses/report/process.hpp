#pragma once
// Another program as a child process: what it is given, how it ends, what it has printed.
#include <sys/resource.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace embedscale::report {

struct Command {
  std::vector<std::string> words;             ///< the program, by path or from PATH; its arguments
  std::filesystem::path folder = ".";         ///< where it runs
  std::string input = {};                     ///< its standard input
  std::filesystem::path out = {};             ///< takes its standard output, e.g. /dev/full
  std::vector<std::string> environment = {};  ///< NAME=value; empty: that of this process
  rlim_t memory = RLIM_INFINITY;              ///< in bytes
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

/// A running program. It has a process group of its own: what it starts ends with it, and on Linux
/// it ends with the thread that started it, whatever ends that.
class Child {
 public:
  /// Errors    std::system_error: no process or no temporary file can be had.
  explicit Child(Command command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void send(int signal) const;
  /// Requires  that it is called once, by the thread that started it.
  Ended wait();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  static File nameless();
  [[noreturn]] void become(char* const* words, char** environment) const;

  Command command_;
  File in_, out_, err_;
  pid_t pid_ = 0;
};

inline Ended run(Command command) { return Child(std::move(command)).wait(); }

}  // namespace embedscale::report
