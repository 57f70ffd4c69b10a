#pragma once
// The model of the study, in libtorch: the project's tables, multipliers, positions and initial
// laws; libtorch's layers and automatic differentiation.
#include <torch/torch.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "properties/training/setting.hpp"

namespace embedscale::training {

/// A tensor of these numbers.
torch::Tensor tensor_of(std::span<const float> values, at::IntArrayRef shape);

/// Matrices are (out, in).
struct BlockParameters {
  torch::Tensor attention_in, attention_in_bias;  ///< query, key, value: (3d, d)
  torch::Tensor attention_out, attention_out_bias;
  torch::Tensor inner, inner_bias, outer, outer_bias;
  torch::Tensor first_gain, first_bias, second_gain, second_bias;
};

/// Self-attention of (n, length, d): `mask`, (length, length), is added to the logits if it is
/// defined.
torch::Tensor self_attention(const torch::Tensor& x, const BlockParameters& of, std::size_t heads,
                             const torch::Tensor& mask);
/// The block, with its norms before its sub-layers or behind them.
torch::Tensor block(torch::Tensor x, const BlockParameters& of, NormPlacement norms,
                    std::size_t heads, double epsilon, const torch::Tensor& mask);
/// Every parameter of it, for an optimiser.
std::vector<torch::Tensor> parameters(const BlockParameters& of);

class Model {
 public:
  /// As it is at the start: a function of setting, arm and seed, of which the seed decides every
  /// draw, so that arms differ in nothing but what they are.
  Model(const properties::training::Setting& setting, properties::training::Arm arm,
        std::uint64_t seed);

  /// x = m·e + c·p, (n, length, d), of (n, length) tokens.
  torch::Tensor input(const torch::Tensor& tokens) const;
  /// (n·length, V).
  torch::Tensor logits(const torch::Tensor& tokens) const;
  /// RMS of m·e over these tokens, over RMS of the positions.
  double ratio(const torch::Tensor& tokens) const;

  const torch::Tensor& table() const { return table_; }
  /// All parameters but the table.
  const std::vector<torch::Tensor>& others() const { return others_; }

 private:
  torch::Tensor drawn(std::string_view name, const Initializer& law, at::IntArrayRef shape);
  torch::Tensor filled(double value, std::int64_t size);
  BlockParameters drawn_block(std::size_t layer);

  properties::training::Setting setting_;
  std::uint64_t seed_;
  std::vector<torch::Tensor> others_;
  torch::Tensor table_, positions_, mask_, head_;
  std::vector<BlockParameters> blocks_;
  torch::Tensor last_gain_, last_bias_;
  float multiplier_;
};

}  // namespace embedscale::training
