#pragma once
// From a miss rate to the smallest effect and to the number of draws: bisection on a power
// function.
#include <cstdint>
#include <functional>
#include <optional>

namespace embedscale::properties::evidence {

/// The smallest effect with miss(effect) <= beta, from above and to within 1e-9 of itself; infinity
/// where even `most` is missed more often.
///
/// Requires  that what is missed at most that often at one effect is so at every larger one.
/// Ensures   miss(result) <= beta: an error of the bisection is on the safe side.
double smallest_effect_by(const std::function<double(double)>& miss, double beta, double most);

/// The least n >= 1 that is enough, where all above it are; nothing where 2^most_log2 is not.
std::optional<std::uint64_t> fewest(const std::function<bool(std::uint64_t)>& enough,
                                    int most_log2);

/// The fewest draws n >= 1 with detects(n), where more draws never detect less. (For counts, whose
/// power is a sawtooth, some n that detects and whose predecessor does not.)
///
/// Errors    std::domain_error where 2^48 draws detect nothing.
std::uint64_t fewest_draws(const std::function<bool(std::uint64_t)>& detects);

/// n as a number of the laws.
inline double real(std::uint64_t n) { return static_cast<double>(n); }

}  // namespace embedscale::properties::evidence
