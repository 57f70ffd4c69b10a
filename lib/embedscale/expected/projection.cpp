#include "projection.hpp"

#include <cmath>
#include <stdexcept>

namespace embedscale::expected {

TermShares term_shares(double token, double position) {
  if (!(token + position > 0)) throw std::invalid_argument("term_shares: no token, no position");
  const double t = token / (token + position), p = position / (token + position);
  return {t * t, t * p, p * t, p * p};
}

double at_one_position(double token, double position, double kurtosis, std::size_t d) {
  const double all = token + position;
  return 1 + ((kurtosis - 1) * token * token + 4 * token * position) /
                 (static_cast<double>(d) * all * all);
}

double of_one_token(double token, double position, double kurtosis, double overlap, std::size_t d) {
  return at_one_position(token, position, kurtosis, d) -
         4 * token * (position - overlap) /
             (static_cast<double>(d) * (token + position) * (token + position));
}

Initializer initializer_of(ProjectionLaw law, const ProjectionShape& shape, double sigma) {
  const std::size_t all = shape.heads * shape.d_k;
  switch (law) {
    case ProjectionLaw::xavier: return XavierUniform{all, shape.d_model};
    case ProjectionLaw::xavier_per_head: return XavierUniform{shape.d_k, shape.d_model};
    case ProjectionLaw::packed_xavier: return XavierUniform{3 * all, shape.d_model};
    case ProjectionLaw::nn_linear:  // √(6/((1 + a²)·fan_in))
      return Uniform{1 / std::sqrt(static_cast<double>(shape.d_model))};
    case ProjectionLaw::normal: return Normal{sigma};
    case ProjectionLaw::normal_by_width: break;
  }
  return Normal{1 / std::sqrt(static_cast<double>(shape.d_model))};
}

double projection_variance(double weight_variance, std::size_t d, double mean_square) {
  return weight_variance * static_cast<double>(d) * mean_square;
}

double unscaled_exponent(double d) { return -2 / (d + 2); }

}  // namespace embedscale::expected
