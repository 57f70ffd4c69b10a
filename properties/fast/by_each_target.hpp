#pragma once
// A test by each set of instructions that the processor has.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <functional>

namespace embedscale::properties::fast_test {

/// Calls visit() with each set of instructions in turn.
inline void by_each_target(const std::function<void()>& visit) {
  auto targets = hwy::SupportedAndGeneratedTargets();
  targets.push_back(HWY_SCALAR);  // that of a processor without AVX2
  for (const auto target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    visit();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace embedscale::properties::fast_test
