// What a post-norm block makes of a factor, and what undoes it: to the bit, and in 50 digits.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "normalization/sections.hpp"
#include "properties/normalization/block.hpp"
#include "report/parallel.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;

constexpr const char* in_50_digits = "drawn blocks of 4 channels in 50 digits";
const BlockPrimitives primitives;

/// c = 2^(k/4), k = −16 … 16 without 0; and a with a/c from 1/4 to 4.
struct Factors {
  Wide c, a;
};
Factors factors(std::uint64_t i) {
  const int k = static_cast<int>(i % 32) - 16;
  const Wide c(std::exp2((k < 0 ? k : k + 1) / 4.0));
  return {c, Wide(c * Wide(std::exp2((static_cast<int>(i / 32 % 17) - 8) / 4.0)))};
}

/// A compensated block for c·x with one thing changed, from what compensates or from the block as
/// it was drawn.
using Weights = BlockWeights<Wide>;
struct Condition {
  const char* change;
  Biases biases;
  Part part;  ///< of the statement: the output is that for x; elsewhere: it is another
  void (*to)(BlockCase<Wide>& other, const Weights& drawn, const Factors& f);
};

/// Another bias of values, and what it adds to W_O·b_V taken from b_O.
void move_bias(BlockCase<Wide>& other, const Weights&, const Factors&) {
  auto& w = other.block.weights;
  const std::size_t d = w.value_bias.size();
  for (std::size_t j = 0; j < d; ++j) {
    const Wide by(static_cast<double>(j) + 0.5);
    w.value_bias[j] = w.value_bias[j] + by;
    for (std::size_t i = 0; i < d; ++i)
      w.output_bias[i] = w.output_bias[i] - w.output[i * d + j] * by;
  }
}

constexpr Part elsewhere = Part::necessity;
constexpr Condition conditions[] = {
    {"the same, another b_K", Biases::all, Part::statement,
     [](auto& other, const Weights&, const Factors&) {
       for (Wide& b : other.block.weights.key_bias) b = b + Wide(0.75);
     }},
    {"the same, b_V moved and b_O by what W_O makes of that", Biases::all, Part::statement,
     move_bias},
    {"no biases, W_Q and W_K as they were", Biases::none, elsewhere,
     [](auto& other, const Weights& drawn, const Factors&) { other.block.weights = drawn; }},
    {"no biases, W_Q divided by c, W_K as it was", Biases::none, elsewhere,
     [](auto& other, const Weights& drawn, const Factors& f) {
       other.block.weights = drawn;
       divide(other.block.weights.query, f.c);
     }},
    {"b_V as it was", Biases::all, elsewhere,
     [](auto& other, const Weights& drawn, const Factors&) {
       other.block.weights.value_bias = drawn.value_bias;
     }},
    {"b_O as it was", Biases::all, elsewhere,
     [](auto& other, const Weights& drawn, const Factors&) {
       other.block.weights.output_bias = drawn.output_bias;
     }},
    {"b_Q times c beside what it should be", Biases::all, elsewhere,
     [](auto& other, const Weights&, const Factors& f) {
       multiply(other.block.weights.query_bias, f.c);
     }},
    {"the network's b_1 times c", Biases::all, elsewhere,
     [](auto& other, const Weights&, const Factors& f) {
       multiply(other.block.weights.inner_bias, f.c);
     }},
    {"ε = 2^−10 in both norms, as it was", Biases::all, elsewhere,
     [](auto& other, const Weights&, const Factors&) {
       other.block.norm.epsilon = Wide(0x1p-10);
     }}};

BlockCase<Wide> wide_case(const Stream& stream, std::uint64_t i, Biases biases) {
  return drawn_block<Wide>(stream, i, wide_shape, wide_tokens, NormPlacement::post, biases);
}

/// Whether the output for c·x is that for x, as far as 50 digits tell.
bool output_stays(const Stream& stream, std::uint64_t i, const Condition& condition) {
  const auto drawn = wide_case(stream, i, condition.biases);
  const Factors f = factors(i);
  BlockCase<Wide> other{compensated(drawn.block, f.c, f.a, primitives), product(f.c, drawn.x)};
  condition.to(other, drawn.block.weights, f);
  auto same = drawn.block;
  same.norm = other.block.norm;
  return share_of_bound(drawn, through(other.block, other.x, primitives),
                        through(same, drawn.x, primitives),
                        static_cast<double>(Wide(f.c * f.c))) <= 1;
}

void measure_conditions(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/wide");
  const std::uint64_t n = std::max<std::uint64_t>(1, options.samples / 40);
  std::vector<double> shares(n);
  in_parallel(n, [&](std::uint64_t i) {
    const auto [c, a] = factors(i);
    shares[i] = compensated_share(wide_case(stream, i, Biases::all), c, a, primitives);
  });
  const auto count = [&](const char* change, const Tally& changed) {
    s.measure("blocks_changed", {{"change", change}}, changed);
  };
  const auto changed = over<Tally>(n, [&](std::uint64_t i) { return !(shares[i] <= 1); });
  s.measure("outputs_changed", {}, changed, in_50_digits, none_of(Part::belief, n));
  s.measure("worst_share_of_bound", {},
            over<Greatest>(n, [&](std::uint64_t i) { return shares[i]; }), in_50_digits,
            at_most(Part::statement, 1, n));
  count("all of the condition, every bias drawn", changed);
  for (const auto& condition : conditions) {
    std::vector<char> stays(n);
    in_parallel(n, [&](std::uint64_t i) { stays[i] = output_stays(stream, i, condition); });
    const auto stay = over<Tally>(n, [&](std::uint64_t i) { return stays[i] != 0; });
    const auto change = over<Tally>(n, [&](std::uint64_t i) { return stays[i] == 0; });
    const bool harmless = condition.part == Part::statement;
    s.decide_none(harmless ? "harmless_changes" : "outputs_that_stay",
                  {{"change", condition.change}}, harmless ? change : stay, condition.part,
                  in_50_digits);
    count(condition.change, change);
  }
}

void measure_bits(Section& s, const Options& options) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/bits");
  const auto in_both = [&](std::uint64_t i, Biases biases, const auto& has_bits) {
    const BlockShape shape{8, 1 + i % 2, 8};
    return has_bits(drawn_block<double>(stream, i, shape, 3, NormPlacement::post, biases)) &&
           has_bits(drawn_block<float>(stream, i, shape, 3, NormPlacement::post, biases));
  };
  constexpr const char* method =
      "drawn blocks of 8 channels, c = 2^−8 … 2^8, binary64 and binary32";
  const auto none = none_of(Part::statement, options.samples);
  s.decide("bit_disagreements", none, method, [&](std::uint64_t i) {
    return !in_both(i, Biases::all, [&]<class Real>(const BlockCase<Real>& b) {
      return has_bits_when_compensated(b, static_cast<Real>(power_of_two(i)),
                                       static_cast<Real>(power_of_two(i / 17)), primitives);
    });
  });
  s.decide("temperature_disagreements", none, method, [&](std::uint64_t i) {
    return !in_both(i, Biases::none, [&]<class Real>(const BlockCase<Real>& b) {
      return has_bits_of_temperature(b, static_cast<Real>(power_of_two(i)), primitives);
    });
  });
}

}  // namespace

void post_norm_block(Section& s, const Options& options) {
  measure_conditions(s, options);
  measure_bits(s, options);
  measure_post_norm_starts(s, options);
}

}  // namespace embedscale::normalization_analysis
