#pragma once
// What the primitives make of scales at the widths of models: exponents in d_model and d_k, shares
// of the first logits' terms, variances of projections. Measures of root_d_model_does_not_cancel,
// first_layer_terms and first_projection_range, each against its closed form.
#include <embedscale/expected/projection.hpp>
#include <embedscale/format.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::attention::input {

/// A cell of the 2×2 table.
enum class Factor { absent, present };
struct Cell {
  Factor root_d_model, root_d_k;
};
inline constexpr std::array cells{
    Cell{Factor::absent, Factor::absent}, Cell{Factor::absent, Factor::present},
    Cell{Factor::present, Factor::absent}, Cell{Factor::present, Factor::present}};

/// The deviation of a first logit's token·token part at σ_W² = 1/d_model, s·√d_k·(m·σ)² with
/// σ = fl(d_model^−½), by the primitives' multiplier, input and scale.
template <AnalyticScalar Real>
double token_logit_std(std::size_t d_model, std::size_t d_k, const Cell& cell,
                       const PrimitivesIn<Real>& primitives) {
  const Real m = cell.root_d_model == Factor::present ? primitives.multiplier(d_model) : Real(1);
  const Real s = cell.root_d_k == Factor::present ? primitives.scale(d_model, d_k) : Real(1);
  const auto sigma = static_cast<Real>(1 / std::sqrt(static_cast<double>(d_model)));
  const auto token = static_cast<double>(primitives.input(sigma, Real(0), m));
  return static_cast<double>(s) * std::sqrt(static_cast<double>(d_k)) * (token * token);
}

/// Its exponents, as stated.
constexpr double exponent_in_d_model(const Cell& cell) {
  return cell.root_d_model == Factor::present ? 0 : -1;
}
constexpr double exponent_in_d_k(const Cell& cell) {
  return cell.root_d_k == Factor::present ? 0 : 0.5;
}

/// |measured − stated exponent| over what rounding makes of it, in d_model from d to times·d, and
/// in d_k from d_k to times·d_k; the larger of the two.
///
/// u is of Real, u′ of double. σ and m are rounded roots and their product rounds, 3u + 2u′, twice
/// as the square; s is a rounded root, u + 2u′; √d_k, three products 4u′: 7u + 10u′ each, two of
/// them in a quotient ρ, whose logarithm they move by as much and which rounds once itself. ln ρ,
/// ln(times) and their quotient round at most 5u′ relatively, where |ln ρ| <= ln(times). Second
/// orders stay below one part in 2^10 for u <= 2^−24.
template <AnalyticScalar Real>
double exponents_share_of_bound(std::size_t d, std::size_t d_k, std::size_t times, const Cell& cell,
                                const PrimitivesIn<Real>& primitives) {
  const double u = unit_roundoff<Real>, v = unit_roundoff<double>;
  const double log_times = std::log(static_cast<double>(times));
  const double bound = ((14 * u + 21 * v) / log_times + 6 * v) * (1 + 0x1p-10);
  const double at = token_logit_std<Real>(d, d_k, cell, primitives);
  const double wider = token_logit_std<Real>(times * d, d_k, cell, primitives);
  const double taller = token_logit_std<Real>(d, times * d_k, cell, primitives);
  const double in_d_model = std::log(wider / at) / log_times - exponent_in_d_model(cell);
  const double in_d_k = std::log(taller / at) / log_times - exponent_in_d_k(cell);
  const double worst = std::max(std::abs(in_d_model), std::abs(in_d_k));
  return std::isfinite(in_d_model + in_d_k) ? worst / bound : in_d_model + in_d_k;
}

/// Mean squares per channel of token and position parts, and of the sum, over the two signs of the
/// token, where the cross product vanishes: ½(‖t + p‖² + ‖−t + p‖²) = ‖t‖² + ‖p‖².
struct MeanSquares {
  double token, position, all;
};

/// Of a token with entries ±σ and the sinusoid of `position`.
///
/// Requires  an even d >= 2.
inline MeanSquares mean_squares(std::size_t d, std::int64_t position, double sigma, double m,
                                const PrimitivesIn<double>& primitives) {
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  std::vector<double> p(d);
  encode_position<double>(position, w, SinusoidalLayout::interleaved, p);
  MeanSquares out{0, 0, 0};
  for (std::size_t j = 0; j < d; ++j) {
    const double e = (j * j / 2) % 2 == 0 ? sigma : -sigma;
    const double token = primitives.input(e, 0.0, m), alone = primitives.input(0.0, p[j], m);
    const double x = primitives.input(e, p[j], m), y = primitives.input(-e, p[j], m);
    const double n = static_cast<double>(d);
    out.token += token * token / n;
    out.position += alone * alone / n;
    out.all += (x * x + y * y) / (2 * n);
  }
  return out;
}

/// Relative bound on the rounding of one of them. For `all`, the largest: a sum of d terms of one
/// sign, d; in x, whose square is summed, the token's rounding u·|t| (2u after summing, by
/// 2|xt| <= x² + t² and Σ(x² + y²) = 2Σ(t² + p²)), sine and cosine within 2u of the exact for the
/// angle as it is (4u), the sum's own (2u); the squares, their sum and the quotient 3u. In all
/// (d + 11)u; d + 16 leaves room for higher orders, each below a part in 2^10 of it.
inline double rounding_of_mean_square(std::size_t d) {
  return (static_cast<double>(d) + 16) * unit_roundoff<double> * (1 + 0x1p-10);
}

/// Whether token·token is more than half of the first logits' mean square, by measured parts.
inline bool tokens_lead(std::size_t d, std::int64_t position, double sigma, double m,
                        const PrimitivesIn<double>& primitives) {
  const auto got = mean_squares(d, position, sigma, m, primitives);
  return got.token * got.token > 0.5 * got.all * got.all;
}

/// Where the variance of a projection is looked at.
struct Setting {
  expected::ProjectionLaw law;
  expected::ProjectionShape shape;
  double weight_sigma;  ///< of `normal`
};

/// σ_W² from the definition of its law, by the shape of the matrix: 2/(rows + columns) for Xavier,
/// 1/(3·columns) for nn.Linear.
inline double stated_weight_variance(const Setting& at) {
  const auto d = static_cast<double>(at.shape.d_model), d_k = static_cast<double>(at.shape.d_k);
  const double all = static_cast<double>(at.shape.heads) * d_k;
  using expected::ProjectionLaw;
  switch (at.law) {
    case ProjectionLaw::xavier: return 2 / (all + d);
    case ProjectionLaw::xavier_per_head: return 2 / (d_k + d);
    case ProjectionLaw::packed_xavier: return 2 / (3 * all + d);
    case ProjectionLaw::nn_linear: return 1 / (3 * d);
    case ProjectionLaw::normal: return at.weight_sigma * at.weight_sigma;
    case ProjectionLaw::normal_by_width: break;
  }
  return 1 / d;
}

/// Var (W·x)_a = σ_W²·‖x‖², x over the token's signs, by the primitives' law, variance and input.
inline double measured_projection_variance(const Setting& at, std::int64_t position, double sigma,
                                           double m, const Primitives& primitives) {
  const double weights =
      primitives.variance(primitives.projection_law(at.law, at.shape, at.weight_sigma));
  const std::size_t d = at.shape.d_model;
  return weights * static_cast<double>(d) * mean_squares(d, position, sigma, m, primitives).all;
}

/// A deviation within a factor 2 of 1, by its square.
constexpr bool is_in_range(double variance) { return 0.25 <= variance && variance <= 4; }

/// So near an end of it that rounding decides: squares, σ_W² and products have 24 roundings at
/// most.
constexpr bool is_at_an_end(double variance) {
  const auto is_near = [&](double end) { return std::abs(variance / end - 1) < 0x1p-48; };
  return is_near(0.25) || is_near(4);
}

/// σ_W²·d·(T + P), of tokens of mean square T and positions of P per channel.
inline double stated_input_variance(const Setting& at, double token, double position) {
  return expected::projection_variance(stated_weight_variance(at), at.shape.d_model,
                                       token + position);
}

/// Whether the variance is in range with the factor and out of range without, for a table of
/// deviation d^−½ beside positions of this mean square.
inline bool factor_decides(const Setting& at, double position, const Primitives& primitives) {
  const auto& of = primitives.of<double>();
  const std::size_t d = at.shape.d_model;
  const double width = static_cast<double>(d), sigma = 1 / std::sqrt(width);
  const double weights =
      primitives.variance(primitives.projection_law(at.law, at.shape, at.weight_sigma));
  const auto variance = [&](double m) {
    const double token = of.input(sigma, 0.0, m);
    return weights * width * (token * token + position);
  };
  return is_in_range(variance(of.multiplier(d))) && !is_in_range(variance(1));
}

}  // namespace embedscale::properties::attention::input
