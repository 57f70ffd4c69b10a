#include <Eigen/Dense>

#include "moments.hpp"

namespace embedscale::properties::sinusoidal {

std::vector<double> eigenvalues_of(const std::vector<double>& matrix, std::size_t d) {
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::Map<const Eigen::MatrixXd>(matrix.data(), size, size), Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

std::vector<double> singular_values_of(const std::vector<std::vector<double>>& rows) {
  const auto width = static_cast<Eigen::Index>(rows[0].size());
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), width);
  for (Eigen::Index l = 0; l < matrix.rows(); ++l)
    matrix.row(l) =
        Eigen::Map<const Eigen::RowVectorXd>(rows[static_cast<std::size_t>(l)].data(), width);
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
  return {values.begin(), values.end()};
}

}  // namespace embedscale::properties::sinusoidal
