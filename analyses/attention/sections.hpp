#pragma once
// What the sections share, of the claims about products of queries and keys, their softmax and its
// gradient; and about a factor at the input of the first attention.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/analysis.hpp"
#include "properties/attention/claims.hpp"
#include "properties/attention/input_scales.hpp"
#include "report/section.hpp"

namespace embedscale::attention_analysis {

using namespace report;
using namespace properties::attention;
using namespace properties::attention::input;
using cli::Options, cli::points, cli::said_of;

cli::Measure dot_variance_is_d_k, scaling_gives_unit_variance, aligned_vectors_need_one_over_d_k,
    unscaled_softmax_saturates, gradients_vanish_unscaled, key_constant_cancels,
    root_d_model_does_not_cancel, factor_is_a_temperature, projections_absorb_the_factor,
    first_layer_terms, first_projection_range;

/// A few widths of models, where there are other axes, too.
inline constexpr std::array<std::uint64_t, 5> few_widths{64, 256, 512, 1024, 4096};
inline constexpr std::array<std::uint64_t, 6> few_head_widths{8, 16, 32, 64, 128, 256};

inline double real(std::uint64_t n) { return static_cast<double>(n); }

/// The x above `low` from which on a condition is met: by doubling `high`, then by bisection to
/// this share of it.
template <class Met>
double met_from(double low, double high, double share, Met is_met) {
  while (!is_met(high)) low = high, high *= 2;
  while (high - low > share * high) {
    const double middle = (low + high) / 2;
    (is_met(middle) ? high : low) = middle;
  }
  return high;
}

// Of the claims about a factor at the input: parametrisations and widths.

/// Widths that claims are measured at, from small models to the largest.
inline constexpr std::array<std::uint64_t, 12> input_widths{16,  32,   64,   128,  256,  512,
                                                            768, 1024, 2048, 4096, 8192, 16384};

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

/// A law of the projections, W of (d_model, d_model) or, of one head, (d_k, d_model).
struct Projections {
  using Law = expected::ProjectionLaw;
  Law law;
  double sigma = 1;  ///< where it is normal

  std::string name() const {
    switch (law) {
      case Law::xavier: return "Xavier, d_model to d_model";
      case Law::xavier_per_head: return "Xavier, d_model to d_k";
      case Law::packed_xavier: return "Xavier, packed 3·d_model";
      case Law::nn_linear: return "nn.Linear's default";
      case Law::normal: return "N(0, " + Coordinate(sigma).text() + "²)";
      case Law::normal_by_width: break;
    }
    return "N(0, 1/d_model)";
  }
  Setting at(std::size_t d, std::size_t d_k) const {
    return {law, {d, law == Law::xavier_per_head ? d_k : d, 1}, sigma};
  }
  Setting at(std::size_t d) const { return at(d, d); }
};

}  // namespace embedscale::attention_analysis
