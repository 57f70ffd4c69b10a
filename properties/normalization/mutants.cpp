// Wrong norms and wrong rules for their ε, wrong blocks and wrong ways to undo a factor; each from
// the largest defect to the smallest that is seen.
#include <algorithm>
#include <cmath>

#include "../testing/slightly_wrong.hpp"
#include "exact.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

namespace {

/// of(norm, x, out) in both norms' place.
template <class... Reals, class Of>
constexpr auto norms(Of) {
  return replacing<Reals...>([]<class Real>(Operations<Real>& to) {
    using In = std::span<const Real>;
    using Out = std::span<Real>;
    to.layer_norm = [](In x, const Real& epsilon, EpsilonPlacement placement, Out out) {
      Of{}(BlockNorm<Real>{NormKind::layer_norm, epsilon, placement}, x, out);
    };
    to.rms_norm = [](In x, const Real& epsilon, EpsilonPlacement placement, Out out) {
      Of{}(BlockNorm<Real>{NormKind::rms_norm, epsilon, placement}, x, out);
    };
  });
}

/// What the library makes of one row.
template <class Real>
void right(const BlockNorm<Real>& norm, std::span<const Real> x, std::span<Real> out) {
  normalize<Real>({x.size(), 1, 0}, norm, x, out);
}

/// Both, with another ε or another place for it: change(norm).
template <class Change>
constexpr auto of_another(Change) {
  return norms([](auto norm, auto x, auto out) {
    Change{}(norm);
    right(norm, x, out);
  });
}

/// Both, with of(y, x, what the norm divides) for each channel y of what comes out.
template <class... Reals, class Of>
constexpr auto giving(Of) {
  return norms<Reals...>(
      []<class Real>(const BlockNorm<Real>& norm, std::span<const Real> x, std::span<Real> out) {
        const std::vector<Real> input(x.begin(), x.end()), parts = divided(input, norm.kind);
        right(norm, x, out);
        for (std::size_t j = 0; j < input.size(); ++j) out[j] = Of{}(out[j], input, parts[j]);
      });
}

/// Zeros.
constexpr auto nothing = []<class Real>(const Real&, const std::vector<Real>&, const Real&) {
  return Real(0);
};

/// The mean square of n − 1 numbers.
constexpr auto one_less = []<class Real>(const Real& y, const std::vector<Real>& x, const Real&) {
  const auto n = static_cast<double>(x.size());
  return static_cast<Real>(std::sqrt((n - 1) / n)) * y;
};

/// LayerNorm by E x² − (E x)².
template <class Real>
void in_one_pass(std::span<const Real> x, const Real& epsilon, EpsilonPlacement placement,
                 std::span<Real> out) {
  const Real n = Real(static_cast<int>(x.size()));
  Real sum(0), squares(0);
  for (const Real& value : x) sum = sum + value, squares = squares + value * value;
  const Real mean = sum / n;
  const Real divisor =
      embedscale::detail::divisor<Real>(squares / n - mean * mean, epsilon, placement);
  for (std::size_t j = 0; j < x.size(); ++j) out[j] = (x[j] - mean) / divisor;
}
constexpr auto rule = EMBEDSCALE_OPERATION(rescaled_epsilon);
constexpr auto compensation = EMBEDSCALE_OPERATION(compensated);
constexpr auto branches = EMBEDSCALE_OPERATION(with_scaled_branches);
constexpr auto attention = EMBEDSCALE_OPERATION(attention_sublayer);
constexpr auto network = EMBEDSCALE_OPERATION(network_sublayer);
constexpr auto norm_of_embedding = EMBEDSCALE_OPERATION(embedding_norm);
constexpr auto branch_of_block = EMBEDSCALE_OPERATION(branch);

template <class Real>
Real one_part_in_two_to_the(int digits) {
  Real tiny(1);
  for (; digits > 0; --digits) tiny = tiny / Real(2);
  return tiny;
}

/// An ε that nobody asked for, 2^−`digits`, in norms, and in those of blocks.
template <int digits>
constexpr auto epsilon_added = []<class Real>(BlockNorm<Real>& norm) {
  norm.epsilon = norm.epsilon + one_part_in_two_to_the<Real>(digits);
};

/// The divisor is rounded to `Kept`, where Real is wider.
template <class Kept>
constexpr auto keeping_the_root_in() {
  return giving<double, float, bfloat16>(
      []<class Real>(const Real& y, const std::vector<Real>& x, const Real&) {
        const double root = std::sqrt(static_cast<double>(mean_square(x)));
        return static_cast<Real>(static_cast<double>(y) * (root / static_cast<double>(Kept(root))));
      });
}

template <class Real>
using Block = EncoderBlock<Real>;

/// A part of another block: change(block).
template <auto part, class Change, class Real>
void of_another_part(const Block<Real>& block, std::span<const Real> x, std::span<Real> out) {
  auto other = block;
  Change{}(other);
  (block_library<Real>.*part)(other, x, out);
}

/// Another block in both sub-layers, the branch and the norm before them.
template <class Change>
constexpr auto of_another_block(Change) {
  return replacing([]<class Real>(BlockOperations<Real>& to) {
    using Operations = BlockOperations<Real>;
    to.attention_sublayer = of_another_part<&Operations::attention_sublayer, Change, Real>;
    to.network_sublayer = of_another_part<&Operations::network_sublayer, Change, Real>;
    to.branch = of_another_part<&Operations::branch, Change, Real>;
    to.embedding_norm = of_another_part<&Operations::embedding_norm, Change, Real>;
  });
}

/// of(out, in) for each channel of what a part of a block makes of its input.
template <class Name, class Of>
constexpr auto part_giving(Name part, Of) {
  return changes(part,
                 []<class Real>(const Block<Real>&, std::span<const Real> x, std::span<Real> out) {
                   for (std::size_t i = 0; i < out.size(); ++i) out[i] = Of{}(out[i], x[i]);
                 });
}

/// The first bias of the output too large by a part in 2^`digits`, where weights are changed.
template <int digits>
constexpr auto one_bias_high(auto name) {
  return changes(name,
                 [](auto& w, auto&&...) { w.output_bias[0] = high<digits>(w.output_bias[0]); });
}

/// A 2^−`digits` part of the input is added.
template <int digits>
constexpr auto input_added = []<class Real>(const Real& y, const Real& x) -> Real {
  return y + x * one_part_in_two_to_the<Real>(digits);
};

/// A branch too large by a part in 2^`digits`.
template <int digits>
constexpr auto branch_high = []<class Real>(const Real& y, const Real& x) -> Real {
  return y + (y - x) * one_part_in_two_to_the<Real>(digits);
};

}  // namespace

const Mutants<Primitives> mutants{
    {"only_centres", "Not divided.",
     giving(
         []<class Real>(const Real&, const std::vector<Real>&, const Real& part) { return part; })},

    {"returns_nothing", "All channels are 0, whatever comes in.", giving(nothing)},
    {"returns_nothing_in_bfloat16", "Zeros in bfloat16 alone.", giving<bfloat16>(nothing)},

    {"divides_by_n_less_1",
     "The mean square of n − 1 numbers, as the Annotated Transformer has it.",
     giving<Wide, double, float, bfloat16>(one_less)},

    {"takes_one_pass", "The variance as E x² − (E x)²: what is left of it far from 0 is rounding.",
     replacing<Wide, double, float, bfloat16>(
         []<class Real>(Operations<Real>& to) { to.layer_norm = in_one_pass<Real>; })},

    {"turns_along_the_first_channel", "The sign of the first channel is divided by as well.",
     giving([]<class Real>(const Real& y, const std::vector<Real>& x, const Real&) {
       return x[0] < Real(0) ? Real(-y) : y;
     })},

    {"adds_an_epsilon_of_its_own", "An ε that nobody asked for, 10^−5 nearly.",
     of_another(epsilon_added<17>)},
    {"adds_an_epsilon_of_2_to_the_minus_300", "A smaller one: none is too small over the reals.",
     of_another(epsilon_added<300>)},
    {"leaks_a_part_in_2_to_the_44", "A part in 2^44 of the input goes past.",
     giving([]<class Real>(const Real& y, const std::vector<Real>&, const Real& part) -> Real {
       return y + part * one_part_in_two_to_the<Real>(44);
     })},
    {"adds_epsilon_on_the_other_side", "The ε is on the other side of the root.",
     of_another([]<class Real>(BlockNorm<Real>& norm) {
       norm.placement = norm.placement == EpsilonPlacement::variance
                            ? EpsilonPlacement::standard_deviation
                            : EpsilonPlacement::variance;
     })},

    {"has_no_epsilon", "There is none.",
     of_another([]<class Real>(BlockNorm<Real>& norm) { norm.epsilon = Real(0); })},

    {"adds_epsilon_high_by_49_digits",
     "In closed form 2^−49 is 16u, more than the 14u that are allowed; 2^−50 is not.",
     of_another([]<class Real>(BlockNorm<Real>& norm) {
       norm.epsilon = norm.epsilon + norm.epsilon * one_part_in_two_to_the<Real>(49);
     })},

    {"keeps_the_root_in_binary32", "The divisor is rounded to binary32, where the norm is wider.",
     keeping_the_root_in<float>()},
    {"keeps_the_root_in_bfloat16", "The same with bfloat16.", keeping_the_root_in<bfloat16>()},

    {"forgets_to_rescale", "The ε stays the same for c·x.",
     changes(rule, [](auto& scaled, const auto& epsilon, auto&&...) { scaled = epsilon; })},

    {"divides_epsilon_by_c", "By c in both places.",
     changes(rule,
             [](auto& scaled, const auto& epsilon, const auto& c, auto) { scaled = epsilon / c; })},

    {"rescales_slightly_less", "Too small by one part in 2^60.",
     changes(rule,
             []<class Real>(Real& scaled, auto&&...) {
               scaled = scaled - scaled * one_part_in_two_to_the<Real>(60);
             })},
};

const Mutants<BlockPrimitives> block_mutants{
    {"divides_the_queries_alone", "The keys stay as they were.",
     changes(compensation,
             []<class Real>(auto& w, auto&, const Real& c, const Real& a) {
               multiply(w.key, Real(Real(c * c) / a));
             })},

    {"divides_the_values", "The values are divided, too, as if they had to lose the factor.",
     changes(compensation, [](auto& w, auto&, const auto& c, auto&) { divide(w.value, c); })},

    {"forgets_the_query_bias",
     "The bias of the queries stays, where queries become c/a times as large.",
     changes(compensation, []<class Real>(auto& w, auto&, const Real& c,
                                          const Real& a) { divide(w.query_bias, Real(c / a)); })},

    {"scales_one_bias_high_by_60_digits",
     "The first bias of the output too large by a part in 2^60.", one_bias_high<60>(compensation)},

    {"puts_norms_on_the_other_side",
     "The norms stand on the other side of the residual connection.",
     of_another_block([]<class Real>(Block<Real>& block) {
       block.norms = block.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
     })},

    {"adds_an_epsilon_of_10_to_the_minus_5", "An ε that nobody asked for.",
     of_another_block([](auto& block) { epsilon_added<17>(block.norm); })},
    {"adds_an_epsilon_of_2_to_the_minus_100", "A smaller one, that 50 digits show.",
     of_another_block([](auto& block) { epsilon_added<100>(block.norm); })},

    {"has_no_epsilon", "There is none.",
     of_another_block([](auto& block) { block.norm.epsilon = {}; })},

    {"has_no_biases", "The biases are left out.",
     of_another_block([](auto& block) { clear_biases(block.weights); })},

    {"attends_to_all_alike", "All queries are 0.",
     of_another_block([]<class Real>(Block<Real>& block) {
       std::ranges::fill(block.weights.query, Real(0));
       block.weights.query_bias.clear();
     })},

    {"adds_a_constant", "A small constant is added to what passes by.",
     part_giving(attention,
                 []<class Real>(const Real& y, const Real&) -> Real {
                   return y + one_part_in_two_to_the<Real>(5);
                 })},

    {"leaks_2_to_the_minus_90_past_the_norm", "A 2^−90 part of the input goes past the norm.",
     part_giving(attention, input_added<90>)},

    {"forgets_the_skip", "The skip is left out.",
     part_giving(attention,
                 []<class Real>(const Real& y, const Real& x) -> Real { return y - x; })},

    {"leaks_2_to_the_minus_90_into_the_branch", "A 2^−90 part of the input is in the branch.",
     part_giving(branch_of_block, input_added<90>)},

    {"forgets_the_outer_bias", "The bias of the network's output stays.",
     changes(branches, [](auto& w, auto&, const auto& c) { divide(w.outer_bias, c); })},

    {"scales_one_output_bias_high", "One bias of the output too large by a part in 2^6.",
     one_bias_high<6>(branches)},

    {"forgets_the_relu",
     "F(N(x)) − F(−N(x)) in the place of F(N(x)): the network without its ReLU.",
     replaces(network,
              []<class Real>(auto was, const Block<Real>& block, std::span<const Real> x,
                             std::span<Real> out) {
                std::vector<Real> opposite(x.begin(), x.end());
                for (Real& value : opposite) value = Real(0) - value;
                was(block, x, out);
                was(block, opposite, opposite);
                for (std::size_t i = 0; i < x.size(); ++i) out[i] = out[i] - opposite[i] - x[i];
              })},

    {"makes_networks_high_by_30_digits", "The network's branch too large by a part in 2^30.",
     part_giving(network, branch_high<30>)},
    {"makes_attention_high_by_30_digits", "The attention's branch too large by a part in 2^30.",
     part_giving(attention, branch_high<30>)},

    {"leaks_2_to_the_minus_40_past_the_norm_of_the_embedding", "A 2^−40 part of the embedding.",
     part_giving(norm_of_embedding, input_added<40>)},
    {"forgets_the_norm_of_the_embedding", "The embedding reaches the first block as it is.",
     replaces(norm_of_embedding,
              []<class Real>(auto, const Block<Real>&, std::span<const Real> x,
                             std::span<Real> out) { std::ranges::copy(x, out.begin()); })},
};

}  // namespace embedscale::properties::normalization
