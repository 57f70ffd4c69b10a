#pragma once
// What a checkpoint needs to compute the same in code of another convention. Both codes compute
//
//   x = m·E[v] + k·P[i]    y = blocks(x)    h = g ⊙ N(y) + b    z = c·O·h    O = E where tied
//
// each with its own m, k, P and c. A step multiplies a parameter by s; then its gradient is 1/s of
// what it was, so that what the optimiser remembers of it follows (carried) and so do its settings
// (folded of optimizer.hpp).
#include <embedscale/optimizer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

namespace embedscale {

/// How the final norm keeps its gain g. It is the norm whose output the table multiplies: that of
/// an output head (BERT), else in post-norm models the last block's own.
enum class Gain {
  none,     ///< no final norm, or one without a gain
  plain,    ///< g itself
  one_plus  ///< w with g = 1 + w, as Gemma does
};

/// The position vectors P that are added to the tokens.
struct PositionVectors {
  enum class Source { none, sinusoids, learned };
  Source source = Source::none;
  FrequencyRule rule = FrequencyRule::paper;  ///< this and the next two: of sinusoids
  SinusoidalLayout layout = SinusoidalLayout::interleaved;
  double base = 10000;
  std::int64_t first = 0;  ///< the row of the first token
};

/// What a code base does around its blocks.
template <Scalar Real>
struct Convention {
  Real multiplier = Real(1);           ///< m, as rounded to the format that the code computes in
  Real position_multiplier = Real(1);  ///< k
  PositionVectors positions = {};
  Gain gain = Gain::plain;
  bool bias = true;  ///< of the final norm
  bool tied = true;
  bool can_untie = true;  ///< whether the code offers an output of its own
  /// c, an option or a constant that can be edited; nothing: 1, and no place for another.
  std::optional<Real> logit_factor = {};
  bool factor_only_if_tied = false;  ///< as in T5: an output of its own has none

  /// c where the output is tied, or is not.
  std::optional<Real> factor(bool is_tied) const {
    return is_tied || !factor_only_if_tied ? logit_factor : std::nullopt;
  }
};

/// Where the factor of tied logits may go.
enum class FactorPlace {
  logit_factor,
  final_norm,  ///< into gain and bias
  own_table    ///< nowhere: the output gets a copy of the table that is not multiplied
};

enum class Parameter { token_table, position_table, gain, bias, output_table };

enum class Action {
  copy_table,          ///< O = factor·E, of E before all other steps
  multiply,            ///< the parameter by factor ≠ 0, with its state and its settings
  fill,                ///< with factor, where FROM has no such parameter; it is not trained
  store_positions,     ///< P = factor·P of FROM, row by row, from TO's first row on
  move_position_rows,  ///< the row of FROM's first token becomes that of TO's
  set_logit_factor,    ///< c = factor
  permute_channels     ///< of all that reads or writes the residual stream, by channel_of
};

template <Scalar Real>
struct PortStep {
  Action action;
  Parameter parameter;  ///< none where c is set; where all are permuted, the token table
  Real factor = Real(1);
  friend bool operator==(const PortStep&, const PortStep&) = default;
};

/// What no step makes up for.
enum class Obstacle {
  positions_differ,          ///< FROM adds them and TO does not, or TO computes some and FROM not
  gain_is_missing,           ///< FROM trains a gain that TO has not
  bias_is_missing,           ///< the same of a bias
  factor_has_no_place,       ///< of tied logits, with the blocks as they are
  output_must_be_the_table,  ///< FROM is untied, TO tied
  table_trains_apart,        ///< function kept, training not: one table became two
  decay_pulls_elsewhere,     ///< the same: decay of w pulls a gain 1 + w to 1, whatever its factor
  global_clipping            ///< the same: a step that clips by the norm of all gradients
};

/// Whether the function is kept all the same.
constexpr bool only_in_training(Obstacle obstacle) {
  return obstacle >= Obstacle::table_trains_apart;
}

template <Scalar Real>
struct Recipe {
  std::vector<PortStep<Real>> steps;  ///< in this order
  std::vector<Obstacle> obstacles;

  /// What the steps multiply a parameter by: s.
  Real factor_of(Parameter parameter) const {
    Real s(1);
    for (const auto& step : steps)
      if (step.parameter == parameter &&
          (step.action == Action::multiply || step.action == Action::store_positions))
        s = s * step.factor;
    return s;
  }
  bool keeps_function() const { return std::ranges::all_of(obstacles, only_in_training); }
};

namespace detail {
// c·O·h with tied tables, of which TO's is s times FROM's, needs c′ = c/s or a factor c/(c′s) of h.
template <Scalar Real>
void port_tied_logits(const Convention<Real>& from, const Convention<Real>& to, const Real& s,
                      std::optional<FactorPlace> wanted, Recipe<Real>& out) {
  const Real had = from.logit_factor.value_or(Real(1)), has = to.logit_factor.value_or(Real(1));
  const Real needed = had / s;
  if (needed == has) return;
  const auto place = wanted                  ? *wanted
                     : to.logit_factor       ? FactorPlace::logit_factor
                     : to.gain != Gain::none ? FactorPlace::final_norm
                                             : FactorPlace::own_table;
  if (place == FactorPlace::logit_factor && to.logit_factor) {
    out.steps.push_back({Action::set_logit_factor, Parameter::output_table, needed});
  } else if (place == FactorPlace::final_norm && to.gain != Gain::none) {
    const Real f = needed / has;
    out.steps.push_back({Action::multiply, Parameter::gain, f});
    if (to.bias && from.bias) out.steps.push_back({Action::multiply, Parameter::bias, f});
  } else if (place == FactorPlace::own_table && to.can_untie) {
    const Real untied = to.factor(false).value_or(Real(1));
    out.steps.insert(out.steps.begin(),
                     {Action::copy_table, Parameter::output_table, Real(had / untied)});
    out.obstacles.push_back(Obstacle::table_trains_apart);
  } else if (wanted) {
    throw std::invalid_argument("port: TO has no such place for the factor of tied logits");
  } else {
    out.obstacles.push_back(Obstacle::factor_has_no_place);
  }
}

template <Scalar Real>
void port_output(const Convention<Real>& from, const Convention<Real>& to, const Real& s,
                 std::optional<FactorPlace> wanted, Recipe<Real>& out) {
  const Real had = from.factor(from.tied).value_or(Real(1));
  const Real has = to.factor(to.tied).value_or(Real(1));
  if (from.tied && to.tied) return port_tied_logits(from, to, s, wanted, out);
  if (wanted) throw std::invalid_argument("port: only tied logits need a place for the factor");
  if (to.tied) {
    out.obstacles.push_back(Obstacle::output_must_be_the_table);
  } else if (from.tied) {
    out.steps.insert(out.steps.begin(),
                     {Action::copy_table, Parameter::output_table, Real(had / has)});
    out.obstacles.push_back(Obstacle::table_trains_apart);
  } else if (had != has && to.factor(false)) {
    out.steps.push_back({Action::set_logit_factor, Parameter::output_table, had});
  } else if (had != has) {
    out.steps.push_back({Action::multiply, Parameter::output_table, Real(had / has)});
  }
}

template <Scalar Real>
void port_positions(const Convention<Real>& from, const Convention<Real>& to, Recipe<Real>& out) {
  using Source = PositionVectors::Source;
  const auto &p = from.positions, &q = to.positions;
  if (p.source == Source::none && q.source == Source::learned)
    out.steps.push_back({Action::fill, Parameter::position_table, Real(0)});
  else if ((p.source == Source::none) != (q.source == Source::none))
    out.obstacles.push_back(Obstacle::positions_differ);
  if (p.source == Source::none || q.source == Source::none) return;
  const Real k = from.position_multiplier / to.position_multiplier;
  if (p.source == Source::learned && q.source == Source::learned) {
    if (k != Real(1)) out.steps.push_back({Action::multiply, Parameter::position_table, k});
    if (p.first != q.first)
      out.steps.push_back({Action::move_position_rows, Parameter::position_table});
    return;
  }
  const bool same_vectors = p.source == q.source && p.rule == q.rule && p.base == q.base &&
                            p.first == q.first && k == Real(1);
  if (!same_vectors)
    out.steps.push_back({Action::store_positions, Parameter::position_table, k});
  else if (p.layout != q.layout)
    out.steps.push_back({Action::permute_channels, Parameter::token_table});
}

template <Scalar Real>
void port_final_norm(const Convention<Real>& from, const Convention<Real>& to, Recipe<Real>& out) {
  const bool had_gain = from.gain != Gain::none, has_gain = to.gain != Gain::none;
  if (had_gain && !has_gain) out.obstacles.push_back(Obstacle::gain_is_missing);
  if (from.bias && !to.bias) out.obstacles.push_back(Obstacle::bias_is_missing);
  const auto fill = [&](Parameter parameter, const Real& value) {
    out.steps.push_back({Action::fill, parameter, value});
  };
  if (!had_gain && has_gain) fill(Parameter::gain, Real(1));
  if (!from.bias && to.bias) fill(Parameter::bias, Real(0));
}
}  // namespace detail

/// The steps by which a checkpoint of `from` becomes one of `to` that computes the same logits over
/// the reals [porting.function_is_kept], and goes on training alike
/// [porting.optimizer_state_follows], but for the obstacles.
///
/// The token table is multiplied by s = m/m′. An output of its own stays but for c/c′; a tied one
/// needs a place for 1/s [porting.tied_output_needs_a_place_for_the_factor]: by default the first
/// of FactorPlace that TO has. Steps on the gain are on g, whatever a code stores of it. For s < 0
/// the state takes s, the settings |s|.
///
/// Requires  multipliers and logit factors other than 0.
/// Errors    std::invalid_argument for a 0, for a place that is needed and that TO has not, and for
///           any where not both outputs are tied.
template <Scalar Real>
Recipe<Real> recipe(const Convention<Real>& from, const Convention<Real>& to,
                    std::optional<FactorPlace> place = {}) {
  for (const auto* one : {&from, &to})
    if (one->multiplier == Real(0) || one->position_multiplier == Real(0) ||
        one->logit_factor == Real(0))
      throw std::invalid_argument("port: a multiplier is 0");
  Recipe<Real> out;
  const Real s = from.multiplier / to.multiplier;
  if (s != Real(1)) out.steps.push_back({Action::multiply, Parameter::token_table, s});
  detail::port_final_norm(from, to, out);
  detail::port_output(from, to, s, place, out);
  detail::port_positions(from, to, out);
  const bool both = from.gain != Gain::none && to.gain != Gain::none;
  const bool stores_w = from.gain == Gain::one_plus || to.gain == Gain::one_plus;
  if (both && stores_w && (from.gain != to.gain || out.factor_of(Parameter::gain) != Real(1)))
    out.obstacles.push_back(Obstacle::decay_pulls_elsewhere);
  if (std::ranges::any_of(out.steps, [&](const auto& step) {
        const bool trained = step.action == Action::multiply ||
                             (step.action == Action::store_positions &&
                              from.positions.source == PositionVectors::Source::learned);
        return trained && step.factor != Real(1);
      }))
    out.obstacles.push_back(Obstacle::global_clipping);
  return out;
}

/// The channel of FROM that becomes channel j of TO where only the layouts of sines and cosines
/// differ.
///
/// Requires  an even d, j < d.
constexpr std::size_t channel_of(std::size_t j, std::size_t d, SinusoidalLayout from,
                                 SinusoidalLayout to) {
  if (from == to) return j;
  return to == SinusoidalLayout::halves ? (j < d / 2 ? 2 * j : 2 * (j - d / 2) + 1)
                                        : (j % 2 == 0 ? j / 2 : d / 2 + j / 2);
}

/// What an optimiser remembers of a parameter, after that was multiplied by s: its gradient is 1/s
/// of what it was.  Requires s != 0.
/// Ensures   of training that goes on, every bit but the sign of a zero, where s is a power of two
///           and nothing under- or overflows; else what it is over the reals
///           [porting.optimizer_state_follows].
template <Scalar Real>
Velocity<Real> carried(const Velocity<Real>& state, const Real& s) {
  return {Real(state.v / s)};
}

template <Scalar Real>
Moments<Real> carried(const Moments<Real>& state, const Real& s) {
  return {Real(state.first / s), Real(state.second / Real(s * s)), state.power_1, state.power_2};
}

}  // namespace embedscale
