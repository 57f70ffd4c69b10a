#pragma once
// A block of random weights and what it is given, for libtorch and for the library; and the block
// as libtorch rounds it.
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

/// The block as libtorch rounds it: its layer norm is computed in another way than the library's,
/// and what a sub-layer gives is stored.
template <class Number>
class BlockInTorch {
 public:
  explicit BlockInTorch(const EncoderBlock<Number>& block) : block_(block) {}
  using Rows = std::vector<Number>;

  Rows operator()(const Rows& x) const {
    const Rows y = attention_sublayer(x);
    return pre() ? sum(y, network(norm(y))) : norm(sum(y, network(y)));
  }

  /// Jᵀ g.
  Rows gradient(const Rows& x, const Rows& g) const {
    const Rows y = attention_sublayer(x);
    if (pre()) {
      const Rows to_y = sum(g, norm_back(y, network_back(norm(y), g)));
      return sum(to_y, norm_back(x, attention_back(norm(x), to_y)));
    }
    const Rows to_sum = norm_back(sum(y, network(y)), g);
    const Rows to_y = sum(to_sum, network_back(y, to_sum));
    const Rows to_x = norm_back(sum(x, attention(x)), to_y);
    return sum(to_x, attention_back(x, to_x));
  }

 private:
  using In = std::span<const Number>;
  bool pre() const { return block_.norms == NormPlacement::pre; }

  Rows attention_sublayer(const Rows& x) const {
    return pre() ? sum(x, attention(norm(x))) : norm(sum(x, attention(x)));
  }
  static Rows sum(const Rows& x, const Rows& y) {
    Rows out;
    for (std::size_t i = 0; i < x.size(); ++i) out.push_back(stored(x[i] + stored(y[i])));
    return out;
  }
  Rows attention(const Rows& x) const {
    Rows out(x.size());
    self_attention<Number>(block_.shape, block_.weights, x, out);
    return out;
  }
  Rows attention_back(const Rows& x, const Rows& g) const {
    Rows out(x.size());
    self_attention_gradient<Number>(block_.shape, block_.weights, x, g, out);
    return out;
  }
  Rows network(const Rows& x) const {
    Rows out(x.size());
    feed_forward<Number>(block_.shape, block_.weights, x, out);
    return out;
  }
  /// Each unit has to be on one side of its kink whatever the rounding: of the value, and of
  /// libtorch's.
  Rows network_back(const Rows& x, const Rows& g) const {
    const auto& w = block_.weights;
    for (std::size_t at = 0; at < x.size(); at += block_.shape.d_model)
      for (const Number& z : embedscale::detail::before_relu<Number>(
               {w.inner, w.inner_bias}, In(x).subspan(at, block_.shape.d_model)))
        EXPECT_GT(std::abs(z.value()), 2 * z.error());
    Rows out(x.size());
    feed_forward_gradient<Number>(block_.shape, block_.weights, x, g, out);
    return out;
  }
  Rows norm(const Rows& x) const {
    return each_row(x, [&](std::size_t at, std::size_t d) {
      return layer_norm_in_torch(In(x).subspan(at, d), block_.norm.epsilon);
    });
  }
  Rows norm_back(const Rows& x, const Rows& g) const {
    return each_row(x, [&](std::size_t at, std::size_t d) {
      return layer_norm_gradient_in_torch(In(x).subspan(at, d), In(g).subspan(at, d),
                                          block_.norm.epsilon);
    });
  }
  template <class Function>
  Rows each_row(const Rows& x, const Function& f) const {
    Rows out;
    for (std::size_t at = 0; at < x.size(); at += block_.shape.d_model)
      for (const Number& value : f(at, block_.shape.d_model)) out.push_back(stored(value));
    return out;
  }

  const EncoderBlock<Number>& block_;
};

}  // namespace embedscale::training
