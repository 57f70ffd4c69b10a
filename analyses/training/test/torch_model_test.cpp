// The study's model: its input in each arm is the library's bit for bit, and its causal mask hides
// what comes later, and nothing else; and its table's gradient has the factor.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/sinusoidal.hpp>

#include "training/study/model.hpp"
#include "training/test/agreement.hpp"

namespace embedscale::training {
namespace {

namespace study = properties::training;

constexpr std::int64_t length = study::length, symbols = study::symbols;

study::Setting setting_of(study::Task task, std::size_t d) {
  study::Setting setting;
  setting.task = task, setting.d = d;
  return setting;
}

/// What an arm says, written a second time: what it makes of e, p and √d. Those of one kind agree.
struct Formula {
  study::Arm arm;
  int kind;
  float (*input)(float e, float p, float root);
};
const Formula formulas[]{
    {study::Arm::up, 0, [](float e, float p, float m) { return up(e, p, m); }},
    {study::Arm::down, 1, [](float e, float p, float m) { return down(e, p, m); }},
    {study::Arm::unscaled, 2, [](float e, float p, float) { return sum(e, p); }},
    {study::Arm::folded, 2, [](float e, float p, float) { return sum(e, p); }},
    {study::Arm::folded_at_its_rate, 2, [](float e, float p, float) { return sum(e, p); }},
    {study::Arm::positions_doubled, 3, [](float e, float p, float m) { return up(e, 2 * p, m); }},
    {study::Arm::positions_halved, 4, [](float e, float p, float m) { return up(e, p / 2, m); }},
    {study::Arm::multiplier_halved, 5, [](float e, float p, float m) { return up(e, p, m / 2); }},
    {study::Arm::positions_times_root_d, 6,
     [](float e, float p, float m) { return up(e, m * p, m); }},
    {study::Arm::xavier, 0, [](float e, float p, float m) { return up(e, p, m); }},
};

/// The study's positions, rounded once from double.
std::vector<float> positions(std::size_t d) {
  const auto w = sinusoidal_frequencies<double>(d, FrequencyRule::paper);
  Numbers all(study::length * d);
  for (std::size_t p = 0; p < study::length; ++p)
    encode_position<double>(static_cast<std::int64_t>(p), w, SinusoidalLayout::interleaved,
                            std::span(all).subspan(p * d, d));
  return as<float>(all);
}

/// In how many entries the model's input is not what the formula says, of each token at each
/// position.
std::size_t differing(const Model& model, std::size_t d, const Formula& formula) {
  const Tensor tokens = torch::arange(symbols).view({-1, 1}).expand({-1, length});
  const auto table = numbers(model.table()), x = numbers(model.input(tokens));
  const auto p = positions(d);
  if (x.size() != study::symbols * p.size()) return x.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto e = static_cast<float>(table[i / p.size() * d + i % d]);
    count += x[i] != formula.input(e, p[i % p.size()], root_multiplier<float>(d));
  }
  return count;
}

TEST(torch_model, has_the_input_of_its_arm_and_of_no_other) {
  EXPECT_EQ(std::size(formulas), study::all_arms);
  for (const std::size_t d : {48u, 64u})
    for (const auto& [arm, kind, input] : formulas) {
      const Model model(setting_of(study::Task::reverse, d), arm, 1);
      for (const auto& formula : formulas) {
        const auto count = differing(model, d, formula);
        EXPECT_EQ(count == 0, formula.kind == kind)
            << study::name_of(arm) << " by the formula of " << study::name_of(formula.arm);
      }
    }
}

/// Which tokens, counted from the first, see that this one is another: those at whose position any
/// logit has other bits.
std::vector<std::int64_t> who_sees(study::Task task, std::int64_t changed) {
  const torch::NoGradGuard no_gradients;
  const Model model(setting_of(task, 48), study::Arm::up, 1);
  Tensor tokens = torch::arange(length).view({1, length});
  const Tensor before = model.logits(tokens).clone();
  tokens[0][changed] = (changed + 1) % length;
  const Tensor differ = (model.logits(tokens) != before).any(-1);
  std::vector<std::int64_t> seeing;
  for (std::int64_t i = 0; i < length; ++i)
    if (differ[i].item<bool>()) seeing.push_back(i);
  return seeing;
}

std::vector<std::int64_t> from(std::int64_t first) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = first; i < length; ++i) all.push_back(i);
  return all;
}

TEST(torch_model, hides_later_tokens_of_a_text_and_nothing_else) {
  for (const std::int64_t changed : {std::int64_t{0}, std::int64_t{13}, length - 1}) {
    EXPECT_EQ(who_sees(study::Task::text, changed), from(changed));
    EXPECT_EQ(who_sees(study::Task::reverse, changed), from(0));
  }
}

/// Each token comes once, at some position, with slope 1 in every channel: so its entries' gradient
/// is what the arm multiplies them by; twice that where half of the tokens come twice.
TEST(torch_model, takes_the_factor_back_to_its_table) {
  for (const auto& [arm, kind, input] : formulas) {
    const Model model(setting_of(study::Task::reverse, 48), arm, 1);
    const float m = study::parametrisation<float>(arm, symbols, 48).multiplier;
    const Tensor tokens = torch::arange(length).view({1, length});
    for (const auto& [looked_up, times] : {std::pair(tokens, 1), {tokens % (length / 2), 2}}) {
      const Tensor x = model.input(looked_up);
      const auto gradient = torch::autograd::grad({x}, {model.table()}, {torch::ones_like(x)})[0];
      const Tensor meant = torch::zeros_like(gradient);
      meant.narrow(0, 0, length / times).fill_(static_cast<float>(times) * m);
      EXPECT_TRUE(gradient.equal(meant)) << study::name_of(arm) << ", " << times << " times";
    }
  }
}

}  // namespace
}  // namespace embedscale::training
