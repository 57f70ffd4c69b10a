#include "exhaustive/run.hpp"

namespace embedscale::exhaustive {

std::vector<Run> runs() {
  std::vector<Run> all;
  for (const auto& of : {difference_runs(), position_table_runs()})
    for (const auto& run : of) all.push_back(run);
  return all;
}

}  // namespace embedscale::exhaustive
