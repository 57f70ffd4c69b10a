#pragma once
// Loops on all processors.
#include <cstdint>
#include <functional>

namespace embedscale::report {

/// Calls f(0) … f(n−1) in no order: let each write a place of its own, and merge these afterwards.
void in_parallel(std::uint64_t n, const std::function<void(std::uint64_t)>& f);

}  // namespace embedscale::report
