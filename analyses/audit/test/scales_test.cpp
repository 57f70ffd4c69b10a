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

TEST(figures, over_a_single_key_are_0) {
  const FirstLayer one = audited(whole, {{"model.positions", "1"}}).scales.first_layer;
  EXPECT_EQ(one.logit_std_over_keys.value, 0.0);
  EXPECT_EQ(one.entropy.value, 0.0);
}

TEST(constant_share, is_the_librarys_for_the_table_that_is_added) {
  const Scales s = scales(8, root_d,
                          sines +
                              "frequencies = 'tensor2tensor'\nbase = 50\nfirst = 3\n"
                              "multiplier = 7");
  expect_within(
      s.input.constant_share,
      expected::constant_share(
          {sinusoidal_frequencies<double>(8, FrequencyRule::tensor2tensor, 50), 3, 12, 1}),
      1);
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
