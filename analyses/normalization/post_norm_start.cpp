// How much of a factor a post-norm block notices at the start of training: by running drawn blocks.
#include <embedscale/embedding.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "normalization/blocks.hpp"
#include "properties/block/sample.hpp"
#include "properties/evidence/running_error.hpp"
#include "report/parallel.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;
using properties::RunningError;

/// One way to treat the block that reads c·x, beside that which reads x.
struct Treatment {
  const char* name;
  Biases biases;
  enum class Divided { both, queries, weights_alone, nothing } divided;

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
constexpr Treatment compensated_block{"compensated", Biases::none, Divided::both};
constexpr Treatment with_biases{"with biases, all compensated", Biases::all, Divided::both};
/// Over the reals, and without an ε, the output does not change …
const std::vector<Treatment> compensating{
    compensated_block, {"compensated in W_Q alone", Biases::none, Divided::queries}, with_biases};
/// … and here it does.
const std::vector<Treatment> others{
    {"uncompensated", Biases::none, Divided::nothing},
    {"with biases, weights divided", Biases::all, Divided::weights_alone},
    {"with biases, uncompensated", Biases::all, Divided::nothing}};

/// A treatment, with a norm in the block's two places.
struct Setting {
  Treatment treatment;
  BlockNorm<double> norm{};

  /// The block as it is there, in Real.
  template <class Real>
  EncoderBlock<Real> of(EncoderBlock<double> block) const {
    block.norm = norm;
    auto& w = block.weights;
    if (treatment.biases == Biases::none)
      for (auto* bias : {&w.query_bias, &w.key_bias, &w.value_bias, &w.output_bias, &w.inner_bias,
                         &w.outer_bias})
        bias->clear();
    if constexpr (std::is_same_v<Real, double>)
      return block;
    else
      return properties::block::as<Real>(block);
  }
  bool has_the_block_of(const Setting& other) const {
    return treatment.biases == other.treatment.biases && norm.kind == other.norm.kind &&
           norm.epsilon == other.norm.epsilon;
  }
  Place place() const { return {{"case", treatment.name}, {"norm", name_of(norm.kind)}}; }
  /// At a setup; with ε where there is one.
  Place on(const Setup& setup) const {
    Place at = setup.on(place());
    return norm.epsilon > 0 ? at.set("epsilon", norm.epsilon) : at;
  }
};
using Settings = std::vector<Setting>;

Settings with_each_norm(const std::vector<Treatment>& treatments) {
  Settings all;
  for (const auto kind : {NormKind::layer_norm, NormKind::rms_norm})
    for (const auto& treatment : treatments) all.push_back({treatment, {kind}});
  return all;
}
Settings with_each_epsilon(const Treatment& treatment) {
  Settings all;
  for (const double epsilon : {1e-6, 1e-5, 1e-3})
    all.push_back({treatment, {NormKind::layer_norm, epsilon}});
  return all;
}

/// A drawn block, its biases included, and its input.
struct Model {
  EncoderBlock<double> block;
  std::vector<double> x;
};
Model drawn(const Options& options, const Setup& setup, std::uint64_t draw) {
  return {initial_block(setup.shape, NormPlacement::post, {}, Biases::all,
                        stream_of(options, "weights", draw)),
          initial_input(setup.start, Way::up, stream_of(options, "tokens", draw))};
}

/// The RMS deviations of its output for c·x from that for x, as shares of that: of each setting,
/// for each c. Settings one after another that have the same block share its output for x.
template <class Real>
std::vector<Real> deviations(const Model& model, const Settings& settings,
                             const std::vector<double>& factors) {
  const auto x = properties::block::as<Real>(model.x);
  EncoderBlock<Real> block{};
  std::vector<Real> at_one, all;
  const Setting* last = nullptr;
  for (const auto& at : settings) {
    if (last == nullptr || !at.has_the_block_of(*last)) {
      block = at.of<Real>(model.block);
      at_one = through<Real>(block, x, block_library<Real>);
    }
    last = &at;
    for (const double c : factors)
      all.push_back(relative_deviation(through<Real>(at.treatment.treated(block, Real(c)),
                                                     product(Real(c), x), block_library<Real>),
                                       at_one));
  }
  return all;
}

std::vector<double> down(const Setup& setup) {
  return {1 / root_multiplier<double>(setup.shape.d_model)};
}

Figures figures(const Options& options, const Setup& setup, std::uint64_t draws,
                const Settings& settings, const std::vector<double>& factors) {
  return {draws, [&](std::uint64_t draw) {
            return deviations<double>(drawn(options, setup, draw), settings, factors);
          }};
}

/// What a drawn block cannot exceed over the reals, for any of the factors, by a running error
/// analysis of every operation. Where over the reals it is 0 it is all that there is to tell:
/// rounding itself differs between C libraries.
std::vector<Greatest> bounds(const Options& options, const Setup& setup, const Settings& settings,
                             const std::vector<double>& factors) {
  const auto model = drawn(options, setup, 0);
  std::vector<Greatest> all(settings.size());
  in_parallel(settings.size(), [&](std::uint64_t k) {
    for (const auto& x : deviations<RunningError<double>>(model, {settings[k]}, factors))
      all[k].evaluate([&] { return x.value() + x.error(); });
  });
  return all;
}
constexpr const char* by_running_errors = "running error analysis of a drawn block, c = 1/√d_model";
constexpr const char* drawn_blocks = "mean of drawn blocks, Xavier matrices";

void measure_bounds(Section& s, const Options& options, const Setup& setup,
                    const Settings& settings) {
  const auto all = bounds(options, setup, settings, down(setup));
  for (std::size_t k = 0; k < settings.size(); ++k)
    s.measure("block_deviation_bound", settings[k].on(setup), all[k], by_running_errors);
}

void measure_sizes(Section& s, const Options& options) {
  const auto settings = with_each_norm(others);
  for (const auto& setup : setups(options, usual_widths)) {
    measure_bounds(s, options, setup, with_each_norm(compensating));
    const auto found = figures(options, setup, setup.draws(options.samples), settings, down(setup));
    for (std::size_t k = 0; k < settings.size(); ++k)
      s.measure("block_deviation", settings[k].on(setup), found.mean(k), drawn_blocks);
  }
}

/// With an ε. Rounding may have as much of the deviation as without one.
void measure_epsilons(Section& s, const Options& options) {
  const auto settings = with_each_epsilon(with_biases);
  for (const auto& setup : setups(options, {64, 256})) {
    measure_bounds(s, options, setup, with_each_epsilon(compensated_block));
    const double rounding = bounds(options, setup, {{with_biases}}, down(setup)).front().value();
    const auto found = figures(options, setup, setup.draws(options.samples), settings, down(setup));
    for (std::size_t k = 0; k < settings.size(); ++k)
      s.measure("block_deviation", settings[k].on(setup), found.mean(k, rounding),
                std::string(drawn_blocks) + ", and what rounding may be without an ε");
  }
}

/// At one width, or those told, by c.
void measure_by_factor(Section& s, const Options& options) {
  const Settings settings{{others[0]}, {others[1]}};
  const auto factors = powers_of_two();
  for (const auto& setup : setups(options, {64})) {
    const auto found =
        figures(options, setup, setup.draws_of_curve(options.samples), settings, factors);
    for (std::size_t k = 0; k < settings.size(); ++k)
      for (std::size_t i = 0; i < factors.size(); ++i)
        s.measure("deviation_by_factor",
                  setup.on({{"case", settings[k].treatment.name}}).set("c", factors[i]),
                  found.mean(k * factors.size() + i), drawn_blocks);
    s.measure("bound_by_factor", setup.on({}),
              bounds(options, setup, {{compensated_block}}, factors).front());
  }
}

}  // namespace

void measure_post_norm_starts(Section& s, const Options& options) {
  measure_sizes(s, options);
  measure_epsilons(s, options);
  measure_by_factor(s, options);
}

}  // namespace embedscale::normalization_analysis
