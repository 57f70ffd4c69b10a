#include "audit/parts.hpp"

namespace embedscale::audit {

Scales scales_of(const Configuration& c) {
  const Parts parts = parts_of(c);
  Scales s;
  s.input = input_scales(c, parts);
  const auto input = input_of(c, parts, s.input);
  const auto stream = stream_of(c, parts, input);
  s.first_layer = first_layer(c, parts, s.input, input, stream);
  s.output = output_scales(c, parts, input);
  if (c.token.has_table())
    s.adam_relative_step = from([](double entry) { return 1 / entry; }, parts.token_entry);
  else
    s.adam_relative_step.missing = "does not apply: token.kind is features, which no table trains";
  s.scaled_down = scaled_down(c, parts, s.input, input, stream, s.first_layer);
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
