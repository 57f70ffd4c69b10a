#pragma once
// How far loops have got, for whoever shows it: a loop within a loop is a part of its step.
//
//   Loop loop(n);
//   for (std::uint64_t i = 0; i < n; ++i, loop.step()) …
#include <atomic>
#include <cstdint>
#include <iterator>

namespace embedscale::report {

/// A loop of so many steps. It counts in the thread that is watched; elsewhere it does nothing.
class Loop {
 public:
  explicit Loop(std::uint64_t steps);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void step() {  // one thread writes: no more than a store
    if (done_ != nullptr)
      done_->store(done_->load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// The same, of steps that several threads take.
  void step_of_any_thread() {
    if (done_ != nullptr) done_->fetch_add(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t>* done_ = nullptr;  ///< none where nobody watches
};

/// Calls f with each of them, a step each.
template <class Range, class F>
void for_each_of(const Range& all, F f) {
  Loop loop(std::size(all));
  for (const auto& one : all) {
    f(one);
    loop.step();
  }
}

/// Has the loops of this thread counted from now on; one thread at a time.
void watch_loops();

/// The share of the outermost loop's steps that are done, and the seconds since it began; both 0
/// where none runs. From any thread.
struct LoopState {
  double share = 0, seconds = 0;
};
LoopState loop_state();

}  // namespace embedscale::report
