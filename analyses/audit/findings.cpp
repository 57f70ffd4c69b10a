// What stands out in an audit.
#include "audit/summary.hpp"

#include "report/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace embedscale::audit {
namespace {

bool is_relative(PositionKind kind) {
  return kind == PositionKind::relative || kind == PositionKind::relative_bias ||
         kind == PositionKind::alibi;
}

std::string four_digits(double x) { return report::significant(x, 4); }
std::string percent(double x) { return report::significant(100 * x, 3) + " %"; }

using Findings = std::vector<Finding>;

void input(const Configuration& c, const Scales& s, Findings& out) {
  const char* claim = "conventions.multiplier_sets_the_scale";
  if (!adds_positions(c.position.kind) && c.token.multiplier && *c.token.multiplier != 1)
    out.push_back({claim, Severity::note,
                   fmt::format("token.multiplier = {} scales the whole input: nothing is added to "
                               "the tokens, so it sets no ratio",
                               four_digits(*c.token.multiplier))});
  if (!s.input.token_to_position.value) return;
  const double ratio = *s.input.token_to_position.value;
  const double energy = std::min(1.0, ratio * ratio) / (1 + ratio * ratio);
  if (ratio >= 0.5 && ratio <= 2) return;
  const bool drowned = energy < 0.01;
  out.push_back(
      {claim, drowned ? Severity::warning : Severity::note,
       fmt::format("token.rms {} is {} times position.rms {}: {} have {} of the two parts' energy",
                   four_digits(*s.input.token_rms.value), four_digits(ratio),
                   four_digits(*s.input.position_rms.value), ratio > 1 ? "positions" : "tokens",
                   percent(energy))});
}

void multiplier(const Configuration& c, const Scales& s, Findings& out) {
  const ScaledDown& down = s.scaled_down;
  const bool small =
      c.token.format == NumberFormat::binary16 || c.token.format == NumberFormat::bfloat16;
  if (small && down.rounding_error.value && *down.rounding_error.value != 0)
    out.push_back({"precision.rounded_root_d", Severity::note,
                   fmt::format("token.multiplier {} is {} in {}, {} off",
                               report::significant(*down.exact_factor.value, 6),
                               report::significant(*down.factor.value, 6), name_of(c.token.format),
                               percent(*down.rounding_error.value))});
}

void first_norm(const Scales& s, Findings& out) {
  const auto& [up, down] =
      std::pair(s.scaled_down.epsilon_shrinkage_up, s.scaled_down.epsilon_shrinkage_down);
  const char* claim = "normalization.epsilon_is_rescaled";
  constexpr double much = 0.01;
  if (up.value && *up.value > much)
    out.push_back({claim, Severity::warning,
                   fmt::format("epsilon takes {} from the RMS behind the first norm that sees the "
                               "sum",
                               percent(*up.value))});
  else if (down.value && *down.value > much)
    out.push_back({claim, Severity::note,
                   fmt::format("epsilon would take {} from the RMS behind the first norm if the "
                               "multiplier moved to the positions, {} now",
                               percent(*down.value), percent(*up.value))});
}

void attention(const Configuration& c, const Scales& s, Findings& out) {
  const FirstLayer& first = s.first_layer;
  if (first.entropy.value && *c.model.positions > 1) {
    const double most = std::log(static_cast<double>(*c.model.positions));
    const double deviation = *first.logit_std_over_keys.value;
    if (deviation > std::sqrt(2 * most))
      out.push_back(
          {"attention.unscaled_softmax_saturates", Severity::warning,
           fmt::format("the first logits deviate by {} over {} keys, past sqrt(2 ln L) = {}: the "
                       "softmax starts saturated, with an entropy of {} nats of {}",
                       four_digits(deviation), *c.model.positions, four_digits(std::sqrt(2 * most)),
                       four_digits(*first.entropy.value), four_digits(most))});
  }
  if (first.token_token.value && *first.token_token.value < 0.01)
    out.push_back({"attention.first_layer_terms", Severity::note,
                   fmt::format("products of two tokens are {} of the first logits' mean square",
                               percent(*first.token_token.value))});
  if (is_relative(c.position.kind))
    out.push_back({"attention.first_layer_terms", Severity::note,
                   "relative positions add terms of their own to the first logits, which are left "
                   "out of first_layer"});
}

void output(const Configuration& c, const Scales& s, Findings& out) {
  if (!s.output.initial_loss.value) return;
  const double uniform = std::log(static_cast<double>(*c.model.vocabulary));
  const double loss = *s.output.initial_loss.value, deviation = *s.output.logit_std.value;
  if (loss > uniform + 1)
    out.push_back({"tied_output.initial_loss", Severity::warning,
                   fmt::format("the initial loss {} is {} nats above ln V = {}: logits start with "
                               "a standard deviation of {}",
                               four_digits(loss), four_digits(loss - uniform), four_digits(uniform),
                               four_digits(deviation))});
  const double largest = deviation * std::sqrt(2 * uniform);
  if (s.output.own_logit.value && *s.output.own_logit.value > largest && largest > 0)
    out.push_back({"tied_output.copies_its_input", Severity::note,
                   fmt::format("if the blocks added nothing, the input token's own logit would "
                               "start at {}, above the largest of the others, at most about {}; "
                               "output.initial_loss leaves it out",
                               four_digits(*s.output.own_logit.value), four_digits(largest))});
}

}  // namespace

std::vector<Finding> findings_of(const Configuration& c, const Scales& s) {
  Findings out;
  input(c, s, out);
  multiplier(c, s, out);
  first_norm(s, out);
  attention(c, s, out);
  output(c, s, out);
  return out;
}

std::string_view name_of(Severity severity) {
  return severity == Severity::warning ? "warning" : "note";
}

}  // namespace embedscale::audit
