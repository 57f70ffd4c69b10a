// What an audit says to do.
#include "configurations.hpp"

#include <set>

namespace embedscale::audit {
namespace {

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
  for (const char* norm : {"[block]\nnorm = 'pre'\nepsilon = 1\n",
                           "[embedding_norm]\nepsilon = 0.5\nepsilon_added_to = "
                           "'standard_deviation'\n[block]\nnorm = 'pre'\n"})
    expect(
        [&](std::vector<Change> changes) {
          changes.insert(changes.begin(), {"model.positions", "9"});
          return audited(whole + norm, changes);
        },
        norm);
  EXPECT_EQ(mended,
            (std::set<std::string>{"attention.scale", "block.epsilon", "embedding_norm.epsilon",
                                   "output.multiplier", "output.standard_deviation",
                                   "position.multiplier", "token.multiplier"}));
}

}  // namespace
}  // namespace embedscale::audit
