#pragma once
// Long work as a list of independent parts. What a part comes to is kept as it comes, a line in a
// file: however a program ends, the same command goes on from there. Threads of one machine,
// processes by MPI and machines that share nothing, each with a share (--shard), make one list, and
// what comes of it has the same bytes.
//
//   parts::Parts parts(options.parts, build / "parts/counting");
//   const auto results = parts.make(list, [&](std::size_t i) { return text_of(count(i)); });
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "parts/driver.hpp"
#include "report/file.hpp"

namespace embedscale::parts {

struct Part {
  std::string name;  ///< of this one alone in what is kept
  std::string of;    ///< a hash of all that decides what it comes to
};

/// How a program that makes parts is told who makes them.
struct Options {
  std::string shard = "1/1";
  bool mpi = false;
  int jobs = 0;  ///< threads, without MPI; 0: one for each processor
};
/// --shard, --mpi, --jobs.
void add_options(cli::Arguments& arguments, Options& options);

/// How many parts this process evaluates at a time.
std::size_t threads(const Options& options);

/// Whether SIGINT or SIGTERM came to the first process, since there are Parts; the second one ends
/// it, and the first one any other process.
const std::atomic<bool>& stop();
inline constexpr int interrupted = 130;  ///< the exit code after that

class Parts {
 public:
  /// What is kept is in all .jsonl files of the folder; this one's is named by its shard.
  ///
  /// Errors    std::invalid_argument: no shard, no MPI; report::FileError: the folder cannot be
  ///           read or written, or another program makes this shard in it.
  Parts(const Options& options, std::filesystem::path folder);
  ~Parts();
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  using Result = std::optional<std::string>;  ///< a line of JSON
  struct Ways {
    /// Of each part, kept or new, when it is reached; in the first process, one thread at a time.
    std::function<void(std::size_t, const std::string&)> found = [](std::size_t,
                                                                    const std::string&) {};
    /// Whether a kept result is enough, so that the part is not made again.
    std::function<bool(const std::string&)> counts = [](const std::string&) { return true; };
    /// Whether another one is begun.
    std::function<bool()> goes_on = [] { return true; };
  };
  /// What each part comes to, in every process; nothing where it came to nothing, is another
  /// shard's or was not begun. Begins them in order. A kept result of another `of` is forgotten.
  ///
  /// Requires  the same list in every process.
  /// Ensures   it is said on stderr what is missing then, also after an error, and how to go on.
  /// Errors    what `evaluate` throws; report::FileError; std::runtime_error: another list. What
  ///           has come by then is kept.
  std::vector<Result> make(const std::vector<Part>& list,
                           const std::function<Result(std::size_t)>& evaluate, const Ways& ways);
  std::vector<Result> make(const std::vector<Part>& list,
                           const std::function<Result(std::size_t)>& evaluate) {
    return make(list, evaluate, Ways{});
  }

  /// Whether this process reads and writes files, and speaks.
  bool is_first() const { return driver_->number() == 0; }

  /// Whether the first process was stopped by the end of the last list: the same in all of them, so
  /// that all make another list or none does.
  bool stopped() const { return stopped_; }
  /// How many parts of all lists are not there, of which it was said.
  std::size_t missing() const { return missing_; }

 private:
  const std::string* find(const Part& part) const;
  void forget_others(const std::vector<Part>& list) const;
  void say_what_is_missing(const std::vector<Part>& list) const;
  void compare(const std::vector<Part>& list) const;
  void share(std::vector<Result>& results, const std::exception_ptr& error);

  std::uint64_t shard_ = 1, shards_ = 1;
  std::filesystem::path folder_, file_;
  std::optional<report::KeptLines> lines_;  // of file_
  std::unique_ptr<Driver> driver_;
  int lock_ = -1;
  std::map<std::pair<std::string, std::string>, std::string> kept_;  // by name and of
  std::size_t missing_ = 0;
  bool stopped_ = false;
};

}  // namespace embedscale::parts
