// The five ways of one configuration, against what they come to by hand.
#include "compare/compare.hpp"

#include "audit/test/configurations.hpp"

namespace embedscale::compare {
namespace {

using audit::configured, audit::expect_within;

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

TEST(compare, has_a_smaller_branch_behind_independent_keys) {
  const auto branch = [](const char* positions) {
    return *compared_with(small, {{"model.positions", positions}})
                .at("residual_stream.input_to_branch", "up")
                .value;
  };
  EXPECT_GT(branch("8"), branch("1"));  // Σ a² of them
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
