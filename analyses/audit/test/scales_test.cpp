// What an audit computes, against other formulas and those of the library.
#include "configurations.hpp"

#include <embedscale/expected/position_table.hpp>
#include <embedscale/expected/softmax.hpp>

#include <numbers>
#include <tuple>

namespace embedscale::audit {
namespace {

using std::numbers::sqrt2, std::numbers::sqrt3;

const std::string sines = "kind = 'sinusoidal'\n", nowhere = "kind = 'none'\n";
std::string normal(const char* deviation, const char* more = "") {
  return fmt::format("law = 'normal'\nstandard_deviation = {}\n{}\n", deviation, more);
}
std::string learned(const char* deviation, const char* more = "") {
  return "kind = 'learned'\n" + normal(deviation, more);
}

TEST(figures, are_those_of_other_formulas) {
  struct Row {
    const char* path;
    double expected, roundings;
    int d;
    std::string token, position, rest = "";
  };
  const std::string extras =
      "[[extra]]\nlaw = 'normal'\nstandard_deviation = 2\nmultiplier = -4\n"
      "[[extra]]\nlaw = 'xavier_normal'\nrows = 34\nmultiplier = 70\n";
  const Row rows[] = {
      {"token.rms", 6, 3, 4, normal("2", "multiplier = -3"), nowhere},
      // Concatenated, the table is V by 6, and not V by 8.
      {"token.rms", std::sqrt(2.0 / (100 + 6)), 4, 8, "law = 'xavier_normal'\nwidth = 6",
       sines + "combine = 'concatenation'"},
      {"position.rms", std::sqrt(4.5), 3, 6, root_d, sines + "multiplier = -3"},
      {"position.rms", sqrt3 / 2, 4, 6, root_d,
       "kind = 'learned'\nlaw = 'uniform'\nhalf_range = 3\nmultiplier = '-1/2'"},
      // 12 positions by 6 channels: √(2/(12+6)) = 1/3.
      {"position.rms", 1.0 / 3, 5, 6, root_d, "kind = 'learned'\nlaw = 'xavier_uniform'"},
      {"token_to_position", 5.0 / 3, 3, 16, normal("5", "width = 4"),
       learned("3", "combine = 'concatenation'")},
      {"input.rms", 6.5, 4, 16, normal("2", "multiplier = 3"), learned("2.5")},  // 6² + 2.5²
      {"input.rms", std::sqrt((4 * 25 + 12 * 9) / 16.0), 6, 16, normal("5", "width = 4"),
       learned("3", "combine = 'concatenation'")},
      {"extra.rms", std::sqrt(64 + 4900 * (2.0 / (34 + 16))), 6, 16, normal("2"), learned("5"),
       extras},                                                     // 64 + 196
      {"input.rms", 17, 8, 16, normal("2"), learned("5"), extras},  // 4 + 25 + 260 = 289
      {"position.constant_share", 1.0 / 12, 1, 8, root_d,
       "kind = 'learned'\nlaw = 'xavier_uniform'"},
      {"position.constant_share",
       expected::constant_share(
           {sinusoidal_frequencies<double>(8, FrequencyRule::tensor2tensor, 50), 3, 12, 1}),
       1, 8, root_d, sines + "frequencies = 'tensor2tensor'\nbase = 50\nfirst = 3\nmultiplier = 7"},
      {"optimizer.adam_relative_step", 4 * sqrt3, 4, 8,
       "law = 'uniform'\nhalf_range = 0.25\nmultiplier = 100", nowhere},
      {"output.logit_std", 2 * 8 * sqrt3, 5, 64, "law = 'uniform'\nhalf_range = 3\nmultiplier = 9",
       nowhere, "[output]\nmultiplier = -2\n"},
      // V by d: √(2/(100 + 28)) = 1/8.
      {"output.logit_std", std::sqrt(28.0) / 8, 6, 28, normal("9"), nowhere,
       "[output]\ntied = false\nlaw = 'xavier_uniform'\n"},
      // 1 − √(q/(q + ε)) = ε/(2q)·(1 − 3ε/(4q) + …), to the last digit.
      {"scaled_down.epsilon_shrinkage_up", 1e-12 / 128 * (1 - 0.75e-12 / 64), 8, 4,
       normal("1", "multiplier = 8"), nowhere,
       "[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 1e-12\n"},
      {"scaled_down.epsilon_shrinkage_down", 1e-12 / 2 * (1 - 0.75e-12), 8, 4,
       normal("1", "multiplier = 8"), nowhere,
       "[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 1e-12\n"},
  };
  for (const auto& [path, expected, roundings, d, tokens, positions, rest] : rows)
    expect_within(figure(scales(d, tokens, positions, rest), path), expected, roundings);
}

TEST(figures, are_missing_for_a_reason) {
  struct Row {
    std::string paths, reason, token, position, rest = "";
  };
  const std::string zero = normal("1", "multiplier = 0"),
                    no_epsilon = "[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 0\n";
  std::vector<Row> rows = {
      {"scaled_down.factor token.rms", "token.multiplier = 65520 overflows binary16",
       normal("1", "multiplier = 65520\nmultiplier_format = 'binary16'"), nowhere},
      {"token_to_position", "divides by position.rms, which is 0", root_d,
       sines + "multiplier = 0"},
      {"output.own_logit", "does not apply: the output matrix is not the token table", normal("9"),
       nowhere, "[output]\ntied = false\nlaw = 'xavier_uniform'\n"},
      {"output.logit_std",
       "does not apply: a table of token.width channels cannot be the output matrix of a state of "
       "d_model",
       normal("1", "width = 4"), sines + "combine = 'concatenation'"},
      {"output.own_logit", "does not apply: block.norm is not pre", normal("1"), nowhere},
      {"output.own_logit", "does not apply: block.norm is not pre", normal("1"), nowhere,
       "[block]\nnorm = 'post'\n"},
      {"scaled_down.input.rms scaled_down.epsilon_shrinkage_up scaled_down.epsilon_shrinkage_down",
       "does not apply: positions cannot be divided by 0", zero, sines,
       "[block]\nnorm = 'pre'\nepsilon = 0.5\n"},
      {"scaled_down.rounding_error", "does not apply: token.multiplier is 0", zero, sines},
      {"scaled_down.rounding_error", "is not known: formulas are computed in binary64 themselves",
       root_d + "multiplier_format = 'binary64'", nowhere},
      {"attention_input.rms first_layer.entropy",
       "divides 0 by 0: a norm's input and epsilon are both 0", zero, nowhere, no_epsilon},
      {"output.own_logit", "divides by input.rms, which is 0", zero, nowhere, no_epsilon},
      {"attention_input.rms", "needs position.base, which is not told", normal("1"), sines,
       "[block]\nnorm = 'pre'\n[marks]\n'position.base' = 'absent'\n"},
      {"first_layer.shares.token_token", "divides by attention_input.rms, which is 0", zero,
       nowhere},
  };
  for (const std::string kind : {"rotary", "relative", "none"})
    rows.push_back({"position.rms token_to_position position.constant_share",
                    "does not apply: position.kind " + kind + " adds nothing to the tokens", root_d,
                    "kind = '" + kind + "'"});
  for (const auto& [paths, reason, tokens, positions, rest] : rows)
    for (const std::string& path : words_of(paths))
      EXPECT_EQ(figure(scales(8, tokens, positions, rest), path).missing, reason) << path;
}

TEST(figures, are_there_beside_what_is_missing) {
  for (const std::string kind : {"rotary", "relative", "none"}) {
    const InputScales s = scales(8, root_d, "kind = '" + kind + "'").input;
    EXPECT_EQ(s.input_rms.value, s.token_rms.value);
  }
  EXPECT_EQ(scales(8, root_d, sines + "multiplier = 0").input.position_rms.value, 0.0);
  const Scales nothing = scales(8, normal("1", "multiplier = 0"), sines);
  EXPECT_EQ(nothing.scaled_down.factor.value, 0.0);
  EXPECT_EQ(nothing.scaled_down.rounds_identically[0].missing,
            "token.multiplier = 0 is 0 in binary32");
  EXPECT_EQ(scales(8, normal("1", "multiplier = 0"), nowhere).first_layer.logit_std.value, 0.0);
  const InputScales of_learned = scales(6, root_d, learned("2", "multiplier = '-1/2'")).input;
  expect_within(of_learned.token_to_position,
                *of_learned.token_rms.value / *of_learned.position_rms.value, 1);
  EXPECT_EQ(scales(8, root_d + "multiplier_format = 'binary64'", nowhere).scaled_down.factor.value,
            std::sqrt(8.0));
}

TEST(figures, are_missing_where_they_would_take_seconds) {
  const auto seen = [](const char* positions) {
    return audited(whole, {{"block.norm", "pre"}, {"model.positions", positions}})
        .scales.first_layer.input_rms;
  };
  EXPECT_EQ(seen("2^19 + 1").missing,
            "needs a sum over 524289 positions times 512 channels, more than 2^28");
  EXPECT_TRUE(seen("2^10").value.has_value());
}

TEST(figures, over_a_single_key_are_0) {
  const FirstLayer one = audited(whole, {{"model.positions", "1"}}).scales.first_layer;
  EXPECT_EQ(one.logit_std_over_keys.value, 0.0);
  EXPECT_EQ(one.entropy.value, 0.0);
}

TEST(initial_loss, is_the_librarys_integral_for_the_logits_and_the_vocabulary) {
  for (const double deviation : {0.01, 1.0, 40.0})
    for (const int words : {2, 1000, 256000}) {
      const OutputScales s =
          audited(fmt::format("[model]\nd_model = 16\nheads = 1\nvocabulary = {}\n[token]\n"
                              "law = 'normal'\nstandard_deviation = 1\n[position]\n"
                              "kind = 'none'\n[output]\ntied = false\nlaw = 'normal'\n"
                              "standard_deviation = {}\n",
                              words, deviation / 4))
              .scales.output;
      const auto loss = expected::log_sum_exp_and_entropy(*s.logit_std.value, words).log_sum_exp;
      expect_within(s.logit_std, deviation, 4);
      EXPECT_EQ(s.initial_loss.value, loss.value);
      EXPECT_EQ(s.initial_loss.error, loss.error);
      EXPECT_EQ(s.initial_loss.method, Method::quadrature);
    }
  const OutputScales zeros = audited(model + "vocabulary = 4096\n" + token + position +
                                     "[output]\ntied = false\nlaw = 'zeros'\n")
                                 .scales.output;
  EXPECT_EQ(zeros.logit_std.value, 0.0);
  // The quadrature says how far it may be off.
  EXPECT_NEAR(*zeros.initial_loss.value, std::log(4096), zeros.initial_loss.error + 1e-12);
}

TEST(own_logit, is_the_overlap_of_the_token_with_the_state_it_makes) {
  // c·m·⟨e, e⟩/√q at position 0, whose sines are 0 and cosines 1: of mean square 1/2, 1/4 about the
  // mean over channels. Less its mean, e has 5/6 of its energy.
  for (const auto& [kind, expected] : {std::pair("rms_norm", 6 / std::sqrt(4 + 0.5)),
                                       {"layer_norm", 5 / std::sqrt(4 * 5.0 / 6 + 0.25)}}) {
    const Quantity got = audited(fmt::format("[model]\nd_model = 6\nheads = 1\npositions = 1\n"
                                             "[token]\nlaw = 'normal'\nstandard_deviation = 0.5\n"
                                             "multiplier = 4\n[position]\nkind = 'sinusoidal'\n"
                                             "[block]\nnorm = 'pre'\nkind = '{}'\n"
                                             "[output]\nmultiplier = -3\n",
                                             kind))
                             .scales.output.own_logit;
    expect_within(got, -3 * expected, 40);
    EXPECT_EQ(got.method, Method::without_branches);
  }
}

TEST(scaled_down, factor_of_gemma_is_rounded_to_55_5) {
  const ScaledDown down = scales_of_system("hf_gemma").scaled_down;
  EXPECT_EQ(down.factor.value, 55.5);
  EXPECT_EQ(down.exact_factor.value, std::sqrt(3072.0));
  // 1.0013 − 1: one rounding of the quotient is up to 1/0.0013 < 800 of the difference.
  expect_within(down.rounding_error, 55.5 / std::sqrt(3072.0) - 1, 3 * 800);
  ASSERT_EQ(down.rounds_identically.size(), 2u);
  EXPECT_EQ(down.rounds_identically[1].path, "scaled_down.rounds_identically.bfloat16");
  EXPECT_EQ(down.rounds_identically[1].value, false);
}

TEST(scaled_down, rounds_identically_where_the_rounded_multiplier_is_a_power_of_two) {
  for (const auto& [d, format, expected] : {std::tuple(4, "binary32", true),
                                            {64, "binary16", true},
                                            {256, "binary32", true},
                                            {256, "bfloat16", true},
                                            {257, "bfloat16", true},  // fl(√257) = 16
                                            {257, "binary16", false},
                                            {258, "bfloat16", true},
                                            {512, "binary32", false},
                                            {768, "bfloat16", false},
                                            {1021, "bfloat16", true},
                                            {1024, "binary64", true}}) {
    const auto all = scales(d, root_d + "multiplier_format = '" + format + "'", nowhere)
                         .scaled_down.rounds_identically;
    EXPECT_EQ(all.back().value, expected) << d << " in " << format;
    // It is said of binary32, and of the configuration's format if that is another.
    EXPECT_EQ(all.size(), all.back().path.ends_with(".binary32") ? 1u : 2u);
    EXPECT_TRUE(all.front().path.ends_with(".binary32"));
    EXPECT_TRUE(all.back().path.ends_with(format));
  }
}

TEST(scaled_down, shrinks_as_a_configuration_that_is_scaled_down) {
  // The norms that may see the sum first, with an ε that is seen.
  for (const std::string norm :
       {"[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 0.5\n",
        "[block]\nnorm = 'pre'\nkind = 'layer_norm'\nepsilon = 0.5\n",
        "[block]\nnorm = 'pre'\nkind = 'layer_norm'\nepsilon = 0.5\n"
        "epsilon_added_to = 'standard_deviation'\n",
        "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 2\n"
        "epsilon_added_to = 'standard_deviation'\n[block]\nnorm = 'post'\nepsilon = 7\n",
        "[embedding_norm]\nkind = 'layer_norm'\nepsilon = 1\n"})
    for (const std::string& kind : {sines + "first = 3\n", learned("2")}) {
      const Scales up = scales(8, normal("0.5", "multiplier = -4"), kind, norm);
      const Scales down = scales(8, normal("0.5"), kind + "multiplier = -0.25", norm);
      // 1 − 0.6 or so: some roundings of 1, over ten positions or so of eight channels.
      const auto expect = [&](const Quantity& shrinkage, const Scales& of) {
        EXPECT_NEAR(*shrinkage.value, 1 - *of.first_layer.input_rms.value, 200 * u64) << norm;
      };
      expect(up.scaled_down.epsilon_shrinkage_up, up);
      expect(up.scaled_down.epsilon_shrinkage_down, down);
      expect_within(up.scaled_down.input_rms, *down.input.input_rms.value, 4);
      EXPECT_FALSE(up.scaled_down.logit_std.value.has_value());
    }
}

TEST(scaled_down, of_a_post_norm_block_sees_the_sum_and_says_that_the_branch_is_left_out) {
  const ScaledDown pre = scales(4, root_d, sines, "[block]\nnorm = 'pre'\n").scaled_down,
                   post = scales(4, root_d, sines, "[block]\nnorm = 'post'\n").scaled_down;
  EXPECT_EQ(pre.epsilon_shrinkage_up.value, post.epsilon_shrinkage_up.value);
  EXPECT_EQ(pre.epsilon_shrinkage_up.method, Method::closed_form);
  EXPECT_EQ(post.epsilon_shrinkage_up.method, Method::without_branches);
}

TEST(scaled_down, divides_the_logits_twice_where_no_norm_is_in_the_way) {
  for (const char* norm : {"", "[block]\nnorm = 'post'\n"}) {
    const Scales up = scales(8, normal("0.5", "multiplier = 4"), sines, norm);
    const Scales down = scales(8, normal("0.5"), sines + "multiplier = 0.25", norm);
    expect_within(up.scaled_down.logit_std, *down.first_layer.logit_std.value, 20);
  }
}

}  // namespace
}  // namespace embedscale::audit
