// What an audit computes beside the cases of cases.txt, against formulas of the library.
#include "configurations.hpp"

#include <embedscale/expected/position_table.hpp>
#include <embedscale/expected/softmax.hpp>

namespace embedscale::audit {
namespace {

const std::string with_sines = "kind = 'sinusoidal'\n";
std::string normal(const char* deviation, const char* more = "") {
  return fmt::format("law = 'normal'\nstandard_deviation = {}\n{}\n", deviation, more);
}
std::string with_learned(const char* deviation, const char* more = "") {
  return "kind = 'learned'\n" + normal(deviation, more);
}

TEST(constant_share, is_the_librarys_for_the_table_that_is_added) {
  const Scales s = scales(8, root_d,
                          with_sines +
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
    for (const int words : {2, 256000}) {
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
}

TEST(findings, warn_of_logits_that_pass_the_largest_of_as_many_normal_ones) {
  const auto at_scale = [](double factor) {
    return audited(whole, {{"model.positions", "12"},
                           {"output.multiplier", "d_model^-0.5"},
                           {"attention.scale", fmt::format("{}", factor)}});
  };
  const double unit = *at_scale(1).scales.first_layer.logit_std_over_keys.value,
               most = std::sqrt(2 * std::log(12));
  EXPECT_TRUE(at_scale(0.999 * most / unit).findings.empty());
  const auto findings = at_scale(1.001 * most / unit).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].claim, "attention.unscaled_softmax_saturates");
  EXPECT_EQ(findings[0].severity, Severity::warning);
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
    for (const std::string& kind : {with_sines + "first = 3\n", with_learned("2")}) {
      const Scales up = scales(8, normal("0.5", "multiplier = -4"), kind, norm);
      const Scales down = scales(8, normal("0.5"), kind + "multiplier = -0.25", norm);
      // 1 − 0.6 or so: some roundings of 1, over ten positions or so of eight channels.
      const auto expect = [&](const Quantity& shrinkage, const Scales& of) {
        EXPECT_NEAR(*shrinkage.value, 1 - *of.first_layer.input_rms.value, 200 * u64) << norm;
      };
      expect(up.scaled_down.epsilon_shrinkage_up, up);
      expect(up.scaled_down.epsilon_shrinkage_down, down);
      EXPECT_NEAR(*up.scaled_down.epsilon_deviation.value,
                  1 - *down.first_layer.input_rms.value / *up.first_layer.input_rms.value,
                  400 * u64)
          << norm;
      expect_within(up.scaled_down.input_rms, *down.input.input_rms.value, 4);
      EXPECT_FALSE(up.scaled_down.logit_std.value.has_value());
    }
}

}  // namespace
}  // namespace embedscale::audit
