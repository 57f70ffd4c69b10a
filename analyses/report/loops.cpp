#include "report/loops.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace embedscale::report {
namespace {

using Clock = std::chrono::steady_clock;

/// Of the outermost loop.
std::atomic<double> share_done{0};
std::atomic<Clock::rep> began{0};
thread_local bool is_watched = false;
thread_local const Loop* innermost = nullptr;

}  // namespace

Loop::Loop(std::uint64_t steps) {
  if (!is_watched) return;
  outer_ = std::exchange(innermost, this);
  if (outer_ == nullptr) began = Clock::now().time_since_epoch().count();
  from_ = share_done;
  part_ = (outer_ == nullptr ? 1 : outer_->part_) /
          static_cast<double>(std::max<std::uint64_t>(steps, 1));
}

Loop::~Loop() {
  if (part_ == 0) return;
  innermost = outer_;
  if (outer_ == nullptr) share_done = 0;
}

void Loop::tell(std::uint64_t done) const {
  share_done.store(from_ + part_ * static_cast<double>(done), std::memory_order_relaxed);
}

void in_parallel(std::uint64_t n, const std::function<void(std::uint64_t)>& f) {
  Loop loop(n);
  tbb::parallel_for(std::uint64_t{0}, n, [&](std::uint64_t i) {
    f(i);
    loop.step();
  });
}

void watch_loops() { is_watched = true; }

LoopState loop_state() {
  const Clock::duration since(Clock::now().time_since_epoch().count() - began);
  return {std::min(1.0, share_done.load()), std::chrono::duration<double>(since).count()};
}

}  // namespace embedscale::report
