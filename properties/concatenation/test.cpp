// What the claims about sums and concatenations do not say of the library: sizes that disagree.
#include <embedscale/concatenation.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace embedscale {

TEST(concatenation, refuses_an_output_of_another_size) {
  const std::vector<float> e(3), p(2);
  for (const std::size_t size : {0u, 3u, 4u, 6u}) {
    std::vector<float> x(size);
    EXPECT_THROW(concatenate<float>(e, p, x), std::invalid_argument) << size;
  }
  std::vector<float> narrow(2);
  EXPECT_THROW(pad_right<float>(e, narrow), std::invalid_argument);
  EXPECT_THROW(pad_left<float>(e, narrow), std::invalid_argument);
}

}  // namespace embedscale
