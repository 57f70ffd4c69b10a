// What a pre-norm block, and a stack of them, make of a factor: by running them.
#include "properties/normalization/block.hpp"

#include <embedscale/embedding.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "normalization/sections.hpp"
#include "properties/normalization/initial_block.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;

constexpr std::uint64_t seeds = 2;
const BlockPrimitives primitives;
const std::vector<std::size_t> depths{1, 2, 6};

/// Block i of 8 channels.
template <class Real>
BlockCase<Real> drawn(const Stream& stream, std::uint64_t i, double epsilon) {
  auto out = drawn_block<Real>(stream, i, {8, 1 + i % 2, 8}, 3, NormPlacement::pre, Biases::all);
  out.block.norm.epsilon = static_cast<Real>(epsilon);
  if (i % 4 < 2) out.block.norm.placement = EpsilonPlacement::standard_deviation;
  return out;
}

void measure_exactly(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/blocks");
  const std::string method = "drawn blocks of 8 channels, c = 2^−8 … 2^8, binary64 and binary32";
  const auto none = none_of(Part::statement, options.samples);
  const auto has_bits = [&]<class Real>(const BlockCase<Real>& one, std::uint64_t i) {
    return has_bits_of_branch(one, static_cast<Real>(power_of_two(i)), primitives);
  };
  const auto bits_of = [&](std::uint64_t i, double epsilon) {
    return has_bits(drawn<double>(stream, i, epsilon), i) &&
           has_bits(drawn<float>(stream, i, epsilon), i);
  };
  s.decide("branch_disagreements", none, method, [&](std::uint64_t i) { return !bits_of(i, 0); });
  s.decide("bit_disagreements", none, method + ", ε = 2^−20 … 1", [&](std::uint64_t i) {
    return !bits_of(i, std::ldexp(1.0, -static_cast<int>(i % 21)));
  });
  s.decide("absorbed_disagreements", none, method, [&](std::uint64_t i) {
    const auto first = drawn<double>(stream, i, 0),
               second = drawn<double>(stream, i + (1u << 30), 0);
    return !has_bits_when_branches_carry_it<double>({first.block, second.block}, first.x,
                                                    power_of_two(i), primitives);
  });
  const auto stay = over<Tally>(options.samples, [&](std::uint64_t i) -> std::optional<bool> {
    const auto [block, x] = drawn<double>(stream, i, 0);
    if (power_of_two(i) == 1) return std::nullopt;
    return relative_deviation(
               final_output<double>({block}, product(power_of_two(i), x), primitives),
               final_output<double>({block}, x, primitives)) < 0x1p-20;
  });
  s.measure("final_outputs_that_stay", {}, stay, method + ", to 2^−20 of their RMS",
            all_of(Part::belief, stay.cases()));
  const auto worst =
      over<Greatest>(std::max<std::uint64_t>(1, options.samples / 10), [&](std::uint64_t i) {
        const auto one =
            drawn_block<Wide>(stream, i, wide_shape, wide_tokens, NormPlacement::pre, Biases::all);
        return branch_share(one, Wide(std::exp2((static_cast<int>(i % 33) - 16) / 4.0)),
                            primitives);
      });
  s.measure("worst_share_of_bound", {}, worst, "drawn blocks of 4 channels in 50 digits",
            at_most(Part::statement, 1, worst.cases()));
}

/// One head, a single token (0, 0, 2, 2) times c, and values whose channels 2 and 3 change places.
std::vector<double> by_hand(double c) {
  BlockWeights<double> w;
  w.query = w.key = std::vector<double>(16, 0.0);
  w.value = {1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1};
  w.output = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  w.inner = w.outer = std::vector<double>(16, 0.0);
  const EncoderBlock<double> block{{4, 1, 4}, NormPlacement::pre, {}, w};
  return final_output<double>({block}, {0, 0, 2 * c, 2 * c}, primitives);
}

/// A stack as it starts, without biases, and its input.
struct Initial {
  std::vector<EncoderBlock<double>> blocks;
  Start at;
  Stream tokens;
  std::vector<double> x(Way way) const { return initial_input(at, way, tokens); }
};
Initial initial(const Options& options, std::uint64_t d, std::size_t depth,
                const BlockNorm<double>& norm, std::uint64_t seed) {
  std::vector<EncoderBlock<double>> blocks;
  for (std::size_t layer = 0; layer < depth; ++layer)
    blocks.push_back(initial_block(
        block_shape(options, d), NormPlacement::pre, norm, Biases::none,
        Stream(options.seed + seed, "normalization blocks/layer " + std::to_string(layer))));
  return {std::move(blocks),
          {static_cast<std::size_t>(d), tokens_of(options), sigma_of(options, d)},
          Stream(options.seed + seed, "normalization blocks/tokens")};
}

void measure_ratios(Section& s, const Options& options) {
  for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm})
    for (const auto d : block_widths(options, {16, 32, 64, 128, 256})) {
      const auto ratio = [&](const char* name, Way way) {
        const auto of_seeds = over<Sum>(seeds, [&](std::uint64_t seed) {
          const auto start = initial(options, d, 1, {kind}, seed);
          return branch_to_skip(start.blocks[0], start.x(way), primitives);
        });
        s.measure("branch_to_skip", {{"input", name}, {"norm", name_of(kind)}, {"d_model", d}},
                  of_seeds, "mean of 2 seeds, Xavier, no biases, ε = 0");
        return of_seeds;
      };
      const auto up = ratio("up", Way::up);
      ratio("folded", Way::folded);
      const auto down = ratio("down", Way::down);
      s.measure("down_over_up_and_root_d", {{"norm", name_of(kind)}, {"d_model", d}},
                {down.mean() / up.mean() / root_multiplier<double>(d), down});
    }
  s.measure("as_large", {}, 1.0);
}

void measure_stacks(Section& s, const Options& options) {
  const auto widths = axis("d_model", block_widths(options, {16, 64, 256}));
  s.sweep("mean of 2 seeds, down against up", {{"norm", "LayerNorm"}}, widths,
          axis("epsilon", std::vector{1e-5, 1e-3}), [&](std::uint64_t d, double epsilon) {
            return Values{
                {"branch_deviation", over<Sum>(seeds, [&](std::uint64_t seed) {
                   const auto start = initial(options, d, 1, {NormKind::layer_norm, epsilon}, seed);
                   return relative_deviation(
                       branch_of(start.blocks[0], start.x(Way::down), primitives),
                       branch_of(start.blocks[0], start.x(Way::up), primitives));
                 })}};
          });
  s.sweep("mean of 2 seeds, down against up, behind a final norm, ε = 0", {{"norm", "LayerNorm"}},
          widths, axis("blocks", depths), [&](std::uint64_t d, std::size_t depth) {
            return Values{{"stack_deviation", over<Sum>(seeds, [&](std::uint64_t seed) {
                             const auto start = initial(options, d, depth, {}, seed);
                             return relative_deviation(
                                 final_output(start.blocks, start.x(Way::down), primitives),
                                 final_output(start.blocks, start.x(Way::up), primitives));
                           })}};
          });
}

/// Behind a final norm, at one width, by c.
void measure_by_factor(Section& s, const Options& options) {
  const auto d = block_widths(options, {64}).front();
  for (const auto depth : depths) {
    const auto start = initial(options, d, depth, {}, 0);
    const auto x = start.x(Way::up), at_one = final_output(start.blocks, x, primitives);
    s.sweep("one draw", {{"blocks", depth}, {"d_model", d}}, axis("c", powers_of_root_2()),
            [&](double c) {
              return Values{{"deviation_by_factor",
                             relative_deviation(
                                 final_output(start.blocks, product(c, x), primitives), at_one)}};
            });
  }
}

}  // namespace

void pre_norm_block(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_ratios(s, options);
  measure_stacks(s, options);
  measure_by_factor(s, options);
  for (const int c : {1, 2})
    for (const double channel : by_hand(c)) s.measure("final_output_by_hand", {{"c", c}}, channel);
}

}  // namespace embedscale::normalization_analysis
