// What would change if the multiplier moved to the positions, against configurations in which it
// did, and against the arithmetic itself.
#include "audit_text.hpp"

#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/format.hpp>
#include <embedscale/random.hpp>

namespace embedscale::audit {
namespace {

const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'\n";

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

/// Whether m·down has the bits of up in `Real` for 4096 drawn pairs.
template <class Real>
bool agrees_on_draws(int d) {
  const Stream stream(7, "audit_test.pairs");
  const Real m = root_multiplier<Real>(static_cast<std::uint64_t>(d));
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const auto e = static_cast<Real>(stream.normal(2 * i) / std::sqrt(d));
    const auto p = static_cast<Real>(stream.normal(2 * i + 1));
    if (up(e, p, m) != m * down(e, p, m)) return false;
  }
  return true;
}

TEST(scaled_down, rounds_identically_exactly_where_the_arithmetic_does) {
  const auto verdict = [](int d, const std::string& format) {
    const Scales s = scales(d, root_d + "multiplier_format = '" + format + "'", "kind = 'none'");
    return *s.scaled_down.rounds_identically.back().value;
  };
  for (const int d : {4, 64, 200, 256, 257, 258, 512, 768, 1021, 1024}) {
    EXPECT_EQ(verdict(d, "binary32"), agrees_on_draws<float>(d)) << d;
    EXPECT_EQ(verdict(d, "binary64"), agrees_on_draws<double>(d)) << d;
    EXPECT_EQ(verdict(d, "binary16"), agrees_on_draws<binary16>(d)) << d;
    EXPECT_EQ(verdict(d, "bfloat16"), agrees_on_draws<bfloat16>(d)) << d;
  }
  EXPECT_TRUE(verdict(256, "binary32"));
  EXPECT_FALSE(verdict(512, "binary32"));
  EXPECT_TRUE(verdict(257, "bfloat16"));  // fl(√257) = 16, though √257 is not
}

TEST(scaled_down, tells_binary32_and_the_format_of_the_configuration) {
  const auto formats = [](const std::string& format) {
    std::string paths;
    for (const Verdict& v :
         scales(256, root_d + "multiplier_format = '" + format + "'", "kind = 'none'")
             .scaled_down.rounds_identically)
      paths += v.path.substr(v.path.rfind('.') + 1) + " ";
    return paths;
  };
  EXPECT_EQ(formats("binary32"), "binary32 ");
  EXPECT_EQ(formats("bfloat16"), "binary32 bfloat16 ");
}

/// The norms that may see the sum first, with an ε that is seen.
const std::vector<std::string> norms = {
    "[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 0.5\n",
    "[block]\nnorm = 'pre'\nkind = 'layer_norm'\nepsilon = 0.5\n",
    "[block]\nnorm = 'pre'\nkind = 'layer_norm'\nepsilon = 0.5\n"
    "epsilon_added_to = 'standard_deviation'\n",
    "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 2\nepsilon_added_to = 'standard_deviation'\n"
    "[block]\nnorm = 'post'\nepsilon = 7\n",
    "[embedding_norm]\nkind = 'layer_norm'\nepsilon = 1\n"};

TEST(scaled_down, shrinks_as_a_configuration_that_is_scaled_down) {
  const std::string law = "law = 'normal'\nstandard_deviation = 0.5\n";
  for (const std::string& kind : {std::string("kind = 'sinusoidal'\nfirst = 3\n"),
                                  std::string("kind = 'learned'\nlaw = 'normal'\n"
                                              "standard_deviation = 2\n")})
    for (const std::string& norm : norms) {
      const Scales up = scales(8, law + "multiplier = -4", kind, norm);
      const Scales down = scales(8, law, kind + "multiplier = -0.25", norm);
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

TEST(scaled_down, keeps_a_small_shrinkage_to_its_last_digit) {
  // 1 − √(q/(q + ε)) = ε/(2q)·(1 − 3ε/(4q) + …): where 1 − RMS would have lost all digits but two.
  const Scales s =
      scales(4, "law = 'normal'\nstandard_deviation = 1\nmultiplier = 8", "kind = 'none'",
             "[block]\nnorm = 'pre'\nkind = 'rms_norm'\n"
             "epsilon = 1e-12\n");
  expect_within(s.scaled_down.epsilon_shrinkage_up, 1e-12 / 128 * (1 - 0.75e-12 / 64), 8);
  expect_within(s.scaled_down.epsilon_shrinkage_down, 1e-12 / 2 * (1 - 0.75e-12), 8);
}

TEST(scaled_down, of_a_post_norm_block_sees_the_sum_and_says_that_the_branch_is_left_out) {
  const ScaledDown
      pre = scales(4, root_d, "kind = 'sinusoidal'", "[block]\nnorm = 'pre'\n").scaled_down,
      post = scales(4, root_d, "kind = 'sinusoidal'", "[block]\nnorm = 'post'\n").scaled_down;
  EXPECT_EQ(pre.epsilon_shrinkage_up.value, post.epsilon_shrinkage_up.value);
  EXPECT_EQ(pre.epsilon_shrinkage_up.method, Method::closed_form);
  EXPECT_EQ(post.epsilon_shrinkage_up.method, Method::without_branches);
}

TEST(scaled_down, divides_the_logits_twice_where_no_norm_is_in_the_way) {
  const std::string law = "law = 'normal'\nstandard_deviation = 0.5\n";
  for (const char* norm : {"", "[block]\nnorm = 'post'\n"}) {
    const Scales up = scales(8, law + "multiplier = 4", "kind = 'sinusoidal'", norm);
    const Scales down = scales(8, law, "kind = 'sinusoidal'\nmultiplier = 0.25", norm);
    expect_within(up.scaled_down.logit_std, *down.first_layer.logit_std.value, 20);
  }
}

TEST(scaled_down, by_zero_does_not_apply) {
  const ScaledDown down = scales(8, "law = 'normal'\nstandard_deviation = 1\nmultiplier = 0",
                                 "kind = 'sinusoidal'", norms[0])
                              .scaled_down;
  EXPECT_EQ(down.factor.value, 0.0);
  for (const Quantity* q :
       {&down.input_rms, &down.epsilon_shrinkage_up, &down.epsilon_shrinkage_down})
    EXPECT_EQ(q->missing, "does not apply: positions cannot be divided by 0");
  EXPECT_FALSE(down.rounding_error.value.has_value());
  EXPECT_EQ(down.rounds_identically[0].missing, "token.multiplier = 0 is 0 in binary32");
}

TEST(scaled_down, has_no_rounding_error_to_tell_in_binary64) {
  const ScaledDown down =
      scales(8, root_d + "multiplier_format = 'binary64'", "kind = 'none'").scaled_down;
  EXPECT_EQ(down.factor.value, std::sqrt(8.0));
  EXPECT_TRUE(down.rounding_error.missing.starts_with("is not known"))
      << down.rounding_error.missing;
}

TEST(nothing, over_nothing_is_missing_and_says_why) {
  const Scales s =
      scales(8, "law = 'normal'\nstandard_deviation = 1\nmultiplier = 0", "kind = 'none'",
             "[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 0\n");
  EXPECT_EQ(s.first_layer.input_rms.missing,
            "divides 0 by 0: a norm's input and epsilon are both 0");
  EXPECT_EQ(s.first_layer.entropy.missing, s.first_layer.input_rms.missing);
  EXPECT_EQ(s.output.own_logit.missing, "divides by input.rms, which is 0");
  const Scales bare =
      scales(8, "law = 'normal'\nstandard_deviation = 1\nmultiplier = 0", "kind = 'none'");
  EXPECT_EQ(bare.first_layer.logit_std.value, 0.0);
  EXPECT_EQ(bare.first_layer.token_token.missing, "divides by attention_input.rms, which is 0");
}

}  // namespace
}  // namespace embedscale::audit
