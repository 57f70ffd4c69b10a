#pragma once
// A block of random weights and what it is given, for libtorch and for the library.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>

#include "training/study/model.hpp"
#include "training/test/agreement.hpp"
#include "training/test/layer_norm.hpp"

namespace embedscale::training {

/// Two sequences of so many tokens, of deviation `size`.
struct BlockSetting {
  BlockShape shape;
  std::size_t tokens;
  double size;
  NormPlacement norms = NormPlacement::pre;
  double epsilon = 1e-5;
};
inline constexpr std::size_t sequences = 2;

/// By draws in which no unit of the network is near its kink.
template <class Real>
struct BlockCase {
  explicit BlockCase(const BlockSetting& s)
      : shape{whole(sequences), whole(s.tokens), whole(s.shape.d_model)},
        block(properties::block::block_of({s.shape, s.tokens, s.norms, NormKind::layer_norm,
                                           EpsilonPlacement::variance, s.epsilon,
                                           properties::block::Biases::all, draw_of(s)})) {
    auto& w = block.weights;
    for (auto* values : {&w.query, &w.key, &w.value, &w.output, &w.inner, &w.outer, &w.query_bias,
                         &w.key_bias, &w.value_bias, &w.output_bias, &w.inner_bias, &w.outer_bias})
      *values = rounded<Real>(*values);
    Normals normals(draw_of(s), "input of a block");
    const std::size_t n = sequences * s.tokens * s.shape.d_model;
    x = rounded<Real>(normals(n, s.size)), upstream = rounded<Real>(normals(n));
  }

  static std::uint64_t draw_of(const BlockSetting& s) { return 100 * s.tokens + s.shape.d_model; }
  Tensor tensor_of(const Numbers& values) const { return tensor<Real>(values, shape); }
  /// Gains are 1, biases of norms 0.
  BlockParameters parameters() const {
    const auto& w = block.weights;
    const auto d = shape[2], inner = whole(block.shape.d_ff);
    const auto matrix = [](const Numbers& of, std::int64_t out, std::int64_t in) {
      return tensor<Real>(of, {out, in});
    };
    const auto vector = [](const Numbers& of) { return tensor<Real>(of, whole(of.size())); };
    const auto one = vector(Numbers(w.query_bias.size(), 1.0)), none = torch::zeros_like(one);
    return {torch::cat({matrix(w.query, d, d), matrix(w.key, d, d), matrix(w.value, d, d)}),
            torch::cat({vector(w.query_bias), vector(w.key_bias), vector(w.value_bias)}),
            matrix(w.output, d, d),
            vector(w.output_bias),
            matrix(w.inner, inner, d),
            vector(w.inner_bias),
            matrix(w.outer, d, inner),
            vector(w.outer_bias),
            one,
            none,
            one,
            none};
  }

  std::array<std::int64_t, 3> shape;
  EncoderBlock<double> block;
  Numbers x, upstream;
};

/// Of each sequence, what f makes of the block, x and slopes as numbers of a kind.
template <class Real, class Function>
Reference<Real> each_sequence(const BlockCase<Real>& of, const Function& f) {
  return reference<Real>([&](auto zero) {
    using Number = decltype(zero);
    const auto block = as<Number>(of.block);
    const auto x = as<Number>(of.x), upstream = as<Number>(of.upstream);
    const std::size_t n = x.size() / sequences;
    std::vector<Number> all;
    for (std::size_t at = 0; at < x.size(); at += n) {
      const auto rows = [&](const std::vector<Number>& of_all) {
        const auto first = of_all.begin() + whole(at);
        return std::vector<Number>(first, first + whole(n));
      };
      const auto sequence = rows(x), slopes = rows(upstream);
      for (const Number& value : f(block, sequence, slopes)) all.push_back(value);
    }
    return all;
  });
}

}  // namespace embedscale::training
