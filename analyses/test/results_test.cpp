// What is made from the rows of all topics: results.json.
#include "report/results.hpp"

#include <gtest/gtest.h>
#include "properties/catalogue.hpp"

#include "report/file.hpp"
#include "report/section.hpp"
#include "results_rows.hpp"
#include "scratch.hpp"

namespace embedscale::report::results_test {
namespace {

TEST(merged_results, have_the_whole_catalogue_in_its_order) {
  const Scratch scratch;
  const auto catalogue = properties::catalogue();
  for (const auto topic : properties::topics()) {
    Json rows = Json::array();
    for (const auto& claim : catalogue)
      if (claim.topic() == topic) rows.insert(rows.begin(), settled(std::string(claim.id)));
    write_file(scratch / ("data/" + std::string(topic) + ".json"), rows.dump());
  }
  const auto results = merged_results(scratch.path());
  ASSERT_EQ(results["claims"].size(), catalogue.size());
  for (std::size_t i = 0; i < catalogue.size(); ++i)
    EXPECT_EQ(results["claims"][i]["id"], catalogue[i].id);
}

}  // namespace
}  // namespace embedscale::report::results_test
