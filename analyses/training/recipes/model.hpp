#pragma once
// The models of the second study, in libtorch: the parts of the first one's where they have them.
#include <torch/torch.h>

#include <string>
#include <string_view>
#include <vector>

#include "properties/training/recipe.hpp"
#include "training/study/model.hpp"

namespace embedscale::training {

/// cos and sin of position·frequency: (length, d_k/2).
struct Rotation {
  torch::Tensor cosines, sines;
};
/// Of `length` positions, frequencies base^(−2i/d_k).
Rotation rotation(std::size_t d_k, double base);
/// x of (…, length, d_k), each pair (x_i, x_(i + d_k/2)) turned by its position's angle i.
torch::Tensor rotated(const torch::Tensor& x, const Rotation& by);

/// x/√(ms + ε)·gain, ms the mean of x² over the last dimension.
torch::Tensor rms_norm(const torch::Tensor& x, const torch::Tensor& gain, double epsilon);

/// A block of the rotary or the learned family; what it lacks is not defined.
struct DecoderBlock {
  torch::Tensor attention_in, attention_in_bias;  ///< query, key, value: (3d, d)
  torch::Tensor attention_out, attention_out_bias;
  torch::Tensor gate;  ///< SwiGLU: W_gate beside inner
  torch::Tensor inner, inner_bias, outer, outer_bias;
  torch::Tensor first_gain, first_bias, second_gain, second_bias;
};
/// LayerNorm where there is a bias, else RMSNorm.
torch::Tensor decoder_norm(const torch::Tensor& x, const torch::Tensor& gain,
                           const torch::Tensor& bias);
/// Causal self-attention of (n, length, d), rotary where `by` is defined.
torch::Tensor decoder_attention(const torch::Tensor& x, const DecoderBlock& of, std::size_t heads,
                                const torch::Tensor& mask, const Rotation& by);
/// W_outer (silu(W_gate x)·(W_inner x)), or with GELU, by tanh, and biases.
torch::Tensor decoder_network(const torch::Tensor& x, const DecoderBlock& of);

class RecipeModel {
 public:
  /// As it is at the start; a function of recipe and seed, which decides every draw: recipes of one
  /// family and width draw the same numbers.
  RecipeModel(const properties::training::Recipe& recipe, std::uint64_t seed);

  /// What the model has computed: the sum that enters it, what the first block adds to it (the
  /// whole output of a post-norm block), and (n·length, V) logits.
  struct Signals {
    torch::Tensor input, branch, logits;
  };
  Signals signals(const torch::Tensor& tokens) const;

  /// Parameters by how they are trained.
  const torch::Tensor& table() const { return table_; }
  const std::vector<torch::Tensor>& matrices() const { return matrices_; }  ///< but the table
  const std::vector<torch::Tensor>& vectors() const { return vectors_; }    ///< gains, biases

 private:
  torch::Tensor drawn(std::string_view name, const Initializer& law, at::IntArrayRef shape);
  torch::Tensor matrix(std::size_t layer, std::string_view name, std::size_t out, std::size_t in,
                       bool writes_to_residual);
  torch::Tensor filled(double value, std::size_t size);
  torch::Tensor attention_matrix(std::size_t layer);
  void draw_block(std::size_t layer);
  torch::Tensor after_block(const torch::Tensor& x, std::size_t layer) const;

  properties::training::Recipe recipe_;
  std::uint64_t seed_;
  std::vector<torch::Tensor> matrices_, vectors_;
  torch::Tensor table_, positions_, mask_, head_;
  std::vector<BlockParameters> blocks_;
  std::vector<DecoderBlock> decoder_blocks_;
  Rotation rotation_;
  torch::Tensor last_gain_, last_bias_;
};

}  // namespace embedscale::training
