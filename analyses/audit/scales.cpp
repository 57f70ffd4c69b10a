#include "audit/scales.hpp"

#include "audit/scale_parts.hpp"

namespace embedscale::audit {

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
