#include "residual_stream.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "softmax_weights.hpp"

namespace embedscale::expected {
namespace {

/// Of two tokens behind a ReLU, over what each has by itself.
double kernel(double rho) {
  return (std::sqrt(1 - rho * rho) + rho * (std::numbers::pi - std::acos(rho))) / std::numbers::pi;
}

double correlation(const ResidualStream& at) {
  return std::clamp(at.product / at.square, -1.0, 1.0);
}

}  // namespace

ResidualStream behind_block(const ResidualStream& at, std::uint64_t tokens,
                            double inner_over_width) {
  const double n = static_cast<double>(tokens), rho = correlation(at);
  const double own = sum_of_squares(std::sqrt(1 - rho), tokens).value;
  ResidualStream next{at.square + rho + (1 - rho) * own,
                      at.product + rho + (1 - rho) * std::pow(n * own, rho) / n};
  const double network = network_mean_square(inner_over_width);
  return {next.square + network, next.product + network * kernel(correlation(next))};
}

double token_share(double token_square, ResidualStream start, std::uint64_t blocks,
                   std::uint64_t tokens, double inner_over_width) {
  for (std::uint64_t k = 0; k < blocks; ++k) start = behind_block(start, tokens, inner_over_width);
  return token_square / start.square;
}

}  // namespace embedscale::expected
