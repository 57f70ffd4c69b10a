// What stands out: each finding where it is due, and not just beside.
#include "configurations.hpp"

#include "properties/catalogue.hpp"

#include <set>

namespace embedscale::audit {
namespace {

/// The findings of a model of width 64, with L = 12 and V = 100, in which nothing stands out, with
/// changes.
std::vector<Finding> findings(const std::vector<Change>& changes = {}) {
  return audited(
             "[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = 12\n[token]\n"
             "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 8\n[position]\n"
             "kind = 'sinusoidal'\n[attention]\nscale = '0.125'\n[block]\nnorm = 'post'\n",
             changes)
      .findings;
}

/// "severity claim", of each.
using Kinds = std::vector<std::string>;
Kinds kinds_of(const std::vector<Finding>& all) {
  Kinds kinds;
  for (const Finding& f : all) kinds.push_back(std::string(name_of(f.severity)) + " " + f.claim);
  return kinds;
}

const std::string scale = "note conventions.multiplier_sets_the_scale",
                  drowned = "warning conventions.multiplier_sets_the_scale",
                  rounds = "note precision.rounded_root_d",
                  epsilon = "note normalization.epsilon_is_rescaled",
                  seen_epsilon = "warning normalization.epsilon_is_rescaled",
                  terms = "note attention.first_layer_terms",
                  saturates = "warning attention.unscaled_softmax_saturates",
                  loss = "warning tied_output.initial_loss",
                  copies = "note tied_output.copies_its_input";

/// token.rms is m/8, position.rms √½: a multiplier for a ratio of the two.
Change ratio(double r) { return {"token.multiplier", fmt::format("{}", r * 8 / std::sqrt(2.0))}; }

TEST(findings, are_there_where_they_are_due_and_not_just_beside) {
  const auto rounded = [](const char* multiplier, const char* format) {
    return std::vector<Change>{{"token.multiplier", multiplier},
                               {"token.multiplier_format", format}};
  };
  const auto pre = [](const char* multiplier) {
    return std::vector<Change>{
        {"block.norm", "pre"}, {"block.kind", "rms_norm"}, {"token.multiplier", multiplier}};
  };
  const std::vector<std::pair<std::vector<Change>, Kinds>> cases = {
      {{}, {}},
      // One part below half of the other; t²/q < 1/10 where 9 t² < p², at a ratio of 1/3.
      {{ratio(1.99)}, {}},
      {{ratio(0.51)}, {}},
      {{ratio(2.01)}, {scale}},
      {{ratio(0.49)}, {scale}},
      {{ratio(0.35)}, {scale}},
      {{ratio(0.3)}, {scale, terms}},
      {{{"position.kind", "rotary"}}, {scale}},
      {{{"position.kind", "none"}, {"token.multiplier", "1"}}, {}},
      {{{"position.kind", "relative"}, {"token.multiplier", "1"}}, {terms}},
      {rounded("8.01", "bfloat16"), {rounds}},
      {rounded("8.01", "binary16"), {rounds}},
      {rounded("8.01", "binary32"), {}},
      {rounded("8.0625", "bfloat16"), {}},  // 129/16: eight significant bits
      // 1 − √(v/(v + ε)) > 1 % where ε > 0.0203 v: v is 1.5 less the means, 1/64 of it scaled down.
      {{{"block.epsilon", "0.04"}}, {seen_epsilon}},
      {{{"block.epsilon", "0.02"}}, {epsilon}},
      {{{"block.epsilon", "0.0006"}}, {epsilon}},
      {{{"block.epsilon", "0.0003"}}, {}},
      // About s²/2 above ln V, less a little at V = 100: s = 1 and s = 2 are on either side.
      {{{"output.multiplier", "1"}}, {}},
      {{{"output.multiplier", "2"}}, {loss}},
      // m·d·σ² = m over √((m/8)² + 1/2): 6.5, 2.6 and 3.2; the others' largest is √(2 ln 100) =
      // 3.0.
      {pre("8"), {copies}},
      {pre("2"), {scale}},
      {pre("2.5"), {scale, copies}},
      // Whatever the logits' own factor.
      {{{"block.norm", "pre"}, {"block.kind", "rms_norm"}, {"output.multiplier", "0.1"}},
       {copies}}};
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(kinds_of(findings(cases[i].first)), cases[i].second) << "case " << i;
}

TEST(findings, warn_below_a_hundredth_of_the_energy) {
  // Energies part 99 to 1 at a ratio of √99.
  for (const double r : {9.9, 0.102}) EXPECT_EQ(kinds_of(findings({ratio(r)}))[0], scale) << r;
  for (const double r : {10.1, 0.1, 0.0})
    EXPECT_EQ(kinds_of(findings({ratio(r)}))[0], drowned) << r;
  const auto sentence = [](const char* m) {
    return findings({{"token.multiplier", m}})[0].sentence;
  };
  EXPECT_NE(sentence("0.01").find("tokens have 0.000312 % of"), std::string::npos)
      << sentence("0.01");  // (0.01/8)²·2 of 1 + that
  EXPECT_NE(sentence("1000").find("positions have 0.00320 % of"), std::string::npos)
      << sentence("1000");
}

TEST(findings, warn_of_logits_that_pass_the_largest_of_as_many_normal_ones) {
  const auto at_scale = [](double factor) {
    return audited(whole,
                   {{"model.positions", "12"}, {"attention.scale", fmt::format("{}", factor)}});
  };
  const double unit = *at_scale(1).scales.first_layer.logit_std_over_keys.value,
               most = std::sqrt(2 * std::log(12));
  EXPECT_EQ(kinds_of(at_scale(1.001 * most / unit).findings), Kinds{saturates});
  EXPECT_EQ(kinds_of(at_scale(0.999 * most / unit).findings), Kinds{});
}

TEST(findings, name_claims_of_the_catalogue_and_say_one_sentence_with_numbers) {
  std::set<std::string> claims, found;
  for (const auto& claim : properties::catalogue()) claims.emplace(claim.id);
  for (const std::string& name : systems())
    for (const Finding& f : audit_of(system_named(name)).findings) {
      EXPECT_TRUE(claims.contains(f.claim)) << f.claim;
      EXPECT_TRUE(f.claim == "attention.first_layer_terms" ||
                  f.sentence.find_first_of("0123456789") != std::string::npos)
          << f.sentence;
      EXPECT_EQ(f.sentence.find('\n'), std::string::npos) << f.sentence;
      found.insert(f.claim);
    }
  EXPECT_GE(found.size(), 5u);  // the atlas has most kinds of them
}

}  // namespace
}  // namespace embedscale::audit
