// What would change if the multiplier moved from the tokens to the positions.
#include "audit/parts.hpp"

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

double rounding_error(const Configuration& c, const Quantity& exact, const Quantity& factor) {
  if (c.token.format == NumberFormat::binary64)
    throw Missing{"is not known: formulas are computed in binary64 themselves"};
  if (exact.value == 0.0) throw Missing{"does not apply: token.multiplier is 0"};
  return (value_of(factor) - value_of(exact)) / value_of(exact);
}

// Whether |x| = 2^k for an integer k.
bool is_power_of_two(double x) {
  int exponent = 0;
  return std::abs(std::frexp(x, &exponent)) == 0.5;
}

Verdict rounds_identically(const Quantity& exact, NumberFormat format) {
  const std::string path = fmt::format("scaled_down.rounds_identically.{}", name_of(format));
  if (!exact.value) return {path, std::nullopt, exact.missing};
  const double rounded = rounded_to(format, *exact.value);
  if (std::isfinite(rounded) && rounded != 0.0) return {path, is_power_of_two(rounded)};
  return {path, std::nullopt,
          fmt::format("token.multiplier = {} is {} in {}", *exact.value, rounded, name_of(format))};
}

// Whether the first norm that sees the sum sees nothing else: it stands ahead of the attention.
bool seen_alone(const Configuration& c) {
  return c.embedding_norm || c.block.where != BlockNorm::post;
}

// What the first norm divides by, squared: q, or v for LayerNorm.
double divided_square(const Configuration& c, const InputScales& scales) {
  const expected::Input sum = input_of(c, scales);
  return first_norm(c).kind == expected::Norm::Kind::layer_norm ? expected::centred_mean_square(sum)
                                                                : expected::mean_square(sum);
}

// 1 − RMS behind the first norm.
double shrinkage(const Configuration& c, double mean_square) {
  const expected::Norm norm = first_norm(c);
  if (!std::isfinite(mean_square)) throw Missing{"leaves the range of binary64"};
  if (mean_square == 0 && norm.epsilon == 0) throw Missing{zero_by_zero};
  return expected::epsilon_shrinkage(mean_square, norm);
}

bool behind_a_norm(const Configuration& c) try {
  return !norms_before_attention(c).empty();
} catch (const Missing&) {
  return false;
}

}  // namespace

ScaledDown scaled_down(const Configuration& c, const InputScales& scales, const FirstLayer& first,
                       const Quantity& factor) {
  const auto divisor = [&] {
    if (factor.value == 0.0) throw Missing{"does not apply: positions cannot be divided by 0"};
    return value_of(factor);
  };
  const Method method = seen_alone(c) ? Method::closed_form : Method::without_branches;
  ScaledDown down;
  down.factor = factor;
  down.exact_factor = figure("scaled_down.exact_factor",
                             [&] { return told(c, "token.multiplier", c.token.multiplier); });
  down.rounding_error = figure("scaled_down.rounding_error",
                               [&] { return rounding_error(c, down.exact_factor, factor); });
  down.input_rms = figure("scaled_down.input.rms", [&] {
    const double rms = value_of(scales.input_rms);
    return rms / std::abs(divisor());
  });
  const Quantity square = figure("scaled_down.square", [&] {
    const double of_sum = divided_square(c, scales);
    divisor();
    return of_sum;
  });
  down.epsilon_shrinkage_up = figure(
      "scaled_down.epsilon_shrinkage_up", [&] { return shrinkage(c, value_of(square)); }, method);
  down.epsilon_shrinkage_down = figure(
      "scaled_down.epsilon_shrinkage_down",
      [&] { return shrinkage(c, value_of(square) / (divisor() * divisor())); }, method);
  down.logit_std = figure("scaled_down.logit_std", [&] {
    if (behind_a_norm(c))
      throw Missing{
          "does not apply: a norm before the first attention takes the factor away but for its "
          "epsilon"};
    const double deviation = value_of(first.logit_std), m = divisor();
    return deviation / (m * m);
  });
  down.rounds_identically = {rounds_identically(down.exact_factor, NumberFormat::binary32)};
  if (c.token.format != NumberFormat::binary32)
    down.rounds_identically.push_back(rounds_identically(down.exact_factor, c.token.format));
  return down;
}

}  // namespace embedscale::audit
