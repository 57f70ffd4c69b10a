#include "audit/scales.hpp"

#include "audit/parts.hpp"

#include <embedscale/expected/position_table.hpp>

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

// The sinusoids of a sum of so many channels.
expected::SinusoidalTable sinusoids(const Configuration& c, double sum_width, double base,
                                    std::int64_t length, double multiplier) {
  auto width = static_cast<std::size_t>(sum_width);
  if (c.position.combine == Combine::concatenation)
    width -= static_cast<std::size_t>(*c.token.width);
  return {sinusoidal_frequencies<double>(width, c.position.frequencies, base), c.position.first,
          length, multiplier};
}

double position_share(const Configuration& c, double token_share) {
  return c.position.combine == Combine::sum ? 1 : 1 - token_share;
}

Known<double> token_to_position(const InputScales& s) {
  if (s.position_rms.value == 0.0) return Missing{"divides by position.rms, which is 0"};
  return from([](double token, double position) { return token / position; }, known(s.token_rms),
              known(s.position_rms));
}

Known<double> input_rms(const Configuration& c, const Parts& p, const InputScales& s) {
  const auto token = known(s.token_rms), extra = known(s.extra_rms);
  if (!adds_positions(c.position.kind))
    return from([](double t, double e) { return std::hypot(t, e); }, token, extra);
  return from(
      [&](double share, double t, double position, double e) {
        return std::hypot(std::sqrt(share) * t, std::sqrt(position_share(c, share)) * position, e);
      },
      p.token_share, token, known(s.position_rms), extra);
}

Known<double> constant_share(const Configuration& c, const Parts& p) {
  if (c.position.kind == PositionKind::learned)
    return from([](double length) { return 1 / length; }, p.positions);
  return from(
      [&](double length, double width, double base) {
        return expected::constant_share(
            sinusoids(c, width, base, static_cast<std::int64_t>(length), 1));
      },
      p.positions, p.sum_width, p.position_base);
}

// Above this many sines a sum over positions, which LayerNorm needs, would take seconds.
constexpr std::int64_t most_sines = 1 << 28;

// Whether a LayerNorm sees sinusoids: only then do sums over positions come in before the keys do.
bool centres_sinusoids(const Configuration& c) {
  const auto centres = [](const NormLayer& norm) {
    return norm.kind == expected::Norm::Kind::layer_norm;
  };
  const bool in_blocks = c.block.where && c.block.where != BlockNorm::none;
  return c.position.kind == PositionKind::sinusoidal &&
         ((c.embedding_norm && centres(*c.embedding_norm)) || (in_blocks && centres(c.block.norm)));
}

// What would change if the multiplier moved from the tokens to the positions.

Known<double> rounding_error(const Configuration& c, const Quantity& exact,
                             const Quantity& factor) {
  if (c.token.format == NumberFormat::binary64)
    return Missing{"is not known: formulas are computed in binary64 themselves"};
  if (exact.value == 0.0) return Missing{"does not apply: token.multiplier is 0"};
  return from([](double rounded, double given) { return (rounded - given) / given; }, known(factor),
              known(exact));
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

// What the first norm divides by, squared: q, or v for LayerNorm. Behind a projection the mean over
// channels has 1/d of the energy.
Known<double> divided_square(const Configuration& c, const Parts& p,
                             const Known<expected::Input>& input) {
  const auto centres = [](const expected::Norm& norm) {
    return norm.kind == expected::Norm::Kind::layer_norm;
  };
  if (!c.token.projects_sum() || c.embedding_norm)
    return from(
        [&](const expected::Input& sum, const expected::Norm& norm) {
          return centres(norm) ? expected::centred_mean_square(sum) : expected::mean_square(sum);
        },
        input, p.first_norm);
  const bool centred = std::holds_alternative<expected::Norm>(p.first_norm) &&
                       centres(std::get<expected::Norm>(p.first_norm));
  return from(
      [&](const expected::InputMoments& moments, const expected::Norm&, double d_model) {
        return centred ? moments.all * (1 - 1 / d_model) : moments.all;
      },
      moments_of_stream(c, p, input), p.first_norm, centred ? p.d_model : Known<double>(1.0));
}

// 1 − RMS behind the first norm.
Known<double> shrinkage(double mean_square, const expected::Norm& norm) {
  if (!std::isfinite(mean_square)) return Missing{"leaves the range of binary64"};
  if (mean_square == 0 && norm.epsilon == 0) return Missing{zero_by_zero};
  return expected::epsilon_shrinkage(mean_square, norm);
}

Known<double> moved_logit_std(const Parts& p, const FirstLayer& first,
                              const Known<double>& divisor) {
  const auto* on_sum = std::get_if<Norms>(&p.norms_on_sum);
  const auto* ahead = std::get_if<Norms>(&p.norms_ahead_of_attention);
  if (on_sum && ahead && !(on_sum->empty() && ahead->empty()))
    return Missing{
        "does not apply: a norm before the first attention takes the factor away but for its "
        "epsilon"};
  return from([](double deviation, double m) { return deviation / (m * m); },
              known(first.logit_std), divisor);
}

ScaledDown scaled_down(const Configuration& c, const Parts& p, const InputScales& scales,
                       const Known<expected::Input>& input, const FirstLayer& first) {
  ScaledDown down;
  down.factor = figure("scaled_down.factor", p.factor);
  down.exact_factor = figure("scaled_down.exact_factor", p.multiplier);
  down.rounding_error =
      figure("scaled_down.rounding_error", rounding_error(c, down.exact_factor, down.factor));
  Known<double> divisor = p.factor;
  if (down.factor.value == 0.0)
    divisor = Missing{"does not apply: positions cannot be divided by 0"};
  down.input_rms =
      figure("scaled_down.input.rms", from([](double rms, double m) { return rms / std::abs(m); },
                                           known(scales.input_rms), divisor));
  const auto square = known(figure("", from([](double of_sum, double) { return of_sum; },
                                            divided_square(c, p, input), divisor)));
  // Whether the first norm that sees the sum sees nothing else: it is ahead of the attention.
  const bool alone = c.embedding_norm || c.block.where != BlockNorm::post;
  const Method method = alone ? Method::closed_form : Method::without_branches;
  down.epsilon_shrinkage_up =
      figure("scaled_down.epsilon_shrinkage_up", from(shrinkage, square, p.first_norm), method);
  down.epsilon_shrinkage_down =
      figure("scaled_down.epsilon_shrinkage_down",
             from([](double q, double m,
                     const expected::Norm& norm) { return shrinkage(q / (m * m), norm); },
                  square, divisor, p.first_norm),
             method);
  // For the sum divided by m, over that for the sum.
  down.epsilon_deviation =
      figure("scaled_down.epsilon_deviation",
             from(
                 [](double m, double q, const expected::Norm& norm) -> Known<double> {
                   if (q == 0)
                     return Missing{"divides by the RMS behind the first norm, which is 0"};
                   return expected::epsilon_deviation(q, norm, std::abs(m));
                 },
                 divisor, square, p.first_norm),
             method);
  down.logit_std = figure("scaled_down.logit_std", moved_logit_std(p, first, divisor));
  down.rounds_identically = {rounds_identically(down.exact_factor, NumberFormat::binary32)};
  if (c.token.format != NumberFormat::binary32)
    down.rounds_identically.push_back(rounds_identically(down.exact_factor, c.token.format));
  return down;
}

}  // namespace

InputScales input_scales(const Configuration& c, const Parts& p) {
  const bool adds = adds_positions(c.position.kind),
             projects_token = c.token.is_factorised && !c.token.projects_sum();
  InputScales s;
  s.entry_rms = figure("token.entry_rms", p.token_entry);
  s.token_rms = figure(
      "token.rms",
      from([](double entry, double factor, double gain) { return std::abs(factor) * entry * gain; },
           known(s.entry_rms), p.factor, projects_token ? p.projection_gain : Known<double>(1.0)));
  s.position_rms = figure("position.rms", p.position_rms);
  s.token_to_position = figure("token_to_position", adds ? token_to_position(s) : p.position_rms);
  s.extra_rms = figure("extra.rms", p.extra_rms);
  s.input_rms = figure("input.rms", input_rms(c, p, s));
  s.constant_share =
      figure("position.constant_share", adds ? constant_share(c, p) : p.position_rms);
  return s;
}

Known<expected::Input> input_of(const Configuration& c, const Parts& p, const InputScales& s) {
  const Known<double> none = 0.0;
  const bool adds = adds_positions(c.position.kind), sums = centres_sinusoids(c);
  return from(
      [&](double width, double token, double extra, double position, double length, double,
          double share) -> Known<expected::Input> {
        if (sums && length > std::floor(static_cast<double>(most_sines) / width))
          return Missing{
              fmt::format("needs a sum over {} positions times {} channels, more than "
                          "2^28",
                          *c.model.positions, width)};
        expected::Input input{.width = static_cast<std::size_t>(width),
                              .token_mean_square = share * (token * token),
                              .common_mean_square = extra * extra};
        const std::int64_t keys = c.model.positions.value_or(1);
        if (c.position.kind == PositionKind::sinusoidal)
          input.position =
              sinusoids(c, width, c.position.base.value_or(10000), keys, *c.position.multiplier);
        else if (adds)
          input.position =
              expected::LearnedTable{position_share(c, share) * (position * position), keys};
        else
          input.position = expected::NoTable{keys};
        return input;
      },
      p.sum_width, known(s.token_rms), known(s.extra_rms), adds ? known(s.position_rms) : none,
      sums ? p.positions : none, sums ? p.position_base : none, p.token_share);
}

Scales scales_of(const Configuration& c) {
  const Parts parts = parts_of(c);
  Scales s;
  s.input = input_scales(c, parts);
  const auto input = input_of(c, parts, s.input);
  s.first_layer = first_layer(c, parts, s.input, input);
  s.output = output_scales(c, parts, input);
  Known<double> step = from([](double entry) { return 1 / entry; }, parts.token_entry);
  if (!c.token.has_table())
    step = Missing{"does not apply: token.kind is features, which no table trains"};
  s.adam_relative_step = figure("optimizer.adam_relative_step", step);
  s.scaled_down = scaled_down(c, parts, s.input, input, s.first_layer);
  return s;
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
