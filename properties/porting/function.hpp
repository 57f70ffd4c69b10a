#pragma once
// A model in both codes: how far its port is from the same function, with all steps or without
// some of them. Measures of function_is_kept, tied_output_needs_a_place_for_the_factor and
// rounded_multiplier_is_the_function.
#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "../domain/encoding.hpp"
#include "../domain/rationals.hpp"
#include "drawn.hpp"
#include "omissions.hpp"

namespace embedscale::properties::porting {

/// The steps but those that are `left`.
template <Scalar Real>
Recipe<Real> without(Recipe<Real> recipe, const std::function<bool(const PortStep<Real>&)>& left) {
  std::erase_if(recipe.steps, left);
  return recipe;
}
/// Only the table is multiplied.
template <Scalar Real>
Recipe<Real> table_alone(const Recipe<Real>& recipe) {
  return without<Real>(recipe, [](const auto& step) { return !is_of_table(step); });
}
/// The factor of the logits is forgotten.
template <Scalar Real>
Recipe<Real> without_a_place(const Recipe<Real>& recipe) {
  return without<Real>(recipe, [](const auto& step) { return is_place(step); });
}

/// The channels of TO, by those of FROM.
template <Scalar Real>
std::vector<std::size_t> channel_order(const Port<Real>& at) {
  const std::size_t d = at.from.model.task.d;
  std::vector<std::size_t> order(d);
  std::iota(order.begin(), order.end(), 0);
  for (const auto& step : at.meant().steps)
    if (step.action == Action::permute_channels)
      for (std::size_t j = 0; j < d; ++j)
        order[j] = embedscale::channel_of(j, d, at.from.model.code.positions.layout,
                                          at.to.positions.layout);
  return order;
}

/// Calls each(meant, is) for every activation: stream, N(y), h and z, the first in TO's channels;
/// h is multiplied where the final norm took a factor. Logits of an output without a table are 0.
template <Scalar Real, class Visit>
void for_each_activation(const Port<Real>& at, const Model<Real>& to, const Visit& each) {
  const auto a = at.from.model.activations();
  auto b = to.activations();
  b.logits.resize(a.logits.size(), Real(0));
  const auto order = channel_order(at);
  const Real f = at.meant().factor_of(Parameter::gain);
  const auto meant = [&](const std::vector<Real>& rows, const Real& factor) {
    auto out = rows;
    for (std::size_t k = 0; k < rows.size(); ++k)
      out[k] = factor * rows[k / order.size() * order.size() + order[k % order.size()]];
    return out;
  };
  for (std::size_t k = 0; k < a.stream.size(); ++k) each(meant(a.stream[k], Real(1)), b.stream[k]);
  each(meant(a.normed, Real(1)), b.normed);
  each(meant(a.hidden, f), b.hidden);
  each(a.logits, b.logits);
}

/// The largest distance of an activation from what it is meant to be, over its largest number.
template <Scalar Real>
Real function_distance(const Port<Real>& at, const Model<Real>& to) {
  Real most(0);
  for_each_activation(at, to, [&](const auto& meant, const auto& is) {
    most = std::max(most, optimizer::relative_distance(meant, is, Real(1)));
  });
  return most;
}

/// Whether all have the same bits.
template <Scalar Real>
bool function_keeps_its_bits(const Port<Real>& at, const Model<Real>& to) {
  bool same = true;
  for_each_activation(at, to, [&](const auto& meant, const auto& is) {
    same = same && std::ranges::equal(meant, is, [](const Real& x, const Real& y) {
             return domain::bits_of(x) == domain::bits_of(y);
           });
  });
  return same;
}

/// The distance over that of a model whose table is off by 10^−30 of its entries: at most 1 where
/// both compute one function. In 50 digits rounding is 10^20 times smaller, and whatever the model
/// does to it, it does to the change as well.
inline double share_of_thirtieth_digit(const Port<Wide>& at, const Model<Wide>& to) {
  Port<Wide> changed{at.from, at.from.model.code};
  auto& table = changed.from.model.parameters[Parameter::token_table];
  table = optimizer::off_in_the_thirtieth_digit(table);
  return static_cast<double>(
      Wide(function_distance(at, to) / function_distance(changed, at.from.model)));
}

/// How many numbers are stored more than before.
template <Scalar Real>
std::size_t added_parameters(const Model<Real>& from, const Model<Real>& to) {
  const auto size_of = [](const Model<Real>& model) {
    std::size_t size = 0;
    for (const auto& one : model.parameters.all) size += one.size();
    return size;
  };
  return size_of(to) - size_of(from);
}

/// Whether the place of `at` is there where it is said to be (the final norm: where that has a
/// gain), is all that takes the factor, keeps the logits, and adds V·d numbers or none.
template <Scalar Real>
bool place_costs_as_stated(const Port<Real>& at, const PrimitivesIn<Real>& primitives) {
  const auto& from = at.from.model;
  const bool there = at.place != FactorPlace::final_norm || at.to.gain != Gain::none;
  Recipe<Real> recipe;
  try {
    recipe = primitives.recipe(from.code, at.to, at.place);
  } catch (const std::invalid_argument&) {
    return !there;
  }
  const auto to = at.by(recipe, primitives).model;
  const auto counts = [&](Action action, Parameter of) {
    return std::ranges::any_of(recipe.steps, [&](const auto& step) {
      return step.action == action && step.parameter == of;
    });
  };
  const bool taken[] = {counts(Action::set_logit_factor, Parameter::output_table),
                        counts(Action::multiply, Parameter::gain),
                        counts(Action::copy_table, Parameter::output_table)};
  const std::size_t added =
      at.place == FactorPlace::own_table ? from.parameters[Parameter::token_table].size() : 0;
  return there && std::ranges::count(taken, true) == 1 &&
         taken[static_cast<std::size_t>(*at.place)] && added_parameters(from, to) == added &&
         function_distance(at, to) == Real(0);
}

/// Whether it is enough to multiply the table: the output's table is and stays one of its own, with
/// one logit factor, or the logit factors are already as far apart as the tables; and the same row
/// of positions, times the same number, is added to the first token.
inline bool table_is_enough(const Convention<Rational>& from, const Convention<Rational>& to) {
  const Rational one(1), s = from.multiplier / to.multiplier;
  const Rational c = from.factor(from.tied).value_or(one) / to.factor(to.tied).value_or(one);
  const bool positions = from.positions.source == PositionVectors::Source::none ||
                         (from.position_multiplier == to.position_multiplier &&
                          from.positions.first == to.positions.first);
  return positions && from.tied == to.tied && c == (from.tied ? s : one);
}
}  // namespace embedscale::properties::porting
