// The atlas of systems: where they are from, what is found in them, and what mends it.
#include "audit/test/configurations.hpp"
#include "properties/catalogue.hpp"

#include <set>

namespace embedscale::audit {
namespace {

TEST(systems, tell_where_they_are_from_and_what_each_field_rests_on) {
  EXPECT_GE(systems().size(), 40u);
  std::size_t gemmas = 0;
  for (const std::string& name : systems()) {
    SCOPED_TRACE(name);
    const Configuration c = system_named(name);
    EXPECT_EQ(c.name, name);
    EXPECT_NE(c.source.repository.find('/'), std::string::npos);
    EXPECT_EQ(c.source.commit.size(), 40u);
    EXPECT_EQ(c.source.commit.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_FALSE(c.source.files.empty());
    for (const auto& [field, basis] : c.marks)
      EXPECT_TRUE(basis.mark == Mark::read || !basis.source.empty()) << field;
    // What is not told is marked absent, so that no default of the audit's own decides a figure.
    // Of Gemma's it is told what the multiplier is cast to, and that the last gain is less one.
    const bool gemma = name.find("gemma") != name.npos || name == "openpi_pi0";
    std::set<std::string> decide = {
        "token.law",       "block.norm",           "block.epsilon",
        "attention.scale", "attention.projection", "embedding_norm.epsilon"};
    if (gemma) decide.insert("token.multiplier_format"), ++gemmas;
    for (const auto& [field, words] : c.defaults)
      EXPECT_FALSE(decide.contains(field)) << field << " has the default " << words;
    EXPECT_EQ(c.final_norm.gain == Gain::one_plus, gemma && name != "llama_cpp_gemma");
  }
  EXPECT_GE(gemmas, 5u);
}

TEST(systems, have_findings_that_name_claims_of_the_catalogue_and_say_one_sentence_with_numbers) {
  std::set<std::string> claims, found;
  for (const auto& claim : properties::catalogue()) claims.emplace(claim.id);
  for (const Audit& audit : audited_systems())
    for (const Finding& f : audit.findings) {
      EXPECT_TRUE(claims.contains(f.claim)) << f.claim;
      EXPECT_TRUE(f.claim == "attention.first_layer_terms" ||
                  f.sentence.find_first_of("0123456789") != std::string::npos)
          << f.sentence;
      EXPECT_EQ(f.sentence.find('\n'), std::string::npos) << f.sentence;
      found.insert(f.claim);
    }
  EXPECT_GE(found.size(), 5u);  // the atlas has most kinds of them
}

/// What a remedy names, as --set takes it.
Change change_of(const std::string& remedy) {
  const std::size_t equals = remedy.find(" = "), comma = remedy.find(", for ");
  return {remedy.substr(0, equals), remedy.substr(equals + 3, comma - equals - 3)};
}

TEST(remedies, mend_what_they_are_named_for) {
  std::set<std::string> mended;
  const auto expect = [&](const auto& audited_with, const std::string& name) {
    for (const Finding& f : audited_with({}).findings) {
      EXPECT_EQ(f.remedy.empty(), f.severity == Severity::note) << name;
      EXPECT_EQ(f.remedy.empty(), f.brief.empty()) << name;
      if (f.remedy.empty()) continue;
      const Change change = change_of(f.remedy);
      for (const Finding& other : audited_with({change}).findings)
        EXPECT_FALSE(other.claim == f.claim && other.severity == Severity::warning)
            << name << ": " << f.remedy;
      mended.insert(change.path);
    }
  };
  const auto expect_system = [&](const std::string& name, const std::vector<Change>& given) {
    expect(
        [&](std::vector<Change> changes) {
          changes.insert(changes.begin(), given.begin(), given.end());
          return audit_of(read_configuration(system_file(name), changes));
        },
        name);
  };
  for (const std::string& name : systems()) expect_system(name, {});
  // Whose codes have no factor in this case.
  expect_system(
      "hf_t5",
      {{"output.tied", "false"}, {"output.law", "normal"}, {"output.standard_deviation", "1"}});
  expect_system("marian", {{"position.kind", "learned"},
                           {"position.law", "normal"},
                           {"position.standard_deviation", "1e-4"}});
  // Of merged rows: divided in the look-up, and text multiplied twice.
  expect_system("hf_paligemma", {{"token.multiplier_place", "look_up"}});
  expect_system("hf_paligemma", {{"merged[0].multiplier", "1"}, {"merged[0].rms", "1"}});
  expect_system("hf_gemma3", {{"token.multiplier", "d_model"}, {"merged[0].rms", "1"}});
  for (const char* norm : {"[block]\nnorm = 'pre'\nepsilon = 1\n",
                           "[embedding_norm]\nepsilon = 0.5\nepsilon_added_to = "
                           "'standard_deviation'\n[block]\nnorm = 'pre'\n"})
    expect(
        [&](std::vector<Change> changes) {
          changes.insert(changes.begin(), {"model.positions", "9"});
          return audited(whole + norm, changes);
        },
        norm);
  EXPECT_EQ(mended, (std::set<std::string>{"attention.scale", "block.epsilon",
                                           "embedding_norm.epsilon", "merged[0].multiplier",
                                           "output.multiplier", "output.standard_deviation",
                                           "position.multiplier", "token.multiplier"}));
}

}  // namespace
}  // namespace embedscale::audit
