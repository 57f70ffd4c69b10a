// How much of a residual stream its tokens are, block by block, where no position is added: exactly
// for a branch, and by running stacks as they start.
#include "properties/normalization/token_share.hpp"

#include <embedscale/expected/residual_stream.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "normalization/blocks.hpp"

namespace embedscale::normalization_analysis {
namespace {

using namespace properties::normalization;

const BlockPrimitives primitives;
const std::vector<std::size_t> depths{1, 2, 6, 12, 24};
constexpr double inner_over_width = 4;
/// Blocks are counted as far as this.
constexpr double deepest = 400;

void measure_exactly(Section& s, const Options& options) {
  const std::uint64_t n = options.samples;
  const Stream stream(options.seed, std::string(s.claim().id) + "/blocks");
  const auto worst = over<Greatest>(n, [&](std::uint64_t i) {
    const double c = power_of_two(i) * 1.25;
    return std::max(
        attention_share(signed_block(stream, i, {2, 1 + i % 2, 2}, 1 + i % 3), c, primitives),
        network_share(signed_block(stream, i, {2, 1, 2 + 2 * (i % 2)}, 1), c, primitives));
  });
  s.measure("worst_share_of_bound", {}, worst,
            "branches of 2 channels over all signs of their matrices' columns, binary64",
            at_most(Part::statement, 1, n));
  const std::string method = "drawn blocks of 8 channels, c = 2^−8 … 2^8, binary64";
  const auto drawn = [&](std::uint64_t i, NormPlacement norms, Biases biases) {
    return drawn_block<double>(stream, i, {8, 1 + i % 2, 8}, 3, norms, biases);
  };
  s.decide("embedding_norm_disagreements", none_of(Part::statement, n), method,
           [&](std::uint64_t i) {
             const auto norms = i % 4 < 2 ? NormPlacement::pre : NormPlacement::post;
             return !has_bits_behind_embedding_norm(drawn(i, norms, Biases::all), power_of_two(i),
                                                    primitives);
           });
  s.decide("temperature_disagreements", none_of(Part::statement, n), method, [&](std::uint64_t i) {
    const auto first = drawn(i, NormPlacement::post, Biases::none),
               second = drawn(i + (1u << 30), NormPlacement::post, Biases::none);
    return !has_bits_of_first_temperature<double>({first.block, second.block}, first.x,
                                                  power_of_two(i), primitives);
  });
}

/// How tokens enter a stack: rows of deviation σ, m times as large, and no positions.
struct Entry {
  std::string name;
  double size;  ///< m·σ
  NormPlacement norms = NormPlacement::pre;
};
/// Those at a setup, and the pairs that differ by the factor: √d·e at σ = d^−½ is e at σ = 1.
struct Entries {
  std::vector<Entry> all;
  std::vector<std::pair<std::size_t, std::size_t>> by_the_factor;
};

Entries entries_at(const Setup& setup) {
  constexpr auto post = NormPlacement::post;
  const double sigma = setup.start.sigma, root = std::sqrt(static_cast<double>(setup.start.d));
  if (setup.told.find("std") != nullptr) return {{{"e", sigma}, {"√d·e", sigma * root}}, {{0, 1}}};
  return {{{"e, σ = 0.02", 0.02},
           {"e, σ = d^−½", 1 / root},
           {"√d·e, σ = 0.02", 0.02 * root},
           {"√d·e, σ = d^−½", 1},
           {"√d·e, σ = 1", root},
           {"post-norm: e, σ = d^−½", 1 / root, post},
           {"post-norm: √d·e, σ = d^−½", 1, post}},
          {{0, 2}, {1, 3}, {3, 4}}};
}

/// Mean squares of the tokens and of the streams that they are in, of each entry at each depth: one
/// drawn stack and one drawn table for all.
std::vector<double> mean_squares(const Options& options, const Setup& setup,
                                 const std::vector<Entry>& entries, std::uint64_t draw) {
  const auto [d, n, sigma] = setup.start;
  std::vector<double> rows(n * d), found;
  fill<double>(Normal{1}, stream_of(options, "unit tokens", draw), rows);
  std::vector<TokenStream> streams;
  for (const auto& entry : entries) streams.emplace_back(rows, entry.size, d);
  for (std::size_t layer = 0; layer < depths.back(); ++layer) {
    auto block = initial_block(setup.shape, NormPlacement::pre, {NormKind::rms_norm}, Biases::none,
                               stream_of(options, "layer " + std::to_string(layer), draw));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      block.norms = entries[i].norms;
      streams[i].pass(block, primitives);
    }
    if (std::ranges::count(depths, layer + 1) == 0) continue;
    for (const auto& stream : streams) {
      found.push_back(stream.token_square());
      found.push_back(mean_square(stream.x));
    }
  }
  return found;
}

/// What is expected of a pre-norm entry, and where its share has to be at any width.
struct Expectations {
  double square;  ///< s
  std::uint64_t tokens;

  double network() const { return expected::network_mean_square(inner_over_width); }
  double share(std::size_t blocks) const {
    return expected::token_share(square, {square, 0}, blocks, tokens, inner_over_width);
  }
  double share_with(double added, std::size_t blocks) const {
    return square / (square + added * static_cast<double>(blocks));
  }
  double least(std::size_t blocks) const { return share_with(1 + network(), blocks); }
  double greatest(std::size_t blocks) const { return share_with(network(), blocks); }
  double blocks_at_least() const { return std::ceil(square / (1 + network())); }
  double blocks_at_most() const { return std::ceil(square / network()); }
  double blocks_that_outweigh() const {
    expected::ResidualStream at{square, 0};
    double blocks = 0;
    for (; at.square < 2 * square; ++blocks) at = behind_block(at, tokens, inner_over_width);
    return blocks;
  }
};

void measure_entry(Section& s, const Setup& setup, const Entry& entry,
                   const std::vector<Value>& shares, Tally& outside) {
  const bool post = entry.norms == NormPlacement::post;
  const Place at{{"norms", post ? "post" : "pre"}, {"stream", entry.name}};
  const Expectations expected{entry.size * entry.size, setup.start.n};
  for (std::size_t k = 0; k < depths.size(); ++k) {
    const auto there = setup.on(Place(at).set("blocks", depths[k]));
    s.measure("token_share", there, shares[k], "mean squares over drawn stacks, Xavier, RMSNorm");
    if (post) continue;
    const double least = expected.least(depths[k]), greatest = expected.greatest(depths[k]);
    s.measure("expected_token_share", there, expected.share(depths[k]), "leading order in 1/d");
    s.measure("least_token_share", there, least);
    s.measure("greatest_token_share", there, greatest);
    outside.evaluate([&] { return *shares[k].upper() < least || *shares[k].lower() > greatest; });
  }
  if (post) return;
  s.measure("blocks_at_least", setup.on(at), expected.blocks_at_least());
  s.measure("blocks_at_most", setup.on(at), expected.blocks_at_most());
  if (expected.blocks_at_most() <= deepest)
    s.measure("blocks_that_outweigh", setup.on(at), expected.blocks_that_outweigh(),
              "leading order in 1/d");
}

void measure_stacks(Section& s, const Options& options) {
  Tally outside, staying;
  for (const auto& setup : setups(options, {64})) {
    const auto [entries, pairs] = entries_at(setup);
    // Half of the usual draws: each runs all streams through all blocks.
    const Figures found(std::max<std::uint64_t>(4, setup.draws(options.samples) / 2),
                        [&, &all = entries](std::uint64_t draw) {
                          return mean_squares(options, setup, all, draw);
                        });
    std::vector<std::vector<Value>> shares(entries.size());
    for (std::size_t k = 0; k < depths.size(); ++k)
      for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::size_t at = 2 * (k * entries.size() + i);
        shares[i].push_back(found.quotient(at, at + 1));
      }
    for (std::size_t i = 0; i < entries.size(); ++i)
      measure_entry(s, setup, entries[i], shares[i], outside);
    for (const auto& [one, other] : pairs)
      for (std::size_t k = 0; k < depths.size(); ++k)
        staying.evaluate([&a = shares[one][k], &b = shares[other][k]] {
          return *a.lower() <= *b.upper() && *b.lower() <= *a.upper();
        });
  }
  s.decide_none("shares_outside_bounds", {}, outside, Part::statement, "intervals of the shares");
  s.measure("shares_that_stay", {}, staying, "whether the intervals of both shares meet",
            all_of(Part::belief, staying.cases()));
}

/// One head, a single token (c, 0), values whose channels change places, and no network.
double by_hand(double c) {
  BlockWeights<double> w;
  w.query = w.key = std::vector<double>(4, 0.0);
  w.value = {0, 1, 1, 0};
  w.output = {1, 0, 0, 1};
  w.inner = w.outer = std::vector<double>(2, 0.0);
  const EncoderBlock<double> block{{2, 1, 1}, NormPlacement::pre, {NormKind::rms_norm}, w};
  return share_behind(block, {c, 0}, primitives);
}

}  // namespace

void token_share_after_blocks(Section& s, const Options& options) {
  measure_exactly(s, options);
  measure_stacks(s, options);
  s.measure("network_mean_square", {{"d_ff_over_d_model", inner_over_width}},
            expected::network_mean_square(inner_over_width));
  for (const int c : {1, 2}) s.measure("share_by_hand", {{"c", c}}, by_hand(c));
}

}  // namespace embedscale::normalization_analysis
