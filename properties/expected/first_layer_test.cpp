// Moments of what the first attention sees, and of its logits, against models of the library's own
// primitives: all their sign patterns counted out at d = 2, sinusoids as they are.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "first_layer_model.hpp"

namespace embedscale::properties::testing::first_layer_test {
namespace {

using namespace expected;
using namespace first_layer;
constexpr auto variance = EpsilonPlacement::variance;
constexpr auto deviation = EpsilonPlacement::standard_deviation;
constexpr auto paper = FrequencyRule::paper;
constexpr auto layer = Norm::Kind::layer_norm, rms = Norm::Kind::rms_norm;

// All sign patterns of tokens, segment, learned table and both weights. Nothing is left to chance
// or to 1/d: behind RMSNorm, too, as ‖x‖ is constant, and behind a LayerNorm whose ε is so large
// that it centres alone, but for a logit's square. Only the sums round: by u for each pattern, and
// by fewer than 256 u within one.
TEST(expected_first_layer, is_the_mean_over_all_sign_patterns) {
  const std::vector<Norm> centring{{layer, 0x1p60, variance}};
  for (const Model& model : {
           Model{"tokens", 3, 0.7, 0, 0, {}, {}},
           {"segment", 3, 0.7, 0.3, 0, {}, {}},
           {"learned", 2, 0.7, 0.3, 0.4, {}, {}},
           {"sinusoids", 3, 0.7, 0.3, 0, {{paper, 3, 0.9}}, {}},
           {"concatenated", 3, 0.7, 0.3, 0.5, {}, {}, 0.5},
           {"RMSNorm", 3, 0.7, 0, 0, {}, {{rms, 0.3, variance}}},
           {"RMSNorm, ε outside", 3, 0.7, 0, 0, {}, {{rms, 0.3, deviation}}},
           {"learned, centred", 2, 0.7, 0.3, 0.4, {}, centring},
           {"sinusoids, centred", 3, 0.7, 0.3, 0, {{paper, 3, 0.9}}, centring},
           {"concatenated, centred", 3, 0.7, 0.3, 0.5, {}, centring, 0.5},
       }) {
    const auto table = sinusoids(model, 2);
    const Six formula = stated(model, 2, 2);
    Six sum{};
    std::uint64_t pattern = 0, patterns = 2;  // 2^signs, once a model has drawn its signs
    for (; pattern < patterns; ++pattern) {
      std::size_t signs = 0;
      auto next = [&] { return (pattern >> signs++) % 2 == 1 ? 1.0 : -1.0; };
      const Six six = run(model, 2, 2, table, next);
      patterns = std::uint64_t{1} << signs;
      for (std::size_t k = 0; k < 6; ++k) sum[k] += six[k];
    }
    const auto n = static_cast<double>(patterns);
    for (std::size_t k = centres(model.norms) ? 2 : 0; k < 6; ++k)
      EXPECT_NEAR(sum[k] / n, formula[k], (n + 256) * 0x1p-53 * formula[k])
          << model.name << ": " << names[k];
  }
}

// By how much two ways to a mean square of sinusoids behind norms may differ, relative to it: κ is
// the mean over positions of q/v, mean squares before and after the mean over channels is taken
// away, from 1 on. Their channels differ by 3·10⁻¹⁴ of the multiplier and twice u·θ (see
// for_each_position), e in all, and so v by 2√2·e·√(q/v) of it. Sums over d channels and L
// positions round by u·q for each term: on both sides for each norm and the square behind them. A
// norm's factor falls where v grows, which takes some away; where v is small it is more, but on a
// smaller part of the sum, so that means over positions will do (Chebyshev's inequality for sums).
double tolerance(std::size_t d, std::size_t norms, std::int64_t length, double kappa) {
  constexpr double u = 0x1p-53, last_angle = 107;
  const double channels = 3e-14 + 2 * u * last_angle;
  const auto terms =
      static_cast<double>(2 * (norms + 1) * (d + 8)) + 2 * static_cast<double>(length);
  return 2 * std::sqrt(2.0 * kappa) * channels + terms * u * kappa;
}

// Sinusoids alone are no random numbers, and their moments behind norms are what they are.
TEST(expected_first_layer, is_exact_for_sinusoids_alone) {
  for (const std::size_t d : {4u, 6u, 32u, 512u})
    for (const double share : {0.0, 0.5})
      for (const std::int64_t length : {1, 2, 13, 100})
        for (const auto& norms : std::vector<std::vector<Norm>>{
                 {},
                 {{rms, 0.3, variance}},
                 {{layer, 1e-5, variance}},
                 {{layer, 0.3, deviation}},
                 {{rms, 0.1, deviation}, {layer, 0.3, variance}},
                 {{layer, 0.2, variance}, {rms, 0.3, variance}, {layer, 0.1, deviation}}}) {
          Model model{"", length, 0, 0, 0, {{paper, 7, 0.8}}, norms};
          model.token_share = share == 0 ? 1 : share;
          if (model.position_begin(d) % 2 == 1) continue;
          auto rows = sinusoids(model, d);
          double all = 0, centred = 0, kappa = 0;
          for (auto& x : rows) {
            auto about_mean = x;
            centre(about_mean);
            kappa += square(x) / square(about_mean) / static_cast<double>(rows.size());
            centred += square(about_mean) / static_cast<double>(d * rows.size());
            normalize(norms, x);
            all += square(x) / static_cast<double>(d * rows.size());
          }
          const double constant = square_of_mean(rows) / static_cast<double>(d);
          const InputMoments moments = input_moments(model.input(d), norms);
          const double near = tolerance(d, norms.size(), length, kappa);
          EXPECT_NEAR(moments.all, all, near * all);
          EXPECT_NEAR(moments.position, all, near * all);
          EXPECT_EQ(moments.token, 0.0);
          EXPECT_NEAR(moments.over_keys, all - constant, 2 * near * all);
          EXPECT_NEAR(centred_mean_square(model.input(d)), centred, near * centred);
        }
}

// Behind LayerNorm each position has a factor g of its own, and what all share is multiplied by its
// mean: less (E g)² of the segment, not E g², is left of it over keys. From the sums themselves.
TEST(expected_first_layer, shared_parts_have_the_mean_of_the_factors) {
  constexpr double token = 0.02, segment = 0.3, epsilon = 0.01;
  for (const std::size_t d : {4u, 6u, 32u})
    for (const std::int64_t length : {2, 13, 100}) {
      const Model model{
          "", length, token, segment, 0, {{paper, 7, 0.8}}, {{layer, epsilon, variance}}};
      const double n = static_cast<double>(length), width = static_cast<double>(d);
      const double left = 1 - 1 / width;  // of what is random, without its mean over channels
      auto rows = sinusoids(model, d);
      double all = 0, g_mean = 0, g2_mean = 0, kappa = 0;
      for (auto& x : rows) {
        const double before = token + segment + square(x) / width;
        centre(x);
        const double v = left * (token + segment) + square(x) / width;
        const double g = 1 / std::sqrt(v + epsilon);
        for (double& channel : x) channel *= g;
        all += g * g * v / n, g_mean += g / n, g2_mean += g * g / n, kappa += before / v / n;
      }
      const double over_keys = all - square_of_mean(rows) / width - left * token * g2_mean / n -
                               left * segment * g_mean * g_mean;
      const double near = tolerance(d, 1, length, kappa) * all;
      const InputMoments moments = input_moments(model.input(d), model.norms);
      EXPECT_NEAR(moments.all, all, near);
      EXPECT_NEAR(moments.token, left * token * g2_mean, near);
      EXPECT_NEAR(moments.over_keys, over_keys, 2 * near);
      EXPECT_GT(left * segment * (g2_mean - g_mean * g_mean), 1000 * near) << "one factor for all";
    }
}

TEST(expected_first_layer, centring_takes_one_channel_of_what_is_random) {
  const Input learned{8, 0.5, 0.25, LearnedTable{0.25, 3}};
  EXPECT_DOUBLE_EQ(centred_mean_square(learned), 0.875);
  const std::vector<Norm> norms{{layer, 0.125, variance}};
  EXPECT_DOUBLE_EQ(input_moments(learned, norms).all, 0.875 / (0.875 + 0.125));
  EXPECT_EQ(centred_mean_square({1, 0.5, 0.25}), 0.0);
  const Input sines = Model{"", 9, 1, 0.5, 0, {{paper, 0, 1}}, {}}.input(8);
  const Input alone = Model{"", 9, 0, 0, 0, {{paper, 0, 1}}, {}}.input(8);
  EXPECT_DOUBLE_EQ(centred_mean_square(sines), 1.5 * 7 / 8 + centred_mean_square(alone));
}

TEST(expected_first_layer, a_single_key_deviates_from_nothing) {
  for (const std::vector<Norm>& norms :
       {std::vector<Norm>{}, {{rms, 0.3, variance}}, {{layer, 0.3, variance}}})
    for (const Model& model : {Model{"", 1, 1, 0.5, 0, {}, {}},
                               {"", 1, 1, 0.5, 0.25, {}, {}},
                               {"", 1, 1, 0.5, 0, {{paper, 3, 1}}, {}}}) {
      const InputMoments m = input_moments(model.input(8), norms);
      EXPECT_NEAR(m.over_keys, 0,
                  16 * 0x1p-53 * m.all);  // 8 channels, and what becomes of each sum
    }
}

TEST(expected_first_layer, logit_deviation_has_the_root_of_d_k_and_no_sign) {
  EXPECT_EQ(logit_std(-0.5, 16, 0.25, 2, 8, 4, 9), 0.5 * 4 * 0.25 * 2 * 8 * 6);
  EXPECT_EQ(logit_std(0.5, 16, 0.25, 2, 8, 0, 9), 0.0);
}

TEST(expected_first_layer, refuses_a_norm_of_nothing) {
  const std::vector<Norm> norms{{layer, 0, variance}};
  EXPECT_THROW(input_moments({8}, norms), std::invalid_argument);
  EXPECT_THROW(input_moments({1, 0.5}, norms), std::invalid_argument);  // its mean is all it has
  EXPECT_THROW(input_moments({8}, std::vector<Norm>{{rms, 0, deviation}}), std::invalid_argument);
  EXPECT_EQ(input_moments({8}, std::vector<Norm>{{rms, 0.1, deviation}}).all, 0.0);
}

}  // namespace
}  // namespace embedscale::properties::testing::first_layer_test
