// How much of a residual stream its tokens are, block by block, where no position is added: exactly
// for a branch, and by running stacks as they start.
#include "properties/normalization/token_share.hpp"

#include <embedscale/expected/residual_stream.hpp>

#include "normalization/blocks.hpp"

namespace embedscale::normalization_analysis {
namespace {

const std::vector<std::size_t> depths{1, 2, 6, 12, 24};
constexpr double inner_over_width = 4;
/// Blocks are counted as far as this.
constexpr double deepest = 400;

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
  const double root = std::sqrt(static_cast<double>(setup.start.d));
  return {{{"e, σ = 0.02", 0.02},
           {"e, σ = d^−½", 1 / root},
           {"√d·e, σ = 0.02", 0.02 * root},
           {"√d·e, σ = d^−½", 1},
           {"√d·e, σ = 1", root},
           {"post-norm: e, σ = d^−½", 1 / root, post},
           {"post-norm: √d·e, σ = d^−½", 1, post}},
          {{0, 2}, {1, 3}, {3, 4}}};
}

Place place_of(const Setup& setup, const Entry& entry) {
  return setup.on(
      {{"norms", entry.norms == NormPlacement::post ? "post" : "pre"}, {"stream", entry.name}});
}

/// The tokens' shares of the streams that they are in: one drawn stack and one table for all.
Figures token_shares(const Options& options, const Setup& setup, const std::vector<Entry>& entries,
                     std::uint64_t draw) {
  const auto [d, n, sigma] = setup.start;
  std::vector<double> rows(n * d);
  fill<double>(Normal{1}, stream_of(options, "unit tokens", draw), rows);
  std::vector<TokenStream> streams;
  for (const auto& entry : entries) streams.emplace_back(rows, entry.size, d);
  Figures found;
  for (std::size_t depth = 1; depth <= depths.back(); ++depth) {
    auto block = initial_block(setup.shape, NormPlacement::pre, {NormKind::rms_norm}, Biases::none,
                               stream_of(options, "layer " + std::to_string(depth - 1), draw));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      block.norms = entries[i].norms;
      streams[i].pass(block, block_library<double>);
      if (std::ranges::count(depths, depth) > 0)
        found.push_back({"token_share", place_of(setup, entries[i]).set("blocks", depth),
                         streams[i].token_square(), mean_square(streams[i].x)});
    }
  }
  return found;
}

/// What is expected of a pre-norm entry, and where its share has to be at any width.
struct Expectations {
  double square;  ///< s
  std::uint64_t tokens;
  double network = expected::network_mean_square(inner_over_width);

  double share_with(double added, std::size_t blocks) const {
    return square / (square + added * static_cast<double>(blocks));
  }
  double least(std::size_t blocks) const { return share_with(1 + network, blocks); }
  double greatest(std::size_t blocks) const { return share_with(network, blocks); }
  double blocks_that_outweigh() const {
    expected::ResidualStream at{square, 0};
    double blocks = 0;
    for (; at.square < 2 * square; ++blocks) at = behind_block(at, tokens, inner_over_width);
    return blocks;
  }
};

void measure_expectations(Section& s, const Expectations& of, const Place& at) {
  for (const auto blocks : depths) {
    const auto there = Place(at).set("blocks", blocks);
    s.measure("expected_token_share", there,
              expected::token_share(of.square, {of.square, 0}, blocks, of.tokens, inner_over_width),
              "leading order in 1/d");
    s.measure("least_token_share", there, of.least(blocks));
    s.measure("greatest_token_share", there, of.greatest(blocks));
  }
  const double at_most = std::ceil(of.square / of.network);
  s.measure("blocks_at_least", at, std::ceil(of.square / (1 + of.network)));
  s.measure("blocks_at_most", at, at_most);
  if (at_most <= deepest)
    s.measure("blocks_that_outweigh", at, of.blocks_that_outweigh(), "leading order in 1/d");
}

/// The interval of the share that was measured there.
properties::evidence::Interval share_at(Section& s, const Place& at) {
  const auto share = std::ranges::find_if(
      s.measurements(), [&](const auto& m) { return m.quantity == "token_share" && m.at == at; });
  return {*share->lower, *share->upper};
}

void measure_streams(Section& s, const Options& options) {
  Tally outside, staying;
  for (const auto& setup : setups(options, {64})) {
    const auto [all, pairs] = entries_at(setup);
    // Half of the usual draws: each runs all streams through all blocks.
    measure_means(s, "mean squares over drawn stacks, Xavier, RMSNorm",
                  std::max<std::uint64_t>(4, setup.draws(options.samples) / 2),
                  [&, &entries = all](std::uint64_t draw) {
                    return token_shares(options, setup, entries, draw);
                  });
    const auto share = [&](const Entry& entry, std::size_t blocks) {
      return share_at(s, place_of(setup, entry).set("blocks", blocks));
    };
    const auto meet = [](const auto& a, const auto& b) {
      return a.lower <= b.upper && b.lower <= a.upper;
    };
    for (const auto& entry : all) {
      if (entry.norms == NormPlacement::post) continue;
      const Expectations expected{entry.size * entry.size, setup.start.n};
      measure_expectations(s, expected, place_of(setup, entry));
      for (const auto blocks : depths)
        outside.evaluate([&] {
          const properties::evidence::Interval stated{expected.least(blocks),
                                                      expected.greatest(blocks)};
          return !meet(share(entry, blocks), stated);
        });
    }
    for (const auto& [one, other] : pairs)
      for (const auto blocks : depths)
        staying.evaluate([&, &a = all[one], &b = all[other]] {
          return meet(share(a, blocks), share(b, blocks));
        });
  }
  s.measure("shares_outside_bounds", {}, outside, "intervals of the shares");
  s.measure("shares_that_stay", {}, staying, "whether the intervals of both shares meet");
}

/// One head, a single token (c, 0), values whose channels change places, and no network.
double share_by_hand(double c) {
  BlockWeights<double> w;
  w.query = w.key = std::vector<double>(4, 0.0);
  w.value = {0, 1, 1, 0};
  w.output = {1, 0, 0, 1};
  w.inner = w.outer = std::vector<double>(2, 0.0);
  const EncoderBlock<double> block{{2, 1, 1}, NormPlacement::pre, {NormKind::rms_norm}, w};
  return share_behind(block, {c, 0}, block_library<double>);
}

}  // namespace

void token_share_after_blocks(Section& s, const Options& options) {
  s.measure_worst("worst_share_of_bound", {}, "networks_add_just_so_much");
  s.measure_worst("worst_share_of_bound", {{"branch", "attention"}}, "attention_adds_at_most_1");
  s.measure_failures("embedding_norm_disagreements", {},
                     "nothing_of_it_behind_a_norm_of_the_embedding");
  s.measure_failures("temperature_disagreements", {}, "a_first_temperature_of_it_in_post_norm");
  measure_streams(s, options);
  s.measure("network_mean_square", {{"d_ff_over_d_model", inner_over_width}},
            expected::network_mean_square(inner_over_width));
  for (const int c : {1, 2}) s.measure("share_by_hand", {{"c", c}}, share_by_hand(c));
}

}  // namespace embedscale::normalization_analysis
