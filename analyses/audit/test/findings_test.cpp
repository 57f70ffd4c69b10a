// What stands out, and from where on.
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
                  saturates = "warning attention.unscaled_softmax_saturates";

/// token.rms is m/8, position.rms √½: a multiplier for a ratio of the two.
Change ratio(double r) { return {"token.multiplier", fmt::format("{}", r * 8 / std::sqrt(2.0))}; }

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
