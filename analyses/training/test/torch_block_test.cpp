// The encoder block with its gradient, and its attention under a causal mask: the study's against
// the library's.
#include <embedscale/block.hpp>
#include <embedscale/block_gradient.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "training/study/model.hpp"
#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

/// What is compared; causal attention is the library's of the tokens that are seen.
enum class What { pre_norm, post_norm, causal };
constexpr const char* names[]{"pre-norm block", "post-norm block", "causal attention"};
constexpr bool is_block(What what) { return what != What::causal; }
constexpr NormPlacement norms_of(What what) {
  return what == What::post_norm ? NormPlacement::post : NormPlacement::pre;
}

template <class Number>
using Rows = std::vector<Number>;

/// By the library. Its layer norm has two passes; libtorch's takes mean and variance together, lane
/// by lane and chunk by chunk, which errs by κu for each of the n/4 steps of a lane and the few
/// that join lanes, relative to the variance, κ² = 1 + mean²/var (Chan, Golub and LeVeque 1983).
/// What the bound charges of two passes, (n − 1)·u for their sum and more than u(|x| + |mean|)² for
/// each square, covers that for κ <= 4: the rows here have κ < 2. Then it has x/σ − mean/σ, and in
/// its gradient Σgx − mean·Σg, for (x − mean)/σ and Σg(x − mean), as if a factor were taken into a
/// sum.
///
/// Source    libtorch 1.13, native/cpu/layer_norm_kernel.cpp.
template <class Number>
Rows<Number> value_of(const EncoderBlock<Number>& block, const Rows<Number>& x, What what) {
  Rows<Number> out(x.size());
  if (is_block(what)) {
    apply<Number>(block, x, out);
    return out;
  }
  auto seen = out;
  const std::size_t d = block.shape.d_model;
  for (std::size_t from = 0, end = d; end <= x.size(); from = end, end += d) {
    self_attention(block.shape, block.weights, std::span(x).first(end), std::span(seen).first(end));
    std::copy(seen.begin() + whole(from), seen.begin() + whole(end), out.begin() + whole(from));
  }
  return out;
}

/// Each unit of the network has to be on one side of its kink whatever the rounding.
template <class Number>
void expect_no_kink(const EncoderBlock<Number>& block, const Rows<Number>& x) {
  const auto& w = block.weights;
  const std::size_t d = block.shape.d_model;
  Rows<Number> y(x.size());
  add_sublayer<Number>(
      block, [&](auto from, auto to) { self_attention<Number>(block.shape, w, from, to); }, x, y);
  if (block.norms == NormPlacement::pre) normalize<Number>(block.shape, block.norm, y, y);
  for (std::size_t at = 0; at < y.size(); at += d)
    for (const Number& z : embedscale::detail::before_relu<Number>(
             {w.inner, w.inner_bias}, std::span<const Number>(y).subspan(at, d)))
      EXPECT_GT(std::abs(static_cast<double>(z.value())), 2 * z.error());
}

template <class Number>
Rows<Number> gradient_of(const EncoderBlock<Number>& block, const Rows<Number>& x,
                         const Rows<Number>& g) {
  expect_no_kink(block, x);
  Rows<Number> out(x.size());
  apply_gradient<Number>(block, x, g, out);
  return out;
}

/// A block, and two sequences of so many tokens, of deviation `size`.
struct BlockSetting {
  BlockShape shape;
  std::size_t tokens;
  double size;
};
constexpr std::size_t sequences = 2;
constexpr double epsilon = 1e-5;

/// Random weights and what they are given, with what is expected of them; by draws in which no unit
/// of the network is near its kink.
template <class Real>
struct Case {
  Case(const BlockSetting& s, What what)
      : shape{whole(sequences), whole(s.tokens), whole(s.shape.d_model)},
        block(properties::block::block_of({s.shape, s.tokens, norms_of(what), NormKind::layer_norm,
                                           EpsilonPlacement::variance, epsilon,
                                           properties::block::Biases::all, draw_of(s)})) {
    auto& w = block.weights;
    for (auto* values : {&w.query, &w.key, &w.value, &w.output, &w.inner, &w.outer, &w.query_bias,
                         &w.key_bias, &w.value_bias, &w.output_bias, &w.inner_bias, &w.outer_bias})
      *values = rounded<Real>(*values);
    Normals normals(draw_of(s), "input of a block");
    const std::size_t n = sequences * s.tokens * s.shape.d_model;
    x = rounded<Real>(normals(n, s.size)), upstream = rounded<Real>(normals(n));
    value = each_sequence(
        [&](const auto& of, const auto& rows, const auto&) { return value_of(of, rows, what); });
    if (is_block(what))
      slope = each_sequence(
          [](const auto& of, const auto& rows, const auto& g) { return gradient_of(of, rows, g); });
  }

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
  Reference<Real> value;
  std::optional<Reference<Real>> slope;  ///< of a block

 private:
  static std::uint64_t draw_of(const BlockSetting& s) { return 100 * s.tokens + s.shape.d_model; }

  /// What f makes of the block, x and slopes of each sequence as numbers of a kind.
  template <class Function>
  Reference<Real> each_sequence(const Function& f) const {
    return reference<Real>([&](auto zero) {
      using Number = decltype(zero);
      const auto of = as<Number>(block);
      const std::size_t n = x.size() / sequences;
      Rows<Number> all;
      for (std::size_t at = 0; at < x.size(); at += n) {
        const auto rows = [&](const Numbers& values) {
          return as<Number>(Numbers(values.begin() + whole(at), values.begin() + whole(at + n)));
        };
        for (const Number& value : f(of, rows(x), rows(upstream))) all.push_back(value);
      }
      return all;
    });
  }
};

/// The larger share of the study's result and its gradient.
template <class Real>
double share_of(const Case<Real>& of, What what) {
  const Tensor x = of.tensor_of(of.x).requires_grad_();
  const Tensor later = torch::full({x.size(1), x.size(1)}, -HUGE_VAL, x.detach().options()).triu(1);
  const auto heads = of.block.shape.heads;
  const Tensor y = is_block(what) ? block(x, of.parameters(), of.block.norms, heads, epsilon, {})
                                  : self_attention(x, of.parameters(), heads, later);
  const double found = share(y, of.value);
  if (!of.slope) return found;
  y.backward(of.tensor_of(of.upstream));
  return std::max(found, share(x.grad(), *of.slope));
}

std::vector<BlockSetting> settings(What what) {
  std::vector<BlockSetting> all;
  for (const auto& shape : {BlockShape{6, 2, 9}, BlockShape{12, 3, 17}, BlockShape{20, 5, 40}})
    for (const std::size_t tokens : {1u, 2u})
      for (const double size : {0x1p-10, 1.0, 8.0}) all.push_back({shape, tokens, size});
  all.push_back({{6, 2, 9}, 7, 1.0});
  all.push_back({{48, 4, 192}, 2, 1.0});
  if (!is_block(what))  // attention alone costs less
    for (const std::size_t tokens : {5u, 17u}) all.push_back({{12, 3, 1}, tokens, 1.0});
  return all;
}

TYPED_TEST(torch_agreement, of_the_block_and_its_attention) {
  using Real = TypeParam;
  for (const auto what : {What::pre_norm, What::post_norm, What::causal}) {
    std::vector<Case<Real>> cases;
    for (const auto& setting : settings(what)) cases.emplace_back(setting, what);
    expect_agreement(name<Real>(names[static_cast<std::size_t>(what)]), cases,
                     [what](const Case<Real>& of) { return share_of(of, what); });
  }
}

}  // namespace
}  // namespace embedscale::training
