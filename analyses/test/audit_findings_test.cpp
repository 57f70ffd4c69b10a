// What stands out: each finding where it is due, and not just beside.
#include "audit_text.hpp"

#include <embedscale/properties/catalogue.hpp>

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
std::vector<std::string> kinds(const std::vector<Change>& changes) {
  std::vector<std::string> all;
  for (const Finding& f : findings(changes))
    all.push_back(std::string(name_of(f.severity)) + " " + f.claim);
  return all;
}
using Kinds = std::vector<std::string>;

TEST(findings, are_none_where_nothing_stands_out) { EXPECT_EQ(kinds({}), Kinds{}); }

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

TEST(findings, of_json_have_the_words_of_severities) {
  const auto json = json_of(audit_of(system_named("d2l_pytorch")));
  ASSERT_FALSE(json["findings"].empty());
  for (const auto& f : json["findings"]) {
    EXPECT_TRUE(f["severity"] == "note" || f["severity"] == "warning") << f;
    EXPECT_EQ(f.size(), 3u);
  }
  EXPECT_EQ(json["findings"][0]["severity"], "warning");
  EXPECT_EQ(json["findings"][0]["claim"], "conventions.multiplier_sets_the_scale");
}

TEST(findings, note_a_part_below_half_of_the_other_and_warn_below_a_hundredth_of_the_energy) {
  // token.rms is m/8, position.rms √½: equal at m = 5.66. Energies part 99 to 1 at a ratio of √99.
  const std::string claim = " conventions.multiplier_sets_the_scale";
  const auto at = [](double ratio) {
    return kinds({{"token.multiplier", fmt::format("{}", ratio * 8 / std::sqrt(2.0))}});
  };
  for (const double ratio : {1.0, 1.99, 0.51}) EXPECT_EQ(at(ratio), Kinds{}) << ratio;
  for (const double ratio : {2.01, 0.49, 9.9, 0.102})
    EXPECT_EQ(at(ratio)[0], "note" + claim) << ratio;
  for (const double ratio : {10.1, 0.1, 0.0}) EXPECT_EQ(at(ratio)[0], "warning" + claim) << ratio;
  const auto tokens = findings({{"token.multiplier", "0.01"}}),
             positions = findings({{"token.multiplier", "1000"}});
  EXPECT_NE(tokens[0].sentence.find("tokens have 0.000312 % of"), std::string::npos)
      << tokens[0].sentence;  // (0.01/8)²·2 of 1 + that
  EXPECT_NE(positions[0].sentence.find("positions have 0.00320 % of"), std::string::npos)
      << positions[0].sentence;
}

TEST(findings, note_a_multiplier_that_sets_no_ratio) {
  EXPECT_EQ(kinds({{"position.kind", "rotary"}}),
            Kinds{"note conventions.multiplier_sets_the_scale"});
  EXPECT_EQ(kinds({{"position.kind", "none"}, {"token.multiplier", "1"}}), Kinds{});
}

TEST(findings, note_a_multiplier_that_a_small_format_changes) {
  const auto rounded = [](const char* multiplier, const char* format) {
    return kinds({{"token.multiplier", multiplier}, {"token.multiplier_format", format}});
  };
  EXPECT_EQ(rounded("8.01", "bfloat16"), Kinds{"note precision.rounded_root_d"});
  EXPECT_EQ(rounded("8.01", "binary16"), Kinds{"note precision.rounded_root_d"});
  EXPECT_EQ(rounded("8.01", "binary32"), Kinds{});
  EXPECT_EQ(rounded("8.0625", "bfloat16"), Kinds{});  // 129/16: eight significant bits
}

TEST(findings, tell_an_epsilon_that_is_seen_and_one_that_would_be) {
  // 1 − √(v/(v + ε)) > 1 % where ε > 0.0203 v: v is 1.5 less the means, 1/64 of it scaled down.
  const std::string claim = " normalization.epsilon_is_rescaled";
  const auto with = [](const char* epsilon) { return kinds({{"block.epsilon", epsilon}}); };
  EXPECT_EQ(with("0.04"), Kinds{"warning" + claim});
  EXPECT_EQ(with("0.02"), Kinds{"note" + claim});
  EXPECT_EQ(with("0.0006"), Kinds{"note" + claim});
  EXPECT_EQ(with("0.0003"), Kinds{});
}

TEST(findings, warn_of_logits_that_pass_the_largest_of_as_many_normal_ones) {
  const std::string claim = "warning attention.unscaled_softmax_saturates";
  const double most = std::sqrt(2 * std::log(12));
  const auto with = [&](double deviation) {
    const auto scales =
        audited(whole, {{"model.positions", "12"}, {"attention.scale", "1"}}).scales.first_layer;
    const double scale = deviation / *scales.logit_std_over_keys.value;
    std::vector<std::string> all;
    for (const Finding& f :
         audited(whole, {{"model.positions", "12"}, {"attention.scale", fmt::format("{}", scale)}})
             .findings)
      all.push_back(std::string(name_of(f.severity)) + " " + f.claim);
    return all;
  };
  EXPECT_EQ(with(1.001 * most), Kinds{claim});
  EXPECT_EQ(with(0.999 * most), Kinds{});
}

TEST(findings, note_first_logits_that_hardly_know_the_tokens) {
  // t²/q < 1/10 where 9 t² < p²: the ratio of RMS is 1/3, which is noted itself.
  const auto with = [](double ratio) {
    return kinds({{"token.multiplier", fmt::format("{}", ratio * 8 / std::sqrt(2.0))}}).size();
  };
  EXPECT_EQ(with(0.3), 2u);
  EXPECT_EQ(with(0.35), 1u);
  EXPECT_EQ(kinds({{"position.kind", "relative"}, {"token.multiplier", "1"}}),
            Kinds{"note attention.first_layer_terms"});
}

TEST(findings, warn_of_a_loss_one_nat_above_uniform) {
  // About s²/2 above ln V, less a little at V = 100: s = 1 and s = 2 are on either side.
  EXPECT_EQ(kinds({{"output.multiplier", "1"}}), Kinds{});
  EXPECT_EQ(kinds({{"output.multiplier", "2"}}), Kinds{"warning tied_output.initial_loss"});
}

TEST(findings, note_an_own_logit_above_all_others) {
  // m·d·σ² = m over √((m/8)² + 1/2): 6.5, 2.6 and 3.2; the others' largest is √(2 ln 100) = 3.0.
  const auto with = [](const char* multiplier) {
    return kinds(
        {{"block.norm", "pre"}, {"block.kind", "rms_norm"}, {"token.multiplier", multiplier}});
  };
  const std::string scale = "note conventions.multiplier_sets_the_scale",
                    copies = "note tied_output.copies_its_input";
  EXPECT_EQ(with("8"), Kinds{copies});
  EXPECT_EQ(with("2"), Kinds{scale});
  EXPECT_EQ(with("2.5"), (Kinds{scale, copies}));
}

}  // namespace
}  // namespace embedscale::audit
