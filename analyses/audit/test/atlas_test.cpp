// The atlas of systems.
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
    const bool gemma = name.find("gemma") != name.npos;
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
