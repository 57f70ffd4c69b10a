#include "checkpoint.hpp"

#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace embedscale::properties::porting {

namespace {

using Source = PositionVectors::Source;

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

/// Entry j of each row of d becomes what was entry order[j].
template <class T>
void permute_columns(std::vector<T>& rows, const std::vector<std::size_t>& order) {
  const auto was = rows;
  const std::size_t d = order.size();
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = was[k / d * d + order[k % d]];
}

/// Row j becomes what was row order[j]; a bias is a matrix of one column.
template <class T>
void permute_rows(std::vector<T>& matrix, const std::vector<std::size_t>& order) {
  const auto was = matrix;
  const std::size_t width = matrix.size() / order.size();
  for (std::size_t k = 0; k < matrix.size(); ++k)
    matrix[k] = was[order[k / width] * width + k % width];
}

template <Scalar Real>
void permute(optimizer::Block<Real>& block, const std::vector<std::size_t>& order) {
  if constexpr (AnalyticScalar<Real>) {
    auto& w = block.weights;
    for (auto* reads : {&w.query, &w.key, &w.value, &w.inner}) permute_columns(*reads, order);
    for (auto* writes : {&w.output, &w.output_bias, &w.outer, &w.outer_bias})
      permute_rows(*writes, order);
  }
}

/// The steps of a recipe, done to a copy.
template <Scalar Real>
class StepByStep {
 public:
  StepByStep(const Checkpoint<Real>& from, const Convention<Real>& to,
             const PrimitivesIn<Real>& primitives)
      : from_(from), to_(to), primitives_(primitives), out_(from) {
    out_.model.parameters[Parameter::gain] = from.model.gain();
    out_.model.code = to;
  }

  void take(const PortStep<Real>& step) {
    const auto of = step.parameter;
    switch (step.action) {
      case Action::copy_table:
        copy(Parameter::token_table, Parameter::output_table);
        multiply(of, step.factor);
        out_.model.code.tied = false;
        break;
      case Action::multiply: multiply(of, step.factor); break;
      case Action::fill:
        out_.model.parameters[of].assign(from_.model.task.d, step.factor);
        out_.rules[of].reset();
        break;
      case Action::store_positions:
        move_position_rows();
        multiply(of, step.factor);
        out_.model.code.positions.source = Source::learned;
        break;
      case Action::move_position_rows: move_position_rows(); break;
      case Action::set_logit_factor: out_.model.code.logit_factor = step.factor; break;
      case Action::permute_channels: permute_channels(); break;
    }
  }

  Checkpoint<Real> finished(bool gain_as_it_was) {
    auto& [code, task, parameters] = out_.model;
    if (gain_as_it_was) {
      parameters[Parameter::gain] = from_.model.parameters[Parameter::gain];
      if (!order_.empty()) permute_columns(parameters[Parameter::gain], order_);
    } else if (code.gain == Gain::one_plus) {
      for (Real& g : parameters[Parameter::gain]) g = g - Real(1);
    }
    if (code.gain == Gain::none) drop(Parameter::gain);
    if (!code.bias) drop(Parameter::bias);
    if (code.tied) drop(Parameter::output_table);
    if (code.positions.source == Source::none) drop(Parameter::position_table);
    if (code.positions.source == Source::sinusoids)
      parameters[Parameter::position_table] = out_.model.sinusoids();
    if (code.positions.source == Source::learned)
      parameters[Parameter::position_table].resize(
          (out_.model.first_row() + task.tokens.size()) * task.d, Real(0));
    for (const auto of : all_parameters) out_.memories[of].resize(parameters[of].size());
    return std::move(out_);
  }

 private:
  void copy(Parameter from, Parameter to) {
    out_.model.parameters[to] = from_.model.parameters[from];
    out_.memories[to] = from_.memories[from];
    out_.rules[to] = from_.rules[from];
  }

  void drop(Parameter of) {
    out_.model.parameters[of].clear();
    out_.rules[of].reset();
  }

  void multiply(Parameter of, const Real& s) {
    for (Real& entry : out_.model.parameters[of]) entry = s * entry;
    for (auto& memory : out_.memories[of]) memory = primitives_.carried(of, memory, s);
    if (auto& rule = out_.rules[of]) rule = primitives_.folded(of, *rule, s);
  }

  void move_position_rows() {
    const std::size_t d = from_.model.task.d, size = from_.model.task.tokens.size() * d;
    const std::size_t was = from_.model.first_row() * d;
    const std::size_t now = static_cast<std::size_t>(to_.positions.first) * d;
    const auto move = [&](auto& rows) {
      auto old = std::move(rows);
      rows.assign(now + size, {});
      std::copy_n(old.begin() + static_cast<std::ptrdiff_t>(was), std::min(size, old.size() - was),
                  rows.begin() + static_cast<std::ptrdiff_t>(now));
    };
    move(out_.model.parameters[Parameter::position_table]);
    move(out_.memories[Parameter::position_table]);
  }

  void permute_channels() {
    const std::size_t d = from_.model.task.d;
    for (std::size_t j = 0; j < d; ++j)
      order_.push_back(
          primitives_.channel_of(j, d, from_.model.code.positions.layout, to_.positions.layout));
    for (const auto of : all_parameters) {
      permute_columns(out_.model.parameters[of], order_);
      permute_columns(out_.memories[of], order_);
    }
    for (auto& block : out_.model.task.blocks) permute(block, order_);
  }

  const Checkpoint<Real>& from_;
  const Convention<Real>& to_;
  const Operations<Real>& primitives_;
  Checkpoint<Real> out_;
  std::vector<std::size_t> order_;  ///< of channels, where they are permuted
};

}  // namespace

template <Scalar Real>
std::size_t Model<Real>::first_row() const {
  return code.positions.source == Source::learned ? static_cast<std::size_t>(code.positions.first)
                                                  : 0;
}

template <Scalar Real>
std::vector<Real> Model<Real>::sinusoids() const {
  std::vector<Real> out;
  if constexpr (AnalyticScalar<Real>)
    if (code.positions.source == Source::sinusoids) {
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

template <Scalar Real>
void Checkpoint<Real>::begin() {
  for (const auto of : all_parameters) memories[of].assign(model.parameters[of].size(), {});
}

template <Scalar Real>
Real Checkpoint<Real>::factor_of(const Each<std::vector<Real>>& gradients,
                                 const PrimitivesIn<Real>& primitives) const {
  if constexpr (AnalyticScalar<Real>)
    if (clipping) {
      std::vector<GradientPart<Real>> parts;
      for (const auto of : all_parameters)
        if (rules[of]) parts.push_back({gradients[of], clipping->weights[of]});
      return primitives.clipping_factor(parts, clipping->max_norm);
    }
  return Real(1);
}

template <Scalar Real>
void Checkpoint<Real>::step(const PrimitivesIn<Real>& primitives) {
  auto slopes = model.gradients();
  if (clipping) {
    const Real factor = factor_of(slopes, primitives);
    for (auto& all : slopes.all)
      for (Real& slope : all) slope = factor * slope;
  }
  for (const auto of : all_parameters)
    for (std::size_t k = 0; rules[of] && k < slopes[of].size(); ++k)
      optimizer::move(model.parameters[of][k], slopes[of][k], rules[of]->by, memories[of][k],
                      optimizer::library<Real>);
}

template <Scalar Real>
Checkpoint<Real> Checkpoint<Real>::ported(const Convention<Real>& to, const Recipe<Real>& recipe,
                                          const PrimitivesIn<Real>& primitives) const {
  StepByStep<Real> port(*this, to, primitives);
  bool gain_stays = model.code.gain == to.gain;
  for (const auto& step : recipe.steps) {
    port.take(step);
    gain_stays &= step.parameter != Parameter::gain;
  }
  return port.finished(gain_stays);
}

template <Scalar Real>
Checkpoint<Real> Checkpoint<Real>::weighted(const Recipe<Real>& recipe) const {
  auto out = *this;
  if (out.clipping)
    for (const auto of : all_parameters)
      out.clipping->weights[of] = Real(out.clipping->weights[of] * recipe.factor_of(of));
  return out;
}

template struct Model<Rational>;
template struct Model<Wide>;
template struct Model<double>;
template struct Model<float>;
template struct Checkpoint<Rational>;
template struct Checkpoint<Wide>;
template struct Checkpoint<double>;
template struct Checkpoint<float>;

}  // namespace embedscale::properties::porting
