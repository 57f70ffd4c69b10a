#include "report/progress.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace embedscale::report {
namespace {

using Clock = std::chrono::steady_clock;

struct Level {
  std::atomic<std::uint64_t> done{0}, steps{0};
};

constexpr int deepest = 4;  // a step further down is too short to be seen
std::array<Level, deepest> open_loops;
std::atomic<int> depth{0};
std::atomic<Clock::rep> began{0};
thread_local bool is_watched = false;

}  // namespace

Loop::Loop(std::uint64_t steps) {
  if (!is_watched) return;
  const int level = depth.load(std::memory_order_relaxed);
  if (level < deepest) {
    if (level == 0) began = Clock::now().time_since_epoch().count();
    auto& own = open_loops[static_cast<std::size_t>(level)];
    own.done = 0;
    own.steps = std::max<std::uint64_t>(steps, 1);
    done_ = &own.done;
  }
  depth = level + 1;
}

Loop::~Loop() {
  if (is_watched) depth = depth - 1;
}

void watch_loops() {
  is_watched = true;
  depth = 0;
}

/// What the levels say while the loops go on: of a step of one level, the next has done its share.
LoopState loop_state() {
  const int all = std::min(depth.load(), deepest);
  if (all == 0) return {};
  double share = 0;
  for (int level = all; level-- > 0;) {
    const auto& own = open_loops[static_cast<std::size_t>(level)];
    share = std::min(1.0, (static_cast<double>(own.done) + share) / static_cast<double>(own.steps));
  }
  const Clock::duration since(Clock::now().time_since_epoch().count() - began);
  return {share, std::chrono::duration<double>(since).count()};
}

}  // namespace embedscale::report
