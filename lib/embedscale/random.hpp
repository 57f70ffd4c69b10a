#pragma once
// Counter-based random numbers: a draw is a function of (seed, stream name, index), so it does not
// depend on the number of threads, on the order of evaluation, or on what else was drawn.
#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace embedscale {

/// FNV-1a: a stable 64-bit name for a string (a stream, a check). Not for security.
constexpr std::uint64_t hash_of(std::string_view name) {
  std::uint64_t h = 14695981039346656037u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

/// An independent stream of random numbers, addressed by index.
///
/// Ensures   equal (seed, name, index) give equal draws on every machine; different names or seeds
///           give streams that Philox4x64-10 makes independent for all practical purposes.
/// Source    Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3".
class Stream {
 public:
  using Block = std::array<std::uint64_t, 4>;

  constexpr Stream(std::uint64_t seed, std::string_view name) : key_{seed, hash_of(name)} {}

  /// Four independent words for `index`; `attempt` tells apart the tries of a rejection method.
  Block block(std::uint64_t index, std::uint64_t attempt = 0) const {
    const r123::Philox4x64::ctr_type counter = {{index, attempt, 0, 0}};
    const r123::Philox4x64::key_type key = {{key_[0], key_[1]}};
    const auto words = r123::Philox4x64{}(counter, key);
    return {words[0], words[1], words[2], words[3]};
  }

  /// Uniform on the 2^64 integers.
  std::uint64_t bits(std::uint64_t index) const { return block(index)[0]; }

  /// Uniform on the midpoints of 2^52 equal cells of (0, 1): never 0, never 1, mean exactly 1/2.
  double uniform(std::uint64_t index, std::uint64_t attempt = 0) const {
    return to_unit(block(index, attempt)[0]);
  }

  /// Standard normal (Box and Muller 1958); |z| stays below 8.6, the tail that 52 bits can reach.
  double normal(std::uint64_t index, std::uint64_t attempt = 0) const {
    const Block words = block(index, attempt);
    const double radius = std::sqrt(-2.0 * std::log(to_unit(words[0])));
    return radius * std::cos(2.0 * std::numbers::pi * to_unit(words[1]));
  }

  /// Uniform on {0, …, n−1} to within n/2^32.  Requires 1 <= n <= 2^32.
  std::uint64_t below(std::uint64_t n, std::uint64_t index) const {
    return ((bits(index) >> 32) * n) >> 32;
  }

 private:
  static constexpr double to_unit(std::uint64_t word) {
    return (static_cast<double>(word >> 12) + 0.5) * 0x1p-52;
  }
  std::array<std::uint64_t, 2> key_;
};

}  // namespace embedscale
