// The study's model: its input in each arm is the library's bit for bit, and its causal mask hides
// what comes later, and nothing else; and the gradient of a token table.
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

/// Tokens, a table, and slopes of what is looked up.
template <class Real>
struct LookUp {
  LookUp(std::size_t d, double size) : d(d), m(root_multiplier<Real>(d)) {
    Normals normals(d, "embedding");
    table = rounded<Real>(normals(words * d, size));
    slopes = rounded<Real>(normals(looked_up * d));
    const Stream stream(d, "tokens");
    for (std::size_t i = 0; i < looked_up; ++i) tokens.push_back(stream.below(words, i));
  }
  static constexpr std::size_t words = 11, looked_up = 23;  ///< some tokens come more than once
  std::size_t d;
  Real m;
  Numbers table, slopes;
  std::vector<std::size_t> tokens;
};

/// Of the gradient of E to the slopes of by·E[tokens], each token `shift` places away.
template <class Real>
double share_of_gradient(const LookUp<Real>& of, double by, std::int64_t shift) {
  const Tensor table = tensor<Real>(of.table, {whole(of.words), whole(of.d)}).requires_grad_();
  const Tensor tokens =
      torch::tensor(std::vector<std::int64_t>(of.tokens.begin(), of.tokens.end()));
  const Tensor x = torch::embedding(table, tokens.roll(shift)) * by;
  x.backward(tensor<Real>(of.slopes, {whole(of.looked_up), whole(of.d)}));
  return share(table.grad(), reference<Real>([&](auto zero) {
                 using Number = decltype(zero);
                 std::vector<Number> out(of.table.size());
                 add_look_up_gradient<Number>(of.tokens, as<Number>(of.slopes), Number(of.m), of.d,
                                              out);
                 return out;
               }));
}

template <class>
class torch_embedding : public testing::Test {};
TYPED_TEST_SUITE(torch_embedding, Formats);

TYPED_TEST(torch_embedding, has_the_librarys_gradient_and_no_other) {
  std::vector<LookUp<TypeParam>> all;
  for (const std::size_t d : {3u, 48u, 64u, 100u, 768u})
    for (const double size : {0x1p-20, 0x1p-3, 1.0, 0x1p20}) all.emplace_back(d, size);
  expect_agreement(name<TypeParam>("embedding, gradient"), all,
                   [](const auto& of) { return share_of_gradient(of, of.m, 0); });
  expect_rejected(name<TypeParam>("gradient without m"), all,
                  [](const auto& of) { return share_of_gradient(of, 1, 0); });
  expect_rejected(name<TypeParam>("token moved"), all,
                  [](const auto& of) { return share_of_gradient(of, of.m, 1); });
}

}  // namespace
}  // namespace embedscale::training
