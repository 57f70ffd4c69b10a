// The attempts to refute the claims about blocks, with what each has to reject; and the beliefs
// that fail.
#include <cmath>
#include <string>

#include "claims.hpp"
#include "post_norm.hpp"
#include "pre_norm.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

namespace {

/// Sizes for the comparisons of bits: 4 or 8 channels, 1 or 2 heads, 2 or 3 tokens.
struct Sizes {
  BlockShape shape;
  std::size_t tokens;
};
Sizes drawn_sizes() {
  const auto d = 4 * named("d/4", in_range<std::size_t>(1, 3));
  const auto heads = named("heads", in_range<std::size_t>(1, 3));
  const auto tokens = named("tokens", in_range<std::size_t>(2, 4));
  return {{d, heads, d}, tokens};
}

/// A power of two from 2^−8 to 2^8.
double power_of_two(const std::string& name) {
  return std::ldexp(1.0, named("log2 " + name, in_range(-8, 9)));
}

/// ε and where it is added; the same in each format.
struct DrawnEpsilon {
  int k;  ///< −log2 of it, or 0 for none
  bool beside;
  template <AnalyticScalar Real>
  void give(BlockNorm<Real>& norm) const {
    if (k > 0) norm.epsilon = static_cast<Real>(std::ldexp(1.0, -k));
    if (beside) norm.placement = EpsilonPlacement::standard_deviation;
  }
};
DrawnEpsilon drawn_epsilon() {
  const int k = named("-log2 epsilon", in_range(0, 20));
  return {k, named("beside the root", in_range(0, 2)) != 0};
}

/// Calls visit(block) for a block in binary64, binary32 and bfloat16.
template <class Visit>
void in_each_format(const Stream& stream, std::uint64_t i, const Sizes& at, NormPlacement norms,
                    Biases biases, const Visit& visit) {
  visit(drawn_block<double>(stream, i, at.shape, at.tokens, norms, biases));
  visit(drawn_block<float>(stream, i, at.shape, at.tokens, norms, biases));
  visit(drawn_block<bfloat16>(stream, i, at.shape, at.tokens, norms, biases));
}

/// A block of wide_shape in 50 digits, drawn from a named index.
BlockCase<Wide> wide_block(NormPlacement norms, Biases biases) {
  const auto i = named("block", draws());
  return drawn_block<Wide>(Stream(0, "normalization wide blocks"), i, wide_shape, wide_tokens,
                           norms, biases);
}

/// A block that can be followed by hand: RMSNorm, two channels, one head whose matrices are 1 but
/// for W_V, and a network that gives 0. Its tokens are (1, 0) and what is drawn on top.
BlockCase<double> simple_block(NormPlacement norms, std::size_t tokens,
                               const std::vector<double>& value) {
  const auto numbers = named("x - (1, 0) of each token", list_of(2 * tokens, in_range(0, 4)));
  BlockCase<double> simple;
  simple.block.shape = {2, 1, 1};
  simple.block.norms = norms;
  simple.block.norm.kind = NormKind::rms_norm;
  auto& w = simple.block.weights;
  w.query = w.key = w.output = {1, 0, 0, 1};
  w.value = value;
  w.inner = w.outer = {0, 0};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    simple.x.push_back(numbers[i] + (i % 2 == 0 ? 1 : 0));
  return simple;
}

}  // namespace

const Properties<BlockPrimitives> block_properties{
    {post_norm_block,
     "compensated_to_the_bit",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto sizes = drawn_sizes();
       const double c = power_of_two("c"), a = power_of_two("a");
       covers("c above 1", c > 1, 0.25);
       covers("c below 1", c < 1, 0.25);
       in_each_format(Stream(0, "normalization blocks"), i, sizes, NormPlacement::post, Biases::all,
                      [&]<class Real>(const BlockCase<Real>& drawn) {
                        holds_exactly(has_bits_when_compensated(drawn, static_cast<Real>(c),
                                                                static_cast<Real>(a), subject));
                      });
     },
     {"divides_the_queries_alone", "divides_the_values", "forgets_the_value_bias",
      "forgets_the_output_bias", "forgets_the_query_bias", "scales_the_network_bias",
      "scales_one_bias_high_by_6_digits", "puts_norms_on_the_other_side",
      "adds_an_epsilon_of_10_to_the_minus_5", "leaks_past_the_norm"},
     4},

    {post_norm_block,
     "compensated_in_50_digits",
     [](const BlockPrimitives& subject) {
       auto drawn = wide_block(NormPlacement::post, Biases::all);
       const Wide c(std::abs(factor()));
       const int j = named("8 log2 (a/c)", in_range(-16, 17));
       const auto epsilon = drawn_epsilon();
       epsilon.give(drawn.block.norm);
       covers("with an epsilon", epsilon.k > 0, 0.5);
       holds(compensated_share(drawn, c, Wide(c * Wide(std::exp2(j / 8.0))), subject));
     },
     {"divides_the_queries_alone", "forgets_the_query_bias", "scales_one_bias_high_by_60_digits",
      "adds_an_epsilon_of_2_to_the_minus_100", "leaks_2_to_the_minus_90_past_the_norm"},
     8},

    {post_norm_block,
     "otherwise_a_temperature",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto sizes = drawn_sizes();
       const double c = power_of_two("c");
       in_each_format(
           Stream(1, "normalization blocks"), i, sizes, NormPlacement::post, Biases::none,
           [&]<class Real>(const BlockCase<Real>& drawn) {
             holds_exactly(has_bits_of_temperature(drawn, static_cast<Real>(c), subject));
           });
     },
     {"puts_norms_on_the_other_side", "adds_an_epsilon_of_10_to_the_minus_5",
      "leaks_past_the_norm"},
     4},

    {pre_norm_block,
     "skip_carries_it_and_branch_does_not",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto sizes = drawn_sizes();
       const double c = power_of_two("c");
       const auto epsilon = drawn_epsilon();
       covers("c above 1", c > 1, 0.25);
       covers("c below 1", c < 1, 0.25);
       covers("without an epsilon", epsilon.k == 0, 0.03);
       in_each_format(Stream(2, "normalization blocks"), i, sizes, NormPlacement::pre, Biases::all,
                      [&]<class Real>(BlockCase<Real> drawn) {
                        epsilon.give(drawn.block.norm);
                        holds_exactly(has_bits_of_branch(drawn, static_cast<Real>(c), subject));
                      });
     },
     {"puts_norms_on_the_other_side", "forgets_the_skip", "adds_a_constant",
      "reads_without_the_norm", "leaks_the_input_into_the_branch",
      "adds_an_epsilon_of_10_to_the_minus_5"},
     4},

    {pre_norm_block,
     "branch_stays_in_50_digits",
     [](const BlockPrimitives& subject) {
       const auto drawn = wide_block(NormPlacement::pre, Biases::all);
       const Wide c(std::abs(factor()));
       holds(branch_share(drawn, c, subject));
     },
     {"reads_without_the_norm", "leaks_2_to_the_minus_90_into_the_branch",
      "adds_an_epsilon_of_2_to_the_minus_100"},
     6},

    {pre_norm_block,
     "absorbed_where_branches_carry_it",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto sizes = drawn_sizes();
       const double c = power_of_two("c");
       const Stream stream(3, "normalization blocks");
       in_each_format(stream, i, sizes, NormPlacement::pre, Biases::all,
                      [&]<class Real>(const BlockCase<Real>& first) {
                        const auto second =
                            drawn_block<Real>(stream, i + 1, sizes.shape, sizes.tokens,
                                              NormPlacement::pre, Biases::all);
                        holds_exactly(has_bits_when_branches_carry_it(
                            {first.block, second.block}, first.x, static_cast<Real>(c), subject));
                      });
     },
     {"scales_attention_alone", "forgets_the_outer_bias", "scales_the_inner_bias",
      "scales_one_output_bias_high", "adds_a_constant", "adds_an_epsilon_of_10_to_the_minus_5"},
     6},
};

const Beliefs block_beliefs{
    /// Two tokens, the factor 2, a hundredth of the output as what one would notice.
    {post_norm_block, "that_it_notices_nothing",
     [] {
       const auto [block, x] = simple_block(NormPlacement::post, 2, {1, 0, 0, 1});
       const auto out = through(block, x, BlockPrimitives{});
       const auto doubled = through(block, product(2.0, x), BlockPrimitives{});
       holds(relative_deviation(doubled, out) / 0.01);
     }},

    /// One token, values with their channels swapped, a final norm, and a hundredth of its output.
    {pre_norm_block, "that_a_later_norm_absorbs_it",
     [] {
       const auto [block, x] = simple_block(NormPlacement::pre, 1, {0, 1, 1, 0});
       const auto out = final_output<double>({block}, x, BlockPrimitives{});
       const auto doubled = final_output<double>({block}, product(2.0, x), BlockPrimitives{});
       holds(relative_deviation(doubled, out) / 0.01);
     }},
};

}  // namespace embedscale::properties::normalization
