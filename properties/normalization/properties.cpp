// The attempts to refute the claims about norms and blocks, with what each has to reject; and the
// beliefs that fail.
#include <algorithm>
#include <cmath>
#include <string>

#include "block.hpp"
#include "claims.hpp"
#include "rounding.hpp"
#include "token_share.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

namespace {

constexpr LayerKind kinds[] = {LayerKind::layer_norm, LayerKind::rms_norm};

/// One of the four norms, with this ε.
template <Scalar Real>
NormOf<Real> norm_with(const Real& epsilon) {
  const auto which = one_of("norm", {"RMSNorm", "LayerNorm", "RMSNorm, epsilon beside the root",
                                     "LayerNorm, epsilon beside the root"});
  return {which % 2 == 0 ? LayerKind::rms_norm : LayerKind::layer_norm,
          which < 2 ? EpsilonPlacement::variance : EpsilonPlacement::standard_deviation, epsilon};
}

/// `size` rationals that are not all equal. Simplified to 1, 0, 0.
Surds uneven_channels(const std::string& name, std::size_t size) {
  using Channels = std::vector<Rational>;
  return surds(named(name, mapped<Channels, Channels>(channels(size), [](Channels x) {
                       if (std::ranges::all_of(x, [&](const Rational& v) { return v == x[0]; }))
                         x[0] = x[0] + 1;
                       return x;
                     })));
}

/// Calls visit.operator()<Real>() for the formats that norms are computed in.
template <class Visit>
void in_each_format(const Visit& visit) {
  visit.template operator()<double>();
  visit.template operator()<float>();
  visit.template operator()<bfloat16>();
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

const Properties<Primitives> properties{
    {belief_of(absorbs_the_factor),
     "whatever_its_size_and_sign",
     [](const Primitives& subject) {
       const auto norm = norm_with(Surd(0));
       const auto x = uneven_channels("x", 3);
       const auto c = named("c", nonzero_rationals());
       covers("c below 0", c < 0, 0.25);
       covers("LayerNorm", norm.kind == LayerKind::layer_norm, 0.25);
       covers("RMSNorm", norm.kind == LayerKind::rms_norm, 0.25);
       holds_exactly(forgets_the_factor(x, norm, Surd(c), subject));
     },
     {"only_centres", "forgets_the_root", "returns_nothing", "turns_along_the_first_channel",
      "adds_an_epsilon_of_its_own", "leaks_a_part_in_2_to_the_60",
      "adds_an_epsilon_of_2_to_the_minus_300"},
     4},

    {belief_of(absorbs_the_factor),
     "bits_at_powers_of_two",
     [](const Primitives& subject) {
       const auto i = named("x", draws());
       const auto k = named("log2 c", in_range(-20, 21));
       const Stream stream(0, "normalization bits");
       covers("c above 1", k > 0, 0.25);
       covers("c below 1", k < 0, 0.25);
       for (const auto kind : kinds)
         in_each_format([&]<class Real>() {
           holds_exactly(has_bits_of_unscaled(drawn_channels<Real>(stream, i), kind, k, subject));
         });
     },
     {"forgets_the_root", "leaks_the_input", "adds_an_epsilon_of_its_own",
      "adds_an_epsilon_of_2_to_the_minus_90"}},

    {absorbs_the_factor,
     "else_within_its_roundings",
     [](const Primitives& subject) {
       const auto i = named("x", draws());
       const double c = factor();
       const Stream stream(1, "normalization rounding");
       for (const auto kind : kinds)
         in_each_format([&]<class Real>() {
           holds(share_of_bound(drawn_channels<Real>(stream, i), kind, static_cast<Real>(c),
                                subject));
         });
     },
     {"only_centres", "leaks_the_input", "leaks_a_part_in_2_to_the_44", "divides_by_a_fast_root",
      "adds_an_epsilon_of_its_own", "keeps_the_root_in_binary32", "keeps_the_root_in_bfloat16"},
     4},

    {epsilon_is_rescaled,
     "by_the_square_or_by_the_factor",
     [](const Primitives& subject) {
       const auto epsilon = named("epsilon", positive_rationals());
       const auto norm = norm_with(Surd(epsilon));
       const auto x = surds(named("x", channels(3)));
       const auto c = named("c", positive_rationals());
       covers("beside the root", norm.placement == EpsilonPlacement::standard_deviation, 0.25);
       covers("under the root", norm.placement == EpsilonPlacement::variance, 0.25);
       holds_exactly(epsilon_takes_the_factor(x, norm, Surd(c), subject));
     },
     {"forgets_to_rescale", "multiplies_epsilon", "divides_epsilon_by_c",
      "divides_epsilon_by_the_square", "adds_epsilon_on_the_other_side", "rescales_slightly_less",
      "adds_an_epsilon_of_2_to_the_minus_300"},
     4},

    {epsilon_is_rescaled,
     "it_only_shrinks",
     [](const Primitives& subject) {
       const auto epsilon = named("epsilon", positive_rationals());
       const auto norm = norm_with(Surd(epsilon));
       const auto x = surds(named("x", channels(3)));
       holds_exactly(epsilon_only_shrinks(x, norm, subject));
     },
     {"forgets_epsilon", "adds_epsilon_on_the_other_side", "adds_epsilon_twice",
      "adds_epsilon_high_by_40_digits"},
     4},

    /// ε from 2^−40 to 1 and c from √2 to 2^7, so that the deviation is far above the 50 digits'.
    {epsilon_is_rescaled,
     "by_how_much_in_closed_form",
     [](const Primitives& subject) {
       const auto i = named("x", draws());
       const auto k = named("-log2 epsilon", in_range(0, 41));
       const auto d = named("d for c", widths_by_size({2, 1 << 14}));
       const auto norm = norm_with(std::ldexp(1.0, -k));
       const auto x = drawn_channels<double>(Stream(2, "normalization epsilon"), i);
       covers("beside the root", norm.placement == EpsilonPlacement::standard_deviation, 0.25);
       holds(deviation_share(x, norm, std::sqrt(static_cast<double>(d)), subject));
     },
     {"forgets_epsilon", "adds_epsilon_on_the_other_side", "adds_epsilon_high_by_49_digits"},
     4},

    {layer_norm_is_the_standardised_row,
     "in_each_format",
     layer_norm_gives_its_values,
     {"returns_nothing_in_50_digits", "returns_nothing_in_binary64", "returns_nothing_in_binary32",
      "returns_nothing_in_bfloat16", "only_centres", "adds_epsilon_on_the_other_side",
      "adds_epsilon_twice", "divides_by_n_less_1_in_50_digits", "divides_by_n_less_1_in_binary64",
      "divides_by_n_less_1_in_binary32", "divides_by_n_less_1_in_bfloat16",
      "takes_one_pass_in_50_digits", "takes_one_pass_in_binary64", "takes_one_pass_in_binary32",
      "takes_one_pass_in_bfloat16", "keeps_the_root_in_binary32", "keeps_the_root_in_bfloat16"}},

    {rms_norm_is_the_row_over_its_root_mean_square,
     "in_each_format",
     rms_norm_gives_its_values,
     {"returns_nothing_in_50_digits", "returns_nothing_in_binary64", "returns_nothing_in_binary32",
      "returns_nothing_in_bfloat16", "forgets_the_root", "adds_epsilon_on_the_other_side",
      "adds_epsilon_twice", "divides_by_n_less_1_in_50_digits", "divides_by_n_less_1_in_binary64",
      "divides_by_n_less_1_in_binary32", "divides_by_n_less_1_in_bfloat16",
      "keeps_the_root_in_binary32", "keeps_the_root_in_bfloat16"}},
};

const Properties<BlockPrimitives> block_properties{
    {belief_of(post_norm_block),
     "compensated_to_the_bit",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(0);
       const double a = power_of_two("a");
       covers_both_sides_of_1(at.c);
       at.in_each_format(
           NormPlacement::post, Biases::all, [&]<class Real>(const BlockCase<Real>& drawn, Real c) {
             holds_exactly(has_bits_when_compensated(drawn, c, static_cast<Real>(a), subject));
           });
     },
     {"divides_the_queries_alone", "divides_the_values", "forgets_the_value_bias",
      "forgets_the_output_bias", "forgets_the_query_bias", "scales_the_network_bias",
      "scales_one_bias_high_by_6_digits", "puts_norms_on_the_other_side",
      "adds_an_epsilon_of_10_to_the_minus_5", "leaks_past_the_norm"},
     4},

    {belief_of(post_norm_block),
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
       drawn_block_of(1).in_each_format(NormPlacement::post, Biases::none,
                                        [&](const auto& drawn, auto c) {
                                          holds_exactly(has_bits_of_temperature(drawn, c, subject));
                                        });
     },
     {"puts_norms_on_the_other_side", "adds_an_epsilon_of_10_to_the_minus_5",
      "leaks_past_the_norm"},
     4},

    {pre_norm_block,
     "skip_carries_it_and_branch_does_not",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(2);
       const auto epsilon = drawn_epsilon();
       covers_both_sides_of_1(at.c);
       covers("without an epsilon", epsilon.k == 0, 0.03);
       at.in_each_format(NormPlacement::pre, Biases::all, [&](auto drawn, auto c) {
         epsilon.give(drawn.block.norm);
         holds_exactly(has_bits_of_branch(drawn, c, subject));
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
       const auto at = drawn_block_of(3);
       at.in_each_format(
           NormPlacement::pre, Biases::all, [&]<class Real>(const BlockCase<Real>& first, Real c) {
             const auto second = drawn_block<Real>(at.stream, at.index + 1, at.shape, at.tokens,
                                                   NormPlacement::pre, Biases::all);
             holds_exactly(
                 has_bits_when_branches_carry_it({first.block, second.block}, first.x, c, subject));
           });
     },
     {"scales_attention_alone", "forgets_the_outer_bias", "scales_the_inner_bias",
      "scales_one_output_bias_high", "adds_a_constant", "adds_an_epsilon_of_10_to_the_minus_5"},
     6},

    {token_share_after_blocks,
     "attention_adds_at_most_1",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto heads = named("heads", in_range<std::size_t>(1, 3));
       const auto tokens = named("tokens", in_range<std::size_t>(1, 4));
       const double c = std::abs(factor());
       covers("a single token", tokens == 1, 0.2);
       holds(attention_share(signed_block(signed_blocks, i, {2, heads, 2}, tokens), c, subject));
     },
     {"puts_norms_on_the_other_side", "forgets_the_skip", "adds_a_constant",
      "makes_attention_high_by_30_digits", "leaks_2_to_the_minus_30_past_attention"}},

    {token_share_after_blocks,
     "networks_add_just_so_much",
     [](const BlockPrimitives& subject) {
       const auto i = named("block", draws());
       const auto r = named("d_ff/d", in_range<std::size_t>(1, 3));
       const double c = std::abs(factor());
       holds(network_share(signed_block(signed_blocks, i, {2, 1, 2 * r}, 1), c, subject));
     },
     {"puts_norms_on_the_other_side", "makes_the_branch_as_large_as_the_stream", "forgets_the_relu",
      "makes_networks_high_by_30_digits"}},

    {token_share_after_blocks,
     "nothing_of_it_behind_a_norm_of_the_embedding",
     [](const BlockPrimitives& subject) {
       const auto at = drawn_block_of(4);
       covers_both_sides_of_1(at.c);
       const auto placement =
           one_of("norms", {"pre", "post"}) == 0 ? NormPlacement::pre : NormPlacement::post;
       holds_exactly(has_bits_behind_embedding_norm(
           drawn_block<double>(at.stream, at.index, at.shape, at.tokens, placement, Biases::all),
           at.c, subject));
     },
     {"leaks_past_the_norm_of_the_embedding",
      "leaks_2_to_the_minus_40_past_the_norm_of_the_embedding", "forgets_the_norm_of_the_embedding",
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
       const auto first = drawn(at.index);
       holds_exactly(has_bits_of_first_temperature<double>({first.block, drawn(at.index + 1).block},
                                                           first.x, at.c, subject));
     },
     {"puts_norms_on_the_other_side", "adds_an_epsilon_of_10_to_the_minus_5",
      "leaks_past_the_norm"}},
};

namespace {

const Beliefs beliefs{
    /// A residual connection around the norm: what leaves it points elsewhere for c·x.
    {absorbs_the_factor, "that_nothing_else_sees_it",
     [] {
       const auto x = uneven_channels("x", 2);
       const auto w = surds(named("W", channels(4)));
       const auto c = named("c", positive_rationals());
       const NormOf<Surd> norm{LayerKind::rms_norm};
       holds_exactly(skip_forgets_the_factor(x, w, norm, Surd(c), Primitives{}));
     }},

    /// The usual ε of 10^−6, and inputs of RMS 1, ½, ¼ …: what it takes from them against a
    /// hundredth.
    {epsilon_is_rescaled, "that_it_is_too_small_at_any_scale",
     [] {
       const auto k = named("-log2 RMS", in_range(0, 30));
       const expected::Norm norm{.epsilon = 1e-6};
       holds(expected::epsilon_shrinkage(std::ldexp(1.0, -2 * k), norm) / 0.01);
     }},
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

    /// The same token: its share of what leaves the block against a hundredth more or less.
    {token_share_after_blocks, "that_it_does_nothing",
     [] {
       const auto [block, x] = simple_block(NormPlacement::pre, 1, {0, 1, 1, 0});
       const double share = share_behind(block, x, BlockPrimitives{});
       holds(std::abs(share_behind(block, product(2.0, x), BlockPrimitives{}) - share) / 0.01);
     }},
};

}  // namespace

Trials trials() {
  auto all = trials_of(properties, mutants, beliefs);
  for (auto& trial : trials_of(block_properties, block_mutants, block_beliefs))
    all.push_back(std::move(trial));
  return all;
}

}  // namespace embedscale::properties::normalization
