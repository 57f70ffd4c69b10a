#include "report/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
  #include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <system_error>
#include <thread>

extern char** environ;

namespace embedscale::report {

using namespace std::chrono_literals;

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (auto& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string content;
  std::array<char, 1 << 16> part;
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), file))
    content.append(part.data(), got);
  if (std::ferror(file) != 0) fail("what a program printed cannot be read");
  return content;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

// A file without a name, gone when it is closed. Files rather than pipes: a pipe holds 64 KiB, and
// parent and child would each wait for the other to read.
File nameless() {
  File file(std::tmpfile());
  if (!file) fail("no temporary file");
  ::fcntl(::fileno(file.get()), F_SETFD, FD_CLOEXEC);
  return file;
}

struct Streams {
  File in = nameless(), out = nameless(), err = nameless();
};

// Between fork and exec only what is safe there: no memory is asked for.
[[noreturn]] void become(const Streams& streams, char* const* words, char** environment) {
  ::setpgid(0, 0);
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  for (const int changed : {SIGINT, SIGXFSZ}) ::signal(changed, SIG_DFL);
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  environ = environment;
  if (::dup2(::fileno(streams.in.get()), STDIN_FILENO) >= 0 &&
      ::dup2(::fileno(streams.out.get()), STDOUT_FILENO) >= 0 &&
      ::dup2(::fileno(streams.err.get()), STDERR_FILENO) >= 0)
    ::execvp(words[0], words);
  ::_exit(127);
}

pid_t started(Command& command, const Streams& streams) {
  const auto& input = command.input;
  if (std::fwrite(input.data(), 1, input.size(), streams.in.get()) != input.size() ||
      std::fflush(streams.in.get()) != 0)
    fail("a temporary file cannot be written");
  std::rewind(streams.in.get());
  const auto words = pointers(command.words);
  auto environment = pointers(command.environment);
  const pid_t pid = ::fork();
  if (pid < 0) fail("no process");
  if (pid == 0)
    become(streams, words.data(), environment.size() > 1 ? environment.data() : environ);
  ::setpgid(pid, pid);  // here as well, as either may be first
  return pid;
}

}  // namespace

Ended run(Command command) {
  using Clock = std::chrono::steady_clock;
  const Streams streams;
  const pid_t pid = started(command, streams);
  const std::chrono::duration<double> limit(command.seconds);
  const int patience = std::isfinite(command.seconds) || command.stop != nullptr ? WNOHANG : 0;
  Ended ended;
  const auto begin = Clock::now();
  for (auto pause = std::chrono::milliseconds(1);; pause = std::min(2 * pause, 16ms)) {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | patience);
    if (info.si_pid == pid) break;
    ended.stopped = Clock::now() - begin > limit || (command.stop != nullptr && *command.stop);
    if (ended.stopped) break;
    if (patience != 0) std::this_thread::sleep_for(pause);
  }
  // It is running or a zombie: its group is still its own.
  ::kill(-pid, SIGKILL);
  int status = 0;
  rusage used{};
  while (::wait4(pid, &status, 0, &used) < 0 && errno == EINTR) continue;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  ended.out = content_of(streams.out.get());
  ended.err = content_of(streams.err.get());
  return ended;
}

}  // namespace embedscale::report
