// The first layer's figures, against sums of every product E⟨x_l, x_m⟩ over channels and positions.
#include "configurations.hpp"

#include <numbers>

namespace embedscale::audit {
namespace {

constexpr int d = 8, L = 6;  // with 2 heads of 4

struct Norms {
  bool centres;
  double epsilon;
  bool added_to_deviation = false;
};

/// x_l = t_l + p_l + s, its parts given outright.
struct Parts {
  double token = 1;                         ///< standard deviation, of
  int token_channels = d;                   ///< so many channels from the first
  std::vector<std::vector<double>> p = {};  ///< of sinusoids: L rows of d
  double learned = 0;  ///< standard deviation of a table in the other channels, or all
  double common = 0;   ///< of what is the same at all positions
  std::vector<Norms> norms = {};
  double sigma_q = 1, sigma_k = 1;
  double scale = 0.5;  ///< 1/√d_k
};

/// Sinusoids in the last `channels`; the ratio of one frequency to the one before.
std::vector<std::vector<double>> sinusoids(double multiplier, double ratio, int first = 0,
                                           int channels = d) {
  std::vector rows(L, std::vector<double>(d));
  for (int l = 0; l < L; ++l)
    for (int i = 0; i < channels / 2; ++i) {
      const double angle = (first + l) * std::pow(ratio, i);
      rows[l][d - channels + 2 * i] = multiplier * std::sin(angle);
      rows[l][d - channels + 2 * i + 1] = multiplier * std::cos(angle);
    }
  return rows;
}

enum class Which { all, token, position };

/// E⟨C x_l, C x_m⟩/d, C the centring matrix or 1, one channel with another.
double product(const Parts& parts, bool centred, int l, int m, Which which = Which::all) {
  const int learned_from = parts.token_channels == d ? 0 : parts.token_channels;
  double sum = 0;
  for (int j = 0; j < d; ++j)
    for (int k = 0; k < d; ++k) {
      double moment = 0;
      if (j == k && l == m && j < parts.token_channels && which != Which::position)
        moment += parts.token * parts.token;
      if (j == k && l == m && j >= learned_from && which != Which::token)
        moment += parts.learned * parts.learned;
      if (j == k && which == Which::all) moment += parts.common * parts.common;
      if (!parts.p.empty() && which != Which::token) moment += parts.p[l][j] * parts.p[m][k];
      sum += ((j == k ? 1.0 : 0.0) - (centred ? 1.0 / d : 0.0)) * moment;
    }
  return sum / d;
}

/// What the norms multiply a vector by that has mean square q, and v less its mean.
double factor(const Parts& parts, double q, double v) {
  double f = 1;
  bool centred = false;
  for (const Norms& norm : parts.norms) {
    centred |= norm.centres;
    const double rms = std::sqrt(centred ? v : q) * f;
    f /= norm.added_to_deviation ? rms + norm.epsilon : std::hypot(rms, std::sqrt(norm.epsilon));
  }
  return f;
}

/// Holds the figures of a configuration to the sums of its parts.
void expect_moments(const std::string& toml, const Parts& parts) {
  SCOPED_TRACE(toml);
  const bool centred = std::ranges::any_of(parts.norms, &Norms::centres);
  double q = 0, v = 0, all = 0, mean_key = 0, tokens = 0, positions = 0;
  std::vector<double> f(L);
  for (int l = 0; l < L; ++l) {
    const double q_l = product(parts, false, l, l), v_l = product(parts, centred, l, l);
    f[l] = factor(parts, q_l, v_l);
    q += q_l / L, v += v_l / L, all += f[l] * f[l] * v_l / L;
    tokens += f[l] * f[l] * product(parts, centred, l, l, Which::token) / L;
    positions += f[l] * f[l] * product(parts, centred, l, l, Which::position) / L;
  }
  for (int l = 0; l < L; ++l)
    for (int m = 0; m < L; ++m) mean_key += f[l] * f[m] * product(parts, centred, l, m) / (L * L);
  const double rms = std::sqrt(v) * factor(parts, q, v);
  const double logits = std::abs(parts.scale) * 2 * parts.sigma_q * parts.sigma_k * d;

  const FirstLayer got = audited(
                             "[model]\nd_model = 8\nheads = 2\npositions = 6\n"
                             "vocabulary = 100\n" +
                             toml)
                             .scales.first_layer;
  // L²·d² = 2304 terms, an angle to 12 off by 12 u, and what is left of them when the mean over
  // channels and the mean key are taken away. The multipliers are exact.
  const double left = std::min({1.0, v / q, (all - mean_key) / all});
  ASSERT_GE(left, 0.01);
  const double roundings = (L * L * d * d + 12) / left;
  expect_within(got.input_rms, rms, roundings);
  expect_within(got.logit_std, logits * rms * rms, roundings);
  expect_within(got.logit_std_over_keys, logits * std::sqrt(all * (all - mean_key)), roundings);
  expect_within(got.token_token, tokens * tokens / (all * all), roundings);
  expect_within(got.token_position, tokens * positions / (all * all), roundings);
  expect_within(got.position_token, tokens * positions / (all * all), roundings);
  expect_within(got.position_position, positions * positions / (all * all), roundings);
}

const std::string normal_tokens = "[token]\nlaw = 'normal'\nstandard_deviation = 0.5\n",
                  unit =
                      "[attention]\nprojection = 'normal'\n"
                      "projection_standard_deviation = 1\n",
                  sines = normal_tokens + "[position]\nkind = 'sinusoidal'\nmultiplier = 2\n",
                  learned = normal_tokens +
                            "[position]\nkind = 'learned'\nlaw = 'normal'\n"
                            "standard_deviation = 2\n",
                  on_deviation = "epsilon_added_to = 'standard_deviation'\n",
                  rms_on_sum = "[embedding_norm]\nkind = 'rms_norm'\nepsilon = 0.5\n";
const double paper = std::pow(10000, -2.0 / d), tensor2tensor = std::pow(10000, -1.0 / (d / 2 - 1));
std::string block(const char* norm, const char* kind, const char* epsilon,
                  const std::string& rest = "") {
  return fmt::format("[block]\nnorm = '{}'\nkind = '{}'\nepsilon = {}\n{}", norm, kind, epsilon,
                     rest);
}

const auto p = sinusoids(2, paper), from_7 = sinusoids(2, tensor2tensor, 7);

TEST(first_layer, has_the_moments_of_a_sum_over_channels_and_positions) {
  expect_moments(sines + unit, {.token = 0.5, .p = p});
  expect_moments(sines + unit + block("post", "layer_norm", "1e-5"), {.token = 0.5, .p = p});
  expect_moments(learned + unit, {.token = 0.5, .learned = 2});
  expect_moments(sines + "first = 7\nlayout = 'halves'\nfrequencies = 'tensor2tensor'\n" + unit,
                 {.token = 0.5, .p = from_7});
  // One norm.
  expect_moments(sines + unit + block("pre", "rms_norm", "2"),
                 {.token = 0.5, .p = p, .norms = {{false, 2}}});
  expect_moments(learned + unit + block("pre", "layer_norm", "3"),
                 {.token = 0.5, .learned = 2, .norms = {{true, 3}}});
  expect_moments(
      sines + "first = 7\nfrequencies = 'tensor2tensor'\n" + unit + block("pre", "layer_norm", "2"),
      {.token = 0.5, .p = from_7, .norms = {{true, 2}}});
  expect_moments(sines + unit + block("pre", "layer_norm", "2", on_deviation),
                 {.token = 0.5, .p = p, .norms = {{true, 2, true}}});
  expect_moments(learned + unit + block("pre", "rms_norm", "2", on_deviation),
                 {.token = 0.5, .learned = 2, .norms = {{false, 2, true}}});
  // One on the sum, and perhaps another.
  expect_moments(sines + rms_on_sum + unit + block("pre", "layer_norm", "0.25"),
                 {.token = 0.5, .p = p, .norms = {{false, 0.5}, {true, 0.25}}});
  expect_moments(sines + "[embedding_norm]\nepsilon = 0.5\n" + on_deviation + unit +
                     block("pre", "rms_norm", "0.25"),
                 {.token = 0.5, .p = p, .norms = {{true, 0.5, true}, {false, 0.25}}});
  expect_moments(learned + rms_on_sum + unit + block("post", "layer_norm", "9"),
                 {.token = 0.5, .learned = 2, .norms = {{false, 0.5}}});
}

TEST(first_layer, has_the_moments_of_further_tables_and_other_parts_and_projections) {
  // Further tables.
  expect_moments(sines + unit +
                     "[[extra]]\nlaw = 'normal'\nstandard_deviation = 3\nmultiplier = -1\n"
                     "[[extra]]\nlaw = 'uniform'\nhalf_range = 1\nmultiplier = 'sqrt(48)'\n",
                 {.token = 0.5, .p = p, .common = 5});
  expect_moments(sines + unit + "[[extra]]\nlaw = 'normal'\nstandard_deviation = 1.5\n" +
                     block("pre", "layer_norm", "0"),
                 {.token = 0.5, .p = p, .common = 1.5, .norms = {{true, 0}}});
  // Beside the tokens, or nowhere.
  expect_moments(
      normal_tokens + "width = 4\n[position]\nkind = 'sinusoidal'\ncombine = 'concatenation'\n" +
          unit + block("pre", "layer_norm", "1"),
      {.token = 0.5, .token_channels = 4, .p = sinusoids(1, 0.01, 0, 4), .norms = {{true, 1}}});
  expect_moments(normal_tokens +
                     "width = 3\n[position]\nkind = 'learned'\nlaw = 'normal'\n"
                     "standard_deviation = 2\ncombine = 'concatenation'\n" +
                     unit,
                 {.token = 0.5, .token_channels = 3, .learned = 2});
  expect_moments(
      normal_tokens + "[position]\nkind = 'rotary'\n" + unit + block("pre", "rms_norm", "1"),
      {.token = 0.5, .norms = {{false, 1}}});
  expect_moments(
      normal_tokens + "[position]\nkind = 'relative'\n" + unit + block("pre", "layer_norm", "1"),
      {.token = 0.5, .norms = {{true, 1}}});
  // √8 is 2.828125 in bfloat16: seven bits behind the first.
  expect_moments(normal_tokens +
                     "multiplier = 'sqrt(d_model)'\nmultiplier_format = 'bfloat16'\n"
                     "[position]\nkind = 'sinusoidal'\n" +
                     unit,
                 {.token = 0.5 * 2.828125, .p = sinusoids(1, paper)});
  // Projections.
  expect_moments(sines +
                     "[attention]\nscale = -3\nprojection = 'zeros'\nprojection_q = 'uniform'\n"
                     "projection_q_half_range = 2\nprojection_k = 'xavier_normal'\n",
                 {.token = 0.5,
                  .p = p,
                  .sigma_q = 2 / std::numbers::sqrt3,
                  .sigma_k = std::sqrt(2.0 / (d + d)),
                  .scale = -3});
  expect_moments(sines + "[attention]\nprojection_q = 'zeros'\n",
                 {.token = 0.5, .p = p, .sigma_q = 0});
  const double packed = std::sqrt(2.0 / (4 * d)), xavier = std::sqrt(2.0 / (2 * d));
  expect_moments(sines + "[attention]\nprojection = 'packed_xavier_uniform'\n",
                 {.token = 0.5, .p = p, .sigma_q = packed, .sigma_k = packed});
  expect_moments(sines, {.token = 0.5, .p = p, .sigma_q = xavier, .sigma_k = xavier});
}

}  // namespace
}  // namespace embedscale::audit
