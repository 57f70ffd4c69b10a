// The second study's models: their parts against the library, the first study's parts that are tied
// to it, or their formulas; what is drawn; and runs with the bits of the first study's.
#include <embedscale/block.hpp>
#include <embedscale/sinusoidal.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <set>

#include "properties/training/recipe_design.hpp"
#include "training/recipes/model.hpp"
#include "training/recipes/runs.hpp"
#include "training/recipes/train.hpp"
#include "training/study/batches.hpp"
#include "training/study/train.hpp"
#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

namespace study = properties::training;
using study::Family, study::Output, study::Recipe;

constexpr std::size_t n = study::length;

/// A cosine taken in binary64 and rounded to binary32 errs by this, η: angles are below 32, with a
/// relative error of some 2^-51. A turn by such a cosine and sine is off by √2·η of what it turns.
constexpr double cosine_error = 0x1p-25 + 0x1p-45;

/// Row p of d_k: channels i and i + d_k/2, a complex number, times e^(ipω).
Numbers turned(Numbers x, std::size_t d_k) {
  const auto w = sinusoidal_frequencies<double>(d_k, FrequencyRule::paper);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t i = 0; i < d_k / 2; ++i) {
      double &re = x[p * d_k + i], &im = x[p * d_k + i + d_k / 2];
      const auto z = std::complex(re, im) * std::polar(1.0, static_cast<double>(p) * w[i]);
      re = z.real(), im = z.imag();
    }
  return x;
}

/// So that a pair keeps its size, and two of them have an angle by their distance alone.
TEST(torch_recipe, turns_each_pair_by_its_position) {
  for (const std::size_t d_k : {2u, 8u, 12u, 64u}) {
    const Numbers x = Normals(1, "rotary")(n * d_k), meant = turned(x, d_k);
    const Tensor rows = tensor<double>(x, {n, whole(d_k)});
    const auto y = numbers(rotated(rows, rotation(d_k, study::rotary_base)));
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::size_t other = k % d_k < d_k / 2 ? k + d_k / 2 : k - d_k / 2;
      EXPECT_NEAR(y[k], meant[k], 1.5 * cosine_error * std::hypot(x[k], x[other])) << k;
    }
  }
}

/// Of what is query, key and value at once. A logit <q, k>/√d_k errs by δ, 2√2·η‖q‖‖k‖/√d_k and a
/// little, hence a mean of values by at most (e^2δ − 1) of the largest.
TEST(torch_recipe, attends_by_turned_queries_and_keys) {
  constexpr std::size_t d_k = 8, heads = 2, d = heads * d_k;
  const double scale = attention_scale<double>(d_k);
  const Numbers x = Normals(1, "attention")(n * d);
  const double largest = std::abs(*std::ranges::max_element(x, {}, [](double v) { return v * v; }));
  const double near = std::expm1(2 * 3 * cosine_error * d_k * largest * largest * scale) * largest;
  const Tensor in = tensor<double>(x, {1, n, d}), one = torch::eye(d, in.options()),
               mask = torch::full({n, n}, -HUGE_VAL, in.options()).triu(1);
  const auto y = numbers(decoder_attention(in, {torch::cat({one, one, one}), {}, one}, heads, mask,
                                           rotation(d_k, study::rotary_base)));
  for (std::size_t h = 0; h < heads; ++h) {
    const auto values = embedscale::detail::columns_of_head<double>({d, heads, 0}, h, x);
    const auto keys = turned(values, d_k);
    for (std::size_t p = 0; p < n; ++p) {
      Numbers z(p + 1), mean(d_k);
      const auto seen = [&](const Numbers& of) { return std::span(of).first((p + 1) * d_k); };
      logits<double>(seen(keys).last(d_k), seen(keys), scale, z);
      softmax<double>(z);
      weighted_sum<double>(z, seen(values), mean);
      for (std::size_t i = 0; i < d_k; ++i) EXPECT_NEAR(y[p * d + h * d_k + i], mean[i], near) << p;
    }
  }
}

/// Without a rotation it is the first study's, which the library's is compared with.
TEST(torch_recipe, attends_as_the_first_study_where_it_does_not_turn) {
  torch::manual_seed(1);
  const Tensor x = torch::randn({2, n, 12}), mask = torch::full({n, n}, -HUGE_VAL).triu(1);
  const Tensor in = torch::randn({36, 12}), in_bias = torch::randn(36),
               out = torch::randn({12, 12}), out_bias = torch::randn(12);
  EXPECT_TRUE(torch::equal(decoder_attention(x, {in, in_bias, out, out_bias}, 3, mask, {}),
                           self_attention(x, {in, in_bias, out, out_bias}, 3, mask)));
}

/// A root of a mean of 24 squares errs by 12u, with what follows by less than 16u. LayerNorm is
/// libtorch's, which the first study's block compares.
TEST(torch_recipe, normalizes_by_the_root_mean_square_or_has_a_bias) {
  constexpr std::size_t d = 24;
  for (const double size : {0x1p-10, 1.0, 8.0}) {
    const Numbers x = Normals(1, "norm")(d, size), g = Normals(2, "norm")(d);
    const Tensor in = tensor<double>(x, d), gain = tensor<double>(g, d), bias = in + 1;
    const auto y = numbers(decoder_norm(in, gain, {}));
    Numbers meant(d);
    rms_norm<double>(x, 1e-6, EpsilonPlacement::variance, meant);
    for (std::size_t i = 0; i < d; ++i)
      EXPECT_NEAR(y[i], meant[i] * g[i], 0x1p-48 * std::abs(meant[i] * g[i]));
    EXPECT_TRUE(torch::equal(decoder_norm(in, gain, bias),
                             torch::layer_norm(in, {d}, gain, bias, study::norm_epsilon)));
  }
}

/// The outer matrix is twice the unit, so that what it is given is seen. On either side less than
/// ten roundings of at most 2|z·i|, or of 2|b| and the bias, are in the result: 32u are allowed.
TEST(torch_recipe, has_the_networks_of_its_formulas) {
  torch::manual_seed(1);
  const auto drawn = [](at::IntArrayRef shape) { return torch::randn(shape, torch::kDouble); };
  const Tensor x = drawn({9, 12}), inner = drawn({40, 12}), gate = drawn({40, 12}),
               bias = drawn({40}), outer_bias = drawn({40}).expand({9, 40});
  DecoderBlock swiglu, gelu;
  swiglu.inner = gelu.inner = inner, swiglu.gate = gate, gelu.inner_bias = bias;
  swiglu.outer = gelu.outer = 2 * torch::eye(40, x.options()), gelu.outer_bias = outer_bias[0];
  const auto gated = numbers(decoder_network(x, swiglu)),
             smooth = numbers(decoder_network(x, gelu));
  const auto i = numbers(torch::linear(x, inner)), z = numbers(torch::linear(x, gate)),
             b = numbers(torch::linear(x, inner, bias)), c = numbers(outer_bias);
  for (std::size_t k = 0; k < i.size(); ++k) {
    EXPECT_NEAR(gated[k], 2 * i[k] * z[k] / (1 + std::exp(-z[k])), 0x1p-48 * std::abs(i[k] * z[k]));
    const double y = std::sqrt(2 / std::numbers::pi) * (b[k] + 0.044715 * std::pow(b[k], 3));
    EXPECT_NEAR(smooth[k], b[k] * (1 + std::tanh(y)) + c[k],
                0x1p-48 * (std::abs(b[k]) + std::abs(c[k])));
  }
}

Text made_up_text() {
  Text text;
  for (std::uint64_t i = 0; i < 4000; ++i)
    (i % 4 != 0 ? text.train : text.held_out)
        .push_back(static_cast<std::int64_t>(Stream(1, "a text").below(512, i)));
  return text;
}

TEST(torch_recipe, has_the_bits_of_the_first_study) {
  const Text text = made_up_text();
  const std::pair<study::Arm, Recipe (*)(Recipe)> ways[]{
      {study::Arm::up, study::up_recipe},
      {study::Arm::down, study::down_recipe},
      {study::Arm::unscaled, study::unscaled_recipe},
      {study::Arm::folded, study::folded_recipe}};
  for (const auto& [arm, recipe] : ways)
    for (const auto norms : {NormPlacement::pre, NormPlacement::post}) {
      const auto output = arm == study::Arm::down ? Output::tied : Output::untied;
      const study::Setting setting{.norms = norms, .output = output, .steps = 15};
      const Recipe of = recipe({.norms = norms, .output = output, .steps = 15});
      const auto first = trained({setting, arm, 0.01, 3}, text);
      const auto second = trained({of, 0.01, 3}, text).outcome;
      EXPECT_EQ(second.bits, first.bits) << study::name_of(arm);
      EXPECT_EQ(second.loss, first.loss) << study::name_of(arm);
    }
}

TEST(torch_recipe, warms_up_and_falls_by_a_cosine_to_a_tenth) {
  for (const auto& [t, share] :
       {std::pair(1, 1 / 30.0), {15, 0.5}, {30, 1.0}, {165, 0.55}, {300, 0.1}})
    EXPECT_DOUBLE_EQ(schedule(Family::rotary, t, 300), share) << t;
  for (int t = 1; t <= 300; ++t)
    EXPECT_DOUBLE_EQ(schedule(Family::sinusoidal, t, 300), std::min(t / 30.0, std::sqrt(30.0 / t)));
}

double by(double n) { return 1 / std::sqrt(n); }

/// A recipe, and σ of its matrices behind the table.
struct Case {
  Recipe recipe;
  Numbers deviations;
};
const Case cases[]{
    {{.norms = NormPlacement::post, .d = 32, .depth = 1, .table_rate = 0.5},
     {by(32), by(32), by(80), by(80), by(32)}},
    {{.d = 128, .depth = 1, .table_rate = 4, .widening = study::Widening::by_width},
     {by(128), by(128), by(320), by(320), 0.0625}},
    {{.family = Family::rotary, .d = 32, .table_rate = 8},
     {by(32), by(32), by(32), by(88), by(32), by(32), by(32), by(32), by(88), by(32), by(32)}},
    {{.family = Family::rotary, .output = Output::tied, .depth = 1, .sigma = 1},
     {by(64), by(64), by(64), by(176), by(64)}},
    {{.family = Family::learned, .sigma = 0.02},
     {0.01, 0.02, 0.01, 0.02, 0.01, 0.02, 0.01, 0.02, 0.01, 0.02}},
    {{.family = Family::learned, .output = Output::tied, .d = 32, .depth = 1},
     {0.01, 0.02, 0.02 * by(2), 0.02, 0.02 * by(2)}}};

std::size_t parameters(const Recipe& of) {
  const bool rotary = of.family == Family::rotary;
  const std::size_t d = of.d, norm = rotary ? d : 2 * d, inner = d == 32 ? 88 : 176,
                    tables = of.output == Output::tied ? 512 : 1024,
                    positions = of.family == Family::learned ? 32 : 0,
                    matrices = 4 * d * d + (rotary ? 3 * inner * d : 8 * d * d),
                    biases = rotary ? 0 : 9 * d;
  return (tables + positions) * d + of.depth * (matrices + biases + 2 * norm) +
         (of.norms == NormPlacement::pre ? norm : 0);
}

std::vector<Tensor> all_of(const RecipeModel& model) {
  std::vector<Tensor> all{model.table()};
  for (const auto& more : {model.matrices(), model.vectors()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// Every tensor once, and none that the loss does not see: a tied table where no token asks for its
/// row, too. The RMS of n normal numbers has a deviation of σ/√(2n), of uniform ones a smaller one:
/// six of them are left in one of 5·10⁸ cases.
TEST(torch_recipe, trains_what_it_has_drawn) {
  for (auto [recipe, deviations] : cases) {
    const RecipeModel model(recipe, 1);
    const auto all = all_of(model);
    deviations.insert(deviations.begin(), recipe.sigma);
    ASSERT_EQ(model.matrices().size() + 1, deviations.size());
    model.signals(torch::zeros({1, 32}, torch::kLong)).logits.square().sum().backward();
    std::set<const void*> seen;
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto n = static_cast<double>(all[i].numel());
      EXPECT_TRUE(seen.insert(all[i].data_ptr()).second) << i;
      EXPECT_TRUE(all[i].grad().defined() && all[i].grad().any().item<bool>()) << i;
      count += static_cast<std::size_t>(all[i].numel());
      if (i >= deviations.size()) continue;
      EXPECT_NEAR(all[i].norm().item<double>() / std::sqrt(n) / deviations[i], 1, 6 * by(2 * n));
    }
    EXPECT_EQ(count, parameters(recipe));
    EXPECT_EQ(model.table().grad()[1].any().item<bool>(), recipe.output == Output::tied);
  }
}

/// A hash of the logits that a run ends with, as trained() has it, by an optimiser for each
/// parameter. AdamW without decay is Adam.
std::uint64_t bits_again(const Recipe& of, const Text& text, double rate, std::uint64_t seed) {
  const bool first_study = of.family == Family::sinusoidal;
  const double by_width = of.widening == study::Widening::by_width ? 0.5 : 1;  // 64/d
  const RecipeModel model(of, seed);
  const auto all = all_of(model);
  const auto logits = [&](const Batch& batch) {
    return model.signals(torch::tensor(batch.inputs).view({-1, 32})).logits;
  };
  std::vector<torch::optim::AdamW> methods;
  for (const Tensor& each : all)
    methods.emplace_back(std::vector{each},
                         torch::optim::AdamWOptions()
                             .betas({0.9, first_study ? 0.98 : 0.95})
                             .eps(first_study ? 1e-9 : 1e-8)
                             .weight_decay(each.dim() == 2 && !first_study ? 0.1 : 0));
  for (int t = 1; t <= of.steps; ++t) {
    const auto batch = drawn_batch(study::Task::text, text, Part::train, seed, unsigned(t));
    for (auto& method : methods) method.zero_grad();
    torch::cross_entropy_loss(logits(batch), torch::tensor(batch.targets)).backward();
    if (!first_study) torch::nn::utils::clip_grad_norm_(all, 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double own = i == 0 ? of.table_rate : all[i].dim() == 2 ? by_width : 1;
      methods[i].param_groups()[0].options().set_lr(rate * own * schedule(of.family, t, of.steps));
      methods[i].step();
    }
  }
  const Tensor last = logits(drawn_batch(study::Task::text, text, Part::held_out, 0, 0));
  return hash_of({static_cast<const char*>(last.data_ptr()), last.nbytes()});
}

TEST(torch_recipe, trains_each_parameter_by_its_own_settings) {
  const Text text = made_up_text();
  for (auto [recipe, deviations] : cases) {
    recipe.steps = 3;
    EXPECT_EQ(trained({recipe, 0.02, 7}, text).outcome.bits, bits_again(recipe, text, 0.02, 7))
        << name_of({recipe, 0.02, 7});
  }
}

}  // namespace
}  // namespace embedscale::training
