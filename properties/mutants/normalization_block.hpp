#pragma once
// Wrong blocks, and wrong ways to undo a factor, from the largest defect to the smallest.
#include <cmath>

#include "../normalization_block_skip.hpp"

namespace embedscale::properties::mutants {

using normalization::BlockLibrary;

/// The compensation of the library, with `Change::to(weights, c, a)` behind it.
template <class Change>
struct compensates_with : BlockLibrary {
  template <AnalyticScalar Real>
  static BlockWeights<Real> compensated(BlockWeights<Real> weights, const Real& c, const Real& a) {
    weights = BlockLibrary::compensated(std::move(weights), c, a);
    Change::to(weights, c, a);
    return weights;
  }
};

/// The keys stay as they were.
struct KeysStay {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c, const Real& a) {
    BlockLibrary::multiply(w.key, Real(Real(c * c) / a));
  }
};
using divides_the_queries_alone = compensates_with<KeysStay>;

/// The values are divided, too, as if they had to lose the factor.
struct ValuesDivided {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c, const Real&) {
    BlockLibrary::divide(w.value, c);
  }
};
using divides_the_values = compensates_with<ValuesDivided>;

/// The bias of the values stays.
struct ValueBiasStays {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c, const Real&) {
    BlockLibrary::divide(w.value_bias, c);
  }
};
using forgets_the_value_bias = compensates_with<ValueBiasStays>;

/// The bias of the output stays.
struct OutputBiasStays {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c, const Real&) {
    BlockLibrary::divide(w.output_bias, c);
  }
};
using forgets_the_output_bias = compensates_with<OutputBiasStays>;

/// The bias of the queries stays, where queries become c/a times as large.
struct QueryBiasStays {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c, const Real& a) {
    BlockLibrary::divide(w.query_bias, Real(c / a));
  }
};
using forgets_the_query_bias = compensates_with<QueryBiasStays>;

/// The bias of the network is multiplied by c, as if the norm before it were not.
struct InnerBiasScaled {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c, const Real&) {
    BlockLibrary::multiply(w.inner_bias, c);
  }
};
using scales_the_network_bias = compensates_with<InnerBiasScaled>;

/// One bias of the output too large by a part in 2^`digits`.
template <int digits>
struct OutputBiasHigh {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real&, const Real&) {
    auto& first = w.output_bias[0];
    first = first + first * static_cast<Real>(std::ldexp(1.0, -digits));
  }
};
using scales_one_bias_high_by_6_digits = compensates_with<OutputBiasHigh<6>>;
using scales_one_bias_high_by_60_digits = compensates_with<OutputBiasHigh<60>>;

/// A block in `Changed`'s place for both sub-layers and the branch: Changed::block(block).
template <class Changed>
struct changed_block : BlockLibrary {
  template <AnalyticScalar Real>
  static void attention_sublayer(const EncoderBlock<Real>& block, std::span<const Real> x,
                                 std::span<Real> out) {
    BlockLibrary::attention_sublayer(Changed::block(block), x, out);
  }
  template <AnalyticScalar Real>
  static void network_sublayer(const EncoderBlock<Real>& block, std::span<const Real> y,
                               std::span<Real> out) {
    BlockLibrary::network_sublayer(Changed::block(block), y, out);
  }
  template <AnalyticScalar Real>
  static void branch(const EncoderBlock<Real>& block, std::span<const Real> x,
                     std::span<Real> out) {
    BlockLibrary::branch(Changed::block(block), x, out);
  }
};

/// The norms stand on the other side of the residual connection.
struct OtherPlacement {
  template <class Real>
  static EncoderBlock<Real> block(EncoderBlock<Real> block) {
    block.norms = block.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
    return block;
  }
};
using puts_norms_on_the_other_side = changed_block<OtherPlacement>;

/// An ε that nobody asked for, 2^−`digits`.
template <int digits>
struct EpsilonAdded {
  template <class Real>
  static EncoderBlock<Real> block(EncoderBlock<Real> block) {
    block.norm.epsilon = block.norm.epsilon + static_cast<Real>(std::ldexp(1.0, -digits));
    return block;
  }
};
using adds_an_epsilon_of_10_to_the_minus_5 = changed_block<EpsilonAdded<17>>;
using adds_an_epsilon_of_2_to_the_minus_100 = changed_block<EpsilonAdded<100>>;

/// The attention's sub-layer with `Change::of(out, x, first input)` in the place of each channel.
template <class Change>
struct changed_sublayer : BlockLibrary {
  template <AnalyticScalar Real>
  static void attention_sublayer(const EncoderBlock<Real>& block, std::span<const Real> x,
                                 std::span<Real> out) {
    const std::vector<Real> input(x.begin(), x.end());
    BlockLibrary::attention_sublayer(block, x, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = Change::of(out[i], input[i]);
  }
};

/// A small constant is added to what passes by.
struct ConstantAdded {
  template <class Real>
  static Real of(const Real& y, const Real&) {
    return y + static_cast<Real>(0x1p-5);
  }
};
using adds_a_constant = changed_sublayer<ConstantAdded>;

/// A 2^−`digits` part of the input goes past the norm.
template <int digits>
struct InputAdded {
  template <class Real>
  static Real of(const Real& y, const Real& x) {
    return y + x * static_cast<Real>(std::ldexp(1.0, -digits));
  }
};
using leaks_past_the_norm = changed_sublayer<InputAdded<4>>;
using leaks_2_to_the_minus_90_past_the_norm = changed_sublayer<InputAdded<90>>;

/// The skip is left out.
struct SkipLeftOut {
  template <class Real>
  static Real of(const Real& y, const Real& x) {
    return y - x;
  }
};
using forgets_the_skip = changed_sublayer<SkipLeftOut>;

/// The branch with `Change::of(out, x)` in the place of each channel.
template <class Change>
struct changed_branch : BlockLibrary {
  template <AnalyticScalar Real>
  static void branch(const EncoderBlock<Real>& block, std::span<const Real> x,
                     std::span<Real> out) {
    const std::vector<Real> input(x.begin(), x.end());
    BlockLibrary::branch(block, x, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = Change::of(out[i], input[i]);
  }
};
using leaks_the_input_into_the_branch = changed_branch<InputAdded<4>>;
using leaks_2_to_the_minus_90_into_the_branch = changed_branch<InputAdded<90>>;

/// The branch reads its input without the norm.
struct reads_without_the_norm : BlockLibrary {
  template <AnalyticScalar Real>
  static void branch(const EncoderBlock<Real>& block, std::span<const Real> x,
                     std::span<Real> out) {
    self_attention<Real>(block.shape, block.weights, x, out);
  }
};

/// The branches' scaling of the library, with `Change::to(weights, c)` behind it.
template <class Change>
struct scales_branches_with : BlockLibrary {
  template <AnalyticScalar Real>
  static BlockWeights<Real> with_scaled_branches(BlockWeights<Real> weights, const Real& c) {
    weights = BlockLibrary::with_scaled_branches(std::move(weights), c);
    Change::to(weights, c);
    return weights;
  }
};

struct OuterStays {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c) {
    BlockLibrary::divide(w.outer, c);
    BlockLibrary::divide(w.outer_bias, c);
  }
};
using scales_attention_alone = scales_branches_with<OuterStays>;

struct OuterBiasStays {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c) {
    BlockLibrary::divide(w.outer_bias, c);
  }
};
using forgets_the_outer_bias = scales_branches_with<OuterBiasStays>;

struct InnerScaled {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real& c) {
    BlockLibrary::multiply(w.inner_bias, c);
  }
};
using scales_the_inner_bias = scales_branches_with<InnerScaled>;

struct OneBiasHigh {
  template <class Real>
  static void to(BlockWeights<Real>& w, const Real&) {
    w.output_bias[0] = w.output_bias[0] + w.output_bias[0] * static_cast<Real>(0x1p-6);
  }
};
using scales_one_output_bias_high = scales_branches_with<OneBiasHigh>;

}  // namespace embedscale::properties::mutants
