#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

#include "report/loops.hpp"

namespace embedscale::cli {
namespace {

using namespace std::chrono_literals;

std::mutex mutex;  // of what is measured
std::string measured;

/// "40 s", "25 min": as precise as a guess is.
std::string duration(double seconds) {
  return seconds < 100 ? fmt::format("{:.0f} s", seconds) : fmt::format("{:.0f} min", seconds / 60);
}

/// "sinusoidal.effective_rank (9 of 9): 45 %, 12 s left of this step".
std::string progress_text() {
  const std::lock_guard lock(mutex);
  const auto loop = report::loop_state();
  if (!(loop.share > 0)) return measured;
  return fmt::format("{}: {:.0f} %, {} left of this step", measured, 100 * loop.share,
                     duration(loop.seconds * (1 - loop.share) / loop.share));
}

}  // namespace

void narrate(const Options& options, std::string_view what, std::size_t n, std::size_t of) {
  const std::lock_guard lock(mutex);
  measured = of > 1 ? fmt::format("{} ({} of {})", what, n, of) : std::string(what);
  if (options.progress && !options.quiet && ::isatty(STDERR_FILENO) == 0)
    fmt::print(stderr, "{} …\n", measured);
}

std::jthread shown_progress(const Options& options) {
  if (options.quiet) return {};
  report::watch_loops();
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const auto pause = terminal || options.progress ? 500ms : 30000ms;
  return std::jthread([terminal, pause](const std::stop_token& stop) {
    std::mutex sleep;
    std::condition_variable_any woken;
    bool is_shown = false;
    std::unique_lock lock(sleep);
    while (!woken.wait_for(lock, stop, pause, [&] { return stop.stop_requested(); })) {
      is_shown = true;
      fmt::print(stderr, "{}{}{}", terminal ? "\r\x1b[K" : "", progress_text(),
                 terminal ? "" : "\n");
    }
    if (terminal && is_shown) fmt::print(stderr, "\r\x1b[K");
  });
}

}  // namespace embedscale::cli
