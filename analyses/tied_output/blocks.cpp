// The own logit behind blocks: models of the library's pre-norm blocks as they start, read off
// through a final RMSNorm and the shared table, beside the leading order.
#include <embedscale/expected/own_loss.hpp>
#include <embedscale/expected/residual_stream.hpp>
#include <embedscale/initializer.hpp>
#include <embedscale/sinusoidal.hpp>

#include <numeric>

#include "properties/normalization/initial_block.hpp"
#include "properties/tied_output/loss.hpp"
#include "report/loops.hpp"
#include "tied_output/sections.hpp"

namespace embedscale::tied_output_analysis {
namespace {

using properties::normalization::Biases, properties::normalization::initial_block;
constexpr std::array<std::size_t, 3> depths{1, 2, 6};
constexpr std::size_t tokens = 16, deepest_curve = 64;
constexpr double inner_over_width = 4;
constexpr std::uint64_t widest_run = 512;
constexpr std::array<std::uint64_t, 4> run_widths{64, 128, 256, 512};

/// n tokens' positions, (n, d).
std::vector<double> sinusoids_of(std::uint64_t d) {
  std::vector<double> all(tokens * d, 0.0);
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  for (std::size_t i = 0; i < tokens; ++i)
    encode_position<double>(static_cast<std::int64_t>(i), w, SinusoidalLayout::interleaved,
                            std::span(all).subspan(i * d, d));
  return all;
}

/// What enters beside positions.
struct Entering : Parametrisation {
  std::vector<double> positions;

  double token_square() const { return m * m * sigma * sigma; }
  /// E⟨e, x⟩, at every depth.
  double overlap() const { return m * static_cast<double>(d) * sigma * sigma; }
  /// At the beginning; all positions are of one length.
  expected::ResidualStream stream() const {
    const auto at = [&](std::size_t i) { return std::span(positions).subspan(i * d, d); };
    const double n = static_cast<double>(d), pairs = tokens * (tokens - 1);
    double product = 0;
    for (std::size_t i = 0; i < tokens; ++i)
      for (std::size_t j = 0; j < tokens; ++j)
        if (i != j) product += dot<double>(at(i), at(j)) / n / pairs;
    return {token_square() + dot<double>(at(0), at(0)) / n, product};
  }
  /// Behind so many blocks, to leading order.
  expected::ResidualStream stream_behind(std::size_t blocks) const {
    auto x = stream();
    for (std::size_t k = 0; k < blocks; ++k) x = behind_block(x, tokens, inner_over_width);
    return x;
  }
  double own_logit(const expected::ResidualStream& x) const {
    return overlap() / std::sqrt(x.square);
  }
};

std::vector<Entering> entering_at(std::uint64_t d, const std::vector<double>& deviations) {
  const std::vector<double> sinusoids = sinusoids_of(d), none(tokens * d);
  const double r = root(d);
  std::vector<Entering> all{{{"σ = d^−½, √d·e + p", d, 1 / r, r, 1}, sinusoids},
                            {{"σ = d^−½, √d·e, no position", d, 1 / r, r, 1}, none},
                            {{"σ = d^−½, e + p", d, 1 / r, 1, 1}, sinusoids},
                            {{"σ = d^−½, e, no position", d, 1 / r, 1, 1}, none}};
  for (const double sigma : deviations)
    all.push_back({{"σ = " + told(sigma, 2) + ", e + p", d, sigma, 1, 1}, sinusoids});
  return all;
}

/// Models at each width: one for 250 samples, four at least and 256 at most; half of them where one
/// takes long.
std::uint64_t models_of(const Options& options, std::uint64_t d) {
  const auto models = std::clamp<std::uint64_t>(options.samples / 250, 4, 256);
  return d > 256 ? (models + 1) / 2 : models;
}

/// Of the tokens of one sequence, and means over them.
struct OwnLogits {
  std::vector<double> logits;
  double overlap = 0;        ///< ⟨e, x⟩, e the token's row and x its state
  double mean_square = 0;    ///< of x over channels
  double others_square = 0;  ///< of the logits of the sequence's other tokens, squared
};

/// Behind an RMSNorm of the states x, token i being row i of the table.
///
/// Requires  two rows or more, x of the table's size.
OwnLogits own_logits(const EmbeddingTable<double>& rows, std::span<const double> x) {
  const std::size_t n = rows.vocabulary(), d = rows.width();
  const double tokens = static_cast<double>(n);
  OwnLogits found;
  std::vector<double> h(d), z(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto state = x.subspan(i * d, d);
    primitives.of<double>().normalise(state, Norm::rms_norm, h);
    primitives.of<double>().logits(rows, h, 1, z);
    found.logits.push_back(z[i]);
    found.overlap += dot(rows.row(i), state) / tokens;
    found.mean_square += dot(state, state) / static_cast<double>(d) / tokens;
    found.others_square += (dot<double>(z, z) - z[i] * z[i]) / tokens / (tokens - 1);
  }
  return found;
}

/// What is read off one model, of each that enters and at each depth.
using Readings = std::vector<std::array<OwnLogits, depths.size()>>;

/// All have the blocks of the model, and its rows but for σ.
Readings read_off(const Options& options, const std::vector<Entering>& all, std::uint64_t model) {
  const auto d = static_cast<std::size_t>(all.front().d);
  std::size_t heads = 8;
  while (d % heads != 0) heads /= 2;
  const BlockShape shape{d, heads, static_cast<std::size_t>(inner_over_width) * d};
  const std::string name = "tied_output.copies_its_input/model " + std::to_string(model) + "/";
  std::vector<double> normal(tokens * d);
  fill<double>(Normal{1}, Stream(options.seed, name + "rows"), normal);
  std::vector<std::vector<double>> states;
  std::vector<EmbeddingTable<double>> tables;
  for (const Entering& one : all) {
    auto rows = normal, x = one.positions;
    for (std::size_t i = 0; i < x.size(); ++i) {
      rows[i] *= one.sigma;
      x[i] = primitives.of<double>().input(rows[i], x[i], one.m);
    }
    tables.emplace_back(tokens, d, std::move(rows));
    states.push_back(std::move(x));
  }
  Readings found(all.size());
  for (std::size_t layer = 0, at = 0; at < depths.size(); ++layer) {
    const auto block = initial_block(shape, NormPlacement::pre, {NormKind::rms_norm}, Biases::none,
                                     Stream(options.seed, name + "layer " + std::to_string(layer)));
    for (auto& x : states) primitives.block(block, x, x);
    if (layer + 1 != depths[at]) continue;
    for (std::size_t w = 0; w < all.size(); ++w) found[w][at] = own_logits(tables[w], states[w]);
    ++at;
  }
  return found;
}

/// The models' readings of one at one depth.
struct Behind {
  const Entering& entering;
  std::size_t blocks;
  std::vector<OwnLogits> models;

  template <class Reading>
  Value mean(Reading of) const {
    return over<Sum>(models, of).with_error(NormalConfidence::p999);
  }
  /// How far a model's own logits are above their mean for its overlap T being so: the slope of
  /// T/√q in T, which moves the mean square q as well, times what T is above its mean. That is
  /// known, so that any multiple of this is a control variate.
  double surplus(const OwnLogits& of, double square) const {
    const double slope = (1 - entering.token_square() / square) / std::sqrt(square);
    return slope * (of.overlap - entering.overlap());
  }
  double own_logit(const OwnLogits& of, double square) const {
    return mean_of(of.logits) - surplus(of, square);
  }
  static double mean_of(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  }
};

constexpr const char* drawn =
    "mean over models of 16 tokens, Xavier, RMSNorm, control variate ⟨e, x⟩";

void measure_losses(Section& s, const Behind& behind, const Place& at,
                    const expected::ResidualStream& leading, std::uint64_t V) {
  const double usual = behind.entering.own_logit(leading);
  double least = usual - 0.5, greatest = usual + 0.5;
  for (const auto& model : behind.models)
    for (const double z : model.logits)
      least = std::min(least, z), greatest = std::max(greatest, z);
  const expected::LossBeside loss(behind.entering.logit_std(), V - 1, least, greatest);
  const double slope = loss(usual + 0.5) - loss(usual - 0.5);
  const auto on_itself = [&](const OwnLogits& of) {
    double sum = 0;
    for (const double z : of.logits) sum += loss(z);
    return sum / static_cast<double>(of.logits.size()) - slope * behind.surplus(of, leading.square);
  };
  const auto on_another = [&](const OwnLogits& of) {
    return on_itself(of) + behind.own_logit(of, leading.square);
  };
  const auto there = Place(at).set("vocabulary", V);
  constexpr const char* method = "quadrature given the own logit, mean over models";
  s.measure("loss_on_itself", there, behind.mean(on_itself), method);
  s.measure("loss_on_another", there, behind.mean(on_another), method);
}

void measure_behind(Section& s, const Behind& behind,
                    const std::vector<std::uint64_t>& vocabularies, Tally& indifferent,
                    Tally& outside) {
  const Entering& one = behind.entering;
  const auto leading = one.stream_behind(behind.blocks);
  const Place at{{"parametrisation", one.name}, {"d_model", one.d}, {"blocks", behind.blocks}};
  const auto own =
      behind.mean([&](const OwnLogits& of) { return behind.own_logit(of, leading.square); });
  indifferent.evaluate([&] { return !(*own.lower() > 0); });
  s.measure("own_logit", at, own, drawn);
  s.measure("own_logit_to_leading_order", at, one.own_logit(leading), "closed form");
  s.measure("own_over_others", at, own.mapped([&](double z) { return z / one.logit_std(); }),
            drawn);
  s.measure(
      "other_logit_std", at,
      behind.mean([](const OwnLogits& of) { return of.others_square; }).mapped([](double square) {
        return std::sqrt(std::max(0.0, square));
      }),
      "of the sequence's other tokens, mean over models");
  // Exact at any width: a network adds its mean square, an attention at most 1.
  const auto square = behind.mean([](const OwnLogits& of) { return of.mean_square; });
  const double depth = static_cast<double>(behind.blocks);
  const double least =
      one.stream().square + depth * expected::network_mean_square(inner_over_width);
  outside.evaluate([&] { return *square.upper() < least || *square.lower() > least + depth; });
  s.measure("stream_mean_square", at, square, "mean over models");
  for (const auto V : vocabularies)
    if (V >= 2) measure_losses(s, behind, at, leading, V);
}

void measure_width(Section& s, const Options& options, std::uint64_t d,
                   const std::vector<std::uint64_t>& vocabularies, Tally& indifferent,
                   Tally& outside) {
  const auto all = entering_at(d, options.deviations);
  std::vector<Readings> models(models_of(options, d));
  in_parallel(models.size(), [&](std::uint64_t i) { models[i] = read_off(options, all, i); });
  for (std::size_t w = 0; w < all.size(); ++w)
    for (std::size_t k = 0; k < depths.size(); ++k) {
      Behind behind{all[w], depths[k], {}};
      for (const auto& model : models) behind.models.push_back(model[w][k]);
      measure_behind(s, behind, vocabularies, indifferent, outside);
    }
}

/// By the number of blocks, and how many leave the own logit above √(2 ln V) of the others'
/// deviations.
void measure_curves(Section& s, const Options& options, std::uint64_t d,
                    const std::vector<std::uint64_t>& vocabularies) {
  for (const Entering& one : entering_at(d, options.deviations)) {
    std::vector<double> ratios;
    auto x = one.stream();
    for (std::size_t blocks = 0; blocks <= deepest_curve; ++blocks) {
      ratios.push_back(one.own_logit(x) / one.logit_std());
      s.measure("leading_order_curve",
                {{"parametrisation", one.name}, {"d_model", d}, {"blocks", blocks}}, ratios.back());
      x = behind_block(x, tokens, inner_over_width);
    }
    for (const auto V : vocabularies)
      s.measure(
          "blocks_above_the_largest",
          {{"parametrisation", one.name}, {"d_model", d}, {"vocabulary", V}},
          static_cast<double>(std::count_if(ratios.begin() + 1, ratios.end(), [&](double ratio) {
            return ratio > change_of_regime(V);
          })));
  }
}

}  // namespace

void measure_own_logits_behind_blocks(Section& s, const Options& options, Tally& indifferent) {
  const auto vocabularies = points(options.vocabulary, usual_vocabulary);
  Tally outside;
  for (const auto d : points(options.widths, run_widths)) {
    if (d % 2 != 0 || d > widest_run) continue;
    measure_width(s, options, d, vocabularies, indifferent, outside);
    measure_curves(s, options, d, vocabularies);
  }
  if (outside.cases() > 0)
    s.measure("mean_squares_outside_bounds", {{"points", outside.cases()}, {"tokens", tokens}},
              outside, "intervals of means over models");
  s.measure("network_mean_square", {{"d_ff_over_d_model", inner_over_width}},
            expected::network_mean_square(inner_over_width));
}

}  // namespace embedscale::tied_output_analysis
