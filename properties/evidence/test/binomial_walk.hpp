#pragma once
// How often a count of successes ever leaves its bounds: computed over all paths, not simulated.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace embedscale::properties::evidence {

/// P(outside(k, n) at some n <= most where it is looked at), k the successes of n draws of
/// probability p. The mass of all paths is moved one draw on at a time, and what is outside is
/// taken out: sums of positive terms, `most` roundings deep, so to a relative most·2^-51.
///
/// Requires  for each n, the counts outside are the smallest ones, the largest ones, or both.
template <class Outside, class Looks>
double probability_of_leaving(double p, std::uint64_t most, Outside outside, Looks looks_at) {
  std::vector<double> mass{1.0};  // mass[j]: of the paths at k = first + j
  std::uint64_t first = 0;
  double left = 0.0;
  for (std::uint64_t n = 1; n <= most; ++n) {
    mass.push_back(0.0);
    for (std::size_t j = mass.size() - 1; j > 0; --j)
      mass[j] = mass[j] * (1.0 - p) + mass[j - 1] * p;
    mass[0] *= 1.0 - p;
    if (!looks_at(n)) continue;
    std::size_t below = 0;
    while (below < mass.size() && outside(first + below, n)) left += mass[below++];
    mass.erase(mass.begin(), mass.begin() + static_cast<std::ptrdiff_t>(below));
    first += below;
    while (!mass.empty() && outside(first + mass.size() - 1, n))
      left += mass.back(), mass.pop_back();
    if (mass.empty()) return left;
  }
  return left;
}

/// Looked at after every draw.
template <class Outside>
double probability_of_leaving(double p, std::uint64_t most, Outside outside) {
  return probability_of_leaving(p, most, outside, [](std::uint64_t) { return true; });
}

}  // namespace embedscale::properties::evidence
