#include "training/study/model.hpp"

#include <fmt/format.h>
#include <embedscale/attention.hpp>
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/random.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace embedscale::training {

namespace study = properties::training;
using torch::Tensor;

namespace {

std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

/// c·p, or p/m.
Tensor positions_of(const study::Parametrisation<float>& of, std::size_t d) {
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  std::vector<float> all;
  for (std::size_t p = 0; p < study::length; ++p) {
    std::vector<double> row(d);
    encode_position<double>(static_cast<std::int64_t>(p), w, SinusoidalLayout::interleaved, row);
    for (const double x : row)
      all.push_back(of.position_factor * static_cast<float>(x) / of.divisor);
  }
  return tensor_of(all, {whole(study::length), whole(d)});
}

/// −∞ above the diagonal: no token sees those behind it.
Tensor causal_mask() {
  const auto n = whole(study::length);
  return torch::triu(torch::full({n, n}, -std::numeric_limits<float>::infinity()), 1);
}

}  // namespace

Tensor tensor_of(std::span<const float> values, at::IntArrayRef shape) {
  Tensor out = torch::empty(shape);
  std::ranges::copy(values, out.data_ptr<float>());
  return out;
}

Tensor self_attention(const Tensor& x, const BlockParameters& of, std::size_t heads,
                      const Tensor& mask) {
  const auto n = x.size(0), tokens = x.size(1), d = x.size(2), h = whole(heads);
  const double scale = attention_scale<double>(static_cast<std::size_t>(d / h));
  const Tensor parts = torch::linear(x, of.attention_in, of.attention_in_bias)
                           .view({n, tokens, 3, h, d / h})
                           .permute({2, 0, 3, 1, 4});
  Tensor logits = torch::matmul(parts[0], parts[1].transpose(-1, -2)) * scale;
  if (mask.defined()) logits = logits + mask;
  const Tensor means = torch::matmul(torch::softmax(logits, -1), parts[2]);
  return torch::linear(means.transpose(1, 2).reshape({n, tokens, d}), of.attention_out,
                       of.attention_out_bias);
}

Tensor block(Tensor x, const BlockParameters& of, NormPlacement norms, std::size_t heads,
             double epsilon, const Tensor& mask) {
  const auto d = x.size(2);
  const auto first = [&](const Tensor& y) {
    return torch::layer_norm(y, {d}, of.first_gain, of.first_bias, epsilon);
  };
  const auto second = [&](const Tensor& y) {
    return torch::layer_norm(y, {d}, of.second_gain, of.second_bias, epsilon);
  };
  const auto network = [&](const Tensor& y) {
    return torch::linear(torch::relu(torch::linear(y, of.inner, of.inner_bias)), of.outer,
                         of.outer_bias);
  };
  if (norms == NormPlacement::pre) {
    x = x + self_attention(first(x), of, heads, mask);
    return x + network(second(x));
  }
  x = first(x + self_attention(x, of, heads, mask));
  return second(x + network(x));
}

std::vector<Tensor> parameters(const BlockParameters& of) {
  return {of.attention_in, of.attention_in_bias, of.attention_out, of.attention_out_bias,
          of.inner,        of.inner_bias,        of.outer,         of.outer_bias,
          of.first_gain,   of.first_bias,        of.second_gain,   of.second_bias};
}

Model::Model(const study::Setting& setting, study::Arm arm, std::uint64_t seed)
    : setting_(setting), seed_(seed) {
  const std::size_t v = study::vocabulary_of(setting.task), d = setting.d;
  const auto of = study::parametrisation<float>(arm, v, d);
  multiplier_ = of.multiplier;
  positions_ = positions_of(of, d);
  if (setting.task == study::Task::text) mask_ = causal_mask();
  table_ = drawn("table", of.law, {whole(v), whole(d)});
  others_.clear();  // of which the table is none
  for (std::size_t layer = 0; layer < study::layers; ++layer) blocks_.push_back(drawn_block(layer));
  if (setting.norms == NormPlacement::pre)
    last_gain_ = filled(1, whole(d)), last_bias_ = filled(0, whole(d));
  head_ = setting.output == study::Output::tied
              ? table_
              : drawn("head", Normal{1 / std::sqrt(static_cast<double>(d))}, {whole(v), whole(d)});
}

Tensor Model::drawn(std::string_view name, const Initializer& law, at::IntArrayRef shape) {
  std::vector<float> values(static_cast<std::size_t>(shape[0] * shape[1]));
  const Stream stream(seed_, fmt::format("training/{}", name));
  fill<float>(law, stream, values);
  others_.push_back(tensor_of(values, shape).requires_grad_());
  return others_.back();
}

Tensor Model::filled(double value, std::int64_t size) {
  others_.push_back(torch::full({size}, value).requires_grad_());
  return others_.back();
}

/// Matrices are Xavier uniform, each of query, key and value by itself; biases are 0.
BlockParameters Model::drawn_block(std::size_t layer) {
  const auto d = whole(setting_.d), inner = whole(study::feed_forward_factor * setting_.d);
  const auto matrix = [&](std::string_view name, std::int64_t out, std::int64_t in) {
    const XavierUniform law{static_cast<std::size_t>(out), static_cast<std::size_t>(in)};
    return drawn(fmt::format("layer {} {}", layer, name), law, {out, in});
  };
  BlockParameters of;
  const auto first = others_.size();
  const Tensor query = matrix("query", d, d), key = matrix("key", d, d),
               value = matrix("value", d, d);
  others_.resize(first);  // the three are one parameter
  of.attention_in = torch::cat({query, key, value}).detach().requires_grad_();
  others_.push_back(of.attention_in);
  of.attention_in_bias = filled(0, 3 * d);
  of.attention_out = matrix("output", d, d), of.attention_out_bias = filled(0, d);
  of.inner = matrix("inner", inner, d), of.inner_bias = filled(0, inner);
  of.outer = matrix("outer", d, inner), of.outer_bias = filled(0, d);
  of.first_gain = filled(1, d), of.first_bias = filled(0, d);
  of.second_gain = filled(1, d), of.second_bias = filled(0, d);
  return of;
}

Tensor Model::input(const Tensor& tokens) const {
  const Tensor e = torch::embedding(table_, tokens);
  return (multiplier_ == 1 ? e : e * multiplier_) + positions_;
}

Tensor Model::logits(const Tensor& tokens) const {
  const auto d = whole(setting_.d);
  Tensor x = input(tokens);
  for (const auto& of : blocks_)
    x = block(x, of, setting_.norms, study::heads, study::norm_epsilon, mask_);
  if (last_gain_.defined())
    x = torch::layer_norm(x, {d}, last_gain_, last_bias_, study::norm_epsilon);
  return torch::matmul(x, head_.t()).view({-1, head_.size(0)});
}

double Model::ratio(const Tensor& tokens) const {
  const auto rms = [](const Tensor& x) {
    return std::sqrt(x.to(torch::kDouble).square().mean().item<double>());
  };
  return std::abs(static_cast<double>(multiplier_)) * rms(torch::embedding(table_, tokens)) /
         rms(positions_);
}

}  // namespace embedscale::training
