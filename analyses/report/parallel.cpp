#include "report/parallel.hpp"

#include <tbb/parallel_for.h>

#include "report/progress.hpp"

namespace embedscale::report {

void in_parallel(std::uint64_t n, const std::function<void(std::uint64_t)>& f) {
  Loop loop(n);
  tbb::parallel_for(std::uint64_t{0}, n, [&](std::uint64_t i) {
    f(i);
    loop.step_of_any_thread();
  });
}

}  // namespace embedscale::report
