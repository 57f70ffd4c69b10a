// The atlas of systems.
#include "configurations.hpp"
#include "properties/catalogue.hpp"
#include "report/file.hpp"

#include <set>

namespace embedscale::audit {
namespace {

TEST(systems, are_at_least_forty_that_name_a_repository_a_full_commit_and_files) {
  EXPECT_GE(systems().size(), 40u);
  for (const std::string& name : systems()) {
    const Configuration c = system_named(name);
    EXPECT_EQ(c.name, name);
    EXPECT_NE(c.source.repository.find('/'), std::string::npos) << name;
    EXPECT_EQ(c.source.commit.size(), 40u) << name;
    EXPECT_EQ(c.source.commit.find_first_not_of("0123456789abcdef"), std::string::npos) << name;
    EXPECT_FALSE(c.source.files.empty()) << name;
  }
}

TEST(systems, say_what_is_assumed_or_absent_rests_on) {
  for (const std::string& name : systems())
    for (const auto& [field, basis] : system_named(name).marks)
      EXPECT_TRUE(basis.mark == Mark::read || !basis.source.empty()) << name << ": " << field;
}

TEST(systems, take_no_default_for_what_decides_a_figure) {
  // What is not told is marked absent, so that no default of the audit's own stands in for it.
  for (const std::string& name : systems())
    for (const auto& [field, words] : system_named(name).defaults)
      for (const char* decides : {"token.law", "block.norm", "block.epsilon", "attention.scale",
                                  "attention.projection", "embedding_norm.epsilon"})
        EXPECT_NE(field, decides) << name << " has the default " << words;
}

TEST(systems, of_the_gemma_family_tell_the_format_that_their_multiplier_is_cast_to) {
  std::size_t found = 0;
  for (const std::string& name : systems()) {
    if (name.find("gemma") == name.npos) continue;
    ++found;
    for (const auto& [field, words] : system_named(name).defaults)
      EXPECT_NE(field, "token.multiplier_format") << name << " has the default " << words;
  }
  EXPECT_GE(found, 5u);
}

TEST(systems, of_the_gemma_family_store_the_last_gain_less_one_but_in_llama_cpp) {
  for (const std::string& name : systems()) {
    const bool stored = name.find("gemma") != name.npos && name != "llama_cpp_gemma";
    EXPECT_EQ(system_named(name).final_norm.gain == Gain::one_plus, stored) << name;
  }
}

TEST(systems, are_written_in_ascii) {
  for (const std::string& name : systems()) {
    const std::string text = report::read_file(system_file(name));
    EXPECT_FALSE(text.empty()) << name;
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
      return c == '\n' || (c >= ' ' && c <= '~');
    })) << name;
  }
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

TEST(systems, mark_framework_defaults) {
  EXPECT_EQ(mark_of("token.law", system_named("d2l_pytorch")), Mark::assumed);
  EXPECT_EQ(mark_of("token.law", system_named("gemma_pytorch")), Mark::absent);
  EXPECT_EQ(mark_of("output.tied", system_named("gemma_pytorch")), Mark::inferred);
  EXPECT_EQ(mark_of("token.law", system_named("tensor2tensor")), Mark::read);
}

}  // namespace
}  // namespace embedscale::audit
