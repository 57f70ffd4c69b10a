#pragma once
// The attempts to refute the claims of sinusoidal.hpp about whole tables. Needs Eigen, for
// eigenvalues and singular values.
#include <Eigen/Dense>

#include "../sinusoidal_moments.hpp"
#include "sinusoidal.hpp"

namespace embedscale::properties::testing {

PROPERTY(sinusoidal, stays_within_one, short_arcs_do_not_span) {
  const auto table = generators::table(2, 64, 1, 128);
  covers_variants(table);
  holds_exactly(sinusoidal::short_arcs_do_not_span(table, subject));
}

PROPERTY(sinusoidal, constant_share, is_that_of_dirichlets_kernel) {
  const auto table = generators::table(2, 64, 1, 128);
  covers_variants(table);
  holds(sinusoidal::constant_share_of_bound(table, subject));
}

PROPERTY(sinusoidal, early_channels_move, deviations_are_the_closed_form) {
  const auto table = generators::table(2, 64, 1, 128);
  covers_variants(table);
  holds(sinusoidal::deviations_share_of_bound(table, subject));
}

PROPERTY(sinusoidal, early_channels_move, share_of_the_first_channels) {
  const auto table = generators::table(2, 64, 2, 128);
  const auto count = generators::named("first", generators::in_range<std::size_t>(0, table.d + 1));
  covers_variants(table);
  holds(sinusoidal::first_share_of_bound(table, count, subject));
}

/// Short widths, whose tables may be long: the turn of the last pair is at d = 4 that of 183
/// positions by the paper's rule.
EXPENSIVE_PROPERTY(sinusoidal, early_channels_move, the_last_turn_decides, 3) {
  const auto table = generators::table(4, 16, 1, 512);
  covers_variants(table);
  const double turn = static_cast<double>(table.length) * sinusoidal::frequencies_of(table).back();
  covers("beyond a quiet end", turn > sinusoidal::quiet_turn, 0.01);
  holds_exactly(sinusoidal::turn_decides_quiet_end(table, subject));
}

EXPENSIVE_PROPERTY(sinusoidal, effective_rank, moments_are_the_closed_form, 2) {
  const auto table = generators::table(2, 16, 1, 64);
  covers_variants(table);
  using sinusoidal::Moments;
  for (const auto moments : {Moments::raw, Moments::centred})
    holds(sinusoidal::moments_share_of_bound(table, moments, subject));
}

/// In 50 digits, of which elimination keeps 40 behind the point: entries are at most 1.
EXPENSIVE_PROPERTY(sinusoidal, effective_rank, rank_is_full, 10) {
  using Wide = exact::Decimal50;
  const auto table = generators::table(2, 6, 1, 8);
  static const Wide negligible("1e-40");
  std::vector<std::vector<Wide>> rows;
  for (std::int64_t l = 0; l < table.length; ++l)
    rows.push_back(sinusoidal::encoded<Wide>({table.d, l, table.rule, table.layout}, subject));
  holds_exactly(sinusoidal::rank_of(rows, negligible) == std::min(rows.size(), table.d));
}

/// Eigenvalues of second moments, by Eigen.
inline std::vector<double> eigenvalues_of(const std::vector<double>& moments, std::size_t d) {
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::Map<const Eigen::MatrixXd> matrix(moments.data(), size, size);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix, Eigen::EigenvaluesOnly);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

/// Squared singular values of the table over L, against the eigenvalues of the closed form.
EXPENSIVE_PROPERTY(sinusoidal, effective_rank, directions_hold_what_the_closed_form_says, 5) {
  const auto table = generators::table(2, 16, 1, 64);
  covers_variants(table);
  const auto rows = sinusoidal::rows_of(table, subject);
  const auto size = static_cast<Eigen::Index>(table.d);
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(table.length), size);
  for (Eigen::Index l = 0; l < matrix.rows(); ++l)
    for (Eigen::Index j = 0; j < size; ++j)
      matrix(l, j) = rows[static_cast<std::size_t>(l)][static_cast<std::size_t>(j)];
  const Eigen::VectorXd singular = Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
  std::vector<double> measured(table.d, 0.0);  // as many as channels: the others are 0
  for (Eigen::Index r = 0; r < singular.size(); ++r)
    measured[static_cast<std::size_t>(r)] =
        singular(r) * singular(r) / static_cast<double>(table.length);
  const auto stated =
      eigenvalues_of(sinusoidal::stated_moments(table, sinusoidal::Moments::raw), table.d);
  const double bound = sinusoidal::energy_bound(table.d, sinusoidal::moment_bound(table));
  holds(sinusoidal::energies_apart(measured, stated) / bound);
}

}  // namespace embedscale::properties::testing
