// Moments of what the first attention sees, and of its logits, against models of the library's own
// primitives: all their sign patterns counted out at d = 2, drawn at d = 32 with weights and
// without, and at d = 512, where the O(1/d) that the formulas leave out of norms is small.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "oracle/first_layer_draws.hpp"
#include "testing/statistical.hpp"

namespace embedscale::properties::testing {
namespace {

using evidence::BatchMean;
using namespace oracle;
constexpr auto variance = EpsilonPlacement::variance;
constexpr auto deviation = EpsilonPlacement::standard_deviation;
constexpr auto paper = FrequencyRule::paper, tensor2tensor = FrequencyRule::tensor2tensor;
constexpr auto layer = Norm::Kind::layer_norm, rms = Norm::Kind::rms_norm;

// Six cases of a grid for each model.
template <class Grid>
void agrees_with_draws(Grid& grid, const Model& model, std::size_t d, Weights weights,
                       std::size_t per_batch) {
  const Stated formula = stated(model, d, d_k);
  auto data = batches_of(model, d, weights, per_batch, grid.stream(model.name));
  for (std::size_t k = 0; k < 6; ++k) {
    data[k].null = null_of(formula, k);
    grid.judge(data[k], std::string(model.name) + ": " + names[k]);
  }
}

const std::vector<Model> without_norms{
    {"normal tokens", 16, 0.5, 0, 0, {}, {}, Law::normal},
    {"sinusoids", 12, 1, 0.3, 0, {{paper, 5, 0.7}}, {}},
    {"learned", 24, 1, 0.4, 0.6, {}, {}, Law::normal, Law::normal},
    {"concatenated", 16, 0.5, 0.1, 0, {{tensor2tensor, 1, 1}}, {}, Law::uniform, Law::sign, 0.75},
};
const std::vector<Model> with_norms{
    {"RMSNorm", 16, 1, 0.3, 0, {{tensor2tensor, 1, 1.5}}, {{rms, 1e-6, variance}}},
    {"RMSNorm, learned, large ε", 12, 0.4, 0.2, 0.2, {}, {{rms, 0.3, variance}}},
    {"RMSNorm, ε outside", 12, 0.4, 0.1, 0, {{paper, 0, 0.7}}, {{rms, 0.3, deviation}}},
    {"LayerNorm, signs", 12, 0.5, 0, 0, {}, {{layer, 0.3, variance}}, Law::sign},
    {"LayerNorm", 20, 1, 0.5, 0, {{paper, 3, 1.3}}, {{layer, 1e-5, variance}}},
    {"LayerNorm, faint", 16, 0.5, 0, 0, {{paper, 3, 0.2}}, {{layer, 0.1, variance}}, Law::sign},
    {"LayerNorm, large ε", 12, 0.3, 0.2, 0, {{paper, 0, 1}}, {{layer, 0.3, variance}}, Law::sign},
    {"LayerNorm, ε outside", 16, 0.5, 0, 0, {{tensor2tensor, 3, 1.2}}, {{layer, 0.3, deviation}}},
    {"twice", 16, 0.5, 0.2, 0, {{paper, 0, 1}}, {{layer, 0.3, variance}, {layer, 0.2, deviation}}},
    {"both", 16, 0.5, 0.2, 0, {{paper, 0, 1}}, {{rms, 0.3, variance}, {layer, 0.3, variance}}},
    {"LayerNorm, learned", 16, 0.5, 0.2, 0.3, {}, {{layer, 0, variance}}, Law::normal},
    {"LayerNorm, concatenated",
     16,
     1,
     0.2,
     0,
     {{paper, 0, 1}},
     {{layer, 0.1, variance}},
     Law::sign,
     Law::sign,
     0.5},
};

// All sign patterns of tokens, segment, learned table and both weights. Nothing is left to chance
// or to 1/d: behind RMSNorm, too, as ‖x‖ is constant. Only the sums round: by u for each pattern,
// and by fewer than 256 u within one.
TEST(expected_first_layer, is_the_mean_over_all_sign_patterns) {
  constexpr auto sign = Law::sign;
  for (const Model& model : {
           Model{"tokens", 3, 0.7, 0, 0, {}, {}, sign, sign},
           {"segment", 3, 0.7, 0.3, 0, {}, {}, sign, sign},
           {"learned", 2, 0.7, 0.3, 0.4, {}, {}, sign, sign},
           {"sinusoids", 3, 0.7, 0.3, 0, {{paper, 3, 0.9}}, {}, sign, sign},
           {"concatenated", 3, 0.7, 0.3, 0.5, {}, {}, sign, sign, 0.5},
           {"RMSNorm", 3, 0.7, 0, 0, {}, {{rms, 0.3, variance}}, sign},
           {"RMSNorm, ε outside", 3, 0.7, 0, 0, {}, {{rms, 0.3, deviation}}, sign},
       }) {
    const auto table = sinusoids(model, 2);
    const Stated formula = stated(model, 2, 2);
    Six sum{};
    std::uint64_t pattern = 0, patterns = 2;  // 2^signs, once a model has drawn its signs
    for (; pattern < patterns; ++pattern) {
      std::size_t signs = 0;
      auto next = [&](Law) { return (pattern >> signs++) % 2 == 1 ? 1.0 : -1.0; };
      const Six six = run(model, 2, 2, Weights::drawn, table, next);
      patterns = std::uint64_t{1} << signs;
      for (std::size_t k = 0; k < 6; ++k) sum[k] += six[k];
    }
    const auto n = static_cast<double>(patterns);
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(sum[k] / n, formula.value[k], (n + 256) * 0x1p-53 * formula.value[k])
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

TEST(expected_first_layer, centring_takes_one_channel_of_what_is_random) {
  EXPECT_DOUBLE_EQ(centred_mean_square({8, 0.5, 0.25, LearnedTable{0.25, 3}}), 0.875);
  EXPECT_EQ(centred_mean_square({1, 0.5, 0.25}), 0.0);
  const Input sines = Model{"", 9, 1, 0.5, 0, {{paper, 0, 1}}, {}}.input(8);
  const Input alone = Model{"", 9, 0, 0, 0, {{paper, 0, 1}}, {}}.input(8);
  EXPECT_DOUBLE_EQ(centred_mean_square(sines), 1.5 * 7 / 8 + centred_mean_square(alone));
}

// A segment of the tokens' mean square has as much of A as they have.
TEST(expected_first_layer, parts_add_up_to_all) {
  const std::vector<Norm> layer_norm{{layer, 0.3, variance}}, rms_norm{{rms, 0.3, deviation}};
  for (const std::vector<Norm>& norms : {std::vector<Norm>{}, layer_norm, rms_norm})
    for (const Model& model :
         {Model{"", 9, 0.5, 0.5, 0, {{paper, 3, 1}}, {}}, {"", 9, 0.5, 0.5, 0.3, {}, {}}}) {
      const InputMoments m = input_moments(model.input(8), norms);
      EXPECT_DOUBLE_EQ(2 * m.token + m.position, m.all);
    }
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

TEST(expected_first_layer, is_nothing_in_one_channel_at_one_position_unless_told) {
  EXPECT_EQ(mean_square(Input{}), 0.0);
  EXPECT_EQ(mean_square(Input{.position = LearnedTable{}}), 0.0);
  EXPECT_EQ(centred_mean_square({.token_mean_square = 1}), 0.0);
  for (const auto& table : std::vector<decltype(Input::position)>{
           NoTable{}, LearnedTable{.mean_square = 0.5}, SinusoidalTable{{0.5}}})
    EXPECT_EQ(input_moments({8, 1, 0, table}, {}).over_keys, 0.0) << table.index();
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

// Last, as they take seconds.
TEST(expected_first_layer, is_that_of_draws_with_their_weights) {
  Assertion<"expected_first_layer.with_weights", BatchMean> grid(3 * 6);
  for (const Model& model :
       {Model{"weights", 16, 0.5, 0, 0, {}, {}, Law::normal},
        {"weights, sinusoids", 15, 1, 0, 0, {{tensor2tensor, 1, 0.4}}, {}, Law::uniform},
        {"weights, LayerNorm", 16, 0.5, 0, 0.1, {}, {{layer, 0.3, variance}}, Law::sign}})
    agrees_with_draws(grid, model, 32, Weights::drawn, 768);
}
TEST(expected_first_layer, is_exact_in_draws_without_norms) {
  Assertion<"expected_first_layer.without_norms", BatchMean> grid(without_norms.size() * 6);
  for (const Model& model : without_norms)
    agrees_with_draws(grid, model, 32, Weights::averaged, 288);
}
TEST(expected_first_layer, is_within_its_1_over_d_in_draws_behind_norms) {
  Assertion<"expected_first_layer.behind_norms", BatchMean> grid(with_norms.size() * 6);
  for (const Model& model : with_norms) agrees_with_draws(grid, model, 32, Weights::averaged, 128);
}
TEST(expected_first_layer, is_closer_at_a_large_width) {
  Assertion<"expected_first_layer.at_a_large_width", BatchMean> grid(with_norms.size() * 6);
  for (const Model& model : with_norms) agrees_with_draws(grid, model, 512, Weights::averaged, 6);
}

}  // namespace
}  // namespace embedscale::properties::testing
