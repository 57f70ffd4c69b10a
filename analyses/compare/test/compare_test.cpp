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

Comparison compared_with(const std::string& toml, const std::vector<audit::Change>& changes = {}) {
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

TEST(compare, a_law_without_a_size_folds_to_itself) {
  const auto all = compared_with(small, {{"token.law", "xavier_uniform"},
                                         {"token.standard_deviation", ""},
                                         {"model.vocabulary", ""}});
  EXPECT_EQ(all.way("folded").missing.substr(0, 22), "needs model.vocabulary");
  EXPECT_EQ(all.at("token.rms", "folded").missing, all.way("folded").missing);
  EXPECT_TRUE(all.way("up").configuration.has_value());
}

TEST(compare, says_why_a_way_does_not_apply) {
  const auto rotary = compared_with(
      small,
      {{"position.kind", "rotary"}, {"position.law", ""}, {"position.standard_deviation", ""}});
  EXPECT_EQ(rotary.way("down").missing,
            "does not apply: position.kind rotary adds nothing to the tokens, so that it is "
            "unscaled");
  EXPECT_EQ(rotary.at("input.rms", "down").missing, rotary.way("down").missing);
  EXPECT_TRUE(rotary.at("residual_stream.input_to_branch", "unscaled").value);
  // A further table is something that is added.
  const auto extra = compared_with(
      small + "[[extra]]\nlaw = 'normal'\nstandard_deviation = 0.5\n",
      {{"position.kind", "rotary"}, {"position.law", ""}, {"position.standard_deviation", ""}});
  expect_within(extra.at("extra.rms", "down"), 0.125, 2);
  const auto gemma = compared(audit::system_named("gemma_pytorch"));  // its table is loaded
  EXPECT_EQ(gemma.way("folded").missing.substr(0, 15), "needs token.law");
  const auto narrow = compared_with(
      "[model]\n[token]\nlaw = 'normal'\nstandard_deviation = 1\n[position]\n"
      "kind = 'rotary'\n[marks]\n'model.d_model' = { mark = 'absent', source = "
      "'an argument' }\n'model.heads' = { mark = 'absent', source = 'x' }\n");
  for (const char* name : {"up", "folded"})
    EXPECT_EQ(narrow.way(name).missing, "needs model.d_model, which is not told: an argument");
  EXPECT_FALSE(narrow.root.has_value());
  EXPECT_EQ(narrow.at("token.rms", "unscaled").value, 1.0);
  EXPECT_THROW(narrow.at("token.rms", "sideways"), std::invalid_argument);
  EXPECT_THROW(narrow.at("token", "up"), std::invalid_argument);
}

TEST(compare, of_features_has_all_ways_but_a_folded_table) {
  const auto all = compared_with(small, {{"token.kind", "features"},
                                         {"token.law", ""},
                                         {"token.standard_deviation", ""},
                                         {"token.rms", "0.25"},
                                         {"output.tied", "false"}});
  EXPECT_EQ(all.way("folded").missing,
            "does not apply: there is no token table to fold the factor into");
  expect_within(all.at("token.rms", "up"), 1, 2);
  expect_within(all.at("token_to_position", "down"), 2, 4);
}

TEST(compare, of_a_projected_sum_starts_its_stream_behind_the_projection) {
  // sqrt(4)·0.25 = 1/2 of sqrt(1 + 1/4) behind the multiplier; the branch is 1, whatever comes in.
  const auto all = compared_with(small, {{"token.width", "4"},
                                         {"token.projection", "normal"},
                                         {"token.projection_standard_deviation", "0.25"},
                                         {"token.projected", "sum"}});
  expect_within(all.at("residual_stream.input_to_branch", "up"), std::sqrt(1.25) / 2, 60);
  expect_within(all.at("residual_stream.input_to_branch", "down"), std::sqrt(1.25) / 8, 60);
}

TEST(compare, has_a_stream_where_blocks_are_pre_norm_alone) {
  for (const char* norm : {"post", "none"})
    EXPECT_EQ(compared_with(small, {{"block.norm", norm}})
                  .at("residual_stream.input_to_branch", "up")
                  .missing,
              "does not apply: block.norm is not pre");
  // Behind a norm on the embeddings, without ε, the stream starts at 1 whatever the way.
  const auto normed = compared_with(small + "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 0\n");
  for (const char* way : {"up", "down", "folded", "unscaled"}) {
    expect_within(normed.at("residual_stream.input_to_branch", way), 1, 16);
    const double ratio = *normed.at("token_to_position", way).value, share = ratio * ratio;
    expect_within(normed.at("residual_stream.token_share.after_12", way),
                  share / (1 + share) / (1 + 1.32 * 12), 64);
  }
}

// Each branch half as large is as one beside a stream twice as large: positions and tokens doubled.
TEST(compare, weighs_branches_by_their_multiplier) {
  const auto plain = compared_with(small),
             halved = compared_with(small, {{"block.residual_multiplier", "0.5"}});
  const double ratio = *plain.at("residual_stream.input_to_branch", "up").value;
  expect_within(halved.at("residual_stream.input_to_branch", "up"), 2 * ratio, 16);
  // Of one position, with a token and a position of mean squares t² and p²: t² of t² + p² +
  // r²·1.32.
  const double t = *plain.at("token.rms", "up").value, p = *plain.at("position.rms", "up").value;
  expect_within(halved.at("residual_stream.token_share.after_6", "up"),
                t * t / (t * t + p * p + 0.25 * 1.32 * 6), 64);
  EXPECT_EQ(compared_with(small, {{"block.residual_multiplier", "0"}})
                .at("residual_stream.input_to_branch", "up")
                .missing,
            "does not apply: block.residual_multiplier is 0");
}

TEST(compare, of_several_keys_leaves_the_branch_what_they_have_in_common) {
  // Two positions that are the same, and a token so faint that it does not count: ρ = 1, A = 1.
  const std::string same = small + "[[extra]]\nlaw = 'normal'\nstandard_deviation = 1\n";
  const auto all = compared_with(same, {{"model.positions", "8"},
                                        {"position.kind", "none"},
                                        {"position.law", ""},
                                        {"position.standard_deviation", ""},
                                        {"token.standard_deviation", "1e-9"}});
  expect_within(all.at("residual_stream.input_to_branch", "unscaled"), 1, 64 / u64 * 1e-16);
  // Independent keys leave less: Σ a² of them.
  const auto apart = compared_with(small, {{"model.positions", "8"}});
  EXPECT_GT(*apart.at("residual_stream.input_to_branch", "up").value,
            *compared_with(small).at("residual_stream.input_to_branch", "up").value);
}

}  // namespace
}  // namespace embedscale::compare
