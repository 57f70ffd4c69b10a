#pragma once
// What is measured of each claim about the token part.
#include <embedscale/random.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/embedding/claims.hpp"
#include "report/section.hpp"

namespace embedscale::embedding_analysis {

using namespace report;
using cli::Options;
using cli::points;
using properties::Part;
using properties::domain::Rational;

void root_d_restores_unit_variance(Section& s, const Options& options);
void small_tables_stay_dominated(Section& s, const Options& options);
void balances_the_two_parts(Section& s, const Options& options);
void depends_on_initialisation(Section& s, const Options& options);
void lookup_has_unit_fan_in(Section& s, const Options& options);
void norm_concentrates(Section& s, const Options& options);
void gradient_scale(Section& s, const Options& options);

inline constexpr const char* exact = "exact rationals";
inline constexpr const char* with_factor = "sqrt(d_model)";
inline constexpr const char* without_factor = "1";

/// What tables show; figures and counts go through more.
inline constexpr std::array<std::uint64_t, 8> shown_widths{16,   64,   256,  512,
                                                           1024, 2048, 4096, 16384};

/// Widths of sinusoids, which come in pairs: those told, or those given.
///
/// Errors    std::invalid_argument where one told is odd, 0 or above 2^14.
std::vector<std::uint64_t> even_widths(const Options& options,
                                       const std::vector<std::uint64_t>& otherwise = {
                                           shown_widths.begin(), shown_widths.end()});

/// Sizes of the vocabulary, whose tables are kept whole.
///
/// Errors    std::invalid_argument for one above 2^22.
std::vector<std::uint64_t> vocabularies(const Options& options);

/// The decimal fraction that a σ was told as: 0.01 is 1/100, which no double is.
///
/// Errors    std::invalid_argument where it has more than 12 digits behind the point.
Rational fraction_of(double sigma);

/// As many of them as a figure has curves.
template <class T>
std::vector<T> first_of(std::size_t count, std::vector<T> all) {
  if (all.size() > count) all.resize(count);
  return all;
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
