// Self-attention: the study's, and libtorch's own layer, against the library's; with a causal mask,
// against the library's of the tokens that are seen.
#include <algorithm>
#include <span>

#include "training/test/block_case.hpp"

namespace embedscale::training {
namespace {

std::vector<BlockSetting> settings() {
  std::vector<BlockSetting> all;
  for (const auto& shape : {BlockShape{6, 2, 1}, BlockShape{12, 3, 1}, BlockShape{20, 5, 1}})
    for (const std::size_t tokens : {1u, 2u, 5u})
      for (const double size : {0x1p-10, 1.0, 4.0}) all.push_back({shape, tokens, size});
  all.push_back({{6, 3, 1}, 17, 1.0});
  all.push_back({{48, 4, 1}, 2, 1.0});
  return all;
}

template <class Real>
Reference<Real> attention(const BlockCase<Real>& of) {
  return each_sequence(of, [](const auto& block, const auto& x, const auto&) {
    auto out = x;
    self_attention(block.shape, block.weights, std::span(x), std::span(out));
    return out;
  });
}

/// Each token's of the tokens up to it alone.
template <class Real>
Reference<Real> causal_attention(const BlockCase<Real>& of) {
  return each_sequence(of, [](const auto& block, const auto& x, const auto&) {
    const std::size_t d = block.shape.d_model;
    auto all = x, out = x;
    for (std::size_t end = d; end <= x.size(); end += d) {
      self_attention(block.shape, block.weights, std::span(x).first(end),
                     std::span(out).first(end));
      std::copy_n(out.begin() + whole(end - d), d, all.begin() + whole(end - d));
    }
    return all;
  });
}

/// libtorch's own layer.
Tensor multi_head_attention(const Tensor& x, const BlockParameters& of, std::size_t heads,
                            const Tensor& mask) {
  const torch::NoGradGuard no_gradients;
  torch::nn::MultiheadAttention layer(
      torch::nn::MultiheadAttentionOptions(x.size(2), whole(heads)));
  layer->to(x.scalar_type());
  layer->in_proj_weight.copy_(of.attention_in), layer->in_proj_bias.copy_(of.attention_in_bias);
  layer->out_proj->weight.copy_(of.attention_out);
  layer->out_proj->bias.copy_(of.attention_out_bias);
  const Tensor rows = x.transpose(0, 1);  // it has the tokens first
  return std::get<0>(layer->forward(rows, rows, rows, {}, false, mask)).transpose(0, 1);
}

/// −∞ from this diagonal on: 1 is causal.
Tensor mask_from(std::int64_t diagonal, const Tensor& x) {
  const Tensor none = torch::full({x.size(1), x.size(1)}, -HUGE_VAL, x.options());
  return torch::triu(none, diagonal);
}

using Attention = Tensor (*)(const Tensor& x, const BlockParameters& of, std::size_t heads,
                             const Tensor& mask);

template <class>
class torch_attention : public testing::Test {};
TYPED_TEST_SUITE(torch_attention, Formats);

TYPED_TEST(torch_attention, is_the_librarys_and_under_a_mask_that_of_the_tokens_seen) {
  using Real = TypeParam;
  Worst ours(name<Real>("attention")), its(name<Real>("MultiheadAttention"));
  Worst masked(name<Real>("causal attention")), its_masked(name<Real>("causal MultiheadAttention"));
  for (const auto& setting : settings()) {
    const BlockCase<Real> of(setting);
    const Tensor x = of.tensor_of(of.x), mask = mask_from(1, x);
    const auto whole_row = attention(of), seen = causal_attention(of);
    const auto add = [&](Attention function, Worst& open, Worst& causal) {
      open.add(share(function(x, of.parameters(), setting.shape.heads, {}), whole_row));
      causal.add(share(function(x, of.parameters(), setting.shape.heads, mask), seen));
    };
    add(self_attention, ours, masked), add(multi_head_attention, its, its_masked);
  }
  for (const auto* one : {&ours, &its, &masked, &its_masked}) one->expect_agreement();
}

/// The study's attention with something else in its place.
struct Wrong {
  const char* name;
  Tensor (*attention)(const Tensor& x, BlockParameters of, std::size_t heads);
};
Tensor rows(const Tensor& of, std::int64_t part) {
  return of.chunk(3)[static_cast<std::size_t>(part)];
}
const Wrong wrong[]{
    {"scaled by the root of d",
     [](const Tensor& x, BlockParameters of, std::size_t heads) {
       const double ratio = 1 / std::sqrt(static_cast<double>(heads));  // √d_k/√d
       for (auto* in : {&of.attention_in, &of.attention_in_bias})
         *in = torch::cat({rows(*in, 0) * ratio, rows(*in, 1), rows(*in, 2)});
       return self_attention(x, of, heads, {});
     }},
    {"queries for keys",
     [](const Tensor& x, BlockParameters of, std::size_t heads) {
       for (auto* in : {&of.attention_in, &of.attention_in_bias})
         *in = torch::cat({rows(*in, 1), rows(*in, 0), rows(*in, 2)});
       return self_attention(x, of, heads, {});
     }},
    {"one head",
     [](const Tensor& x, BlockParameters of, std::size_t) { return self_attention(x, of, 1, {}); }},
    {"sequences for tokens",
     [](const Tensor& x, BlockParameters of, std::size_t heads) {
       return self_attention(x.transpose(0, 1), of, heads, {}).transpose(0, 1);
     }},
    {"no bias of the values",
     [](const Tensor& x, BlockParameters of, std::size_t heads) {
       const auto& in = of.attention_in_bias;
       of.attention_in_bias = torch::cat({rows(in, 0), rows(in, 1), rows(in, 2) * 0});
       return self_attention(x, of, heads, {});
     }},
    {"a causal mask",
     [](const Tensor& x, BlockParameters of, std::size_t heads) {
       return self_attention(x, of, heads, mask_from(1, x));
     }},
};

TYPED_TEST(torch_attention, rejects_what_is_another) {
  for (const auto& [what, function] : wrong) {
    Worst worst(name<TypeParam>(what));
    for (const auto& setting : settings()) {
      const BlockCase<TypeParam> of(setting);
      if (setting.size != 1.0 || setting.tokens != 5) continue;
      worst.add(
          share(function(of.tensor_of(of.x), of.parameters(), setting.shape.heads), attention(of)));
    }
    worst.expect_rejected();
  }
}

TYPED_TEST(torch_attention, rejects_a_mask_that_is_one_off) {
  for (const std::int64_t diagonal : {2, 0}) {
    Worst worst(name<TypeParam>(fmt::format("masked from diagonal {}", diagonal)));
    for (const auto& setting : settings()) {
      const BlockCase<TypeParam> of(setting);
      if (setting.size != 1.0 || setting.tokens != 5) continue;
      const Tensor x = of.tensor_of(of.x);
      const Tensor mask = mask_from(diagonal, x);
      mask[0][0] = 0;  // or the first token would see none
      worst.add(share(self_attention(x, of.parameters(), setting.shape.heads, mask),
                      causal_attention(of)));
    }
    worst.expect_rejected();
  }
}

}  // namespace
}  // namespace embedscale::training
