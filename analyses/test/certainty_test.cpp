// The page about certainty: what claims rest on, and their order.
#include "certainty.hpp"

#include <gtest/gtest.h>

#include "results_rows.hpp"

namespace embedscale::certainty {
namespace {

Json row(const std::string& id, const char* kind, std::uint64_t cases) {
  auto made = settled(id);
  made["kind"] = kind, made["evaluated"] = cases;
  return made;
}

/// Of so many comparisons so many speak against the belief.
Json trained(const std::string& id, double against, std::uint64_t settings) {
  auto made = row(id, "trained", 10000);
  made["measurements"] = {{{"quantity", "against"},
                           {"unit", "count"},
                           {"method", "runs"},
                           {"samples", settings},
                           {"axes", Json::array()},
                           {"columns", {"value"}},
                           {"rows", {Json::array({against})}}}};
  return made;
}

/// With a measurement over the atlas.
Json counting(Json made) {
  made["measurements"][0]["method"] = "closed form, over the atlas";
  return made;
}

const std::string words = [] {
  std::string all =
      "# T\nI.\n## weakest\n### title\nW\n### sentences\n- So. {true a.one}\n"
      "## ranking\n### title\nR\n### text\nAll.\n";
  for (const char* name :
       {"trained", "read", "statistical", "quadrature", "bounded", "exhaustive", "exact"})
    all += "## " + std::string(name) + "\n### rests on\non\n### overturned by\nby\n";
  return all;
}();

TEST(certainty, rests_on_the_kind_of_evidence) {
  for (const auto* name : {"exact", "quadrature", "read", "trained"})
    EXPECT_EQ(name_of(kind_of(row("a.one", name, 1))), name);
  EXPECT_TRUE(contains(refusal([] { kind_of(row("a.one", "felt", 1)); }), "'felt'"));
}

TEST(certainty, ranks_the_most_fragile_first) {
  const Json results{{"version", "1"},
                     {"claims",
                      {row("a.one", "exact", 5), row("a.drawn", "statistical", 900),
                       trained("training.many", 6, 12), trained("training.few", 1, 11),
                       counting(row("a.read", "read", 7000)), counting(row("a.two", "exact", 4))}}};
  const auto text = page(results, report::Words::parse(words, "c.md"));
  std::size_t at = 0;
  for (const char* said :
       {"- So. <sub>", "| **trained** ", "[training.few](training.md#training.few): 1 of 11",
        "| **read** ", "[a.read](a.md#a.read): not counted ", "| **exact** ",
        "[a.two](a.md#a.two): 4 ", "## R\n\nAll.\n", "Found is training.few",
        "Found is training.many", "6 of 12 ", "Found is a.read", "| read  ", "Found is a.drawn",
        "Found is a.two", "| exact, counts read ", "Found is a.one"}) {
    const auto found = text.find(said, at);
    ASSERT_NE(found, text.npos) << said << " behind\n" << text.substr(at);
    at = found;
  }
}

}  // namespace
}  // namespace embedscale::certainty
