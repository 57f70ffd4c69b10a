#include "primitives.hpp"

#include <embedscale/expected/softmax.hpp>
#include <embedscale/format.hpp>

#include <cmath>

namespace embedscale::properties::tied_output {

expected::Expectation expected_loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
  return expected::log_sum_exp_and_entropy(std::abs(c) * sigma * std::sqrt(static_cast<double>(d)),
                                           V)
      .log_sum_exp;
}

bool multiplies_by_root(const Program& program) {
  // An ulp for a root that is written as a power, half for this one, half for the quotient.
  const double root = std::sqrt(static_cast<double>(program.width));
  return std::abs(program.multiplier / root - 1) <= 5 * unit_roundoff<double>;
}

Census census_of(std::span<const Program> programs) {
  Census counts{};
  for (const Program& program : programs)
    counts[static_cast<std::size_t>(program.sharing)] += multiplies_by_root(program) ? 1u : 0u;
  return counts;
}

}  // namespace embedscale::properties::tied_output
