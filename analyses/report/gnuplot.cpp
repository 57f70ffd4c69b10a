#include "report/gnuplot.hpp"

#include "report/file.hpp"
#include "report/process.hpp"

#include <cstdlib>
#include <system_error>

namespace embedscale::report {
namespace {

/// The last line that is not empty: gnuplot says what is wrong after quoting where.
std::string last_line(std::string text) {
  text.erase(text.find_last_not_of(" \n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::string run_gnuplot(std::string_view script) {
  const SizeSignalHeld held;  // here, and by inheritance in gnuplot
  const char* path = std::getenv("PATH");
  // No /etc/gnuplotrc, no ~/.gnuplot; in plain C it cannot make a degree sign, and warns.
  Command command{.words = {"gnuplot", "--default-settings"},
                  .input = std::string(script),
                  .environment = {std::string("PATH=") + (path != nullptr ? path : "/usr/bin:/bin"),
                                  "LC_ALL=C.UTF-8"}};
  Ended ended;
  try {
    ended = run(std::move(command));
  } catch (const std::system_error& error) {
    throw GnuplotError(std::string("cannot draw: ") + error.what());
  }
  const std::string told = last_line(ended.err);
  if (ended.signal != 0)
    throw GnuplotError("gnuplot was killed by signal " + std::to_string(ended.signal));
  if (ended.code == 127 && told.empty())
    throw GnuplotError("cannot draw: gnuplot is not on the PATH; install gnuplot-nox");
  if (ended.code != 0 || !told.empty())
    throw GnuplotError("gnuplot (exit code " + std::to_string(ended.code) + "): " + told);
  std::string& drawn = ended.out;
  // One newline at the end, whatever gnuplot adds to it: what is cut off behind it is not missed.
  drawn.erase(drawn.find_last_not_of('\n') + 1);
  drawn += '\n';
  if (!drawn.ends_with("</svg>\n"))
    throw GnuplotError("gnuplot's picture is cut short: a full /tmp, or a limit on file sizes?");
  return drawn;
}

}  // namespace embedscale::report
