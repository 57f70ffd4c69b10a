// One grammar for cells, fields and sentences; what is ambiguous is refused with its candidates.
#include "report/lookup.hpp"

#include <gtest/gtest.h>

#include "texts.hpp"

namespace embedscale::report::lookup_test {
namespace {

class look_up : public testing::Test {
 protected:
  look_up() { measurements_[2].lower = 0.25, measurements_[2].upper = 0.75; }
  std::string text(std::string_view of) const { return LookUp(of).in(all()).text; }
  std::string why_not(std::string_view of) const {
    return refusal([&] { text(of); });
  }
  Selection all() const { return selection_of(measurements_); }
  static Measurement ratio(const Place& at, double value) {
    return {.quantity = "ratio", .at = at, .value = value, .method = "draws", .digits = 3};
  }
  std::vector<Measurement> measurements_{
      ratio({{"format", "binary16"}, {"d_model", 64}}, 0.125),
      ratio({{"format", "binary16"}, {"d_model", 1024}}, 2.5),
      ratio({{"format", "a wide one"}, {"d_model", 64}, {"rate", 0.1}}, 0.5),
      {.quantity = "mean",
       .value = 0.8541,
       .samples = 30,
       .method = "draws",
       .digits = 2,
       .lower = 0.84131,
       .upper = 0.86712,
       .confidence = 0.99899999},
      {.quantity = "misses",
       .at = {{"widths", Coordinate::List{1, 4, 1024}}},
       .value = 12345,
       .samples = 20000,
       .method = "exact",
       .unit = "count"}};
};

TEST_F(look_up, finds_the_one_measurement_aggregates_projects_and_shows) {
  const std::pair<const char*, const char*> rows[] = {
      {"misses", "12,345"},
      {"ratio format=binary16 d_model=64", "0.125"},
      {"ratio format=\"a wide one\"", "0.500"},
      {"ratio !rate d_model<=100", "0.125"},
      {"ratio +rate", "0.500"},
      {"ratio format!=binary16", "0.500"},
      {"ratio d_model=greatest", "2.50"},
      {"greatest ratio", "2.50"},
      {"least ratio format=binary16", "0.125"},
      {"range of ratio", "0.125 to 2.50"},
      {"range of ratio rate=0.1", "0.500"},
      {"sum ratio", "3.12"},  // 3.125, to even
      {"number of ratio format=binary16", "2"},
      {"list ratio format=binary16", "0.125, 2.50"},
      {"samples of misses", "20,000"},
      {"mean", "0.85"},
      {"mean : %", "85 %"},
      {"mean : 4", "0.85"},  // no more than its interval supports
      {"mean : 1", "0.9"},
      {"mean : 1 %", "90 %"},  // not 9e+01
      {"mean : complement", "0.15"},
      {"lower of mean", "0.841"},
      {"upper of mean : %", "86.8 %"},
      {"upper of mean : 2", "0.87"},
      {"greatest d_model of ratio", "1,024"},
      {"format of greatest ratio", "binary16"},
      {"list format of ratio", "binary16, a wide one"},
      {"widths of misses", "1, 4, 1,024"},
      {"least ratio : %", "12.5 %"},
      {"least ratio : 2 percent up", "13"},
      {"least ratio : complement", "0.875"},
      {"ratio format=none : or —", "—"},
      {"list ratio format=binary16 : 1 each \"{} at d_model = {d_model}\"",
       "0.1 at d_model = 64, 2 at d_model = 1,024"}};
  for (const auto& [look_up, shown] : rows) EXPECT_EQ(text(look_up), shown) << look_up;
}

TEST_F(look_up, keeps_near_a_place) {
  EXPECT_EQ(LookUp("ratio +rate").in(all(), {{"rate", 0.1}, {"d_model", 64}}).text, "0.500");
  EXPECT_TRUE(LookUp("ratio +rate").matching(all(), {{"rate", 0.2}}).empty());
}

TEST_F(look_up, refuses_what_is_ambiguous_or_not_there) {
  const auto several = why_not("ratio format=binary16");
  EXPECT_TRUE(contains(several, "ratio format=binary16 d_model=1024")) << several;
  for (const auto& [look_up, why] : {std::pair{"ratio format=binary16", "is not one measurement"},
                                     {"ratio d_model=7", "matches no measurement"},
                                     {"nothing", "names no quantity"},
                                     {"d_model of ratio", "is not one measurement"},
                                     {"ratio at nowhere", "is no look-up"},
                                     {"ratio : loudly", "is no format"}})
    EXPECT_TRUE(contains(why_not(look_up), why)) << look_up;
}

}  // namespace
}  // namespace embedscale::report::lookup_test
