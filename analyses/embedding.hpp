#pragma once
// The sections of the embedding page, one function for each claim, and what they share.
#include <embedscale/properties/domain/rationals.hpp>
#include <embedscale/properties/embedding.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.hpp"
#include "conventions.hpp"
#include "report/section.hpp"

namespace embedscale::embedding_analysis {

using cli::points;
using conventions_analysis::System;
using properties::domain::Rational;

report::Section root_d_restores_unit_variance(const cli::Options& options);
report::Section small_tables_stay_dominated(const cli::Options& options,
                                            const std::vector<System>& all);
report::Section balances_the_two_parts(const cli::Options& options, const std::vector<System>& all);
report::Section depends_on_initialisation(const cli::Options& options);
report::Section lookup_has_unit_fan_in(const cli::Options& options);
report::Section norm_concentrates(const cli::Options& options);
report::Section gradient_scale(const cli::Options& options);

/// What tables show; figures and counts go through more.
inline constexpr std::array<std::uint64_t, 8> shown_widths{16,   64,   256,  512,
                                                           1024, 2048, 4096, 16384};
inline constexpr std::array<std::uint64_t, 6> shown_vocabularies{100,   1000,  10000,
                                                                 32000, 50257, 256000};

/// Widths of sinusoids, which come in pairs: those told, or those given.
///
/// Errors    std::invalid_argument where one told is odd, 0 or above 2^14.
template <class Range>
std::vector<std::uint64_t> even_widths(const cli::Options& options, const Range& otherwise) {
  const auto all = points(options.widths, otherwise);
  for (const auto d : all)
    if (d % 2 != 0 || d == 0 || d > (1u << 14))
      throw std::invalid_argument(
          "--widths: sines and cosines come in pairs, so widths are even, from 2 to 16384");
  return all;
}

/// Sizes of the vocabulary, whose tables are kept whole: those told, or shown_vocabularies.
///
/// Errors    std::invalid_argument for one above 2^22.
inline std::vector<std::uint64_t> vocabularies(const cli::Options& options) {
  const auto all = points(options.vocabulary, shown_vocabularies);
  for (const auto v : all)
    if (v > (1u << 22)) throw std::invalid_argument("--vocabulary: at most 4194304 here");
  return all;
}

/// The decimal fraction that a σ was told as: 0.01 is 1/100, which no double is.
///
/// Errors    std::invalid_argument where it has more than 12 digits behind the point.
inline Rational fraction_of(double sigma) {
  const double digits = std::round(sigma * 1e12);
  if (!(digits > 0 && digits < 9e15) || std::abs(digits / 1e12 / sigma - 1) > 1e-9)
    throw std::invalid_argument("--std: above 0, below 9000, at most 12 digits behind the point");
  return Rational(static_cast<std::int64_t>(digits)) / Rational(std::int64_t{1'000'000'000'000});
}

/// In how many of the cases 0 … n−1 the test is true.
template <class Test>
report::Measurement count_of(std::string quantity, std::uint64_t n, Test test) {
  report::Measurement m{.quantity = std::move(quantity),
                        .samples = n,
                        .method = "exact rationals",
                        .unit = report::counted};
  for (std::uint64_t i = 0; i < n; ++i) m.value += test(i) ? 1 : 0;
  return m;
}

/// Rational k of case i: up to sixteen for each case.
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view name) : stream_(seed, name) {}
  Rational any(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::rational(stream_, 16 * i + k);
  }
  Rational positive(std::uint64_t i, std::uint64_t k) const {
    return properties::domain::positive_rational(stream_, 16 * i + k);
  }
  std::uint64_t below(std::uint64_t n, std::uint64_t i, std::uint64_t k) const {
    return stream_.below(n, 16 * i + k);
  }
  std::vector<Rational> channels(std::uint64_t i, std::uint64_t first, std::size_t size) const {
    std::vector<Rational> out;
    for (std::size_t j = 0; j < size; ++j) out.push_back(any(i, first + j));
    return out;
  }

 private:
  Stream stream_;
};

}  // namespace embedscale::embedding_analysis
