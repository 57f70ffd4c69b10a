#include "training/recipes/model.hpp"

#include <fmt/format.h>
#include <embedscale/attention.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace embedscale::training {

namespace study = properties::training;
using study::Family, study::Recipe;
using torch::Tensor;

namespace {

std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

/// c·p of the paper's sinusoids.
Tensor sinusoids(double c, std::size_t d) {
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  std::vector<float> all;
  for (std::size_t p = 0; p < study::length; ++p) {
    std::vector<double> row(d);
    encode_position<double>(static_cast<std::int64_t>(p), w, SinusoidalLayout::interleaved, row);
    for (const double x : row) all.push_back(static_cast<float>(c) * static_cast<float>(x));
  }
  return tensor_of(all, {whole(study::length), whole(d)});
}

Tensor causal_mask() {
  const auto n = whole(study::length);
  return torch::triu(torch::full({n, n}, -std::numeric_limits<float>::infinity()), 1);
}

}  // namespace

Rotation rotation(std::size_t d_k, double base) {
  std::vector<float> cosines, sines;
  for (std::size_t p = 0; p < study::length; ++p)
    for (std::size_t i = 0; i < d_k / 2; ++i) {
      const double exponent = 2 * static_cast<double>(i) / static_cast<double>(d_k);
      const double angle = static_cast<double>(p) * std::pow(base, -exponent);
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
  const std::array<std::int64_t, 2> shape{whole(study::length), whole(d_k / 2)};
  return {tensor_of(cosines, shape), tensor_of(sines, shape)};
}

Tensor rotated(const Tensor& x, const Rotation& by) {
  const auto half = x.size(-1) / 2;
  const Tensor a = x.narrow(-1, 0, half), b = x.narrow(-1, half, half);
  return torch::cat({a * by.cosines - b * by.sines, b * by.cosines + a * by.sines}, -1);
}

Tensor rms_norm(const Tensor& x, const Tensor& gain, double epsilon) {
  return x * torch::rsqrt(x.square().mean(-1, true) + epsilon) * gain;
}

Tensor decoder_norm(const Tensor& x, const Tensor& gain, const Tensor& bias) {
  return bias.defined() ? torch::layer_norm(x, {x.size(-1)}, gain, bias, study::norm_epsilon)
                        : rms_norm(x, gain, study::rms_norm_epsilon);
}

Tensor decoder_attention(const Tensor& x, const DecoderBlock& of, std::size_t heads,
                         const Tensor& mask, const Rotation& by) {
  const auto n = x.size(0), tokens = x.size(1), d = x.size(2), h = whole(heads);
  const double scale = attention_scale<double>(static_cast<std::size_t>(d / h));
  const Tensor parts = torch::linear(x, of.attention_in, of.attention_in_bias)
                           .view({n, tokens, 3, h, d / h})
                           .permute({2, 0, 3, 1, 4});
  const auto turned = [&](const Tensor& y) { return by.cosines.defined() ? rotated(y, by) : y; };
  const Tensor logits =
      torch::matmul(turned(parts[0]), turned(parts[1]).transpose(-1, -2)) * scale + mask;
  const Tensor means = torch::matmul(torch::softmax(logits, -1), parts[2]);
  return torch::linear(means.transpose(1, 2).reshape({n, tokens, d}), of.attention_out,
                       of.attention_out_bias);
}

Tensor decoder_network(const Tensor& x, const DecoderBlock& of) {
  const Tensor inner = torch::linear(x, of.inner, of.inner_bias);
  const Tensor hidden = of.gate.defined() ? torch::silu(torch::linear(x, of.gate)) * inner
                                          : torch::gelu(inner, "tanh");
  return torch::linear(hidden, of.outer, of.outer_bias);
}

RecipeModel::RecipeModel(const Recipe& recipe, std::uint64_t seed) : recipe_(recipe), seed_(seed) {
  const std::size_t v = study::text_vocabulary, d = recipe.d;
  const auto width = static_cast<double>(d);
  mask_ = causal_mask();
  table_ = drawn("table", Normal{recipe.sigma}, {whole(v), whole(d)});
  matrices_.clear();  // of which the table is none
  if (recipe.family == Family::sinusoidal) positions_ = sinusoids(recipe.positions, d);
  if (recipe.family == Family::learned)
    positions_ =
        drawn("positions", Normal{study::learned_position_sigma}, {whole(study::length), whole(d)});
  if (recipe.family == Family::rotary) rotation_ = rotation(d / study::heads, study::rotary_base);
  for (std::size_t layer = 0; layer < recipe.depth; ++layer) draw_block(layer);
  if (recipe.norms == NormPlacement::pre) {
    last_gain_ = filled(1, d);
    if (recipe.family != Family::rotary) last_bias_ = filled(0, d);
  }
  if (recipe.output == study::Output::tied) {
    head_ = table_;
    return;
  }
  const double sigma = recipe.widening == study::Widening::by_width ? 8 / width
                       : recipe.family == Family::learned           ? study::learned_sigma
                                                                    : 1 / std::sqrt(width);
  head_ = drawn("head", Normal{sigma}, {whole(v), whole(d)});
}

Tensor RecipeModel::drawn(std::string_view name, const Initializer& law, at::IntArrayRef shape) {
  std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1]));
  const Stream stream(seed_, fmt::format("training/{}", name));
  fill<float>(law, stream, values);
  matrices_.push_back(tensor_of(values, shape).requires_grad_());
  return matrices_.back();
}

Tensor RecipeModel::matrix(std::size_t layer, std::string_view name, std::size_t out,
                           std::size_t in, bool writes_to_residual) {
  Initializer law = XavierUniform{out, in};
  if (recipe_.family == Family::rotary) law = Normal{1 / std::sqrt(static_cast<double>(in))};
  if (recipe_.family == Family::learned)
    law = Normal{study::learned_sigma /
                 (writes_to_residual ? std::sqrt(2 * static_cast<double>(recipe_.depth)) : 1.0)};
  return drawn(fmt::format("layer {} {}", layer, name), law, {whole(out), whole(in)});
}

Tensor RecipeModel::filled(double value, std::size_t size) {
  vectors_.push_back(torch::full({whole(size)}, value).requires_grad_());
  return vectors_.back();
}

/// Query, key and value, each drawn by itself, are one parameter.
Tensor RecipeModel::attention_matrix(std::size_t layer) {
  const std::size_t d = recipe_.d, first = matrices_.size();
  const Tensor query = matrix(layer, "query", d, d, false), key = matrix(layer, "key", d, d, false),
               value = matrix(layer, "value", d, d, false);
  matrices_.resize(first);
  matrices_.push_back(torch::cat({query, key, value}).detach().requires_grad_());
  return matrices_.back();
}

void RecipeModel::draw_block(std::size_t layer) {
  const std::size_t d = recipe_.d, inner = study::inner_width(recipe_);
  DecoderBlock of;
  of.attention_in = attention_matrix(layer);
  of.attention_out = matrix(layer, "output", d, d, true);
  of.inner = matrix(layer, "inner", inner, d, false);
  of.outer = matrix(layer, "outer", d, inner, true);
  if (recipe_.family == Family::rotary) of.gate = matrix(layer, "gate", inner, d, false);
  of.first_gain = filled(1, d), of.second_gain = filled(1, d);
  if (recipe_.family != Family::rotary) {
    of.attention_in_bias = filled(0, 3 * d), of.attention_out_bias = filled(0, d);
    of.inner_bias = filled(0, inner), of.outer_bias = filled(0, d);
    of.first_bias = filled(0, d), of.second_bias = filled(0, d);
  }
  if (recipe_.family == Family::sinusoidal)
    blocks_.push_back({of.attention_in, of.attention_in_bias, of.attention_out,
                       of.attention_out_bias, of.inner, of.inner_bias, of.outer, of.outer_bias,
                       of.first_gain, of.first_bias, of.second_gain, of.second_bias});
  else
    decoder_blocks_.push_back(of);
}

Tensor RecipeModel::after_block(const Tensor& x, std::size_t layer) const {
  if (recipe_.family == Family::sinusoidal)
    return block(x, blocks_[layer], recipe_.norms, study::heads, study::norm_epsilon, mask_);
  const auto& of = decoder_blocks_[layer];
  const Tensor y = x + decoder_attention(decoder_norm(x, of.first_gain, of.first_bias), of,
                                         study::heads, mask_, rotation_);
  return y + decoder_network(decoder_norm(y, of.second_gain, of.second_bias), of);
}

RecipeModel::Signals RecipeModel::signals(const Tensor& tokens) const {
  Signals out;
  const Tensor e = torch::embedding(table_, tokens);
  const auto m = static_cast<float>(recipe_.multiplier);
  out.input = m == 1 ? e : e * m;
  if (positions_.defined()) out.input = out.input + positions_;
  Tensor x = out.input;
  for (std::size_t layer = 0; layer < recipe_.depth; ++layer) {
    const Tensor y = after_block(x, layer);
    if (layer == 0) out.branch = recipe_.norms == NormPlacement::pre ? y - x : y;
    x = y;
  }
  if (recipe_.norms == NormPlacement::pre) x = decoder_norm(x, last_gain_, last_bias_);
  out.logits = torch::matmul(x, head_.t()).view({-1, head_.size(0)});
  return out;
}

}  // namespace embedscale::training
