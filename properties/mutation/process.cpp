#include "process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>

namespace embedscale::properties::mutation {
namespace {

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "interrupt_all is called by a handler");

rlimit limit(double value) {
  const auto whole = static_cast<rlim_t>(std::ceil(value));
  return {whole, whole + 1};
}

/// Between fork and exec only what is safe there: no memory is asked for.
[[noreturn]] void become(char* const* words, const char* folder, const char* output,
                         const rlimit& seconds, const rlimit& bytes) {
  setpgid(0, 0);
  const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const rlimit no_core = {0, 0};
  if (file < 0 || dup2(file, 1) < 0 || dup2(file, 2) < 0 || chdir(folder) != 0 ||
      setrlimit(RLIMIT_CPU, &seconds) != 0 || setrlimit(RLIMIT_AS, &bytes) != 0 ||
      setrlimit(RLIMIT_CORE, &no_core) != 0)
    _exit(126);
  execvp(words[0], words);
  _exit(127);
}

}  // namespace

void interrupt_all() { stop = true; }
bool interrupted() { return stop; }

Ended run(const std::vector<std::string>& command, const std::filesystem::path& folder,
          const std::filesystem::path& output, const Limits& limits) {
  if (stop) return {Ended::How::interrupted, 0, 0.0};
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const auto seconds = limit(limits.processor_seconds);
  const auto bytes = limit(static_cast<double>(limits.megabytes) * 0x1p20);
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become(words.data(), folder.c_str(), output.c_str(), seconds, bytes);

  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(10.0 * limits.processor_seconds);
  int status = 0;
  rusage used{};
  bool late = false;
  for (auto pause = std::chrono::milliseconds(1); wait4(child, &status, WNOHANG, &used) == 0;) {
    late = Clock::now() > end;
    if (late || stop) {
      kill(-child, SIGKILL);
      wait4(child, &status, 0, &used);
      break;
    }
    std::this_thread::sleep_for(pause);
    if (pause.count() < 16) pause *= 2;
  }
  const auto in_seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  Ended ended{Ended::How::exited, 0, in_seconds(used.ru_utime) + in_seconds(used.ru_stime)};
  if (WIFSIGNALED(status)) {
    ended.how = Ended::How::crashed;
    ended.code = WTERMSIG(status);
    // The soft limit's signal is SIGXCPU, the hard one's SIGKILL.
    const bool over = ended.code == SIGXCPU || ended.processor_seconds >= limits.processor_seconds;
    if (late || over) ended.how = Ended::How::out_of_time;
  } else {
    ended.code = WEXITSTATUS(status);
  }
  if (stop) ended.how = Ended::How::interrupted;
  return ended;
}

}  // namespace embedscale::properties::mutation
