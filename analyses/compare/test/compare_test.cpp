// The five ways of one configuration, against what they come to by hand.
#include "compare/compare.hpp"

#include "audit/test/configurations.hpp"

namespace embedscale::compare {
namespace {

using audit::configured, audit::expect_within, audit::Quantity, audit::u64;

/// A pre-norm model of 16 channels, so that √d = 4 is exact, with one position: its attention
/// returns the state itself, of mean square 1 behind the norm, and the network adds 8/25.
const std::string small = R"(
[model]
d_model = 16
heads = 1
vocabulary = 100
positions = 1
[token]
law = 'normal'
standard_deviation = 0.25
[position]
kind = 'learned'
law = 'normal'
standard_deviation = 0.5
[block]
norm = 'pre'
kind = 'rms_norm'
epsilon = 0.25
[output]
tied = true
)";

Parametrisations compared_with(const std::string& toml,
                               const std::vector<audit::Change>& changes = {}) {
  return compared(configured(toml, changes));
}

struct ByHand {
  const char* way;
  double sigma, m, position;
};

TEST(compare, has_the_figures_of_a_small_model) {
  const auto all = compared_with(small, {{"token.multiplier", "2"}});
  for (const auto& [way, sigma, m, p] : {ByHand{"up", 0.25, 4, 0.5},
                                         {"down", 0.25, 1, 0.125},
                                         {"folded", 1, 1, 0.5},
                                         {"unscaled", 0.25, 1, 0.5},
                                         {"own", 0.25, 2, 0.5}}) {
    SCOPED_TRACE(way);
    const double t = m * sigma, square = t * t + p * p, rms = std::sqrt(square),
                 seen = std::sqrt(square / (square + 0.25));
    // Some roundings each; a difference from 1 has those of 1.
    const auto expect = [&](const char* path, double value, double roundings = 16) {
      expect_within(all.at(path, way), value, roundings);
    };
    expect("token.rms", t);
    expect("position.rms", p);
    expect("token_to_position", t / p);
    expect("input.rms", rms);
    expect("attention_input.rms", seen);
    expect("first_layer.logit_std_over_keys", 0);
    expect("first_layer.entropy", 0);
    expect("residual_stream.input_to_branch", rms);
    for (const int blocks : {1, 2, 6, 12, 24})
      expect(fmt::format("residual_stream.token_share.after_{}", blocks).c_str(),
             t * t / (square + 1.32 * blocks), 16 + 4 * blocks);
    expect("first_norm.epsilon_shrinkage", 1 - seen, 16 / (1 - seen));
    expect("output.logit_std", 4 * sigma);
    expect("output.own_logit", m * 16 * sigma * sigma / rms);
    expect("optimizer.adam_relative_step", 1 / sigma);
  }
}

TEST(compare, says_which_figures_agree) {
  const auto all = compared_with(small);
  for (const Row& row : all.rows) {
    const bool agrees = row.path == "extra.rms" || row.path.starts_with("first_layer.");
    EXPECT_EQ(row.agree, agrees) << row.path;
    EXPECT_EQ(differs(row), !agrees) << row.path;
  }
  // Without ε a norm leaves nothing of the factor but the ratio.
  const auto exact = compared_with(small, {{"block.epsilon", "0"}});
  for (const Row& row : exact.rows) {
    const bool normed =
        row.path == "attention_input.rms" || row.path == "first_norm.epsilon_shrinkage";
    EXPECT_TRUE(row.agree || !normed) << row.path;
  }
}

/// `small` with more of TOML and these changes: a figure of it in a way, or why there is none.
struct Figure {
  std::string more, changes;
  const char *way, *path;
  double value;
  double roundings;
  std::string missing = {};
};

TEST(compare, has_a_figure_or_a_reason_in_each_way) {
  const std::string rotary = "position.kind=rotary position.law= position.standard_deviation= ",
                    faint =
                        "model.positions=8 position.kind=none position.law= "
                        "position.standard_deviation= token.standard_deviation=1e-9",
                    features =
                        "token.kind=features token.law= token.standard_deviation= "
                        "token.rms=0.25 output.tied=false",
                    projected =
                        "token.width=4 token.projection=normal "
                        "token.projection_standard_deviation=0.25 token.projected=sum",
                    xavier = "token.law=xavier_uniform token.standard_deviation= model.vocabulary=",
                    normed = "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 0\n";
  const auto extra = [](const char* deviation) {
    return fmt::format("[[extra]]\nlaw = 'normal'\nstandard_deviation = {}\n", deviation);
  };
  const auto *branch = "residual_stream.input_to_branch",
             *after_6 = "residual_stream.token_share.after_6";
  for (
      const auto& [more, changes, way, path, value, roundings, missing] : std::vector<Figure>{
          {"", rotary, "down", "input.rms", 0, 0,
           "does not apply: position.kind rotary adds nothing to the tokens, so that it is "
           "unscaled"},
          // A further table is something that is added.
          {extra("0.5"), rotary, "down", "extra.rms", 0.125, 2},
          {"", xavier, "folded", "token.rms", 0, 0,
           "needs model.vocabulary, which is not told (xavier_uniform depends on the matrix's "
           "shape)"},
          {"", features, "folded", "token.rms", 0, 0,
           "does not apply: there is no token table to fold the factor into"},
          {"", features, "up", "token.rms", 1, 2},
          {"", features, "down", "token_to_position", 2, 4},
          // Half of sqrt(1 + 1/4) behind the multiplier; the branch is 1, whatever comes in.
          {"", projected, "up", branch, std::sqrt(1.25) / 2, 60},
          {"", projected, "down", branch, std::sqrt(1.25) / 8, 60},
          {"", "block.norm=post", "up", branch, 0, 0, "does not apply: block.norm is not pre"},
          {"", "block.norm=none", "up", branch, 0, 0, "does not apply: block.norm is not pre"},
          // Behind a norm on the sum, without ε, the stream starts at 1 whatever the way.
          {normed, "", "up", branch, 1, 16},
          {normed, "", "down", branch, 1, 16},
          {normed, "", "unscaled", after_6, 0.2 / (1 + 1.32 * 6), 64},
          // Each branch half as large is as one beside a stream twice as large.
          {"", "block.residual_multiplier=0.5", "up", branch, 2 * std::sqrt(1.25), 16},
          {"", "block.residual_multiplier=0.5", "up", after_6, 1 / (1.25 + 0.25 * 1.32 * 6), 64},
          {"", "block.residual_multiplier=0", "up", branch, 0, 0,
           "does not apply: block.residual_multiplier is 0"},
          // Positions that are the same, and a token so faint that it does not count: ρ = 1, A = 1.
          {extra("1"), faint, "unscaled", branch, 1, 64 / u64 * 1e-16}}) {
    std::vector<audit::Change> all;
    for (const auto& change : audit::words_of(changes)) all.push_back(audit::change_from(change));
    const auto one = compared_with(small + more, all);
    SCOPED_TRACE(fmt::format("{}{}: {} {}", more, changes, way, path));
    EXPECT_EQ(one.at(path, way).missing, missing);
    if (missing.empty()) expect_within(one.at(path, way), value, roundings);
  }
  // Independent keys leave the branch less: Σ a² of them.
  EXPECT_GT(*compared_with(small, {{"model.positions", "8"}}).at(branch, "up").value,
            *compared_with(small).at(branch, "up").value);
}

TEST(compare, needs_a_width_for_the_root) {
  const auto narrow = compared_with(
      "[model]\n[token]\nlaw = 'normal'\nstandard_deviation = 1\n[position]\n"
      "kind = 'rotary'\n[marks]\n'model.d_model' = { mark = 'absent', source = "
      "'an argument' }\n'model.heads' = { mark = 'absent', source = 'x' }\n");
  for (const char* name : {"up", "folded"})
    EXPECT_EQ(narrow.way(name).configuration.missing,
              "needs model.d_model, which is not told: an argument");
  EXPECT_FALSE(narrow.root.has_value());
  EXPECT_EQ(narrow.at("token.rms", "unscaled").value, 1.0);
}

}  // namespace
}  // namespace embedscale::compare
