// The encoder block with its gradient, and its attention, under a causal mask as well: the study's
// against the library's; the block of libtorch's own layer, too.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "training/test/block_case.hpp"

namespace embedscale::training {
namespace {

/// What is compared; causal attention is the library's of the tokens that are seen.
enum class What { pre_norm, post_norm, attention, causal };
constexpr const char* names[]{"pre-norm block", "post-norm block", "attention", "causal attention"};

template <class Number>
using Rows = std::vector<Number>;

template <class Number>
Rows<Number> attention(const EncoderBlock<Number>& block, const Rows<Number>& x, What what) {
  auto all = x, out = x;
  const std::size_t d = block.shape.d_model;
  for (std::size_t end = what == What::causal ? d : x.size(); end <= x.size(); end += d) {
    self_attention(block.shape, block.weights, std::span(x).first(end), std::span(out).first(end));
    const std::size_t from = what == What::causal ? end - d : 0;
    std::copy(out.begin() + whole(from), out.begin() + whole(end), all.begin() + whole(from));
  }
  return all;
}

Rows<Exact> forward(const EncoderBlock<Exact>& block, const Rows<Exact>& x) {
  Rows<Exact> out(x.size());
  apply<Exact>(block, x, out);
  return out;
}
Rows<Exact> back(const EncoderBlock<Exact>& block, const Rows<Exact>& x, const Rows<Exact>& g) {
  Rows<Exact> out(x.size());
  apply_gradient<Exact>(block, x, g, out);
  return out;
}
template <class Number>
Rows<Number> forward(const EncoderBlock<Number>& block, const Rows<Number>& x) {
  return BlockInTorch(block)(x);
}
template <class Number>
Rows<Number> back(const EncoderBlock<Number>& block, const Rows<Number>& x, const Rows<Number>& g) {
  return BlockInTorch(block).gradient(x, g);
}

/// With what is expected.
template <class Real>
struct Case : BlockCase<Real> {
  Case(const BlockSetting& setting, What what) : BlockCase<Real>(setting), setting(setting) {
    const bool is_block = what == What::pre_norm || what == What::post_norm;
    value = each_sequence(*this, [&](const auto& block, const auto& x, const auto&) {
      return is_block ? forward(block, x) : attention(block, x, what);
    });
    if (is_block)
      slope = each_sequence(
          *this, [](const auto& block, const auto& x, const auto& g) { return back(block, x, g); });
  }
  BlockSetting setting;
  Reference<Real> value;
  std::optional<Reference<Real>> slope;
};

/// A block of libtorch, or its attention.
using Function = Tensor (*)(const Tensor& x, BlockParameters of, const BlockSetting& setting);

/// The larger share of its result and its gradient.
template <class Real>
auto share_of(Function function) {
  return [function](const Case<Real>& of) {
    const Tensor x = of.tensor_of(of.x).requires_grad_();
    const Tensor y = function(x, of.parameters(), of.setting);
    const double found = share(y, of.value);
    if (!of.slope) return found;
    y.backward(of.tensor_of(of.upstream));
    return std::max(found, share(x.grad(), *of.slope));
  };
}

/// −∞ from this diagonal on: 1 is causal. The first token sees itself.
Tensor mask_from(std::int64_t diagonal, const Tensor& x) {
  const Tensor none = torch::full({x.size(1), x.size(1)}, -HUGE_VAL, x.options());
  const Tensor mask = torch::triu(none, diagonal);
  mask[0][0] = 0;
  return mask;
}
template <std::int64_t diagonal>
Tensor masked_attention(const Tensor& x, BlockParameters of, const BlockSetting& s) {
  return self_attention(x, of, s.shape.heads, mask_from(diagonal, x.detach()));
}
Tensor open_attention(const Tensor& x, BlockParameters of, const BlockSetting& s) {
  return self_attention(x, of, s.shape.heads, {});
}
Tensor block_of_study(const Tensor& x, BlockParameters of, const BlockSetting& s) {
  return block(x, of, s.norms, s.shape.heads, s.epsilon, {});
}
constexpr Function of_study[]{block_of_study, block_of_study, open_attention, masked_attention<1>};

/// libtorch's own, which is post-norm.
Tensor encoder_layer(const Tensor& x, BlockParameters of, const BlockSetting& s) {
  const auto& shape = s.shape;
  torch::nn::TransformerEncoderLayer layer(
      torch::nn::TransformerEncoderLayerOptions(whole(shape.d_model), whole(shape.heads))
          .dim_feedforward(whole(shape.d_ff))
          .dropout(0)
          .activation(torch::kReLU));
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

std::vector<BlockSetting> settings(What what) {
  const auto norms = what == What::post_norm ? NormPlacement::post : NormPlacement::pre;
  std::vector<BlockSetting> all;
  for (const auto& shape : {BlockShape{6, 2, 9}, BlockShape{12, 3, 17}, BlockShape{20, 5, 40}})
    for (const std::size_t tokens : {1u, 2u})
      for (const double size : {0x1p-10, 1.0, 8.0}) all.push_back({shape, tokens, size, norms});
  all.push_back({{6, 2, 9}, 7, 1.0, norms});
  all.push_back({{48, 4, 192}, 2, 1.0, norms});
  if (norms == NormPlacement::pre && what != What::pre_norm)  // attention alone costs less
    for (const std::size_t tokens : {5u, 17u}) all.push_back({{12, 3, 1}, tokens, 1.0});
  return all;
}

template <class>
class torch_block : public testing::Test {};
TYPED_TEST_SUITE(torch_block, Formats);

TYPED_TEST(torch_block, and_its_attention_are_the_librarys) {
  using Real = TypeParam;
  for (const auto what : {What::pre_norm, What::post_norm, What::attention, What::causal}) {
    std::vector<Case<Real>> cases;
    for (const auto& setting : settings(what)) cases.emplace_back(setting, what);
    const auto k = static_cast<std::size_t>(what);
    expect_agreement(name<Real>(names[k]), cases, share_of<Real>(of_study[k]));
    if (what != What::post_norm) continue;
    expect_agreement(name<Real>("TransformerEncoderLayer"), cases, share_of<Real>(encoder_layer));
  }
}

/// Something else in the place of the study's.
struct Wrong {
  const char* name;
  std::vector<What> for_what;
  Function function;
};
const Wrong wrong[]{
    {"norms on the other side",
     {What::pre_norm, What::post_norm},
     [](const Tensor& x, BlockParameters of, const BlockSetting& s) {
       const auto other = s.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
       return block(x, of, other, s.shape.heads, s.epsilon, {});
     }},
    {"an epsilon of 0.001",
     {What::pre_norm, What::post_norm},
     [](const Tensor& x, BlockParameters of, const BlockSetting& s) {
       return block(x, of, s.norms, s.shape.heads, 1e-3, {});
     }},
    {"a gradient that is off by 2^-10",
     {What::pre_norm, What::post_norm},
     [](const Tensor& x, BlockParameters of, const BlockSetting& s) {
       return block_of_study(x, of, s) - 0x1p-10 * (x - x.detach());
     }},
    {"queries for keys",
     {What::attention},
     [](const Tensor& x, BlockParameters of, const BlockSetting& s) {
       for (auto* in : {&of.attention_in, &of.attention_in_bias})
         *in = torch::cat({in->chunk(3)[1], in->chunk(3)[0], in->chunk(3)[2]});
       return open_attention(x, of, s);
     }},
    {"one head",
     {What::attention},
     [](const Tensor& x, BlockParameters of, const BlockSetting&) {
       return self_attention(x, of, 1, {});
     }},
    {"a causal mask", {What::attention}, masked_attention<1>},
    {"masked one too late", {What::causal}, masked_attention<2>},
};

TYPED_TEST(torch_block, rejects_what_is_another) {
  using Real = TypeParam;
  for (const auto& [what, all, function] : wrong)
    for (const auto for_what : all) {
      const auto norms = for_what == What::post_norm ? NormPlacement::post : NormPlacement::pre;
      const bool is_block = for_what == What::pre_norm || for_what == What::post_norm;
      std::vector<Case<Real>> cases;
      for (const double size : {0x1p-6, 1.0})
        cases.emplace_back(BlockSetting{{12, 3, 17}, is_block ? 2u : 5u, size, norms}, for_what);
      const auto beside = names[static_cast<std::size_t>(for_what)];
      expect_rejected(name<Real>(fmt::format("{}: {}", beside, what)), cases,
                      share_of<Real>(function));
    }
}

}  // namespace
}  // namespace embedscale::training
