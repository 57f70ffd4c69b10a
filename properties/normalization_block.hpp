#pragma once
#include "normalization/block_primitives.hpp"
#include "normalization/claims.hpp"
namespace embedscale::properties::normalization {
struct BlockLibrary : BlockPrimitives {
  static void multiply(auto& values, const auto& by) { normalization::multiply(values, by); }
  static void divide(auto& values, const auto& by) { normalization::divide(values, by); }
};
}  // namespace embedscale::properties::normalization
