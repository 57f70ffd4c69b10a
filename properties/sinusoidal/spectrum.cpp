#include <Eigen/Dense>

#include "table.hpp"

namespace embedscale::properties::sinusoidal {

std::vector<double> eigenvalues_of(const std::vector<double>& matrix, std::size_t d) {
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size), Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

}  // namespace embedscale::properties::sinusoidal
