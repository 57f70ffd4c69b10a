// The attempts to refute the claims about blocks, with what each has to reject; and the beliefs
// that fail.
#include <cmath>
#include <span>
#include <string>

#include "changes.hpp"
#include "claims.hpp"
#include "token_share.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

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

/// A block for the comparisons of bits, of 4 or 8 channels, 1 or 2 heads, 2 or 3 tokens, and a
/// factor.
struct DrawnBlock {
  Stream stream;
  std::uint64_t index;
  BlockShape shape;
  std::size_t tokens;
  double c;

  /// Calls visit(block, c) in binary64, binary32 and bfloat16.
  template <class Visit>
  void in_each_format(NormPlacement norms, Biases biases, const Visit& visit) const {
    const auto in = [&]<class Real>(Real factor) {
      visit(drawn_block<Real>(stream, index, shape, tokens, norms, biases), factor);
    };
    in(c);
    in(static_cast<float>(c));
    in(static_cast<bfloat16>(c));
  }
};

namespace {

/// A power of two from 2^−8 to 2^8.
double power_of_two(const std::string& name) {
  return std::ldexp(1.0, named("log2 " + name, in_range(-8, 9)));
}

DrawnEpsilon drawn_epsilon() {
  const int k = named("-log2 epsilon", in_range(0, 20));
  return {k, named("beside the root", in_range(0, 2)) != 0};
}

DrawnBlock drawn_block_of(std::uint64_t stream) {
  const auto i = named("block", draws());
  const auto d = 4 * named("d/4", in_range<std::size_t>(1, 3));
  const auto heads = named("heads", in_range<std::size_t>(1, 3));
  const auto tokens = named("tokens", in_range<std::size_t>(2, 4));
  const double c = power_of_two("c");
  return {Stream(stream, "normalization blocks"), i, {d, heads, d}, tokens, c};
}
void covers_both_sides_of_1(double c) {
  covers("c above 1", c > 1, 0.25);
  covers("c below 1", c < 1, 0.25);
}

const Stream signed_blocks(0, "normalization signed blocks");

/// A block of wide_shape in 50 digits, drawn from a named index.
BlockCase<Wide> wide_block(NormPlacement norms, Biases biases) {
  const auto i = named("block", draws());
  return drawn_block<Wide>(Stream(0, "normalization wide blocks"), i, wide_shape, wide_tokens,
                           norms, biases);
}

/// c > 0, and a from c/4 to 4c.
struct Factors {
  Wide c, a;
};
Factors drawn_factors() {
  const Wide c(std::abs(factor()));
  return {c, Wide(c * Wide(std::exp2(named("8 log2 (a/c)", in_range(-16, 17)) / 8.0)))};
}

/// One of these, each of which has to be tried.
const Change& drawn_change(std::span<const Change> all) {
  const auto at = named("change", in_range<std::size_t>(0, all.size()));
  for (std::size_t i = 0; i < all.size(); ++i)
    covers("change " + std::to_string(i), at == i, 0.5 / static_cast<double>(all.size()));
  return all[at];
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
    {belief_of(post_norm_block),
     "compensated_to_the_bit",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(0);
       const double a = power_of_two("a");
       covers_both_sides_of_1(at.c);
       at.in_each_format(
           NormPlacement::post, Biases::all, [&]<class Real>(const BlockCase<Real>& drawn, Real c) {
             auto block = compensated<Real>(drawn.block, c, static_cast<Real>(a), subject);
             // As the keys are; over the reals it might stay.
             multiply(block.weights.key_bias, Real(static_cast<Real>(a) / c));
             holds_exactly(through<Real>(block, product(c, drawn.x), subject) ==
                           through<Real>(drawn.block, drawn.x, subject));
           });
     },
     {"divides_the_queries_alone", "divides_the_values", "forgets_the_query_bias",
      "puts_norms_on_the_other_side", "adds_an_epsilon_of_10_to_the_minus_5"},
     4},

    {belief_of(post_norm_block),
     "compensated_in_50_digits",
     [](const BlockPrimitives& subject) {
       const auto& change = drawn_change(harmless_changes);
       auto drawn = wide_block(NormPlacement::post, Biases::all);
       const auto [c, a] = drawn_factors();
       const auto epsilon = drawn_epsilon();
       epsilon.give(drawn.block.norm);
       covers("with an epsilon", epsilon.k > 0, 0.5);
       holds(compensated_share(drawn, c, a, change, subject));
     },
     {"divides_the_queries_alone", "forgets_the_query_bias", "scales_one_bias_high_by_60_digits",
      "adds_an_epsilon_of_2_to_the_minus_100", "leaks_2_to_the_minus_90_past_the_norm"},
     8},

    {necessity_of(post_norm_block),
     "each_part_is_needed",
     [](const BlockPrimitives& subject) {
       const auto& change = drawn_change(harmful_changes);
       const auto drawn = wide_block(NormPlacement::post, change.biases);
       const auto [c, a] = drawn_factors();
       const auto other = changed(drawn, c, a, change, BlockPrimitives{});
       const bool can_be_seen =
           c != 1 && (other.weights.inner_bias == drawn.block.weights.inner_bias ||
                      networks_differ(drawn, other));
       if (can_be_seen) holds_exactly(!output_stays(drawn, c, a, change, subject));
     },
     {"attends_to_all_alike", "has_no_biases", "has_no_epsilon"},
     8},

    {post_norm_block,
     "otherwise_a_temperature",
     [](const BlockPrimitives& subject) {
       drawn_block_of(1).in_each_format(
           NormPlacement::post, Biases::none,
           [&]<class Real>(const BlockCase<Real>& drawn, Real c) {
             auto sharper = drawn.block;
             multiply(sharper.weights.query, Real(c * c));
             holds_exactly(through<Real>(drawn.block, product(c, drawn.x), subject) ==
                           through<Real>(sharper, drawn.x, subject));
           });
     },
     {"puts_norms_on_the_other_side", "adds_an_epsilon_of_10_to_the_minus_5"},
     4},

    {pre_norm_block,
     "skip_carries_it_and_branch_does_not",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(2);
       const auto epsilon = drawn_epsilon();
       covers_both_sides_of_1(at.c);
       covers("without an epsilon", epsilon.k == 0, 0.03);
       at.in_each_format(
           NormPlacement::pre, Biases::all, [&]<class Real>(BlockCase<Real> drawn, Real c) {
             epsilon.give(drawn.block.norm);
             const auto& [block, x] = drawn;
             auto same = block;  // whose norm has, for x, the ε that the block's has for c·x
             same.norm.epsilon =
                 expected::rescaled_epsilon(block.norm.epsilon, c, block.norm.placement);
             const auto scaled = product(c, x), branch = branch_of<Real>(same, x, subject);
             std::vector<Real> out(x.size(), Real(0));
             subject.of<Real>().attention_sublayer(block, scaled, out);
             holds_exactly(branch_of<Real>(block, scaled, subject) == branch);
             holds_exactly(out == sum(scaled, branch));
             holds_exactly(branch_to_skip<Real>(block, scaled, subject) * static_cast<double>(c) ==
                           branch_to_skip<Real>(same, x, subject));
           });
     },
     {"puts_norms_on_the_other_side", "forgets_the_skip", "adds_a_constant",
      "adds_an_epsilon_of_10_to_the_minus_5"},
     4},

    {pre_norm_block,
     "branch_stays_in_50_digits",
     [](const BlockPrimitives& subject) {
       const auto drawn = wide_block(NormPlacement::pre, Biases::all);
       const Wide c(std::abs(factor()));
       holds(branch_share(drawn, c, subject));
     },
     {"leaks_2_to_the_minus_90_into_the_branch", "adds_an_epsilon_of_2_to_the_minus_100"},
     6},

    {pre_norm_block,
     "a_final_norm_does_not_absorb_it",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(6);
       covers_both_sides_of_1(at.c);
       const auto [block, x] = drawn_block<double>(at.stream, at.index, at.shape, at.tokens,
                                                   NormPlacement::pre, Biases::all);
       const auto out = [&, &block = block, &x = x](double c) {
         return finally_normed(block, through<double>(block, product(c, x), subject));
       };
       if (at.c != 1) holds_exactly(relative_deviation(out(at.c), out(1)) >= 0x1p-20);
     },
     {"forgets_the_skip"}},

    {pre_norm_block,
     "absorbed_where_branches_carry_it",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(3);
       at.in_each_format(
           NormPlacement::pre, Biases::all, [&]<class Real>(const BlockCase<Real>& first, Real c) {
             const auto second = drawn_block<Real>(at.stream, at.index + 1, at.shape, at.tokens,
                                                   NormPlacement::pre, Biases::all);
             const std::vector blocks{first.block, second.block};
             auto carrying = blocks;
             for (auto& block : carrying)
               block.weights = subject.of<Real>().with_scaled_branches(block.weights, c);
             const auto carried = through_stack<Real>(carrying, product(c, first.x), subject);
             const auto plain = through_stack<Real>(blocks, first.x, subject);
             holds_exactly(carried == product(c, plain));
             holds_exactly(finally_normed(carrying[0], carried) ==
                           finally_normed(blocks[0], plain));
           });
     },
     {"forgets_the_outer_bias", "scales_one_output_bias_high", "adds_a_constant",
      "adds_an_epsilon_of_10_to_the_minus_5"},
     6},

    {token_share_after_blocks,
     "attention_adds_at_most_1",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto heads = named("heads", in_range<std::size_t>(1, 3));
       const auto tokens = named("tokens", in_range<std::size_t>(1, 4));
       const double c = std::abs(factor());
       covers("a single token", tokens == 1, 0.2);
       const auto drawn = signed_block(signed_blocks, i, {2, heads, 2}, tokens);
       const auto x = product(c, drawn.x);
       using W = BlockWeights<double>;
       const auto means = over_all_signs(drawn.block, x, &W::value, &W::output,
                                         subject.of<double>().attention_sublayer);
       holds(share_of_moments(drawn, c, x, means, tokens == 1 ? 1 : 0, 1));
     },
     {"puts_norms_on_the_other_side", "forgets_the_skip", "adds_a_constant",
      "makes_attention_high_by_30_digits"}},

    {token_share_after_blocks,
     "networks_add_just_so_much",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto r = named("d_ff/d", in_range<std::size_t>(1, 3));
       const double c = std::abs(factor());
       const auto drawn = signed_block(signed_blocks, i, {2, 1, 2 * r}, 1);
       const auto x = product(c, drawn.x);
       using W = BlockWeights<double>;
       const auto means = over_all_signs(drawn.block, x, &W::inner, &W::outer,
                                         subject.of<double>().network_sublayer);
       const double adds = expected::network_mean_square(static_cast<double>(r));
       holds(share_of_moments(drawn, c, x, means, adds, adds));
     },
     {"puts_norms_on_the_other_side", "forgets_the_relu", "makes_networks_high_by_30_digits"}},

    {token_share_after_blocks,
     "nothing_of_it_behind_a_norm_of_the_embedding",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(4);
       covers_both_sides_of_1(at.c);
       const auto placement =
           one_of("norms", {"pre", "post"}) == 0 ? NormPlacement::pre : NormPlacement::post;
       const auto [block, x] =
           drawn_block<double>(at.stream, at.index, at.shape, at.tokens, placement, Biases::all);
       const auto behind = [&, &block = block](const std::vector<double>& of) {
         std::vector<double> start(of.size());
         subject.of<double>().embedding_norm(block, of, start);
         return through<double>(block, start, subject);
       };
       holds_exactly(behind(product(at.c, x)) == behind(x));
     },
     {"leaks_2_to_the_minus_40_past_the_norm_of_the_embedding", "forgets_the_norm_of_the_embedding",
      "adds_an_epsilon_of_10_to_the_minus_5"}},

    {token_share_after_blocks,
     "a_first_temperature_of_it_in_post_norm",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(5);
       covers_both_sides_of_1(at.c);
       const auto drawn = [&](std::uint64_t index) {
         return drawn_block<double>(at.stream, index, at.shape, at.tokens, NormPlacement::post,
                                    Biases::none);
       };
       const auto [first, x] = drawn(at.index);
       const std::vector blocks{first, drawn(at.index + 1).block};
       auto sharper = blocks;
       multiply(sharper[0].weights.query, at.c * at.c);
       const auto stack = [&](const auto& of, const auto& in) {
         return through_stack<double>(of, in, subject);
       };
       holds_exactly(stack(blocks, product(at.c, x)) == stack(sharper, x));
       const std::vector one(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(at.shape.d_model));
       holds_exactly(stack(blocks, product(at.c, one)) == stack(blocks, one));
     },
     {"puts_norms_on_the_other_side", "adds_an_epsilon_of_10_to_the_minus_5"}}};

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
       const auto out = finally_normed(block, through(block, x, BlockPrimitives{}));
       const auto doubled =
           finally_normed(block, through(block, product(2.0, x), BlockPrimitives{}));
       holds(relative_deviation(doubled, out) / 0.01);
     }},

    /// The same token: its share of what leaves the block against a hundredth more or less.
    {token_share_after_blocks, "that_it_does_nothing", [] {
       const auto [block, x] = simple_block(NormPlacement::pre, 1, {0, 1, 1, 0});
       const double share = share_behind(block, x, BlockPrimitives{});
       holds(std::abs(share_behind(block, product(2.0, x), BlockPrimitives{}) - share) / 0.01);
     }}};

}  // namespace embedscale::properties::normalization
