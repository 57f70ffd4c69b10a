#include "normalization.hpp"

#include <cmath>
#include <stdexcept>

namespace embedscale::expected {

double normalizing_factor(double mean_square, const Norm& norm) {
  const double divisor = norm.placement == EpsilonPlacement::variance
                             ? std::sqrt(mean_square + norm.epsilon)
                             : std::sqrt(mean_square) + norm.epsilon;
  if (!(divisor > 0))
    throw std::invalid_argument("normalizing_factor: mean square and epsilon are 0: 0/0");
  return 1 / divisor;
}

double epsilon_shrinkage(double mean_square, const Norm& norm) {
  const double factor = normalizing_factor(mean_square, norm);
  if (norm.placement == EpsilonPlacement::standard_deviation) return norm.epsilon * factor;
  const double r = norm.epsilon * factor * factor;
  return r / (1 + std::sqrt(mean_square) * factor);
}

double epsilon_deviation(double mean_square, const Norm& norm, double c) {
  if (!(mean_square > 0 && norm.epsilon >= 0 && c > 0))
    throw std::invalid_argument("epsilon_deviation: needs s > 0, epsilon >= 0 and c > 0");
  const double epsilon = norm.epsilon;
  if (norm.placement == EpsilonPlacement::standard_deviation)
    return epsilon * (c - 1) / (std::sqrt(mean_square) + c * epsilon);
  const double divisor = mean_square + c * c * epsilon;
  const double r = epsilon * ((c - 1) * (c + 1)) / divisor;
  return r / (1 + std::sqrt((mean_square + epsilon) / divisor));
}

}  // namespace embedscale::expected
