// The page about implementations: what was found, and in whose words.
#include "implementations.hpp"

#include <gtest/gtest.h>

#include "report/file.hpp"
#include "texts.hpp"

namespace embedscale::implementations {
namespace {

Json finding(const char* property, const char* verdict, double share) {
  return {{"claim", "normalization.absorbs_the_factor"},
          {"states", "it is absorbed"},
          {"property", property},
          {"verdict", verdict},
          {"cases", 100},
          {"worst_share_of_bound", share},
          {"asked", {{"layer_norm (binary32)", 200}}},
          {"calls", {"layer_norm(x = [1]) in binary32"}},
          {"explanation", "off"}};
}
Found found(Json findings) {
  return {{"some.binary32", {{"subject", "Some 1.2"}, {"findings", std::move(findings)}}}};
}
report::Words words(const std::string& parts) {
  return report::Words::parse(
      "# T\nI.\n## tables\n### bounds\nD\n### implementations\nA\n### operations\nB\n### "
      "violated\nC\n" +
          parts,
      "i.md");
}

TEST(implementations, shows_what_holds_and_how_close_it_comes) {
  const auto of = found({finding("close", "holds", 0.25), finding("closer", "holds", 0.5)});
  const auto text = page(of, words(""), "h");
  for (const auto* said :
       {"| Some 1.2       | binary32 |        0 |          2 |   200 |",
        "| `layer_norm` | binary32 |        0.50 | Some 1.2       |        0 |          2 |"})
    EXPECT_TRUE(contains(text, said)) << said << "\n" << text;
}

TEST(implementations, says_of_what_is_violated_whose_error_it_is) {
  const auto of = found({finding("bad", "violated", 7), finding("good", "holds", 0.5)});
  const std::string said = "## some\n### normalization.absorbs_the_factor.bad\nIts error.\n";
  const auto text = page(of, words(said), "h");
  for (const auto* part : {"| Some 1.2       | binary32 |        1 |          2 |   200 |",
                           "| `layer_norm` | binary32 |    violated | Some 1.2       |        1 |",
                           "### Some 1.2", "Its error.\n\n```text\nlayer_norm",
                           "(normalization.md#normalization.absorbs_the_factor), in binary32\n",
                           "layer_norm(x = [1]) in binary32\noff\n"})
    EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
  const auto both = found({finding("bad", "violated", 7), finding("worse", "violated", 8)});
  const auto of_all = page(both, words("## some\n### *\nOne cause.\n"), "h");
  EXPECT_EQ(occurrences(of_all, "absorbs_the_factor), in binary32"), 2u);
  EXPECT_EQ(occurrences(of_all, "One cause."), 1u);
  auto of_fact = finding("bad", "violated", 7);
  of_fact["claim"] = "normalization.no_page_has_this";
  EXPECT_TRUE(contains(page(found({of_fact}), words("## some\n### *\nSo.\n"), "h"),
                       "`normalization.no_page_has_this.bad` (that it is absorbed), in binary32"));
  EXPECT_TRUE(contains(refusal([&] { page(of, words(""), "h"); }), "which is violated"));
  EXPECT_TRUE(contains(refusal([&] { page(found({}), words(said), "h"); }), "is not violated"));
}

TEST(implementations, page_is_of_these_sources) {
  const std::filesystem::path project = EMBEDSCALE_SOURCE_DIR;
  const auto page = report::read_file(project / "reports/implementations.md");
  EXPECT_TRUE(contains(page, "implementations " + hash_of(project)))
      << "an implementation changed: run ./dev reports implementations";
}

}  // namespace
}  // namespace embedscale::implementations
