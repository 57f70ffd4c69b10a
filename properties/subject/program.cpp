#include "program.hpp"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace embedscale::properties::subject {
namespace {

constexpr std::size_t kept_of_errors = 2000;

[[noreturn]] void fail_by_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  int read, write;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail_by_errno("pipe");
    read = ends[0], write = ends[1];
  }
};

/// What is no UTF-8, as the half of a character where stderr was cut, replaced: reports are UTF-8.
std::string as_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

void close_once(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

/// In the child: what it becomes.
[[noreturn]] void become(const std::vector<std::string>& command, const Pipe& in, const Pipe& out,
                         const Pipe& errors) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  ::dup2(in.read, 0), ::dup2(out.write, 1), ::dup2(errors.write, 2);
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  ::_exit(errno == ENOENT ? 127 : 126);
}

}  // namespace

Program::Program(const std::vector<std::string>& command) {
  ::signal(SIGPIPE, SIG_IGN);  // a subject that is gone is told by write
  const Pipe in, out, errors;
  pid_ = ::fork();
  if (pid_ < 0) fail_by_errno("fork");
  if (pid_ == 0) become(command, in, out, errors);
  ::setpgid(pid_, pid_);  // by whoever comes first
  ::close(in.read), ::close(out.write), ::close(errors.write);
  to_ = in.write, from_ = out.read, errors_from_ = errors.read;
  for (const int file : {to_, from_, errors_from_}) ::fcntl(file, F_SETFL, O_NONBLOCK);
}

Program::~Program() { end(); }

std::string Program::end() {
  close_once(to_);
  if (pid_ <= 0) return "";
  int status = 0;
  bool has_ended = false;
  // What has closed its output is about to end; let it say how.
  for (int i = 0; i < 50 && !has_ended; ++i) {
    has_ended = ::waitpid(pid_, &status, WNOHANG) == pid_;
    if (!has_ended) ::usleep(2000);
  }
  ::kill(-pid_, SIGKILL);
  if (!has_ended) ::waitpid(pid_, nullptr, 0);
  drain_errors();
  close_once(from_), close_once(errors_from_);
  pid_ = -1;
  if (!has_ended) return "";
  if (WIFSIGNALED(status)) return "it was ended by signal " + std::to_string(WTERMSIG(status));
  return "it ended with exit code " + std::to_string(WEXITSTATUS(status)) +
         (WEXITSTATUS(status) == 127 ? ": is there such a program?" : "");
}

void Program::fail(const std::string& why) {
  const auto how = end();
  std::string text = why + (how.empty() ? "" : "; " + how);
  if (!errors_.empty()) text += "\nits stderr ends with:\n" + errors_;
  throw Failed(as_utf8(text));
}

void Program::drain_errors() {
  std::array<char, 4096> some;
  ssize_t n = 0;
  // So many times at most: a flood has no end, and the deadline has to be looked at.
  for (int i = 0; i < 64 && errors_from_ >= 0; ++i) {
    n = ::read(errors_from_, some.data(), some.size());
    if (n <= 0) break;
    errors_.append(some.data(), static_cast<std::size_t>(n));
    if (errors_.size() > 2 * kept_of_errors) errors_.erase(0, errors_.size() - kept_of_errors);
  }
  if (n == 0) close_once(errors_from_);
}

void Program::wait(Clock::time_point until, bool to_send) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
  if (left <= 0) fail("it gave no answer in time");
  pollfd files[] = {
      {from_, POLLIN, 0}, {errors_from_, POLLIN, 0}, {to_send ? to_ : -1, POLLOUT, 0}};
  if (::poll(files, 3, static_cast<int>(std::min<long>(left, 1 << 20))) < 0 && errno != EINTR)
    fail_by_errno("poll");
  if (files[1].revents != 0) drain_errors();
}

Message Program::exchange(const Message& request, std::chrono::milliseconds deadline) {
  if (!runs()) throw Failed("it runs no more");
  const auto until = Clock::now() + deadline;
  const auto bytes = bytes_of(request);
  std::size_t sent = 0;
  std::array<char, 1 << 16> some;
  try {
    for (;;) {
      if (sent < bytes.size()) {
        const auto n = ::write(to_, bytes.data() + sent, bytes.size() - sent);
        if (n > 0) sent += static_cast<std::size_t>(n);
        // Where it reads no more, what it said before tells more.
        if (n < 0 && errno == EPIPE) sent = bytes.size();
        if (n < 0 && errno != EAGAIN && errno != EINTR && errno != EPIPE) fail_by_errno("write");
      }
      const auto n = ::read(from_, some.data(), some.size());
      if (n > 0) read_.append(some.data(), static_cast<std::size_t>(n));
      if (n == 0) fail("it closed its standard output before it answered");
      if (read_.size() >= prefix_size) {
        const auto [header, body] =
            lengths_of(std::span<const char, prefix_size>(read_.data(), prefix_size));
        if (read_.size() >= prefix_size + header + body) {
          const std::string_view all(read_);
          auto answer =
              message_of(all.substr(prefix_size, header), all.substr(prefix_size + header, body));
          read_.erase(0, prefix_size + header + body);
          return answer;
        }
      }
      if (n < 0 || sent < bytes.size()) wait(until, sent < bytes.size());
      if (Clock::now() > until) fail("it gave no answer in time");
    }
  } catch (const Malformed& error) {
    fail(std::string("what it answers is no message: ") + error.what());
  }
}

}  // namespace embedscale::properties::subject
