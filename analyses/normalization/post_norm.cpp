// What a post-norm block makes of a factor: where what compensates it is changed, in 50 digits; and
// how much of it drawn blocks notice at the start of training.
#include <embedscale/embedding.hpp>

#include "normalization/blocks.hpp"
#include "properties/block/sample.hpp"
#include "properties/evidence/running_error.hpp"
#include "properties/normalization/changes.hpp"
#include "report/loops.hpp"

namespace embedscale::normalization_analysis {
namespace {

using properties::RunningError;

/// Whether the i-th drawn block's output changes: c = 2^(k/4), k = −16 … 16 without 0, and a/c from
/// 1/4 to 4.
bool changes_output(const Stream& stream, std::uint64_t i, const Change& change) {
  const int k = static_cast<int>(i % 32) - 16;
  const Wide c(std::exp2((k < 0 ? k : k + 1) / 4.0)),
      a(c * Wide(std::exp2((static_cast<int>(i / 32 % 17) - 8) / 4.0)));
  const auto drawn =
      drawn_block<Wide>(stream, i, wide_shape, wide_tokens, NormPlacement::post, change.biases);
  return !output_stays(drawn, c, a, change, BlockPrimitives{});
}

void count_changed(Section& s, const Options& options, const Change& change) {
  const Stream stream(options.seed, std::string(s.claim().id) + "/wide");
  std::vector<char> changed(std::max<std::uint64_t>(1, options.samples / 40));
  in_parallel(changed.size(),
              [&](std::uint64_t i) { changed[i] = changes_output(stream, i, change); });
  s.measure("blocks_changed", {{"change", change.name}},
            over<Tally>(changed.size(), [&](std::uint64_t i) { return changed[i] != 0; }),
            "drawn blocks of 4 channels in 50 digits");
}

/// One way to treat the block that reads c·x, beside that which reads x; with a norm in the block's
/// two places.
struct Setting {
  const char* name;
  Biases biases;
  enum class Divided { both, queries, weights_alone, nothing } divided;
  BlockNorm<double> norm{};

  /// The block as it is there, in Real.
  template <class Real>
  EncoderBlock<Real> of(EncoderBlock<double> block) const {
    block.norm = norm;
    if (biases == Biases::none) clear_biases(block.weights);
    return properties::block::as<Real>(block);
  }
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
  /// At a setup; with ε where there is one.
  Place on(const Setup& setup) const {
    Place at = setup.on({{"case", name}, {"norm", name_of(norm.kind)}});
    return norm.epsilon > 0 ? at.set("epsilon", norm.epsilon) : at;
  }
};
using Settings = std::vector<Setting>;
using Divided = Setting::Divided;
constexpr Setting compensated_block{"compensated", Biases::none, Divided::both};
constexpr Setting with_biases{"with biases, all compensated", Biases::all, Divided::both};
/// Over the reals, and without an ε, the output does not change …
const Settings compensating{
    compensated_block, {"compensated in W_Q alone", Biases::none, Divided::queries}, with_biases};
/// … and here it does.
const Settings others{{"uncompensated", Biases::none, Divided::nothing},
                      {"with biases, weights divided", Biases::all, Divided::weights_alone},
                      {"with biases, uncompensated", Biases::all, Divided::nothing}};

/// Each with each of these norms.
Settings with(const std::vector<BlockNorm<double>>& norms, const Settings& settings) {
  Settings all;
  for (const auto& norm : norms)
    for (const auto& setting : settings) all.push_back(setting), all.back().norm = norm;
  return all;
}
const std::vector<BlockNorm<double>> norms{{NormKind::layer_norm}, {NormKind::rms_norm}},
    epsilons{
        {NormKind::layer_norm, 1e-6}, {NormKind::layer_norm, 1e-5}, {NormKind::layer_norm, 1e-3}};

/// The RMS deviation of a drawn block's output for c·x from that for x, as a share of that, of each
/// setting for each c: see(setting, c, deviation).
template <class Real>
void deviations(const Options& options, const Setup& setup, std::uint64_t draw,
                const Settings& settings, const std::vector<double>& factors, const auto& see) {
  const auto drawn = initial_block(setup.shape, NormPlacement::post, {}, Biases::all,
                                   stream_of(options, "weights", draw));
  const auto x = properties::block::as<Real>(
      initial_input(setup.start, Scaled::up, stream_of(options, "tokens", draw)));
  for (const auto& at : settings) {
    const auto block = at.of<Real>(drawn);
    const auto at_one = through<Real>(block, x, block_library<Real>);
    for (const double c : factors)
      see(at, c,
          relative_deviation(
              through<Real>(at.treated(block, Real(c)), product(Real(c), x), block_library<Real>),
              at_one));
  }
}

std::vector<double> down(const Setup& setup) {
  return {1 / root_multiplier<double>(setup.shape.d_model)};
}

constexpr const char* drawn_blocks = "mean of drawn blocks, Xavier matrices";

/// Scaled down against up.
void measure_deviations(Section& s, const Options& options, const Setup& setup,
                        const Settings& settings, const std::string& method, double rounding = 0) {
  measure_means(
      s, method, setup.draws(options.samples),
      [&](std::uint64_t draw) {
        Figures all;
        deviations<double>(options, setup, draw, settings, down(setup),
                           [&](const Setting& at, double, double deviation) {
                             all.push_back({"block_deviation", at.on(setup), deviation});
                           });
        return all;
      },
      rounding);
}

/// What a drawn block cannot exceed over the reals, for any of the factors, by a running error
/// analysis of every operation. Where over the reals it is 0 it is all that there is to tell:
/// rounding itself differs between C libraries.
Greatest bound(const Options& options, const Setup& setup, const Setting& setting,
               const std::vector<double>& factors) {
  Greatest most;
  deviations<RunningError<double>>(options, setup, 0, {setting}, factors,
                                   [&](const Setting&, double, const auto& x) {
                                     most.evaluate([&] { return x.value() + x.error(); });
                                   });
  return most;
}

void measure_bounds(Section& s, const Options& options, const Setup& setup,
                    const Settings& settings) {
  std::vector<Greatest> all(settings.size());
  in_parallel(settings.size(),
              [&](std::uint64_t k) { all[k] = bound(options, setup, settings[k], down(setup)); });
  for (std::size_t k = 0; k < settings.size(); ++k)
    s.measure("block_deviation_bound", settings[k].on(setup), all[k],
              "running error analysis of a drawn block, c = 1/√d_model");
}

void measure_sizes(Section& s, const Options& options) {
  for (const auto& setup : setups(options, usual_widths)) {
    measure_bounds(s, options, setup, with(norms, compensating));
    measure_deviations(s, options, setup, with(norms, others), drawn_blocks);
  }
}

/// With an ε. Rounding may have as much of the deviation as without one.
void measure_block_epsilons(Section& s, const Options& options) {
  for (const auto& setup : setups(options, {64, 256})) {
    measure_bounds(s, options, setup, with(epsilons, {compensated_block}));
    measure_deviations(s, options, setup, with(epsilons, {with_biases}),
                       std::string(drawn_blocks) + ", and what rounding may be without an ε",
                       bound(options, setup, with_biases, down(setup)).value());
  }
}

/// At one width, or those told, by c.
void measure_blocks_by_factor(Section& s, const Options& options) {
  const std::vector<double> factors(std::begin(powers_of_two), std::end(powers_of_two));
  for (const auto& setup : setups(options, {64})) {
    measure_means(s, drawn_blocks, setup.draws_of_curve(options.samples), [&](std::uint64_t draw) {
      Figures all;
      deviations<double>(
          options, setup, draw, {others[0], others[1]}, factors,
          [&](const Setting& at, double c, double deviation) {
            const Place place{{"case", at.name}};
            all.push_back({"deviation_by_factor", setup.on(place).set("c", c), deviation});
          });
      return all;
    });
    s.measure("bound_by_factor", setup.on({}), bound(options, setup, compensated_block, factors));
  }
}

}  // namespace

void post_norm_block(Section& s, const Options& options) {
  s.measure_failures("outputs_changed", {}, "compensated_in_50_digits");
  s.measure_worst("worst_share_of_bound", {}, "compensated_in_50_digits");
  for (const auto& change : harmless_changes) {
    count_changed(s, options, change);
    if (&change != harmless_changes)  // it changes something
      s.measure_failures("harmless_changes", {{"change", change.name}}, "compensated_in_50_digits");
  }
  for (const auto& change : harmful_changes) {
    s.measure_failures("outputs_that_stay", {{"change", change.name}}, "each_part_is_needed");
    count_changed(s, options, change);
  }
  s.measure_failures("bit_disagreements", {}, "compensated_to_the_bit");
  s.measure_failures("temperature_disagreements", {}, "otherwise_a_temperature");
  measure_sizes(s, options);
  measure_block_epsilons(s, options);
  measure_blocks_by_factor(s, options);
}

}  // namespace embedscale::normalization_analysis
