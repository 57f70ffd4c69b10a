#include "trials.hpp"

namespace embedscale::properties::precision {

testing::Trials trials() {
  testing::Trials all;
  for (const auto of : {rounded_root::trials, lost_sum::trials, difference::trials,
                        position_table::trials, angle::trials, overflow::trials})
    for (auto& trial : of()) all.push_back(std::move(trial));
  return all;
}

}  // namespace embedscale::properties::precision
