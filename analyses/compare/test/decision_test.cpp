// What is said of a factor, by the figures and by what was trained.
#include "compare/decision.hpp"

#include <gtest/gtest.h>

namespace embedscale::compare {
namespace {

struct Case {
  std::vector<audit::Change> changes;
  std::string_view verdict;
};

Parametrisations with(const std::vector<audit::Change>& changes) {
  return compared(audit::parse_configuration(
      "[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = 8\n[token]\n"
      "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'\n"
      "[position]\nkind = 'sinusoidal'\n[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 0\n"
      "[output]\ntied = true\n",
      "f.toml", changes));
}

TEST(verdict, names_the_evidence_that_there_is) {
  const audit::Change none{"token.multiplier", "1"}, unit{"token.standard_deviation", "1"},
      rotary{"position.kind", "rotary"}, post{"block.norm", "post"},
      normed{"embedding_norm.kind", "rms_norm"}, small_epsilon{"embedding_norm.epsilon", "1e-9"};
  const std::vector<audit::Change> learned{{"position.kind", "learned"},
                                           {"position.law", "normal"},
                                           {"position.standard_deviation", "1/sqrt(2)"}};
  const audit::Change tiny{"token.standard_deviation", "0.02"};
  const auto gpt2 = [](std::vector<audit::Change> changes) {
    changes.insert(changes.begin(), {"block.kind", "layer_norm"});
    changes.push_back({"position.kind", "learned"});
    changes.push_back({"position.law", "normal"});
    changes.push_back({"position.standard_deviation", "0.01"});
    return changes;
  };
  for (const auto& [changes, expected] :
       std::vector<Case>{{{}, verdict::keep},
                         {{post}, verdict::keep},
                         {{none}, verdict::put_in},
                         {{unit}, verdict::leave},
                         {{unit, none}, verdict::leave},
                         // Of the study's ratio, but other positions, multiplier, norms.
                         {learned, verdict::leave},
                         {{{"token.multiplier", "4"}}, verdict::leave},
                         {{normed, small_epsilon}, verdict::leave},
                         {{{"block.norm", "none"}}, verdict::leave},
                         {{{"token.law", "xavier_uniform"},
                           {"token.standard_deviation", ""},
                           {"model.vocabulary", ""}},
                          verdict::unknown},
                         // As in the second study, rotary or learned, and beside it.
                         {{rotary}, verdict::keep},
                         {{rotary, none}, verdict::try_it},
                         {{rotary, none, tiny}, verdict::try_it},
                         {{rotary, none, unit}, verdict::leave},
                         {{rotary, none, {"block.kind", "layer_norm"}}, verdict::leave},
                         {{rotary, {"token.multiplier", "2"}}, verdict::leave},
                         {gpt2({tiny, none}), verdict::try_it},
                         {gpt2({tiny}), verdict::keep},
                         {gpt2({none}), verdict::leave},
                         {gpt2({tiny, none, {"block.kind", "rms_norm"}}), verdict::leave},
                         {gpt2({tiny,
                                none,
                                {"output.tied", "false"},
                                {"output.law", "normal"},
                                {"output.standard_deviation", "0.02"}}),
                          verdict::leave},
                         {{rotary, normed, small_epsilon}, verdict::no_matter},
                         // An ε as large as the unscaled token's variance is no detail.
                         {{rotary, normed, {"embedding_norm.epsilon", "1"}}, verdict::leave},
                         {{rotary, post}, verdict::leave}}) {
    std::string what;
    for (const auto& change : changes) what += change.path + "=" + change.value + " ";
    const auto made = decision_of(with(changes));
    EXPECT_EQ(made.verdict, expected) << what;
    EXPECT_EQ(made.because.empty(), expected != verdict::unknown && expected != verdict::leave)
        << what;
  }
}

TEST(verdict, names_what_the_trained_models_have) {
  const auto because = [](const std::vector<audit::Change>& changes) {
    return decision_of(with(changes)).because;
  };
  const audit::Change rotary{"position.kind", "rotary"};
  EXPECT_EQ(because({rotary, {"block.kind", "layer_norm"}}),
            "the training study's models have RMSNorm");
  EXPECT_EQ(because({rotary, {"block.norm", "post"}}),
            "the training study's models have pre-norm blocks");
  EXPECT_EQ(because({rotary, {"token.standard_deviation", "1"}}),
            "the training study's models have normal tables of σ = 0.02 or d_model^−½");
  EXPECT_EQ(because({{"position.kind", "alibi"}}),
            "the training study's models have sinusoidal, learned or rotary positions");
  EXPECT_EQ(because({{"token.multiplier", "4"}}),
            "the training study has other multipliers, of its own widths");
  EXPECT_EQ(because({rotary, {"token.multiplier", "4"}}),
            "the training study's models have no factor or √d_model");
  EXPECT_EQ(because({{"token.standard_deviation", "1"}}),
            "the training study's models have tokens of √2 times sinusoids with √d_model");
  EXPECT_EQ(because({{"block.norm", "none"}}),
            "the training study's models have norms in the blocks");
}

}  // namespace
}  // namespace embedscale::compare
