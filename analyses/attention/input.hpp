#pragma once
// What the claims about a factor at the input share: parametrisations, widths, exact samples.
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "attention/sections.hpp"
#include "properties/attention/input_logits.hpp"
#include "properties/attention/input_terms.hpp"
#include "properties/domain/rationals.hpp"

namespace embedscale::attention_analysis {

using namespace properties::attention::input;
using properties::Part, properties::attention::Primitives;
using properties::domain::Rational, properties::domain::RationalDraws;

/// Widths that claims are measured at, from small models to the largest.
inline constexpr std::array<std::uint64_t, 12> input_widths{16,  32,   64,   128,  256,  512,
                                                            768, 1024, 2048, 4096, 8192, 16384};
inline constexpr std::array<std::uint64_t, 6> input_head_widths{8, 16, 32, 64, 128, 256};

/// The point that sentences are about: `usual` where it is one of these, else the first.
inline std::uint64_t said_of(const std::vector<std::uint64_t>& all, std::uint64_t usual) {
  return std::ranges::find(all, usual) != all.end() ? usual : all.front();
}

/// A parametrisation of the input: t = m·e with e of deviation σ, and positions of mean square P.
struct Parametrisation {
  const char* name;
  double token, position;  ///< mean squares per channel
  double all() const { return token + position; }
};
/// The three, and what is left without a multiplier: up √d·e + p, down e + p/√d, folded e′ + p,
/// unscaled e + p; σ is d^−½, of e′ 1, and p sinusoids.
inline std::array<Parametrisation, 4> parametrisations(std::uint64_t d_model) {
  const auto d = static_cast<double>(d_model);
  return {{{"up", 1, 0.5}, {"down", 1 / d, 0.5 / d}, {"folded", 1, 0.5}, {"unscaled", 1 / d, 0.5}}};
}

/// Case i of exact samples, with numbers 0 … 20 of the 64 that it has.
inline Head<Rational> rational_head(const RationalDraws& of, std::uint64_t i) {
  return {2,
          2,
          of.positive(i, 0),
          of.channels(i, 1, 4),
          of.channels(i, 5, 4),
          of.channels(i, 9, 4),
          of.channels(i, 13, 2),
          of.channels(i, 15, 2),
          {of.channels(i, 17, 2), of.channels(i, 19, 2)}};
}

/// Two channels of whole numbers of at most 15 in size, by four words.
inline Parts<double> whole_channels(const Stream::Block& words) {
  const auto number = [](std::uint64_t word) { return static_cast<double>(word % 31) - 15; };
  return {{number(words[0]), number(words[1])}, {number(words[2]), number(words[3])}};
}

}  // namespace embedscale::attention_analysis
