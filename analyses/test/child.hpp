#pragma once
// A program of the project as a child process: what it prints, how it ends, what interrupts it.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace embedscale {

/// How a child ended.
struct Ended {
  int code = -1;   ///< of its exit; -1 where a signal ended it
  int signal = 0;  ///< that ended it
  std::string out, err;
};

struct Circumstances {
  std::filesystem::path out = {};          ///< takes standard output, e.g. /dev/full
  std::filesystem::path in = "/dev/null";  ///< standard input
  rlim_t largest_file = RLIM_INFINITY;     ///< in bytes
};

class Child {
 public:
  Child(const std::filesystem::path& program, std::vector<std::string> arguments,
        const Circumstances& in = {}) {
    out_ = ::memfd_create("out", 0);
    err_ = ::memfd_create("err", 0);
    arguments.insert(arguments.begin(), program.string());
    std::vector<char*> words;
    for (auto& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) become(words, in);
  }
  ~Child() {
    if (pid_ > 0) wait();
    ::close(out_);
    ::close(err_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void send(int signal) const { ::kill(pid_, signal); }
  Ended wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    pid_ = 0;
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
            .out = content(out_),
            .err = content(err_)};
  }

 private:
  [[noreturn]] void become(const std::vector<char*>& words, const Circumstances& in) const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGINT, SIG_DFL);
    const int out = in.out.empty() ? out_ : ::open(in.out.c_str(), O_WRONLY);
    ::dup2(::open(in.in.c_str(), O_RDONLY), STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err_, STDERR_FILENO);
    const rlimit limit{in.largest_file, in.largest_file};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  static std::string content(int file) {
    std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
    const auto got = ::pread(file, text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

  int out_ = -1, err_ = -1;
  pid_t pid_ = 0;
};

inline Ended run(const std::filesystem::path& program, std::vector<std::string> arguments,
                 const Circumstances& in = {}) {
  return Child(program, std::move(arguments), in).wait();
}

/// Whether text is one line, and says so.
inline bool is_one_line_with(const std::string& text, const std::string& what) {
  return text.find('\n') + 1 == text.size() && text.find(what) != std::string::npos;
}

}  // namespace embedscale
