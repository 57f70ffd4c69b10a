// The encoder block and its gradient: the study's, and libtorch's own layer, against the library's.
#include <algorithm>
#include <cmath>
#include <span>

#include "training/test/block_case.hpp"

namespace embedscale::training {
namespace {

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

template <class Real>
using Bounds = std::vector<ForwardError<Real>>;

template <class Real>
Bounds<Real> forward(const EncoderBlock<ForwardError<Real>>& block, const Bounds<Real>& x) {
  return BlockInTorch(block)(x);
}
std::vector<Exact> forward(const EncoderBlock<Exact>& block, const std::vector<Exact>& x) {
  std::vector<Exact> out(x.size());
  apply<Exact>(block, x, out);
  return out;
}
template <class Real>
Bounds<Real> back(const EncoderBlock<ForwardError<Real>>& block, const Bounds<Real>& x,
                  const Bounds<Real>& g) {
  return BlockInTorch(block).gradient(x, g);
}
std::vector<Exact> back(const EncoderBlock<Exact>& block, const std::vector<Exact>& x,
                        const std::vector<Exact>& g) {
  std::vector<Exact> out(x.size());
  apply_gradient<Exact>(block, x, g, out);
  return out;
}

template <class Real>
struct Expected {
  explicit Expected(const BlockCase<Real>& of)
      : value(each_sequence(of, [](auto& block, auto& x, auto&) { return forward(block, x); })),
        slope(each_sequence(of, [](auto& block, auto& x, auto& g) { return back(block, x, g); })) {}
  Reference<Real> value, slope;
};

/// A block of libtorch.
using Function = Tensor (*)(const Tensor& x, const BlockParameters& of,
                            const BlockSetting& setting);

/// The larger share of its result and its gradient.
template <class Real>
double share_of(Function function, const BlockSetting& setting, const BlockCase<Real>& of,
                const Expected<Real>& expected) {
  const Tensor x = of.tensor_of(of.x).requires_grad_();
  const Tensor y = function(x, of.parameters(), setting);
  y.backward(of.tensor_of(of.upstream));
  return std::max(share(y, expected.value), share(x.grad(), expected.slope));
}

Tensor block_of_study(const Tensor& x, const BlockParameters& of, const BlockSetting& setting) {
  return block(x, of, setting.norms, setting.shape.heads, setting.epsilon, {});
}

/// libtorch's own, which is post-norm.
template <class Activation>
Tensor encoder_layer(const Tensor& x, const BlockParameters& of, const BlockShape& shape,
                     Activation activation) {
  torch::nn::TransformerEncoderLayer layer(
      torch::nn::TransformerEncoderLayerOptions(whole(shape.d_model), whole(shape.heads))
          .dim_feedforward(whole(shape.d_ff))
          .dropout(0)
          .activation(activation));
  layer->to(x.scalar_type());
  const torch::NoGradGuard no_gradients;
  auto& attention = *layer->self_attn;
  attention.in_proj_weight.copy_(of.attention_in);
  attention.in_proj_bias.copy_(of.attention_in_bias);
  attention.out_proj->weight.copy_(of.attention_out);
  attention.out_proj->bias.copy_(of.attention_out_bias);
  layer->linear1->weight.copy_(of.inner), layer->linear1->bias.copy_(of.inner_bias);
  layer->linear2->weight.copy_(of.outer), layer->linear2->bias.copy_(of.outer_bias);
  const torch::AutoGradMode gradients(true);
  return layer->forward(x.transpose(0, 1)).transpose(0, 1);  // it has the tokens first
}
Tensor encoder_layer(const Tensor& x, const BlockParameters& of, const BlockSetting& setting) {
  return encoder_layer(x, of, setting.shape, torch::kReLU);
}

std::vector<BlockSetting> settings(NormPlacement norms) {
  std::vector<BlockSetting> all;
  for (const auto& shape : {BlockShape{6, 2, 9}, BlockShape{12, 3, 17}, BlockShape{20, 5, 40}})
    for (const std::size_t tokens : {1u, 2u})
      for (const double size : {0x1p-10, 1.0, 8.0}) all.push_back({shape, tokens, size, norms});
  all.push_back({{6, 2, 9}, 7, 1.0, norms});
  all.push_back({{48, 4, 192}, 2, 1.0, norms});
  return all;
}

template <class>
class torch_block : public testing::Test {};
TYPED_TEST_SUITE(torch_block, Formats);

TYPED_TEST(torch_block, and_its_gradient_are_the_librarys) {
  using Real = TypeParam;
  for (const auto norms : {NormPlacement::pre, NormPlacement::post}) {
    const bool post = norms == NormPlacement::post;
    Worst ours(name<Real>(post ? "post-norm block" : "pre-norm block"));
    Worst its(name<Real>("TransformerEncoderLayer"));
    for (const auto& setting : settings(norms)) {
      const BlockCase<Real> of(setting);
      const Expected<Real> expected(of);
      ours.add(share_of(block_of_study, setting, of, expected));
      if (post) its.add(share_of(encoder_layer, setting, of, expected));
    }
    ours.expect_agreement();
    if (post) its.expect_agreement();
  }
}

struct Wrong {
  const char* name;
  Function block;
  std::vector<NormPlacement> of{NormPlacement::pre, NormPlacement::post};
};
const Wrong wrong[]{
    {"norms on the other side",
     [](const Tensor& x, const BlockParameters& of, const BlockSetting& s) {
       const auto other = s.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
       return block(x, of, other, s.shape.heads, s.epsilon, {});
     }},
    {"an epsilon of 0.001",
     [](const Tensor& x, const BlockParameters& of, const BlockSetting& s) {
       return block(x, of, s.norms, s.shape.heads, 1e-3, {});
     }},
    {"GELU for ReLU",
     [](const Tensor& x, const BlockParameters& of, const BlockSetting& s) {
       return encoder_layer(x, of, s.shape, torch::kGELU);
     },
     {NormPlacement::post}},
    {"a gradient that is off by 2^-10",
     [](const Tensor& x, const BlockParameters& of, const BlockSetting& s) {
       return block_of_study(x, of, s) - 0x1p-10 * (x - x.detach());
     }},
};

TYPED_TEST(torch_block, rejects_what_is_another) {
  using Real = TypeParam;
  for (const auto& [what, function, placements] : wrong)
    for (const auto norms : placements) {
      Worst worst(
          name<Real>(fmt::format("{}, {}", what, norms == NormPlacement::pre ? "pre" : "post")));
      for (const double size : {0x1p-6, 1.0}) {
        const BlockSetting setting{{12, 3, 17}, 2, size, norms};
        const BlockCase<Real> of(setting);
        worst.add(share_of(function, setting, of, Expected<Real>(of)));
      }
      worst.expect_rejected();
    }
}

}  // namespace
}  // namespace embedscale::training
