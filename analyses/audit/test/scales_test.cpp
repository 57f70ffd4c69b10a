// What an audit computes beside the cases of cases.txt: what the library's formulas give, whose own
// tests hold them to sums and draws, for the input that a configuration stands for, given outright.
#include "configurations.hpp"

#include <embedscale/expected/first_layer.hpp>
#include <embedscale/expected/position_table.hpp>
#include <embedscale/expected/softmax.hpp>

#include <numbers>

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
  const Scales s = scales(8, normal("1"),
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

using expected::LearnedTable, expected::NoTable, expected::Norm, expected::SinusoidalTable;

constexpr double d = 8, L = 6;  // with 2 heads of 4
constexpr auto layer = Norm::Kind::layer_norm, rms = Norm::Kind::rms_norm;
constexpr auto deviation = EpsilonPlacement::standard_deviation;

/// What a configuration stands for. Mean squares are per channel of the whole width.
struct Parts {
  double token = 0.25;
  decltype(expected::Input::position) position = NoTable{6};
  double common = 0;
  std::vector<Norm> norms = {};
  double sigma_q = 1, sigma_k = 1;
  double scale = 0.5;  ///< 1/√d_k
};

/// Sinusoids of a configuration in the last `channels`.
SinusoidalTable sinusoids(double multiplier, FrequencyRule rule = FrequencyRule::paper,
                          std::int64_t first = 0, std::size_t channels = 8) {
  return {sinusoidal_frequencies<double>(channels, rule, 10000), first, 6, multiplier};
}

void expect_moments(const std::string& toml, const Parts& parts) {
  SCOPED_TRACE(toml);
  const expected::Input input{8, parts.token, parts.common, parts.position};
  const auto m = expected::input_moments(input, parts.norms);
  const double q = expected::mean_square(input),
               v = expected::centres(parts.norms) ? expected::centred_mean_square(input) : q,
               seen = std::sqrt(v) * expected::factor_of(parts.norms, q, v);
  const double logits = std::abs(parts.scale) * 2 * parts.sigma_q * parts.sigma_k * d;
  const FirstLayer got = audited(
                             "[model]\nd_model = 8\nheads = 2\npositions = 6\n"
                             "vocabulary = 100\n" +
                             toml)
                             .scales.first_layer;
  // The parts are given in other words: some roundings each, of what norms and the mean key leave.
  ASSERT_GE(std::min({1.0, v / q, m.over_keys / m.all}), 0.01);
  const auto expect = [](const Quantity& figure, double value) {
    expect_within(figure, value, 40 / 0.01);
  };
  expect(got.input_rms, seen);
  expect(got.logit_std, logits * seen * seen);
  expect(got.logit_std_over_keys, logits * std::sqrt(m.all * m.over_keys));
  expect(got.token_token, m.token * m.token / (m.all * m.all));
  expect(got.token_position, m.token * m.position / (m.all * m.all));
  expect(got.position_token, m.token * m.position / (m.all * m.all));
  expect(got.position_position, m.position * m.position / (m.all * m.all));
  const auto softmax = expected::log_sum_exp_and_entropy(*got.logit_std_over_keys.value, 6);
  EXPECT_EQ(got.entropy.value, softmax.entropy.value);
  EXPECT_EQ(got.entropy.error, softmax.entropy.error);
  EXPECT_EQ(got.entropy.method, Method::quadrature);
}

const std::string normal_tokens = "[token]\nlaw = 'normal'\nstandard_deviation = 0.5\n",
                  unit =
                      "[attention]\nprojection = 'normal'\n"
                      "projection_standard_deviation = 1\n",
                  sines = normal_tokens + "[position]\nkind = 'sinusoidal'\nmultiplier = 2\n",
                  from_7 = sines + "first = 7\nfrequencies = 'tensor2tensor'\n",
                  learned = normal_tokens +
                            "[position]\nkind = 'learned'\nlaw = 'normal'\n"
                            "standard_deviation = 2\n",
                  beside = "combine = 'concatenation'\n",
                  on_deviation = "epsilon_added_to = 'standard_deviation'\n",
                  rms_on_sum = "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 0.5\n";
std::string block(const char* norm, const char* kind, const char* epsilon,
                  const std::string& rest = "") {
  return fmt::format("[block]\nnorm = '{}'\nkind = '{}'\nepsilon = {}\n{}", norm, kind, epsilon,
                     rest);
}

TEST(first_layer, has_the_moments_of_the_input_and_the_norms_that_a_configuration_stands_for) {
  const SinusoidalTable p = sinusoids(2), later = sinusoids(2, FrequencyRule::tensor2tensor, 7);
  const LearnedTable table{4, 6};
  const double packed = std::sqrt(2.0 / (4 * d)), xavier = std::sqrt(2.0 / (2 * d));
  const std::vector<std::pair<std::string, Parts>> cases = {
      {sines + unit, {.position = p}},
      {learned + unit, {.position = table}},
      {from_7 + "layout = 'halves'\n" + unit, {.position = later}},
      // One norm.
      {sines + unit + block("pre", "rms_norm", "2"), {.position = p, .norms = {{rms, 2}}}},
      {from_7 + unit + block("pre", "layer_norm", "2"), {.position = later, .norms = {{layer, 2}}}},
      {learned + unit + block("pre", "rms_norm", "2", on_deviation),
       {.position = table, .norms = {{rms, 2, deviation}}}},
      // One on the sum, and perhaps another.
      {sines + rms_on_sum + unit + block("pre", "layer_norm", "0.25"),
       {.position = p, .norms = {{rms, 0.5}, {layer, 0.25}}}},
      {sines + "[embedding_norm]\nepsilon = 0.5\n" + on_deviation + unit +
           block("pre", "rms_norm", "0.25"),
       {.position = p, .norms = {{layer, 0.5, deviation}, {rms, 0.25}}}},
      {learned + rms_on_sum + unit + block("post", "layer_norm", "9"),
       {.position = table, .norms = {{rms, 0.5}}}},
      // Further tables: 9 + 48/3 = 25.
      {sines + unit +
           "[[extra]]\nlaw = 'normal'\nstandard_deviation = 3\nmultiplier = -1\n"
           "[[extra]]\nlaw = 'uniform'\nhalf_range = 1\nmultiplier = 'sqrt(48)'\n",
       {.position = p, .common = 25}},
      // Beside the tokens, or nowhere.
      {normal_tokens + "width = 4\n[position]\nkind = 'sinusoidal'\n" + beside + unit +
           block("pre", "layer_norm", "1"),
       {.token = 0.125,
        .position = sinusoids(1, FrequencyRule::paper, 0, 4),
        .norms = {{layer, 1}}}},
      {normal_tokens + "width = 3\n" + learned.substr(normal_tokens.size()) + beside + unit,
       {.token = 0.25 * 3 / d, .position = LearnedTable{4 * 5 / d, 6}}},
      {normal_tokens + "[position]\nkind = 'rotary'\n" + unit + block("pre", "rms_norm", "1"),
       {.norms = {{rms, 1}}}},
      // √8 is 2.828125 in bfloat16: seven bits behind the first.
      {normal_tokens + "multiplier = 'sqrt(d_model)'\nmultiplier_format = 'bfloat16'\n" +
           "[position]\nkind = 'sinusoidal'\n" + unit,
       {.token = 0.25 * 2.828125 * 2.828125, .position = sinusoids(1)}},
      // Projections.
      {sines + "[attention]\nscale = -3\nprojection_q = 'uniform'\n"
               "projection_q_half_range = 2\nprojection_k = 'xavier_normal'\n",
       {.position = p, .sigma_q = 2 / std::numbers::sqrt3, .sigma_k = xavier, .scale = -3}},
      {sines + "[attention]\nprojection_q = 'zeros'\n", {.position = p, .sigma_q = 0}},
      {sines + "[attention]\nprojection = 'packed_xavier_uniform'\n",
       {.position = p, .sigma_q = packed, .sigma_k = packed}},
  };
  for (const auto& [toml, parts] : cases) expect_moments(toml, parts);
}

}  // namespace
}  // namespace embedscale::audit
