// What a post-norm block makes of a factor, and what undoes it: by running blocks.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "normalization/sections.hpp"
#include "properties/block/sample.hpp"
#include "properties/evidence/running_error.hpp"
#include "properties/normalization/block.hpp"
#include "properties/normalization/initial_block.hpp"
#include "report/parallel.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;

constexpr const char* in_50_digits = "drawn blocks of 4 channels in 50 digits";
constexpr std::uint64_t seeds = 2;
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

/// One way to treat the block that reads c·x, beside that which reads x.
struct Treatment {
  const char* name;
  Biases biases;
  enum class Divided { both, queries, weights_alone, nothing } divided;
  /// Over the reals, and without an ε, the output does not change then.
  bool compensates() const { return divided == Divided::both || divided == Divided::queries; }

  template <class Real>
  EncoderBlock<Real> treated(EncoderBlock<Real> block, const Real& c) const {
    switch (divided) {
      case Divided::both: return compensated(std::move(block), c, c, block_library<Real>);
      case Divided::queries:
        return compensated(std::move(block), c, Real(c * c), block_library<Real>);
      case Divided::weights_alone:
        divide(block.weights.query, c);
        divide(block.weights.key, c);
        break;
      case Divided::nothing: break;
    }
    return block;
  }
};
using Divided = Treatment::Divided;
const std::vector<Treatment> treatments{
    {"compensated", Biases::none, Divided::both},
    {"compensated in W_Q alone", Biases::none, Divided::queries},
    {"uncompensated", Biases::none, Divided::nothing},
    {"with biases, all compensated", Biases::all, Divided::both},
    {"with biases, weights divided", Biases::all, Divided::weights_alone},
    {"with biases, uncompensated", Biases::all, Divided::nothing}};

/// A treatment at a width, with a norm in the block's two places.
struct Setting {
  Treatment treatment;
  std::uint64_t d;
  BlockNorm<double> norm{};
};

/// The RMS deviation of a block's output for c·x from that for x, as a share of its RMS.
template <class Real>
Real deviation(const Options& options, const Setting& at, double c, std::uint64_t seed) {
  using properties::block::as;
  const Stream weights(options.seed + seed, "normalization blocks/weights");
  const Stream tokens(options.seed + seed, "normalization blocks/tokens");
  const auto d = static_cast<std::size_t>(at.d);
  const auto block = as<Real>(initial_block(block_shape(options, d), NormPlacement::post, at.norm,
                                            at.treatment.biases, weights));
  const auto x =
      as<Real>(initial_input({d, tokens_of(options), sigma_of(options, d)}, Way::up, tokens));
  return relative_deviation(
      through<Real>(at.treatment.treated(block, Real(c)), product(Real(c), x), block_library<Real>),
      through<Real>(block, x, block_library<Real>));
}

/// Its mean over the seeds. Compensated blocks are measured with what a running error analysis of
/// every operation allows: without an ε that is all there is, and stands for the value, as rounding
/// itself differs between C libraries.
Value mean_deviation(const Options& options, const Setting& at, double c) {
  if (!at.treatment.compensates())
    return over<Sum>(seeds, [&](auto seed) { return deviation<double>(options, at, c, seed); });
  double error = 0;
  const auto mean = over<Sum>(seeds, [&](std::uint64_t seed) {
    const auto of_seed = deviation<properties::RunningError<double>>(options, at, c, seed);
    error += of_seed.error() / seeds;
    return of_seed.value();
  });
  const double lower = std::max(0.0, mean.mean() - error), upper = mean.mean() + error;
  return Value(at.norm.epsilon > 0 ? mean.mean() : upper, mean)
      .enclosed(lower, upper)
      .by("mean of 2 seeds, Xavier, c = 1/√d_model; bounds, and the value where over the reals it "
          "is 0: running error analysis");
}

/// block_deviation between up and down at each setting, whose place is at(setting).
template <class At>
void measure_deviations(Section& s, const Options& options, const std::vector<Setting>& settings,
                        At at) {
  std::vector<Value> values(settings.size(), 0.0);
  in_parallel(settings.size(), [&](std::uint64_t i) {
    values[i] = mean_deviation(options, settings[i], 1 / root_multiplier<double>(settings[i].d));
  });
  for (std::size_t i = 0; i < settings.size(); ++i)
    s.measure("block_deviation", at(settings[i]), values[i],
              "mean of 2 seeds, Xavier, c = 1/√d_model");
}

void measure_sizes(Section& s, const Options& options) {
  std::vector<Setting> settings;
  for (const auto& treatment : treatments)
    for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm})
      for (const auto d : block_widths(options, {16, 32, 64, 128, 256}))
        settings.push_back({treatment, d, {kind}});
  const auto place = [](const Setting& at) {
    return Place{{"case", at.treatment.name}, {"norm", name_of(at.norm.kind)}, {"d_model", at.d}};
  };
  measure_deviations(s, options, settings, place);
  settings.clear();
  for (const double epsilon : {1e-6, 1e-5, 1e-3})
    for (const auto d : block_widths(options, {64, 256}))
      for (const auto& treatment : {treatments[0], treatments[3]})
        settings.push_back({treatment, d, {NormKind::layer_norm, epsilon}});
  measure_deviations(s, options, settings,
                     [&](const Setting& at) { return place(at).set("epsilon", at.norm.epsilon); });
}

/// At one width, by c.
void measure_by_factor(Section& s, const Options& options) {
  const auto d = block_widths(options, {64}).front();
  for (const auto& treatment : {treatments[0], treatments[2], treatments[4]})
    s.sweep("mean of 2 seeds", {{"case", treatment.name}, {"d_model", d}},
            axis("c", powers_of_root_2()), [&](double c) {
              return Values{{"deviation_by_factor", mean_deviation(options, {treatment, d}, c)}};
            });
}

}  // namespace

void post_norm_block(Section& s, const Options& options) {
  measure_conditions(s, options);
  measure_bits(s, options);
  measure_sizes(s, options);
  measure_by_factor(s, options);
}

}  // namespace embedscale::normalization_analysis
