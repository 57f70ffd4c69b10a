#include "model.hpp"

#include <embedscale/block_gradient.hpp>
#include <embedscale/sinusoidal.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace embedscale::properties::porting {

namespace {

/// The final norm and the loss, as the claims about training have them.
template <AnalyticScalar Real>
optimizer::Model<Real> rest_of(const Task<Real>& task) {
  return {.d = task.d,
          .epsilon = task.epsilon,
          .last = task.norm,
          .loss = task.loss,
          .targets = task.targets,
          .inputs = task.tokens.size(),
          .loss_scale = task.loss_scale};
}

template <Scalar Real>
std::vector<Real> input_of(const Model<Real>& model) {
  const auto& [code, task, parameters, blocks] = model;
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
const std::vector<Real>& output_of(const Model<Real>& model) {
  return model.parameters[model.code.tied ? Parameter::token_table : Parameter::output_table];
}

/// ∂L/∂z, in the place of the logits of all inputs.
template <Scalar Real>
void to_slopes(const Task<Real>& task, std::size_t words, std::vector<Real>& z) {
  if constexpr (AnalyticScalar<Real>) {
    const auto rest = rest_of(task);
    for (std::size_t i = 0; i < task.tokens.size(); ++i)
      optimizer::detail::loss_slopes<Real>(rest, i, std::span(z).subspan(i * words, words));
  } else {
    for (std::size_t k = 0; k < z.size(); ++k)
      z[k] = task.loss_scale * Real(z[k] - task.targets[k]);
  }
  if (task.tilt == Real(0)) return;
  for (std::size_t k = 0; k < z.size(); ++k)
    z[k] = k % 2 == 0 ? Real(z[k] + task.tilt) : Real(z[k] - task.tilt);
}

/// Back from the logits to N(y): what is returned; on the way, those to output, gain and bias.
template <Scalar Real>
std::vector<Real> back_to_normed(const Model<Real>& model, const Activations<Real>& at,
                                 Each<std::vector<Real>>& out) {
  const auto& output = output_of(model);
  const std::size_t d = model.task.d, words = output.size() / d;
  const Real c = model.code.factor(model.code.tied).value_or(Real(1));
  auto& to_output = out[model.code.tied ? Parameter::token_table : Parameter::output_table];
  auto slopes = at.logits;
  to_slopes(model.task, words, slopes);
  const auto g = model.gain();
  std::vector<Real> back(at.hidden.size(), Real(0));
  for (std::size_t i = 0; i < model.task.tokens.size(); ++i) {
    const auto slope = std::span<const Real>(slopes).subspan(i * words, words);
    weighted_sum<Real>(slope, output, std::span(back).subspan(i * d, d));
    for (std::size_t k = 0; k < output.size(); ++k)
      to_output[k] = to_output[k] + Real(Real(c * slope[k / d]) * at.hidden[i * d + k % d]);
  }
  auto &to_gain = out[Parameter::gain], &to_bias = out[Parameter::bias];
  for (std::size_t i = 0; i < back.size(); ++i) {
    const std::size_t j = i % d;
    back[i] = c * back[i];
    if (!to_bias.empty()) to_bias[j] = to_bias[j] + back[i];
    if (g.empty()) continue;
    to_gain[j] = to_gain[j] + Real(back[i] * at.normed[i]);
    back[i] = g[j] * back[i];
  }
  return back;
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
Activations<Real> Model<Real>::activations() const {
  const auto& output = output_of(*this);
  const std::size_t d = task.d, words = output.size() / d;
  Activations<Real> out{{input_of(*this)}, {}, {}, {}};
  if constexpr (AnalyticScalar<Real>) {
    for (const auto& block : blocks) {
      auto next = out.stream.back();
      apply<Real>(block, out.stream.back(), next);
      out.stream.push_back(std::move(next));
    }
    out.normed = optimizer::detail::normalized(rest_of(task), task.norm, out.stream.back(),
                                               optimizer::library<Real>);
  } else {
    out.normed = out.stream.back();
  }
  const auto g = gain();
  const auto& b = parameters[Parameter::bias];
  out.hidden = out.normed;
  for (std::size_t i = 0; i < out.hidden.size(); ++i) {
    if (!g.empty()) out.hidden[i] = g[i % d] * out.hidden[i];
    if (!b.empty()) out.hidden[i] = out.hidden[i] + b[i % d];
  }
  out.logits.resize(task.tokens.size() * words, Real(0));
  for (std::size_t i = 0; i < task.tokens.size(); ++i)
    logits<Real>(std::span<const Real>(out.hidden).subspan(i * d, d), output,
                 code.factor(code.tied).value_or(Real(1)),
                 std::span(out.logits).subspan(i * words, words));
  return out;
}

template <Scalar Real>
Each<std::vector<Real>> Model<Real>::gradients() const {
  Each<std::vector<Real>> out;
  for (const auto of : all_parameters) out[of].resize(parameters[of].size(), Real(0));
  const auto at = activations();
  auto back = back_to_normed(*this, at, out);
  if constexpr (AnalyticScalar<Real>) {
    optimizer::detail::back_through(rest_of(task), task.norm, at.stream.back(), back,
                                    optimizer::library<Real>);
    for (std::size_t k = blocks.size(); k-- > 0;)
      apply_gradient<Real>(blocks[k], at.stream[k], back, back);
  }
  auto& to_positions = out[Parameter::position_table];
  const std::size_t first = first_row() * task.d;
  for (std::size_t i = 0; !to_positions.empty() && i < back.size(); ++i)
    to_positions[first + i] = code.position_multiplier * back[i];
  add_look_up_gradient<Real>(task.tokens, back, code.multiplier, task.d,
                             out[Parameter::token_table]);
  return out;
}

template struct Model<Rational>;
template struct Model<Wide>;
template struct Model<double>;
template struct Model<float>;

}  // namespace embedscale::properties::porting
