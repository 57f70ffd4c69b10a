#pragma once
// Loops on all processors, and how far loops have got, for whoever shows it: a loop within a loop
// is a part of its step. And the search for the first whole number that has a property.
//
//   Loop loop(n);
//   for (std::uint64_t i = 0; i < n; ++i, loop.step()) …
#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>

namespace embedscale::report {

/// A loop of so many steps. It counts in the thread that is watched; elsewhere it does nothing.
class Loop {
 public:
  explicit Loop(std::uint64_t steps);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// So many are done. From any thread.
  void step(std::uint64_t steps = 1) {
    if (part_ > 0) tell(done_.fetch_add(steps, std::memory_order_relaxed) + steps);
  }

 private:
  void tell(std::uint64_t done) const;

  double from_ = 0, part_ = 0;  ///< of the whole: where it began, and a step; 0 if nobody watches
  const Loop* outer_ = nullptr;
  std::atomic<std::uint64_t> done_{0};
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

/// Calls f(0) … f(n−1) in no order: let each write a place of its own, and merge these afterwards.
void in_parallel(std::uint64_t n, const std::function<void(std::uint64_t)>& f);

/// The first of lowest … end − 1 of which this is true, by bisection; end where it is of none.
///
/// Requires  that it is true of all behind it.
template <class Predicate>
std::uint64_t first_that(std::uint64_t lowest, std::uint64_t end, Predicate is_so) {
  while (lowest < end) {
    const std::uint64_t middle = lowest + (end - lowest) / 2;
    if (is_so(middle))
      end = middle;
    else
      lowest = middle + 1;
  }
  return lowest;
}

/// Has the loops of this thread counted from now on; one thread at a time.
void watch_loops();

/// The share of the outermost loop's steps that are done, 0 where none runs, and the seconds since
/// it began. From any thread.
struct LoopState {
  double share = 0, seconds = 0;
};
LoopState loop_state();

}  // namespace embedscale::report
