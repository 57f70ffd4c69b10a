// Wrong formulas for the first attention's moments, each rejected by the entry of the ledger that
// the library's pass in expected_first_layer_test: in the place of another model's, or of a value.
#include <gtest/gtest.h>

#include <cmath>
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
enum Of : std::size_t { squared_logit, logit_deviation, all, over_keys, token, position };

/// What a wrong formula states of one of the six numbers.
struct Wrong {
  const char* what;
  Of of;
  Stated formula;
};

Stated times(double factor, Stated formula) {
  for (double& value : formula.value) value *= factor;
  return formula;
}

// The mean is within what is allowed of the right value, the null within what is allowed of the
// wrong one: what is left between the two is the effect, in deviations of a batch, of which one is
// at most `deviation_share` of the right value.
template <class Mutants>
void differ_from_draws(Mutants& mutants, const Model& model, std::size_t d, Weights weights,
                       std::size_t per_batch, const std::vector<Wrong>& formulas) {
  const Stated right = stated(model, d, d_k);
  auto data = batches_of(model, d, weights, per_batch, mutants.stream(model.name));
  for (const auto& [what, k, wrong] : formulas) {
    const double apart = std::abs(wrong.value[k] - right.value[k]);
    const double least = apart - allowed(right, k) - allowed(wrong, k);
    data[k].null = null_of(wrong, k);
    mutants.judge(data[k], least / (deviation_share * right.value[k]), what);
  }
}

// A factor on the logit is squared.
TEST(expected_first_layer, wrong_factors_of_the_logits_are_seen) {
  Rejection<"expected_first_layer.with_weights", BatchMean> mutants(4, 3 * 6);
  const Model model{"weights", 16, 0.5, 0, 0, {}, {}, Law::normal};
  const Stated right = stated(model, 32, d_k);
  differ_from_draws(mutants, model, 32, Weights::drawn, 768,
                    {{"logits 3 percent high", squared_logit, times(1.03 * 1.03, right)},
                     {"1/sqrt(d_model) for 1/sqrt(d_k)", logit_deviation, times(8.0 / 32, right)},
                     {"1/d_k for its root", squared_logit, times(1.0 / 8, right)},
                     {"W_K left out", squared_logit, times(1 / (sigma_k * sigma_k), right)}});
}

TEST(expected_first_layer, wrong_parts_of_the_input_are_seen) {
  Rejection<"expected_first_layer.without_norms", BatchMean> mutants(5, 4 * 6);
  const Model learned{"learned", 24, 1, 0.4, 0.6, {}, {}, Law::normal, Law::normal};
  const Stated right = stated(learned, 32, d_k);
  Model no_segment = learned;
  no_segment.common = 0;
  Stated with_mean = right;
  with_mean.value[over_keys] = right.value[all];
  differ_from_draws(mutants, learned, 32, Weights::averaged, 288,
                    {{"3 percent on each token", token, times(1.03 * 1.03, right)},
                     {"the segment left out", all, stated(no_segment, 32, d_k)},
                     {"the mean key left in", over_keys, with_mean}});
  const Model concatenated{"concatenated",          16, 0.5,          0.1,       0,
                           {{tensor2tensor, 1, 1}}, {}, Law::uniform, Law::sign, 0.75};
  Model at_full_width = concatenated, of_amplitude = concatenated;
  at_full_width.token /= 0.75;
  of_amplitude.table[0].multiplier *= std::sqrt(2);
  differ_from_draws(
      mutants, concatenated, 32, Weights::averaged, 288,
      {{"a part's mean square over its own channels", token, stated(at_full_width, 32, d_k)},
       {"mean square 1 of a sine", position, stated(of_amplitude, 32, d_k)}});
}

// Behind norms, at a width where 1/d is allowed for, and at one where it hardly matters.
template <class Mutants>
void norms_differ(Mutants& mutants, std::size_t d, std::size_t per_batch) {
  const Model large{"RMSNorm, large epsilon", 12, 0.4, 0.2, 0.2, {}, {{rms, 0.3, variance}}};
  Model less = large, none = large, unnormalised = large;
  less.norms[0].epsilon = 0.22;
  none.norms[0].epsilon = 0;
  unnormalised.norms.clear();
  differ_from_draws(mutants, large, d, Weights::averaged, per_batch,
                    {{"epsilon 0.22 for 0.3", all, stated(less, d, d_k)},
                     {"epsilon forgotten", all, stated(none, d, d_k)},
                     {"the norm forgotten", squared_logit, stated(unnormalised, d, d_k)}});
  const Model outside{"RMSNorm, epsilon outside", 12, 0.4, 0.1, 0, {{paper, 0, 0.7}},
                      {{rms, 0.3, deviation}}};
  Model inside = outside;
  inside.norms[0].placement = variance;
  differ_from_draws(mutants, outside, d, Weights::averaged, per_batch,
                    {{"epsilon under the root", all, stated(inside, d, d_k)}});
  const Model centred{"LayerNorm", 20, 1, 0.5, 0, {{paper, 3, 1.3}}, {{layer, 1e-5, variance}}};
  Model uncentred = centred;
  uncentred.norms[0].kind = rms;
  differ_from_draws(mutants, centred, d, Weights::averaged, per_batch,
                    {{"RMSNorm for LayerNorm", position, stated(uncentred, d, d_k)}});
}

TEST(expected_first_layer, wrong_norms_are_seen) {
  Rejection<"expected_first_layer.behind_norms", BatchMean> mutants(5, 12 * 6);
  norms_differ(mutants, 32, 128);
}
TEST(expected_first_layer, wrong_norms_are_seen_at_a_large_width) {
  Rejection<"expected_first_layer.at_a_large_width", BatchMean> mutants(5, 12 * 6);
  norms_differ(mutants, 512, 6);
}

}  // namespace
}  // namespace embedscale::properties::testing
