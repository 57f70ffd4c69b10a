// The gradients by hand in 50 digits, entry by entry: against automatic differentiation, against
// central differences, and along random directions by the adjoint identity. Tolerances are what
// rounding and truncation may amount to, counted in each case (differentiation.hpp): near
// 10^-44 and 10^-30, so that a formula that is not the gradient's has nowhere to hide.
//
// Kinks of the ReLU are avoided: each sample's arguments are 2^-10 away from 0 or more (asserted),
// and the differences step by 2^-56.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "claims.hpp"
#include "differentiation.hpp"
#include "trials.hpp"

namespace embedscale::properties::block {
namespace {

constexpr double nearest_kink = 0x1p-10;

/// Shapes, norms, ε and biases in all combinations; the draws are such that no sample is at a kink.
std::vector<Sample> samples(std::size_t tokens) {
  auto all = all_settings({0.0, 0x1p-10});
  for (auto& sample : all) {
    sample.shape = sample.draw % 2 != 0 ? BlockShape{4, 2, 5} : BlockShape{3, 1, 4};
    sample.tokens = tokens;
  }
  return all;
}

/// The worst shares over all entries, by automatic differentiation and by differences; and over two
/// random directions.
struct Shares {
  double automatic = 0.0, difference = 0.0, adjoint = 0.0;

  template <class Function>
  void add(const Function& f, const Primitives& primitives = {}) {
    const auto x = f.point();
    Normals normals(f.sample.draw, "directions");
    const auto g = normals(f.outputs());
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::vector<double> entry(x.size());
      entry[i] = 1.0;
      automatic = std::max(automatic, adjoint_share<Wide>(f, primitives, x, entry, g));
      difference = std::max(difference, difference_share(f, primitives, x, entry, g));
    }
    for (int i = 0; i < 2; ++i)
      adjoint = std::max(adjoint, adjoint_share<Wide>(f, primitives, x, normals(x.size()), g));
  }
};

template <class Function>
void expect_gradient_in_50_digits(std::size_t tokens) {
  Shares worst;
  for (const auto& sample : samples(tokens)) {
    const Function f(sample);
    if constexpr (requires { f.distance_to_kink(f.point()); }) {
      ASSERT_GT(f.distance_to_kink(f.point()), nearest_kink) << sample.draw;
    }
    worst.add(f);
  }
  EXPECT_LE(worst.automatic, 1.0);
  EXPECT_LE(worst.difference, 1.0);
  EXPECT_LE(worst.adjoint, 1.0);
}

TEST(block_gradient, of_norms_in_50_digits) { expect_gradient_in_50_digits<OneNorm>(1); }
/// Of more channels than these samples have, along one direction each.
TEST(block_gradient, of_wide_norms_in_50_digits) {
  for (auto sample : samples(1)) {
    sample.shape = {100, 1, 0};
    const OneNorm f(sample);
    Normals normals(sample.draw, "directions");
    const auto v = normals(100), g = normals(100);
    EXPECT_LE(adjoint_share<Wide>(f, Primitives{}, f.point(), v, g), 1.0) << sample.draw;
  }
}
TEST(block_gradient, of_the_network_in_50_digits) { expect_gradient_in_50_digits<Network>(1); }
TEST(block_gradient, of_attention_in_50_digits) { expect_gradient_in_50_digits<Attention>(3); }
TEST(block_gradient, of_blocks_in_50_digits) { expect_gradient_in_50_digits<Block>(3); }
/// Four tokens of a vocabulary of three: each sample repeats one.
TEST(block_gradient, of_a_loss_to_the_token_table_in_50_digits) {
  expect_gradient_in_50_digits<TokenPath>(4);
}

/// The largest share of a gradient by differences, along one direction for each sample.
template <class Function>
double largest_difference(const Primitives& primitives, std::size_t tokens) {
  double largest = 0.0;
  for (const auto& sample : samples(tokens)) {
    const Function f(sample);
    Normals normals(sample.draw, "differences");
    const auto x = normals(f.point().size()), v = normals(x.size()), g = normals(f.outputs());
    largest = std::max(largest, difference_share(f, primitives, x, v, g));
  }
  return largest;
}

/// That the mutants of the facts of this id are rejected by far, and the library is not.
template <class Function>
void expect_rejected(const Claim& fact, std::size_t tokens) {
  for (const auto& property : properties) {
    if (property.claim->id != fact.id) continue;
    for (const auto name : property.rejects)
      EXPECT_GT(largest_difference<Function>(testing::mutant(mutants, name), tokens), 1e6) << name;
  }
  EXPECT_LE(largest_difference<Function>(Primitives{}, tokens), 1.0);
}

// Differences owe nothing to automatic differentiation but the size of what they cut off: they
// reject the mutants of the properties as well, by far.
TEST(block_gradient, by_differences_alone_rejects_the_mutants) {
  expect_rejected<OneNorm>(layer_norm_gradient_is_transposed, 1);
  expect_rejected<Network>(feed_forward_gradient_is_transposed, 1);
  expect_rejected<Attention>(self_attention_gradient_is_transposed, 3);
  expect_rejected<Block>(block_gradient_is_transposed, 3);
  expect_rejected<TokenPath>(token_gradient_is_transposed, 4);
}

/// What a double would not show: one part in 2^90, which is 8·10^-28.
TEST(block_gradient, in_50_digits_sees_one_part_in_2_to_the_90) {
  Primitives slightly_more;
  slightly_more.of<Tracked<Wide>>().apply_gradient =
      [](const EncoderBlock<Tracked<Wide>>& block, std::span<const Tracked<Wide>> x,
         std::span<const Tracked<Wide>> upstream, std::span<Tracked<Wide>> out) {
        apply_gradient<Tracked<Wide>>(block, x, upstream, out);
        for (auto& value : out) value = value + value * Tracked<Wide>(0x1p-90);
      };
  Shares worst;
  worst.add(Block(samples(3)[4]), slightly_more);
  EXPECT_GT(worst.automatic, 1e6);
  EXPECT_GT(worst.difference, 1.0);
  EXPECT_GT(worst.adjoint, 1e6);
}

}  // namespace
}  // namespace embedscale::properties::block
