#pragma once

namespace embedscale {

/// Where a block's normalisation stands: before attention and the network, or behind the sum.
enum class NormPlacement { pre, post };

}  // namespace embedscale
