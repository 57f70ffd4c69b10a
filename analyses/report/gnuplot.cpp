#include "report/gnuplot.hpp"

#include "report/file.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace embedscale::report {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const std::string& what, int reason) {
  throw GnuplotError(what + ": " + std::generic_category().message(reason));
}

/// A file without a name, gone when it is closed. Files rather than pipes: a pipe holds 64 KiB, and
/// parent and child would each wait for the other to read.
File nameless() {
  File file(std::tmpfile());
  if (!file) fail("cannot draw: no temporary file", errno);
  ::fcntl(::fileno(file.get()), F_SETFD, FD_CLOEXEC);
  return file;
}

std::string content_of(std::FILE* file) {
  std::rewind(file);
  std::string content;
  std::array<char, 1 << 16> part;
  while (const std::size_t got = std::fread(part.data(), 1, part.size(), file))
    content.append(part.data(), got);
  if (std::ferror(file) != 0) fail("cannot draw: cannot read what gnuplot printed", errno);
  return content;
}

/// Starts gnuplot with these for its standard streams and waits for its end; its wait status.
int run(std::FILE* in, std::FILE* out, std::FILE* err) {
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_adddup2(&streams, ::fileno(in), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&streams, ::fileno(out), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&streams, ::fileno(err), STDERR_FILENO);
  std::string program = "gnuplot";
  std::string defaults = "--default-settings";  // no /etc/gnuplotrc, no ~/.gnuplot
  char* arguments[] = {program.data(), defaults.data(), nullptr};
  const char* found = std::getenv("PATH");
  std::string path = std::string("PATH=") + (found != nullptr ? found : "/usr/bin:/bin");
  std::string language = "LC_ALL=C.UTF-8";  // in plain C it cannot make a degree sign, and warns
  char* environment[] = {path.data(), language.data(), nullptr};
  pid_t child = 0;
  const int refused =
      ::posix_spawnp(&child, program.c_str(), &streams, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&streams);
  if (refused == ENOENT)
    throw GnuplotError("cannot draw: gnuplot is not on the PATH; install gnuplot-nox");
  if (refused != 0) fail("cannot draw: cannot start gnuplot", refused);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail("cannot draw: cannot wait for gnuplot", errno);
  return status;
}

/// The last line that is not empty: gnuplot says what is wrong after quoting where.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::string run_gnuplot(std::string_view script) {
  const SizeSignalHeld held;  // here, and by inheritance in gnuplot
  const File in = nameless(), out = nameless(), err = nameless();
  if (std::fwrite(script.data(), 1, script.size(), in.get()) != script.size() ||
      std::fflush(in.get()) != 0)
    fail("cannot draw: cannot write to a temporary file", errno);
  std::rewind(in.get());
  const int status = run(in.get(), out.get(), err.get());
  const std::string told = last_line(content_of(err.get()));
  if (WIFSIGNALED(status))
    throw GnuplotError("gnuplot was killed by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0 || !told.empty())
    throw GnuplotError("gnuplot (exit code " + std::to_string(WEXITSTATUS(status)) + "): " + told);
  std::string drawn = content_of(out.get());
  // One newline at the end, whatever gnuplot adds to it: what is cut off behind it is not missed.
  drawn.erase(drawn.find_last_not_of('\n') + 1);
  drawn += '\n';
  if (!drawn.ends_with("</svg>\n"))
    throw GnuplotError("gnuplot's picture is cut short: a full /tmp, or a limit on file sizes?");
  return drawn;
}

}  // namespace embedscale::report
