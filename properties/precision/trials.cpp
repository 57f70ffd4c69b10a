// How the claims about low precision are tried, each with its own primitives.
#include "../testing/trials.hpp"

namespace embedscale::properties::precision {

// clang-format off
namespace rounded_root { testing::Trials trials(); }
namespace lost_sum { testing::Trials trials(); }
namespace difference { testing::Trials trials(); }
namespace position_table { testing::Trials trials(); }
namespace angle { testing::Trials trials(); }
namespace overflow { testing::Trials trials(); }
// clang-format on

testing::Trials trials() {
  testing::Trials all;
  for (const auto of : {rounded_root::trials, lost_sum::trials, difference::trials,
                        position_table::trials, angle::trials, overflow::trials})
    for (auto& trial : of()) all.push_back(std::move(trial));
  return all;
}

}  // namespace embedscale::properties::precision
