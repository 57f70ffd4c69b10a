#include "primitives.hpp"

#include <embedscale/expected/softmax.hpp>

#include <cmath>

namespace embedscale::properties::tied_output {

expected::Expectation expected_loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
  return expected::log_sum_exp_and_entropy(std::abs(c) * sigma * std::sqrt(static_cast<double>(d)),
                                           V)
      .log_sum_exp;
}

}  // namespace embedscale::properties::tied_output
