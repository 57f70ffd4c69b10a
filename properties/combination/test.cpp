// What the claims about up and down do not say of the library: sizes that disagree.
#include <embedscale/combination.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace embedscale {

TEST(combination, of_vectors_refuses_sizes_that_disagree) {
  const std::vector<float> e(3), p(2);
  std::vector<float> out(3), longer(4);
  EXPECT_NO_THROW(combine<float>(e, e, out, sum<float>));
  EXPECT_THROW(combine<float>(e, p, out, sum<float>), std::invalid_argument);
  EXPECT_THROW(combine<float>(e, e, longer, sum<float>), std::invalid_argument);
}

}  // namespace embedscale
