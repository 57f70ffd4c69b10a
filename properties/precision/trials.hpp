#pragma once
// How the claims about low precision are tried, each with its own primitives.
#include "../testing/trials.hpp"

namespace embedscale::properties::precision {

testing::Trials trials();

// clang-format off
namespace rounded_root { testing::Trials trials(); }
namespace lost_sum { testing::Trials trials(); }
namespace difference { testing::Trials trials(); }
namespace position_table { testing::Trials trials(); }
namespace angle { testing::Trials trials(); }
namespace overflow { testing::Trials trials(); }
// clang-format on

}  // namespace embedscale::properties::precision
