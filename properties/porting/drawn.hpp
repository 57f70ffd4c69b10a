#pragma once
// Conventions and checkpoints from whole numbers, so that a case that fails is simplified and comes
// again: 0 stands for the plainest.
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "checkpoint.hpp"

namespace embedscale::properties::porting {

/// The last digit of a number in this base, which it loses.
inline std::size_t digit_of(std::uint64_t& left, std::size_t base) {
  const std::size_t digit = left % base;
  left /= base;
  return digit;
}

/// Powers of two alone: what a port multiplies by is then exact in every format.
enum class Multipliers { any, powers_of_two };

namespace detail {
template <Scalar Real>
Real root_of_512() {
  using std::sqrt;
  if constexpr (AnalyticScalar<Real>)
    return sqrt(Real(512));
  else
    return Real(181) / Real(8);
}

/// 1, a root, Gemma's rounded one, …; positive.
template <Scalar Real>
Real multiplier_of(std::size_t which, Multipliers among) {
  const Real root = root_of_512<Real>(), one(1);
  const std::array any{
      one,    root, Real(111) / Real(2), Real(2), Real(8), Real(one / root), Real(1) / Real(2),
      Real(3)};
  const std::array powers{one,     Real(2),           Real(16),           Real(8),
                          Real(4), Real(1) / Real(2), Real(1) / Real(16), Real(32)};
  return (among == Multipliers::any ? any : powers)[which];
}
}  // namespace detail

/// How many multipliers, and conventions, there are: as many as the products of the bases below.
inline constexpr std::uint64_t all_multipliers = 8,
                               all_conventions = all_multipliers * 2 * 3 * 3 * 2 * 6 * 2 * 4 * 2;

/// Convention 0 multiplies by 1 and has tied logits, no place for their factor, no gain, no bias,
/// no positions. Over the rationals those that would be sinusoids are learned.
template <Scalar Real>
Convention<Real> convention_of(std::uint64_t i, Multipliers among = Multipliers::any) {
  using Source = PositionVectors::Source;
  const auto factor = [&](std::size_t which) { return detail::multiplier_of<Real>(which, among); };
  Convention<Real> code;
  code.multiplier = factor(digit_of(i, all_multipliers));
  code.tied = digit_of(i, 2) == 0;
  const auto place = digit_of(i, 3);
  if (place > 0) code.logit_factor = factor(place == 1 ? 0 : 6);
  code.gain = static_cast<Gain>(digit_of(i, 3));
  code.bias = digit_of(i, 2) != 0;
  const auto which = digit_of(i, 6);
  auto& positions = code.positions;
  positions.source = which == 0                            ? Source::none
                     : which == 5 || !AnalyticScalar<Real> ? Source::learned
                                                           : Source::sinusoids;
  if (positions.source == Source::sinusoids) {
    positions.rule = which > 2 ? FrequencyRule::tensor2tensor : FrequencyRule::paper;
    positions.layout = which % 2 == 0 ? SinusoidalLayout::halves : SinusoidalLayout::interleaved;
  }
  positions.first = 2 * static_cast<std::int64_t>(digit_of(i, 2));
  code.position_multiplier = factor(std::array{0, 0, 3, 5}[digit_of(i, 4)]);
  code.can_untie = digit_of(i, 2) == 0;
  return code;
}

/// `to` where a port is possible, and training goes on alike but for clipping and the decay of a
/// gain: what FROM has that it lacks is put in.
template <Scalar Real>
Convention<Real> made_portable(const Convention<Real>& from, Convention<Real> to) {
  using Source = PositionVectors::Source;
  const bool adds = from.positions.source != Source::none;
  if (to.positions.source == (adds ? Source::none : Source::sinusoids))
    to.positions = from.positions;
  if (to.gain == Gain::none) to.gain = from.gain;
  to.bias |= from.bias;
  to.tied = from.tied;
  if (to.tied && to.gain == Gain::none && !to.logit_factor) to.logit_factor = Real(1);
  return to;
}

/// What stands around the parameters: V words, n tokens of d channels, an encoder block or none, a
/// norm or none, a loss.
struct Body {
  std::size_t vocabulary, tokens, d;
  Norm norm = Norm::none;
  std::optional<NormPlacement> block = {};
  Loss loss = Loss::quadratic;
  double epsilon = 0;
};

inline constexpr std::uint64_t all_bodies = 6 * 2 * 2;
/// Body 0 has RMSNorm alone. Without a norm, or behind the norm of a block, there is no other; the
/// loss is one whose slopes are bounded.
inline Body body_of(std::uint64_t i, std::size_t d) {
  struct Rest {
    Norm norm;
    std::optional<NormPlacement> block = {};
  };
  constexpr Rest rests[] = {{Norm::rms_norm},
                            {Norm::layer_norm},
                            {Norm::none},
                            {Norm::layer_norm, NormPlacement::pre},
                            {Norm::none, NormPlacement::post},
                            {Norm::rms_norm, NormPlacement::pre}};
  const auto& [norm, block] = rests[digit_of(i, std::size(rests))];
  const auto loss = digit_of(i, 2) == 0 ? Loss::bounded : Loss::cross_entropy;
  return {2, 2, d, norm, block, loss, digit_of(i, 2) == 0 ? 0 : 1e-5};
}

/// Tokens in turn, entries of the table and positions such that x has those of RMS about 1 and
/// 1/√2, gain about 1, small bias; nothing is trained yet. row(size, deviation) draws.
///
/// Requires  over the rationals no norm and no block.
template <Scalar Real, class Row>
Checkpoint<Real> drawn_checkpoint(const Convention<Real>& code, const Body& body, const Row& row) {
  const std::size_t d = body.d, table = body.vocabulary * d;
  Checkpoint<Real> out;
  auto& [made_for, task, parameters] = out.model;
  made_for = code;
  task.d = d, task.last = body.norm, task.loss = body.loss;
  task.epsilon = static_cast<Real>(body.epsilon);
  for (std::size_t i = 0; i < body.tokens; ++i) task.tokens.push_back(i % body.vocabulary);
  task.targets = row(body.tokens * body.vocabulary, 1.0);
  parameters[Parameter::token_table] = row(table, 1 / static_cast<double>(code.multiplier));
  parameters[Parameter::position_table] =
      code.positions.source == PositionVectors::Source::learned
          ? row((out.model.first_row() + body.tokens) * d,
                std::sqrt(0.5) / static_cast<double>(code.position_multiplier))
          : out.model.sinusoids();
  if (code.gain != Gain::none) {
    auto& gain = parameters[Parameter::gain] = row(d, 0.25);
    if (code.gain == Gain::plain)
      for (Real& g : gain) g = Real(1) + g;
  }
  if (code.bias) parameters[Parameter::bias] = row(d, 0.25);
  if (!code.tied) parameters[Parameter::output_table] = row(table, 1.0);
  out.begin();
  return out;
}

/// The same by uniform draws, with the body's block.
template <AnalyticScalar Real>
Checkpoint<Real> drawn_checkpoint(const Convention<Real>& code, const Body& body,
                                  optimizer::Numbers& numbers) {
  auto out = drawn_checkpoint<Real>(code, body, [&](std::size_t size, double deviation) {
    return numbers.row<Real>(size, deviation);
  });
  if (body.block)
    out.model.task.blocks.push_back(optimizer::drawn_block<Real>(body.d, *body.block, numbers));
  return out;
}

inline constexpr std::size_t all_rules = optimizer::all_optimisers + 1;
/// The optimisers, and AdamW whose rate multiplies the decay: for a parameter that the model
/// multiplies by m.
template <AnalyticScalar Real>
Rule<Real> rule_of(std::size_t which, double m, double epsilon) {
  if (which < optimizer::all_optimisers) return {optimizer::settings_of<Real>(which, m, epsilon)};
  const auto by = std::get<AdamW<Real>>(optimizer::settings_of<Real>(3, m, epsilon));
  return {optimizer::scheduled(by, Real(Real(1) / Real(8))), true};
}

/// All parameters are trained, but for computed positions.
template <AnalyticScalar Real>
void train_by(Checkpoint<Real>& checkpoint, std::size_t which, double epsilon) {
  const auto& code = checkpoint.model.code;
  for (const auto of : all_parameters) {
    const double factor = of == Parameter::token_table ? static_cast<double>(code.multiplier)
                          : of == Parameter::position_table
                              ? static_cast<double>(code.position_multiplier)
                              : 1;
    if (!checkpoint.model.parameters[of].empty())
      checkpoint.rules[of] = rule_of<Real>(which, std::abs(factor), epsilon);
  }
  if (code.positions.source != PositionVectors::Source::learned)
    checkpoint.rules[Parameter::position_table].reset();
}

}  // namespace embedscale::properties::porting
