#include "report/parallel.hpp"

#include <tbb/parallel_for.h>

namespace embedscale::report {

void in_parallel(std::uint64_t n, const std::function<void(std::uint64_t)>& f) {
  tbb::parallel_for(std::uint64_t{0}, n, f);
}

}  // namespace embedscale::report
