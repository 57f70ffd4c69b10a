// Moments of what the first attention sees behind norms, against draws of small models at d = 512,
// where the O(1/d) that the formulas leave out is small. And wrong formulas in their place, another
// model's or of a value, rejected by the same entry of the ledger.
#include <embedscale/random.hpp>

#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "../evidence/normal.hpp"
#include "../testing/statistical.hpp"
#include "first_layer_model.hpp"

namespace embedscale::properties::testing::first_layer_draws_test {
namespace {

using namespace evidence;
using namespace expected;
using namespace first_layer;
using first_layer::Law;
constexpr auto variance = EpsilonPlacement::variance;
constexpr auto deviation = EpsilonPlacement::standard_deviation;
constexpr auto paper = FrequencyRule::paper, tensor2tensor = FrequencyRule::tensor2tensor;
constexpr auto layer = Norm::Kind::layer_norm, rms = Norm::Kind::rms_norm;
constexpr auto sign = Law::sign;

/// Eight 32-bit pieces of a block; a normal takes two.
class Draws {
 public:
  explicit Draws(const Stream& stream) : stream_(stream) {}
  double operator()(Law law) {
    if (law == Law::normal)
      return std::sqrt(-2 * std::log(unit())) * std::cos(2 * std::numbers::pi * unit());
    const double x = 2 * unit() - 1;
    return law == Law::sign ? std::copysign(1.0, x) : std::numbers::sqrt3 * x;
  }

 private:
  double unit() {
    if (used_ % 8 == 0) words_ = stream_.block(used_ / 8);
    const std::uint64_t word = words_[used_ % 8 / 2] >> (used_ % 2 * 32);
    ++used_;
    return (static_cast<double>(word & 0xffffffff) + 0.5) * 0x1p-32;
  }
  Stream stream_;
  std::uint64_t used_ = 0;
  Stream::Block words_{};
};

constexpr std::size_t d = 512, d_k = 8;

/// Of its value, what a batch deviates by at most. It is at most 1 %; 2 % is not exceeded by
/// chance (a χ²_63 of 3.7 times its mean: 1e-19), and keeps 2.75 deviations, the effect that is
/// seen, worth seeing.
constexpr double deviation_share = 0.02;

/// Where the mean of one of the six numbers may be. The allowance is to leading order: 3·10⁶ draws
/// put one mean, that of "LayerNorm, signs" at d = 32, 6 % beyond it, so a quarter is added for
/// the next order (not proved). A norm that makes a moment constant leaves roundings alone, 1e-12
/// of it.
double allowed(const Stated& formula, std::size_t k) {
  return 1.25 * formula.allowance[k] + 1e-12 * formula.value[k];
}
Interval null_of(const Stated& formula, std::size_t k) {
  return {formula.value[k] - allowed(formula, k), formula.value[k] + allowed(formula, k)};
}

/// The means of 64 batches of a model's six numbers, without a null.
std::array<BatchMean::Data, 6> batches_of(const Model& model, const Stream& stream) {
  constexpr std::size_t batches = 64, per_batch = 6;
  const auto table = sinusoids(model, d);
  const Stated formula = stated(model, d, d_k);
  Draws draw(stream);
  std::array<BatchMean::Data, 6> data{};
  for (std::size_t b = 0; b < batches; ++b) {
    Six batch{};
    for (std::size_t i = 0; i < per_batch; ++i) {
      const Six six = run(model, d, d_k, Weights::averaged, table, draw);
      for (std::size_t k = 0; k < 6; ++k) batch[k] += six[k] / static_cast<double>(per_batch);
    }
    for (std::size_t k = 0; k < 6; ++k) data[k].add(batch[k]);
  }
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_LE(std::sqrt(data[k].sample.variance()), deviation_share * formula.value[k])
        << model.name << ": " << names[k];
  return data;
}

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
    {"concatenated", 16, 1, 0.2, 0, {{paper, 0, 1}}, {{layer, 0.1, variance}}, sign, sign, 0.5},
};

TEST(expected_first_layer, is_within_its_1_over_d_in_draws_behind_norms) {
  Assertion<"expected_first_layer.behind_norms", BatchMean> grid(with_norms.size() * 6);
  for (const Model& model : with_norms) {
    const Stated formula = stated(model, d, d_k);
    auto data = batches_of(model, grid.stream(model.name));
    for (std::size_t k = 0; k < 6; ++k) {
      data[k].null = null_of(formula, k);
      grid.judge(data[k], std::string(model.name) + ": " + names[k]);
    }
  }
}

enum Of : std::size_t { squared_logit = 0, all = 2, position = 5 };

/// What is stated of another model, taken for one of the six numbers.
struct Wrong {
  const char* what;
  Of of;
  Model model;
};

// The mean is within what is allowed of the right value, the null within what is allowed of the
// wrong one: what is left between the two is the effect, in deviations of a batch, of which one is
// at most `deviation_share` of the right value.
template <class Mutants>
void differ_from_draws(Mutants& mutants, const Model& model, const std::vector<Wrong>& formulas) {
  const Stated right = stated(model, d, d_k);
  auto data = batches_of(model, mutants.stream(model.name));
  for (const auto& [what, k, other] : formulas) {
    const Stated wrong = stated(other, d, d_k);
    const double apart = std::abs(wrong.value[k] - right.value[k]);
    const double least = apart - allowed(right, k) - allowed(wrong, k);
    data[k].null = null_of(wrong, k);
    mutants.judge(data[k], least / (deviation_share * right.value[k]), what);
  }
}

TEST(expected_first_layer, wrong_norms_are_seen) {
  Rejection<"expected_first_layer.behind_norms", BatchMean> mutants(5, 12 * 6);
  const Model large{"RMSNorm, large epsilon", 12, 0.4, 0.2, 0.2, {}, {{rms, 0.3, variance}}};
  Model less = large, none = large, unnormalised = large;
  less.norms[0].epsilon = 0.22;
  none.norms[0].epsilon = 0;
  unnormalised.norms.clear();
  differ_from_draws(mutants, large,
                    {{"epsilon 0.22 for 0.3", all, less},
                     {"epsilon forgotten", all, none},
                     {"the norm forgotten", squared_logit, unnormalised}});
  const Model outside{"RMSNorm, epsilon outside", 12, 0.4, 0.1, 0, {{paper, 0, 0.7}},
                      {{rms, 0.3, deviation}}};
  Model inside = outside;
  inside.norms[0].placement = variance;
  differ_from_draws(mutants, outside, {{"epsilon under the root", all, inside}});
  const Model centred{"LayerNorm", 20, 1, 0.5, 0, {{paper, 3, 1.3}}, {{layer, 1e-5, variance}}};
  Model uncentred = centred;
  uncentred.norms[0].kind = rms;
  differ_from_draws(mutants, centred, {{"RMSNorm for LayerNorm", position, uncentred}});
}

}  // namespace
}  // namespace embedscale::properties::testing::first_layer_draws_test
