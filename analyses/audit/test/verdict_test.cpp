// What an audit says first, and what it says to do.
#include "configurations.hpp"

#include <nlohmann/json.hpp>
#include <set>

namespace embedscale::audit {
namespace {

/// The first lines of a summary, as one.
std::string verdict_in(const std::string& summary) {
  std::string verdict;
  std::istringstream lines(summary);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  source ") || line.starts_with("  model ")) break;
    verdict += (verdict.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
  }
  return verdict;
}

TEST(verdict, begins_with_what_is_wrong_and_what_to_do_about_it) {
  // sqrt(512) = 22.63 is the ratio's sqrt(2) times 16, and the logits' deviation; 4,000 draws of
  // 256 such logits have their loss 58.44 nats above ln 256, give or take 0.14.
  for (
      const auto& [changes, verdict] : std::vector<std::pair<std::vector<Change>, std::string>>{
          {{{"block.norm", "pre"}, {"output.multiplier", "d_model^-0.5"}},
           "nothing to mend in balance; not known: first norm and first softmax (needs "
           "model.positions); not known: loss (needs model.vocabulary)"},
          {{{"model.positions", "99"},
            {"model.vocabulary", "1000"},
            {"block.norm", "post"},
            {"output.multiplier", "d_model^-0.5"}},
           "nothing to mend in balance, first norm, first softmax and loss"},
          {{{"token.multiplier", "16"},
            {"model.positions", "99"},
            {"model.vocabulary", "1000"},
            {"block.norm", "pre"},
            {"output.multiplier", "d_model^-0.5"}},
           "badly off: tokens drown positions, at a ratio of 22.63; try token.multiplier = 1, for "
           "a ratio of 1.414"},
          {{{"token.standard_deviation", "d_model^-0.5/8"},
            {"model.positions", "99"},
            {"model.vocabulary", "1000"},
            {"block.norm", "pre"},
            {"block.kind", "rms_norm"},
            {"block.epsilon", "1e-9"}},
           "badly off: positions drown tokens, at a ratio of 0.007812; try token.multiplier = 128, "
           "for a ratio of 1.000"},
          {{{"output.multiplier", "1"}, {"block.norm", "pre"}, {"model.positions", "99"}},
           "badly off: the loss starts at least 58.53 nats above that of equal logits; try "
           "output.multiplier = 0.04419, for logits of standard deviation 1; not known: loss "
           "(needs model.vocabulary)"},
          {{{"output.multiplier", "d_model^-0.5"},
            {"model.positions", "99"},
            {"model.vocabulary", "1000"}},
           "nothing to mend in balance, first softmax and loss; no block.norm is given, so none is "
           "assumed: say pre, post or none"}}) {
    EXPECT_EQ(verdict_in(summary_of(audited(whole, changes))), "f: " + verdict);
    const auto json = nlohmann::json::parse(json_line(audited(whole, changes)));
    EXPECT_EQ(json["verdict"], verdict);
  }
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
  for (const std::string& name : systems())
    expect(
        [&](const std::vector<Change>& changes) {
          return audit_of(read_configuration(system_file(name), changes));
        },
        name);
  // Whose codes have no factor in this case.
  const std::vector<Change> untied{
      {"output.tied", "false"}, {"output.law", "normal"}, {"output.standard_deviation", "1"}},
      tabled{{"position.kind", "learned"},
             {"position.law", "normal"},
             {"position.standard_deviation", "1e-4"}};
  for (const auto& [name, others] : {std::pair("hf_t5", untied), {"marian", tabled}})
    expect(
        [&, &system = name, &given = others](const std::vector<Change>& changes) {
          auto all = given;
          for (const Change& change : changes) all.push_back(change);
          return audit_of(read_configuration(system_file(system), all));
        },
        name);
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
