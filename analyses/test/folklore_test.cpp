// The page about folklore: each saying once, with claims that exist or a reason.
#include "folklore.hpp"

#include <gtest/gtest.h>
#include "properties/catalogue.hpp"

#include <algorithm>

#include "results_rows.hpp"

namespace embedscale::folklore {
namespace {

std::string section(int number, const std::string& parts) {
  return "## C" + std::to_string(number) + "\n### said\nIt is.\n### heard\nthere\n" + parts + "\n";
}

const std::string settled = "### settled\n- So. {true a.true}\n";
const std::string reason = "### not here\nit is another thing.\n";

std::vector<Entry> from(const std::string& text) {
  return entries(report::Words::parse("# T\nIntroduction.\n" + text, "f.md"));
}

TEST(folklore, stands_by_what_settles_it) {
  for (const auto& [parts, standing_of_it] : {std::pair{settled, "settled"},
                                              {settled + reason, "settled in part"},
                                              {reason, "not settled here"}})
    EXPECT_EQ(standing(from(section(1, parts)).front()), standing_of_it) << parts;
}

TEST(folklore, counts_on_its_page) {
  const auto text =
      page(few_claims(), report::Words::parse("# T\nI.\n" + section(1, settled) +
                                                  section(2, "### group\nG\n" + settled + reason) +
                                                  section(3, reason),
                                              "f.md"));
  EXPECT_TRUE(contains(text,
                       "Of 3 sayings 1 are settled, 1 settled in part, 1 are not settled "
                       "here.\n"));
  EXPECT_TRUE(contains(text, "\n## G\n\n- <a id=\"c2\"></a>**C2** "));
  const auto presuming =
      report::Words::parse("# T\nI.\n" + section(1, "### settled\n- So. {false a.true}\n"), "f.md");
  EXPECT_TRUE(contains(refusal([&] { page(few_claims(), presuming); }), "presumes that a.true"));
}

// The real words: all that was collected, each with claims of the catalogue.
TEST(folklore, has_every_saying_and_only_claims_that_exist) {
  const auto all = entries(report::Words::read(EMBEDSCALE_ANALYSES_DIR "/folklore.md"));
  ASSERT_EQ(all.size(), 44u);
  const auto catalogue = properties::catalogue();
  for (const auto& entry : all)
    for (const auto& sentence : entry.settled)
      for (const auto& carrier : sentence.carriers)
        EXPECT_NE(std::ranges::find(catalogue, carrier.id, &properties::Claim::id), catalogue.end())
            << entry.number << ": " << carrier.id;
  // A textbook, and a web page that is lost.
  EXPECT_EQ(std::ranges::count_if(all, [](const Entry& e) { return e.threads.empty(); }), 2);
}

}  // namespace
}  // namespace embedscale::folklore
