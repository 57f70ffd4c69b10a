#include "audit/scales.hpp"

#include "audit/parts.hpp"

#include <embedscale/expected/own_logit.hpp>
#include <embedscale/expected/position_table.hpp>
#include <embedscale/expected/softmax.hpp>
#include <embedscale/sinusoidal.hpp>

#include <fmt/core.h>

namespace embedscale::audit {
namespace {

Quantity renamed(Quantity q, std::string path) {
  q.path = std::move(path);
  return q;
}

std::string nothing_added(const Configuration& c) {
  return fmt::format("does not apply: position.kind {} adds nothing to the tokens",
                     name_of(c.position.kind));
}

Quantity position_rms(const Configuration& c) {
  const std::string path = "position.rms";
  if (!adds_positions(c.position.kind)) return missing(path, nothing_added(c));
  const Quantity multiplier = told(c, "position.multiplier", c.position.multiplier);
  if (c.position.kind == PositionKind::sinusoidal)
    // sin² + cos² = 1 for each of the d/2 pairs, at every position, frequency and layout.
    return computed(path, {&multiplier},
                    [&] { return std::abs(*multiplier.value) * std::sqrt(0.5); });
  const Quantity entry = entry_rms(c, c.position.law, "position.law", positions(c), d_model(c));
  return computed(path, {&entry, &multiplier},
                  [&] { return std::abs(*multiplier.value) * *entry.value; });
}

Quantity extra_rms(const Configuration& c) {
  const std::string path = "extra.rms";
  double sum = 0;
  for (std::size_t i = 0; i < c.extras.size(); ++i) {
    const Extra& extra = c.extras[i];
    const std::string field = fmt::format("extra[{}]", i);
    const Quantity multiplier = told(c, field + ".multiplier", extra.multiplier);
    const Quantity entry =
        entry_rms(c, extra.law, field + ".law", told(c, field + ".rows", extra.rows), d_model(c));
    if (std::string reason = first_missing({&entry, &multiplier}); !reason.empty())
      return missing(path, reason);
    sum += *multiplier.value * *multiplier.value * *entry.value * *entry.value;
  }
  return quantity(path, std::sqrt(sum));
}

Quantity token_to_position(const Configuration& c, const Quantity& token,
                           const Quantity& position) {
  const std::string path = "token_to_position";
  if (!adds_positions(c.position.kind)) return missing(path, nothing_added(c));
  if (position.value == 0.0) return missing(path, "divides by position.rms, which is 0");
  return computed(path, {&token, &position}, [&] { return *token.value / *position.value; });
}

Quantity input_rms(const Configuration& c, const Quantity& token, const Quantity& position,
                   const Quantity& extra) {
  const std::string path = "input.rms";
  if (!adds_positions(c.position.kind))
    return computed(path, {&token, &extra}, [&] { return std::hypot(*token.value, *extra.value); });
  const Quantity width = d_model(c);
  if (c.position.combine == Combine::concatenation && !width.value)
    return missing(path, width.missing);
  return computed(path, {&token, &position, &extra}, [&] {
    return std::hypot(std::sqrt(token_share(c)) * *token.value,
                      std::sqrt(position_share(c)) * *position.value, *extra.value);
  });
}

Quantity constant_share(const Configuration& c) {
  const std::string path = "position.constant_share";
  if (!adds_positions(c.position.kind)) return missing(path, nothing_added(c));
  const Quantity length = positions(c);
  if (c.position.kind == PositionKind::learned)
    return computed(path, {&length}, [&] { return 1 / *length.value; });
  const Quantity width = d_model(c);
  const Quantity base = told(c, "position.base", c.position.base);
  return computed(path, {&length, &width, &base}, [&] {
    const auto channels =
        *c.model.d_model - (c.position.combine == Combine::sum ? 0 : *c.token.width);
    return expected::constant_share(
        {sinusoidal_frequencies<double>(static_cast<std::size_t>(channels), c.position.frequencies,
                                        *base.value),
         c.position.first, static_cast<std::int64_t>(*length.value), 1});
  });
}

// σ of the output matrix: the token table's where it is shared.
Quantity output_entry(const Configuration& c, const InputScales& input) {
  const std::string path = "output.law";
  if (!c.output.tied) return told(c, "output.tied", Number());
  if (!*c.output.tied) return entry_rms(c, c.output.law, path, vocabulary(c), d_model(c));
  if (c.position.combine == Combine::concatenation)
    return missing(path,
                   "does not apply: a table of token.width channels cannot be the output "
                   "matrix of a state of d_model");
  return input.entry_rms;
}

Quantity initial_loss(const Quantity& logit_std, const Quantity& vocabulary) {
  const std::string path = "output.initial_loss";
  if (std::string reason = first_missing({&logit_std, &vocabulary}); !reason.empty())
    return missing(path, reason);
  const auto loss =
      expected::log_sum_exp_and_entropy(*logit_std.value,
                                        static_cast<std::uint64_t>(*vocabulary.value))
          .log_sum_exp;
  return quantity(path, loss.value, Method::quadrature, loss.error);
}

// The state of token e is (m·e + …)/RMS behind the final norm, whose ε is left out, and where that
// is a LayerNorm less its mean over channels. To leading order in 1/d, for any law.
Quantity own_logit(const Configuration& c, const InputScales& input, const Quantity& factor,
                   const Quantity& multiplier) {
  const std::string path = "output.own_logit";
  if (c.output.tied == false)
    return missing(path, "does not apply: the output matrix is not the token table");
  if (c.block.where && c.block.where != BlockNorm::pre)
    return missing(path, "does not apply: block.norm is not pre");
  const auto sum = input_of(c, input);
  const Quantity tied = output_entry(c, input), where = c.block.where
                                                            ? quantity("block.norm", 0)
                                                            : told(c, "block.norm", Number());
  std::string reason = first_missing({&tied, &where, &factor, &multiplier});
  if (reason.empty()) reason = sum.missing;
  if (!reason.empty()) return missing(path, reason);
  const bool centred =
      c.block.norm.kind == expected::Norm::Kind::layer_norm ||
      (c.embedding_norm && c.embedding_norm->kind == expected::Norm::Kind::layer_norm);
  const double square =
      centred ? expected::centred_mean_square(*sum.value) : expected::mean_square(*sum.value);
  if (square == 0) return missing(path, "divides by input.rms, which is 0");
  const auto norm = centred ? expected::Norm::Kind::layer_norm : expected::Norm::Kind::rms_norm;
  const expected::TiedToken token{sum.value->width, *input.entry_rms.value, *factor.value,
                                  *multiplier.value, norm};
  return quantity(path, expected::own_logit_to_leading_order(token, square),
                  Method::without_branches);
}

}  // namespace

Quantity factor_of(const Configuration& c) {
  const std::string path = "scaled_down.factor";
  const Quantity given = told(c, "token.multiplier", c.token.multiplier);
  if (!given.value) return missing(path, given.missing);
  const double rounded = rounded_to(c.token.format, *given.value);
  if (std::isfinite(rounded)) return quantity(path, rounded);
  return missing(path, fmt::format("token.multiplier = {} overflows {}", *given.value,
                                   name_of(c.token.format)));
}

InputScales input_scales(const Configuration& c, const Quantity& factor) {
  const Quantity width = told(c, "model.d_model", c.token.width);
  const Quantity entry = entry_rms(c, c.token.law, "token.law", vocabulary(c), width);
  const Quantity token = computed("token.rms", {&entry, &factor},
                                  [&] { return std::abs(*factor.value) * *entry.value; });
  const Quantity position = position_rms(c), extra = extra_rms(c);
  return {.entry_rms = renamed(entry, "token.entry_rms"),
          .token_rms = token,
          .position_rms = position,
          .token_to_position = token_to_position(c, token, position),
          .extra_rms = extra,
          .input_rms = input_rms(c, token, position, extra),
          .constant_share = constant_share(c)};
}

OutputScales output_scales(const Configuration& c, const InputScales& input,
                           const Quantity& factor) {
  const Quantity entry = output_entry(c, input);
  const Quantity width = d_model(c);
  const Quantity multiplier = told(c, "output.multiplier", c.output.multiplier);
  const Quantity logit_std = computed("output.logit_std", {&entry, &width, &multiplier}, [&] {
    return std::abs(*multiplier.value) * std::sqrt(*width.value) * *entry.value;
  });
  return {.logit_std = logit_std,
          .initial_loss = initial_loss(logit_std, vocabulary(c)),
          .own_logit = own_logit(c, input, factor, multiplier)};
}

Scales scales_of(const Configuration& c) {
  const Quantity factor = factor_of(c);
  const InputScales input = input_scales(c, factor);
  const FirstLayer first = first_layer(c, input);
  return {.input = input,
          .first_layer = first,
          .output = output_scales(c, input, factor),
          .adam_relative_step = computed("optimizer.adam_relative_step", {&input.entry_rms},
                                         [&] { return 1 / *input.entry_rms.value; }),
          .scaled_down = scaled_down(c, input, first, factor)};
}

std::vector<Quantity> quantities(const Scales& s) {
  const auto& [input, first, output, step, down] = s;
  return {input.token_rms,      input.position_rms,        input.token_to_position,
          input.extra_rms,      input.input_rms,           input.constant_share,
          first.input_rms,      first.logit_std,           first.logit_std_over_keys,
          first.entropy,        first.token_token,         first.token_position,
          first.position_token, first.position_position,   output.logit_std,
          output.initial_loss,  output.own_logit,          step,
          down.factor,          down.exact_factor,         down.rounding_error,
          down.input_rms,       down.epsilon_shrinkage_up, down.epsilon_shrinkage_down,
          down.logit_std};
}

std::vector<Verdict> verdicts(const Scales& s) { return s.scaled_down.rounds_identically; }

}  // namespace embedscale::audit
