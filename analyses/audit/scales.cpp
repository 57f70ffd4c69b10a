#include "audit/scales.hpp"

#include "audit/parts.hpp"

#include <embedscale/expected/position_table.hpp>

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

void require_added(const Configuration& c) {
  if (adds_positions(c.position.kind)) return;
  throw Missing{fmt::format("does not apply: position.kind {} adds nothing to the tokens",
                            name_of(c.position.kind))};
}

double position_rms(const Configuration& c) {
  require_added(c);
  // sin² + cos² = 1 for each of the d/2 pairs, at every position, frequency and layout.
  const double entry = c.position.kind == PositionKind::sinusoidal
                           ? std::sqrt(0.5)
                           : entry_rms(c, c.position.law, "position.law",
                                       [&] { return std::pair(positions(c), sum_width(c)); });
  return std::abs(required(c, "position.multiplier", c.position.multiplier)) * entry;
}

double extra_rms(const Configuration& c) {
  double sum = 0;
  for (std::size_t i = 0; i < c.extras.size(); ++i) {
    const Extra& extra = c.extras[i];
    const std::string field = fmt::format("extra[{}]", i);
    const double entry = entry_rms(c, extra.law, field + ".law", [&] {
      return std::pair(required(c, field + ".rows", extra.rows), sum_width(c));
    });
    const double multiplier = required(c, field + ".multiplier", extra.multiplier);
    sum += multiplier * multiplier * entry * entry;
  }
  return std::sqrt(sum);
}

double token_to_position(const Configuration& c, const InputScales& s) {
  require_added(c);
  if (s.position_rms.value == 0.0) throw Missing{"divides by position.rms, which is 0"};
  const double token = value_of(s.token_rms);
  return token / value_of(s.position_rms);
}

double input_rms(const Configuration& c, const InputScales& s) {
  const bool adds = adds_positions(c.position.kind);
  if (adds && c.position.combine == Combine::concatenation) d_model(c);
  const double token = value_of(s.token_rms);
  if (!adds) return std::hypot(token, value_of(s.extra_rms));
  const double position = value_of(s.position_rms);
  return std::hypot(std::sqrt(token_share(c)) * token, std::sqrt(position_share(c)) * position,
                    value_of(s.extra_rms));
}

double constant_share(const Configuration& c) {
  require_added(c);
  const double length = positions(c);
  if (c.position.kind == PositionKind::learned) return 1 / length;
  sum_width(c);
  return expected::constant_share(sinusoids(c, required(c, "position.base", c.position.base),
                                            static_cast<std::int64_t>(length), 1));
}

// What would change if the multiplier moved from the tokens to the positions.

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

// What the first norm divides by, squared: q, or v for LayerNorm. Behind a projection the mean over
// channels has 1/d of the energy.
double divided_square(const Configuration& c, const InputScales& scales) {
  if (c.token.projects_sum() && !c.embedding_norm) {
    const double q = moments_of_stream(c, scales).all;
    return first_norm(c).kind == expected::Norm::Kind::layer_norm ? q * (1 - 1 / d_model(c)) : q;
  }
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

// 1 − RMS behind the first norm for the sum divided by m, over that for the sum.
double deviation(const Configuration& c, double mean_square, double m) {
  if (mean_square == 0) throw Missing{"divides by the RMS behind the first norm, which is 0"};
  return expected::epsilon_deviation(mean_square, first_norm(c), std::abs(m));
}

bool behind_a_norm(const Configuration& c) try {
  return !norms_before_attention(c).empty();
} catch (const Missing&) {
  return false;
}

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
                             [&] { return required(c, "token.multiplier", c.token.multiplier); });
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
  down.epsilon_deviation = figure(
      "scaled_down.epsilon_deviation", [&] { return deviation(c, value_of(square), divisor()); },
      method);
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

}  // namespace

Quantity factor_of(const Configuration& c) {
  return figure("scaled_down.factor", [&] {
    const double given = required(c, "token.multiplier", c.token.multiplier);
    const double rounded = rounded_to(c.token.format, given);
    if (std::isfinite(rounded)) return rounded;
    throw Missing{
        fmt::format("token.multiplier = {} overflows {}", given, name_of(c.token.format))};
  });
}

InputScales input_scales(const Configuration& c, const Quantity& factor) {
  InputScales s;
  s.entry_rms = figure("token.entry_rms", [&] {
    if (!c.token.has_table()) return required(c, "token.rms", c.token.rms);
    return entry_rms(c, c.token.law, "token.law", [&] {
      const double rows = vocabulary(c);
      return std::pair(rows, required(c, "model.d_model", c.token.width));
    });
  });
  s.token_rms = figure("token.rms", [&] {
    const double entry = value_of(s.entry_rms), rms = std::abs(value_of(factor)) * entry;
    return c.token.is_factorised && !c.token.projects_sum() ? rms * projection_gain(c) : rms;
  });
  s.position_rms = figure("position.rms", [&] { return position_rms(c); });
  s.token_to_position = figure("token_to_position", [&] { return token_to_position(c, s); });
  s.extra_rms = figure("extra.rms", [&] { return extra_rms(c); });
  s.input_rms = figure("input.rms", [&] { return input_rms(c, s); });
  s.constant_share = figure("position.constant_share", [&] { return constant_share(c); });
  return s;
}

Scales scales_of(const Configuration& c) {
  const Quantity factor = factor_of(c);
  const InputScales input = input_scales(c, factor);
  const FirstLayer first = first_layer(c, input);
  return {.input = input,
          .first_layer = first,
          .output = output_scales(c, input, factor),
          .adam_relative_step = figure(
              "optimizer.adam_relative_step",
              [&] {
                if (!c.token.has_table())
                  throw Missing{"does not apply: token.kind is features, which no table trains"};
                return 1 / value_of(input.entry_rms);
              }),
          .scaled_down = scaled_down(c, input, first, factor)};
}

std::vector<Quantity> quantities(const Scales& s) {
  const auto& [input, first, output, step, down] = s;
  return {input.token_rms,
          input.position_rms,
          input.token_to_position,
          input.extra_rms,
          input.input_rms,
          input.constant_share,
          first.input_rms,
          first.logit_std,
          first.logit_std_over_keys,
          first.entropy,
          first.token_token,
          first.token_position,
          first.position_token,
          first.position_position,
          output.logit_std,
          output.initial_loss,
          output.own_logit,
          step,
          down.factor,
          down.exact_factor,
          down.rounding_error,
          down.input_rms,
          down.epsilon_shrinkage_up,
          down.epsilon_shrinkage_down,
          down.epsilon_deviation,
          down.logit_std};
}

std::vector<Verdict> verdicts(const Scales& s) { return s.scaled_down.rounds_identically; }

}  // namespace embedscale::audit
