#include "cosine.hpp"

#include <boost/math/special_functions/beta.hpp>

#include <cmath>
#include <stdexcept>

namespace embedscale::expected {
namespace {
double other_channels(std::uint64_t d) {
  if (d < 2) throw std::invalid_argument("expected::cosine: d needs to be at least 2");
  return static_cast<double>(d - 1) / 2;
}
}  // namespace

double cosine_deviation(std::uint64_t d) { return 1 / std::sqrt(static_cast<double>(d)); }

double cosine_within(std::uint64_t d, double c) {
  return boost::math::ibeta(0.5, other_channels(d), c * c);
}

double cosine_exceeded(std::uint64_t d, double above) {
  return std::sqrt(boost::math::ibetac_inv(0.5, other_channels(d), above));
}

double largest_cosine(std::uint64_t d, std::uint64_t vocabulary) {
  return cosine_exceeded(d, -std::expm1(-std::log(2.0) / static_cast<double>(vocabulary)));
}

}  // namespace embedscale::expected
