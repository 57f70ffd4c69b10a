// A comparison as people and as programs read it.
#include "properties/catalogue.hpp"

#include "audit/test/configurations.hpp"
#include "compare/compare.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

namespace embedscale::compare {
namespace {

using report::Json;

/// The systems, and one whose multiplier is neither 1 nor the root, with all kinds of parts.
const std::vector<Parametrisations>& comparisons() {
  static std::vector<Parametrisations> all;
  if (!all.empty()) return all;
  for (const auto& name : audit::systems()) all.push_back(compared(audit::system_named(name)));
  all.push_back(compared(audit::configured(
      "name = '" + std::string(60, 'n') + "'\n" + audit::whole +
          "[block]\nnorm = 'pre'\n[[extra]]\nlaw = 'normal'\nstandard_deviation = 1\n[marks]\n"
          "'model.vocabulary' = { mark = 'absent', source = '" +
          std::string(300, 's') + "' }\n",
      {{"token.multiplier", "7"}, {"model.positions", "9"}})));
  return all;
}

TEST(words, have_the_figures_that_the_json_has_and_name_claims) {
  for (const Parametrisations& one : comparisons()) {
    const Json json = report::parsed(json_line(one));
    const auto text = words_of(one), line = audit::on_one_line(text);
    SCOPED_TRACE(text);
    EXPECT_TRUE(contains(line, " decision " + json["decision"]["verdict"].get<std::string>()));
    EXPECT_TRUE(text.ends_with("\n"));
    for (const auto each : report::split(text, '\n'))
      EXPECT_LE(report::width_of(each), 99u) << each;
    for (const Row& row : one.rows) {
      std::vector<std::string> values;
      for (const auto& [way, figures] : json["ways"].items()) {
        // `own` has no column where it is another way.
        if (figures.is_null() || (way == "own" && contains(line, " own is "))) continue;
        const auto& value = figures.at(row.path);
        values.push_back(value.is_null() ? "—" : report::significant(value.get<double>(), 4));
      }
      if (row.shown) {
        EXPECT_EQ(values, std::vector<std::string>(values.size(), *row.shown)) << row.path;
        values.resize(1);
      }
      const bool is_there = row.path != "extra.rms" || !one.configuration.extras.empty();
      EXPECT_EQ(contains(line, fmt::format(" {} {} ", row.path, fmt::join(values, " "))),
                is_there && (row.shown || differs(row)))
          << row.path;
      EXPECT_TRUE(row.shown || !differs(row) || contains(text, fmt::format("{}\n", row.claim)))
          << row.path;
    }
  }
}

// Each key has a weight of its own, and the branch is of Σ a² less.
TEST(stream, is_larger_beside_the_branch_of_independent_keys) {
  const auto to_branch = [](const char* positions) {
    return *compared(audit::configured(audit::whole + "[block]\nnorm = 'pre'\n",
                                       {{"model.positions", positions}}))
                .at("residual_stream.input_to_branch", "up")
                .value;
  };
  EXPECT_GT(to_branch("8"), to_branch("1"));
}

TEST(json, has_a_reason_for_all_that_is_missing_and_a_claim_for_all_that_differs) {
  for (const Parametrisations& one : comparisons()) {
    const std::string line = json_line(one);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const Json json = report::parsed(line);
    EXPECT_EQ(json["name"], one.configuration.name);
    for (const auto& [way, figures] : json["ways"].items())
      if (figures.is_null())
        EXPECT_TRUE(json["missing"].contains(way));
      else
        for (const auto& [path, value] : figures.items())
          EXPECT_NE(json["missing"].contains(way + " " + path), value.is_number()) << path;
    for (const Row& row : one.rows) {
      EXPECT_EQ(json["claims"].contains(row.path), differs(row)) << row.path;
      EXPECT_EQ(std::ranges::count(json["agree"], Json(row.path)), row.agree) << row.path;
    }
    EXPECT_FALSE(json["decision"]["claims"].empty());
    for (const auto& named : {json["claims"], json["decision"]["claims"]})
      for (const auto& [path, id] : named.items())
        EXPECT_EQ(std::ranges::count(properties::catalogue(), id.get<std::string>(),
                                     [](const auto& claim) { return claim.id; }),
                  1)
            << path << ": " << id;
  }
  const Json gemma = report::parsed(json_line(compared(audit::system_named("hf_gemma"))));
  EXPECT_EQ(gemma["rounding"]["root"]["rounded"], 55.5);
  EXPECT_EQ(gemma["rounding"]["own"]["rounds_identically"]["bfloat16"], false);
}

}  // namespace
}  // namespace embedscale::compare
