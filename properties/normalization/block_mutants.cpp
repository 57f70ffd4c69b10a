// Wrong blocks, and wrong ways to undo a factor, from the largest defect to the smallest.
#include <cmath>
#include <utility>

#include "block_primitives.hpp"
#include "trials.hpp"

namespace embedscale::properties::normalization {

using namespace testing;

namespace {

/// The library's compensation, and then(weights, c, a) behind it.
template <class Then>
constexpr auto compensated_and(Then) {
  return replacing([]<class Real>(BlockOperations<Real>& to) {
    to.compensated = [](BlockWeights<Real> weights, const Real& c, const Real& a) {
      weights = block_library<Real>.compensated(std::move(weights), c, a);
      Then{}(weights, c, a);
      return weights;
    };
  });
}

/// The library's scaling of the branches, and then(weights, c) behind it.
template <class Then>
constexpr auto branches_scaled_and(Then) {
  return replacing([]<class Real>(BlockOperations<Real>& to) {
    to.with_scaled_branches = [](BlockWeights<Real> weights, const Real& c) {
      weights = block_library<Real>.with_scaled_branches(std::move(weights), c);
      Then{}(weights, c);
      return weights;
    };
  });
}

template <class Change, class Real>
EncoderBlock<Real> changed(EncoderBlock<Real> block) {
  Change{}(block);
  return block;
}

/// Another block in both sub-layers and the branch: change(block).
template <class Change>
constexpr auto of_another(Change) {
  return replacing([]<class Real>(BlockOperations<Real>& to) {
    using Block = EncoderBlock<Real>;
    to.attention_sublayer = [](const Block& block, std::span<const Real> x, std::span<Real> out) {
      block_library<Real>.attention_sublayer(changed<Change>(block), x, out);
    };
    to.network_sublayer = [](const Block& block, std::span<const Real> y, std::span<Real> out) {
      block_library<Real>.network_sublayer(changed<Change>(block), y, out);
    };
    to.branch = [](const Block& block, std::span<const Real> x, std::span<Real> out) {
      block_library<Real>.branch(changed<Change>(block), x, out);
    };
  });
}

/// of(out, in) for each channel of what `part` of the block makes of its input.
template <class Of, class Real>
void give(typename BlockOperations<Real>::Part part, const EncoderBlock<Real>& block,
          std::span<const Real> x, std::span<Real> out) {
  const std::vector<Real> input(x.begin(), x.end());
  part(block, x, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Of{}(out[i], input[i]);
}

template <class Of>
constexpr auto attention_giving(Of) {
  return replacing([]<class Real>(BlockOperations<Real>& to) {
    to.attention_sublayer = [](const EncoderBlock<Real>& block, std::span<const Real> x,
                               std::span<Real> out) {
      give<Of>(block_library<Real>.attention_sublayer, block, x, out);
    };
  });
}

template <class Of>
constexpr auto branch_giving(Of) {
  return replacing([]<class Real>(BlockOperations<Real>& to) {
    to.branch = [](const EncoderBlock<Real>& block, std::span<const Real> x, std::span<Real> out) {
      give<Of>(block_library<Real>.branch, block, x, out);
    };
  });
}

template <class Real>
Real part_in_two_to_the(int digits) {
  return static_cast<Real>(std::ldexp(1.0, -digits));
}

/// One number too large by a part in 2^`digits`.
template <int digits, class Real>
void enlarge(Real& value) {
  value = value + value * part_in_two_to_the<Real>(digits);
}

/// An ε that nobody asked for, 2^−`digits`.
template <int digits>
constexpr auto adding_epsilon() {
  return of_another([]<class Real>(EncoderBlock<Real>& block) {
    block.norm.epsilon = block.norm.epsilon + part_in_two_to_the<Real>(digits);
  });
}

/// A 2^−`digits` part of the input is added.
template <int digits>
constexpr auto input_added = []<class Real>(const Real& y, const Real& x) -> Real {
  return y + x * part_in_two_to_the<Real>(digits);
};

}  // namespace

const Mutants<BlockPrimitives> block_mutants{
    {"divides_the_queries_alone", "The keys stay as they were.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real& c, const Real& a) {
       multiply(w.key, Real(Real(c * c) / a));
     })},

    {"divides_the_values", "The values are divided, too, as if they had to lose the factor.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real& c, const Real&) {
       divide(w.value, c);
     })},

    {"forgets_the_value_bias", "The bias of the values stays.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real& c, const Real&) {
       divide(w.value_bias, c);
     })},

    {"forgets_the_output_bias", "The bias of the output stays.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real& c, const Real&) {
       divide(w.output_bias, c);
     })},

    {"forgets_the_query_bias",
     "The bias of the queries stays, where queries become c/a times as large.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real& c, const Real& a) {
       divide(w.query_bias, Real(c / a));
     })},

    {"scales_the_network_bias",
     "The bias of the network is multiplied by c, as if the norm before it were not.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real& c, const Real&) {
       multiply(w.inner_bias, c);
     })},

    {"scales_one_bias_high_by_6_digits", "One bias of the output too large by a part in 2^6.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real&, const Real&) {
       enlarge<6>(w.output_bias[0]);
     })},
    {"scales_one_bias_high_by_60_digits", "By a part in 2^60.",
     compensated_and([]<class Real>(BlockWeights<Real>& w, const Real&, const Real&) {
       enlarge<60>(w.output_bias[0]);
     })},

    {"puts_norms_on_the_other_side",
     "The norms stand on the other side of the residual connection.",
     of_another([]<class Real>(EncoderBlock<Real>& block) {
       block.norms = block.norms == NormPlacement::pre ? NormPlacement::post : NormPlacement::pre;
     })},

    {"adds_an_epsilon_of_10_to_the_minus_5", "An ε that nobody asked for.", adding_epsilon<17>()},
    {"adds_an_epsilon_of_2_to_the_minus_100", "A smaller one, that 50 digits show.",
     adding_epsilon<100>()},

    {"adds_a_constant", "A small constant is added to what passes by.",
     attention_giving([]<class Real>(const Real& y, const Real&) -> Real {
       return y + part_in_two_to_the<Real>(5);
     })},

    {"leaks_past_the_norm", "A sixteenth of the input goes past the norm.",
     attention_giving(input_added<4>)},
    {"leaks_2_to_the_minus_90_past_the_norm", "A 2^−90 part of it.",
     attention_giving(input_added<90>)},

    {"forgets_the_skip", "The skip is left out.",
     attention_giving([]<class Real>(const Real& y, const Real& x) -> Real { return y - x; })},

    {"leaks_the_input_into_the_branch", "A sixteenth of the input is in the branch.",
     branch_giving(input_added<4>)},
    {"leaks_2_to_the_minus_90_into_the_branch", "A 2^−90 part of it.",
     branch_giving(input_added<90>)},

    {"reads_without_the_norm", "The branch reads its input without the norm.",
     replacing([]<class Real>(BlockOperations<Real>& to) {
       to.branch = [](const EncoderBlock<Real>& block, std::span<const Real> x,
                      std::span<Real> out) {
         self_attention<Real>(block.shape, block.weights, x, out);
       };
     })},

    {"scales_attention_alone", "The network's weights stay.",
     branches_scaled_and([]<class Real>(BlockWeights<Real>& w, const Real& c) {
       divide(w.outer, c);
       divide(w.outer_bias, c);
     })},

    {"forgets_the_outer_bias", "The bias of the network's output stays.",
     branches_scaled_and(
         []<class Real>(BlockWeights<Real>& w, const Real& c) { divide(w.outer_bias, c); })},

    {"scales_the_inner_bias", "The bias before the ReLU is scaled as well.",
     branches_scaled_and(
         []<class Real>(BlockWeights<Real>& w, const Real& c) { multiply(w.inner_bias, c); })},

    {"scales_one_output_bias_high", "One bias of the output too large by a part in 2^6.",
     branches_scaled_and(
         []<class Real>(BlockWeights<Real>& w, const Real&) { enlarge<6>(w.output_bias[0]); })},
};

}  // namespace embedscale::properties::normalization
