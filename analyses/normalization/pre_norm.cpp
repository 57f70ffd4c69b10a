// What a pre-norm block, and a stack of them, make of a factor: by running them.
#include "properties/normalization/block.hpp"

#include <embedscale/embedding.hpp>

#include <map>

#include "normalization/blocks.hpp"

namespace embedscale::normalization_analysis {
namespace {

const std::vector<std::size_t> final_depths{1, 2, 6};

/// One head, a single token (0, 0, 2, 2) times c, and values whose channels 2 and 3 change places.
std::vector<double> final_output_by_hand(double c) {
  BlockWeights<double> w;
  w.query = w.key = std::vector<double>(16, 0.0);
  w.value = {1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1};
  w.output = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  w.inner = w.outer = std::vector<double>(16, 0.0);
  const EncoderBlock<double> block{{4, 1, 4}, NormPlacement::pre, {}, w};
  return finally_normed(block, through(block, {0, 0, 2 * c, 2 * c}, block_library<double>));
}

/// A drawn stack as it starts, without biases, and its input.
struct Stack {
  std::vector<EncoderBlock<double>> blocks;
  InitialTokens at;
  Stream tokens;
  std::vector<double> x(Scaled way) const { return initial_input(at, way, tokens); }
  /// The first block with another norm.
  EncoderBlock<double> first(const BlockNorm<double>& norm) const {
    auto block = blocks[0];
    block.norm = norm;
    return block;
  }
};
Stack drawn_stack(const Options& options, const Setup& setup, std::size_t depth,
                  std::uint64_t draw) {
  Stack stack{{}, setup.start, stream_of(options, "tokens", draw)};
  for (std::size_t layer = 0; layer < depth; ++layer)
    stack.blocks.push_back(
        initial_block(setup.shape, NormPlacement::pre, {}, Biases::none,
                      stream_of(options, "layer " + std::to_string(layer), draw)));
  return stack;
}

/// What a final LayerNorm gives, by the number of blocks.
std::map<std::size_t, std::vector<double>> final_outputs(const Stack& stack,
                                                         std::vector<double> x) {
  std::map<std::size_t, std::vector<double>> all;
  std::size_t depth = 0;
  for (const auto& block : stack.blocks) {
    x = through(block, x, block_library<double>);
    if (std::ranges::count(final_depths, ++depth) > 0) all[depth] = finally_normed(block, x);
  }
  return all;
}

constexpr const char* drawn_branches = "mean of drawn blocks, Xavier, no biases, ε = 0";

void measure_ratios(Section& s, const Options& options) {
  for (const auto& setup : setups(options, usual_widths))
    measure_means(s, drawn_branches, setup.draws(options.samples), [&](std::uint64_t draw) {
      const auto stack = drawn_stack(options, setup, 1, draw);
      Figures all;
      for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm}) {
        const auto ratio = [&](const char* input, Scaled way) {
          const double found =
              branch_to_skip(stack.first({kind}), stack.x(way), block_library<double>);
          all.push_back(
              {"branch_to_skip", setup.on({{"input", input}, {"norm", name_of(kind)}}), found});
          return found;
        };
        const double up = ratio("up", Scaled::up);
        ratio("folded", Scaled::folded);
        const double down = ratio("down", Scaled::down);
        all.push_back({"down_over_up_and_root_d", setup.on({{"norm", name_of(kind)}}),
                       down / root_multiplier<double>(setup.shape.d_model), up});
      }
      return all;
    });
  s.measure("as_large", {}, 1.0);
}

void measure_stacks(Section& s, const Options& options) {
  for (const auto& setup : setups(options, {16, 64, 256})) {
    const Place layer_norm{{"norm", "LayerNorm"}};
    // Half as many again: the more blocks, the more they scatter.
    measure_means(
        s, "mean of drawn models, down against up", setup.draws(options.samples) * 3 / 2,
        [&](std::uint64_t draw) {
          const auto stack = drawn_stack(options, setup, final_depths.back(), draw);
          const auto up = stack.x(Scaled::up), down = stack.x(Scaled::down);
          const auto of_up = final_outputs(stack, up);
          Figures all;
          for (const auto& [depth, out] : final_outputs(stack, down))
            all.push_back({"stack_deviation", setup.on(layer_norm).set("blocks", depth),
                           relative_deviation(out, of_up.at(depth))});
          for (const double epsilon : {1e-5, 1e-3}) {
            const auto block = stack.first({NormKind::layer_norm, epsilon});
            const auto branch = [&](const auto& x) {
              return branch_of(block, x, block_library<double>);
            };
            all.push_back({"branch_deviation", setup.on(layer_norm).set("epsilon", epsilon),
                           relative_deviation(branch(down), branch(up))});
          }
          return all;
        });
  }
}

/// Behind a final norm, at one width, or those told, by c.
void measure_final_outputs_by_factor(Section& s, const Options& options) {
  for (const auto& setup : setups(options, {64}))
    measure_means(
        s, "mean of drawn stacks", setup.draws_of_curve(options.samples), [&](std::uint64_t draw) {
          const auto stack = drawn_stack(options, setup, final_depths.back(), draw);
          const auto x = stack.x(Scaled::up);
          const auto at_one = final_outputs(stack, x);
          Figures all;
          for (const double c : powers_of_two)
            for (const auto& [depth, out] : final_outputs(stack, product(c, x)))
              all.push_back({"deviation_by_factor", setup.on({{"blocks", depth}}).set("c", c),
                             relative_deviation(out, at_one.at(depth))});
          return all;
        });
}

}  // namespace

void pre_norm_block(Section& s, const Options& options) {
  s.measure_failures("branch_disagreements", {}, "skip_carries_it_and_branch_does_not");
  s.measure_failures("bit_disagreements", {}, "skip_carries_it_and_branch_does_not");
  s.measure_failures("absorbed_disagreements", {}, "absorbed_where_branches_carry_it");
  s.measure_failures("final_outputs_that_stay", {}, "a_final_norm_does_not_absorb_it");
  s.measure_worst("worst_share_of_bound", {}, "branch_stays_in_50_digits");
  measure_ratios(s, options);
  measure_stacks(s, options);
  measure_final_outputs_by_factor(s, options);
  for (const int c : {1, 2}) {
    const auto channels = final_output_by_hand(c);
    for (std::size_t j = 0; j < channels.size(); ++j)
      s.measure("final_output_by_hand", {{"c", c}, {"channel", j}}, channels[j]);
  }
}

}  // namespace embedscale::normalization_analysis
