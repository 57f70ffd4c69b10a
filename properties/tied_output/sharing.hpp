#pragma once
// The measures of sharing_is_not_needed: whether a census counts by its rule, and what an output
// matrix of its own changes.
//
// The rule: a program counts if its multiplier, as recorded, is √d; it counts once, for what it
// offers, whatever its recorded setting is.
#include <cmath>
#include <span>
#include <vector>

#include "scales.hpp"

namespace embedscale::properties::tied_output {

/// Whether the census has in each class as many programs as a recount finds: those whose multiplier
/// squared is d to within 2·10^−12, told by another comparison.
inline bool census_is_the_count(std::span<const Program> programs, const Primitives& primitives) {
  const Census found = primitives.census(programs);
  for (std::size_t k = 0; k < sharings; ++k) {
    std::uint64_t count = 0;
    for (const Program& p : programs) {
      const double d = static_cast<double>(p.width);
      const bool root = p.multiplier > 0 && std::abs(p.multiplier * p.multiplier - d) < 2e-12 * d;
      count += root && p.sharing == static_cast<Sharing>(k) ? 1 : 0;
    }
    if (found[k] != count) return false;
  }
  return true;
}

/// Whether two parts of a survey count to what the whole does.
inline bool census_adds_up(std::span<const Program> programs, std::size_t first,
                           const Primitives& primitives) {
  const Census whole = primitives.census(programs);
  const Census head = primitives.census(programs.first(first));
  const Census tail = primitives.census(programs.subspan(first));
  for (std::size_t k = 0; k < sharings; ++k)
    if (whole[k] != head[k] + tail[k]) return false;
  return true;
}

/// In d = k² channels: whether a table of deviation 1 and an output matrix of deviation 1/k have
/// both scales 1 without a factor, a shared one of either deviation only for k = 1, and a shared
/// one of deviation 1/k with k at the input.
template <Scalar Real>
bool own_matrix_needs_no_factor(int k, std::uint64_t bits, const PrimitivesIn<Real>& primitives) {
  const auto d = static_cast<std::size_t>(k * k);
  const Real one(1), small = one / Real(k);
  const auto unit = uncorrelated_table(d, one), fine = uncorrelated_table(d, small);
  const bool alone = k == 1;
  return both_are_one(unit, fine, bits, one, one, primitives) &&
         both_are_one(unit, unit, bits, one, one, primitives) == alone &&
         both_are_one(fine, fine, bits, one, one, primitives) == alone &&
         both_are_one(fine, fine, bits, Real(k), one, primitives);
}

}  // namespace embedscale::properties::tied_output
