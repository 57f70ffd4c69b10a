// What a pre-norm block, and a stack of them, make of a factor: by running them.
#include "properties/normalization/block.hpp"

#include <embedscale/embedding.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "normalization/blocks.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;

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

/// A drawn stack as it starts, without biases, and its input.
struct Model {
  std::vector<EncoderBlock<double>> blocks;
  Start at;
  Stream tokens;
  std::vector<double> x(Way way) const { return initial_input(at, way, tokens); }
  /// The first block with another norm.
  EncoderBlock<double> first(const BlockNorm<double>& norm) const {
    auto block = blocks[0];
    block.norm = norm;
    return block;
  }
};
Model drawn(const Options& options, const Setup& setup, std::size_t depth, std::uint64_t draw) {
  Model model{{}, setup.start, stream_of(options, "tokens", draw)};
  for (std::size_t layer = 0; layer < depth; ++layer)
    model.blocks.push_back(
        initial_block(setup.shape, NormPlacement::pre, {}, Biases::none,
                      stream_of(options, "layer " + std::to_string(layer), draw)));
  return model;
}

/// What a final LayerNorm gives after each of the depths.
std::vector<std::vector<double>> final_outputs(const Model& model, std::vector<double> x) {
  std::vector<std::vector<double>> all;
  for (std::size_t layer = 0; layer < depths.back(); ++layer) {
    x = through(model.blocks[layer], x, primitives);
    if (std::ranges::count(depths, layer + 1) == 0) continue;
    auto& out = all.emplace_back(x);
    normalize<double>(model.blocks[layer].shape, model.blocks[layer].norm, x, out);
  }
  return all;
}

/// By how much those for one input differ from those for another.
std::vector<double> deviations(const std::vector<std::vector<double>>& outputs,
                               const std::vector<std::vector<double>>& others) {
  std::vector<double> all;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    all.push_back(relative_deviation(outputs[i], others[i]));
  return all;
}

constexpr NormKind norms[] = {NormKind::layer_norm, NormKind::rms_norm};
constexpr const char* drawn_blocks = "mean of drawn blocks, Xavier, no biases, ε = 0";

void measure_ratios(Section& s, const Options& options) {
  constexpr std::pair<const char*, Way> inputs[] = {
      {"up", Way::up}, {"folded", Way::folded}, {"down", Way::down}};
  for (const auto& setup : setups(options, usual_widths)) {
    const Figures ratios(setup.draws(options.samples), [&](std::uint64_t draw) {
      const auto model = drawn(options, setup, 1, draw);
      std::vector<double> all;
      for (const auto kind : norms) {
        const auto block = model.first({kind});
        for (const auto& [name, way] : inputs)
          all.push_back(branch_to_skip(block, model.x(way), primitives));
      }
      return all;
    });
    std::size_t k = 0;
    for (const auto kind : norms) {
      s.measure("down_over_up_and_root_d", setup.on({{"norm", name_of(kind)}}),
                ratios.quotient(k + 2, k).mapped(
                    [&](double x) { return x / root_multiplier<double>(setup.shape.d_model); }));
      for (const auto& [name, way] : inputs)
        s.measure("branch_to_skip", setup.on({{"input", name}, {"norm", name_of(kind)}}),
                  ratios.mean(k++), drawn_blocks);
    }
  }
  s.measure("as_large", {}, 1.0);
}

void measure_stacks(Section& s, const Options& options) {
  const Place layer_norm{{"norm", "LayerNorm"}};
  constexpr double epsilons[] = {1e-5, 1e-3};
  for (const auto& setup : setups(options, {16, 64, 256})) {
    // Half as many again: the more blocks, the more they scatter.
    const Figures found(setup.draws(options.samples) * 3 / 2, [&](std::uint64_t draw) {
      const auto model = drawn(options, setup, depths.back(), draw);
      const auto up = model.x(Way::up), down = model.x(Way::down);
      auto all = deviations(final_outputs(model, down), final_outputs(model, up));
      for (const double epsilon : epsilons) {
        const auto block = model.first({NormKind::layer_norm, epsilon});
        all.push_back(relative_deviation(branch_of(block, down, primitives),
                                         branch_of(block, up, primitives)));
      }
      return all;
    });
    std::size_t k = 0;
    for (const auto depth : depths)
      s.measure("stack_deviation", setup.on(layer_norm).set("blocks", depth), found.mean(k++),
                "mean of drawn stacks, down against up, behind a final norm, ε = 0");
    for (const double epsilon : epsilons)
      s.measure("branch_deviation", setup.on(layer_norm).set("epsilon", epsilon), found.mean(k++),
                "mean of drawn blocks, down against up");
  }
}

/// Behind a final norm, at one width, or those told, by c.
void measure_by_factor(Section& s, const Options& options) {
  const auto factors = powers_of_two();
  for (const auto& setup : setups(options, {64})) {
    const Figures found(setup.draws_of_curve(options.samples), [&](std::uint64_t draw) {
      const auto model = drawn(options, setup, depths.back(), draw);
      const auto x = model.x(Way::up);
      const auto at_one = final_outputs(model, x);
      std::vector<double> all;
      for (const double c : factors)
        for (const double one : deviations(final_outputs(model, product(c, x)), at_one))
          all.push_back(one);
      return all;
    });
    for (std::size_t j = 0; j < depths.size(); ++j)
      for (std::size_t i = 0; i < factors.size(); ++i)
        s.measure("deviation_by_factor", setup.on({{"blocks", depths[j]}}).set("c", factors[i]),
                  found.mean(i * depths.size() + j), "mean of drawn stacks");
  }
}

}  // namespace

void pre_norm_block(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_ratios(s, options);
  measure_stacks(s, options);
  measure_by_factor(s, options);
  for (const int c : {1, 2}) {
    const auto channels = by_hand(c);
    for (std::size_t j = 0; j < channels.size(); ++j)
      s.measure("final_output_by_hand", {{"c", c}, {"channel", j}}, channels[j]);
  }
}

}  // namespace embedscale::normalization_analysis
