#include "model.hpp"

#include <embedscale/sinusoidal.hpp>

#include <cstdint>
#include <span>

namespace embedscale::properties::porting {

namespace {

template <Scalar Real>
std::vector<Real> input_of(const Model<Real>& model) {
  const auto& [code, task, parameters] = model;
  const auto& table = parameters[Parameter::token_table];
  const auto& positions = parameters[Parameter::position_table];
  const std::size_t d = task.d, first = model.first_row() * d;
  std::vector<Real> x(task.tokens.size() * d, Real(0));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real& e = table[task.tokens[i / d] * d + i % d];
    x[i] =
        positions.empty()
            ? Real(code.multiplier * e)
            : Real(up(e, Real(code.position_multiplier * positions[first + i]), code.multiplier));
  }
  return x;
}

template <Scalar Real>
Parameter output_of(const Model<Real>& model) {
  return model.code.tied ? Parameter::token_table : Parameter::output_table;
}

/// What follows the input.
template <Scalar Real>
optimizer::Model<Real> rest_of(const Model<Real>& model) {
  optimizer::Model<Real> rest = model.task;
  rest.gain = model.gain(), rest.bias = model.parameters[Parameter::bias];
  rest.logit_factor = model.code.factor(model.code.tied).value_or(Real(1));
  return rest;
}

}  // namespace

template <Scalar Real>
std::size_t Model<Real>::first_row() const {
  return code.positions.source == PositionVectors::Source::learned
             ? static_cast<std::size_t>(code.positions.first)
             : 0;
}

template <Scalar Real>
std::vector<Real> Model<Real>::sinusoids() const {
  std::vector<Real> out;
  if constexpr (AnalyticScalar<Real>)
    if (code.positions.source == PositionVectors::Source::sinusoids) {
      const auto& [source, rule, layout, base, first] = code.positions;
      const auto w = sinusoidal_frequencies<Real>(task.d, rule, Real(base));
      out.resize(task.tokens.size() * task.d, Real(0));
      for (std::size_t i = 0; i < task.tokens.size(); ++i)
        encode_position<Real>(first + static_cast<std::int64_t>(i), w, layout,
                              std::span(out).subspan(i * task.d, task.d));
    }
  return out;
}

template <Scalar Real>
std::vector<Real> Model<Real>::gain() const {
  auto g = parameters[Parameter::gain];
  if (code.gain == Gain::one_plus)
    for (Real& w : g) w = Real(1) + w;
  return g;
}

template <Scalar Real>
optimizer::Activations<Real> Model<Real>::activations() const {
  return rest_of(*this).activations(input_of(*this), parameters[output_of(*this)],
                                    optimizer::library<Real>);
}

template <Scalar Real>
Each<std::vector<Real>> Model<Real>::gradients() const {
  const auto slopes =
      rest_of(*this)(input_of(*this), parameters[output_of(*this)], optimizer::library<Real>);
  Each<std::vector<Real>> out;
  out[output_of(*this)] = slopes.of_head;
  out[Parameter::gain] = slopes.of_gain, out[Parameter::bias] = slopes.of_bias;
  for (const auto of : all_parameters) out[of].resize(parameters[of].size(), Real(0));
  auto& to_positions = out[Parameter::position_table];
  const std::size_t first = first_row() * task.d;
  for (std::size_t i = 0; !to_positions.empty() && i < slopes.of_input.size(); ++i)
    to_positions[first + i] = code.position_multiplier * slopes.of_input[i];
  add_look_up_gradient<Real>(task.tokens, slopes.of_input, code.multiplier, task.d,
                             out[Parameter::token_table]);
  return out;
}

template struct Model<Rational>;
template struct Model<Wide>;
template struct Model<double>;
template struct Model<float>;

}  // namespace embedscale::properties::porting
