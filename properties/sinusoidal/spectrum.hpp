#pragma once
// Eigenvalues and singular values, by Eigen.
#include <cstddef>
#include <vector>

namespace embedscale::properties::sinusoidal {

/// Of a symmetric matrix of d rows, row after row, ascending.
std::vector<double> eigenvalues_of(const std::vector<double>& matrix, std::size_t d);

/// The singular values of the matrix of these rows, descending: as many as it has of the fewer of
/// rows and columns.
std::vector<double> singular_values_of(const std::vector<std::vector<double>>& rows);

}  // namespace embedscale::properties::sinusoidal
