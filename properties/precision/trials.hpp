#pragma once
// How the claims about low precision are tried, each with its own primitives.
#include "../testing/trials.hpp"

namespace embedscale::properties::precision {
namespace rounded_root {
testing::Trials trials();
}

namespace lost_sum {
testing::Trials trials();
}

namespace difference {
testing::Trials trials();
}

namespace position_table {
testing::Trials trials();
}

namespace angle {
testing::Trials trials();
}

namespace overflow {
testing::Trials trials();
}

/// All of them.
testing::Trials trials();

}  // namespace embedscale::properties::precision
