#include "token_norm.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <stdexcept>

namespace embedscale::expected {

double break_even_width(double sigma) { return 1 / (2 * sigma * sigma); }

double relative_length_deviation(std::uint64_t width) {
  if (width == 0) throw std::invalid_argument("relative_length_deviation: d is 0");
  const auto d = static_cast<double>(width);
  if (width >= 64) {
    const double x = 1 / d;
    return std::sqrt(x / 2 * (1 + x * (-0.25 + x * (-0.125 + x * 0.078125))));
  }
  const double mean = std::sqrt(2.0) / boost::math::tgamma_delta_ratio(d / 2, 0.5);
  return std::sqrt(1 - mean * mean / d);
}

double probability_shorter(std::uint64_t d, double m, double sigma) {
  const double half = static_cast<double>(d) / 2, deviation = m * sigma;
  return boost::math::gamma_p(half, half / (2 * deviation * deviation));
}

}  // namespace embedscale::expected
