#pragma once
// What the sections share, of the claims about the token part.
#include <embedscale/embedding.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "cli/options.hpp"
#include "properties/domain/rationals.hpp"
#include "properties/embedding/claims.hpp"
#include "properties/embedding/variance.hpp"
#include "report/section.hpp"

namespace embedscale::embedding_analysis {

using namespace report;
using cli::Options;
using cli::points;
using properties::Part;
using properties::domain::Rational;

inline constexpr const char* exact = "exact rationals";

/// Looked up without a factor, and with √d.
struct Program {
  const char* name;
  double (*factor)(std::uint64_t d);
};
inline constexpr Program bare{"1", [](std::uint64_t) { return 1.0; }};
inline constexpr Program scaled{"sqrt(d_model)", root_multiplier<double>};

/// What tables show; figures and counts go through more.
inline constexpr std::array<std::uint64_t, 8> shown_widths{16,   64,   256,  512,
                                                           1024, 2048, 4096, 16384};

/// Widths of sinusoids, which come in pairs: those told, or those given.
std::vector<std::uint64_t> even_widths(const Options& options,
                                       const std::vector<std::uint64_t>& otherwise = {
                                           shown_widths.begin(), shown_widths.end()});

/// Sizes of the vocabulary, whose tables are kept whole.
std::vector<std::uint64_t> vocabularies(const Options& options);

/// The decimal fraction that a σ was told as: 0.01 is 1/100, which no double is.
///
/// Requires  a positive, finite one.
Rational fraction_of(double sigma);

/// As many of them as a figure has curves.
template <class T>
std::vector<T> first_of(std::size_t count, std::vector<T> all) {
  if (all.size() > count) all.resize(count);
  return all;
}

/// A law of three values: the first six numbers of case i.
inline properties::embedding::FiniteLaw drawn_law(const properties::domain::RationalDraws& draws,
                                                  std::uint64_t i) {
  return {draws.channels(i, 0, 3),
          {draws.positive(i, 3), draws.positive(i, 4), draws.positive(i, 5)}};
}

/// The exact samples of a claim: up to sixteen numbers for each case.
inline properties::domain::RationalDraws exact_draws(const Options& options,
                                                     const Section& section) {
  return {options.seed, section.claim().id, 16};
}

}  // namespace embedscale::embedding_analysis
