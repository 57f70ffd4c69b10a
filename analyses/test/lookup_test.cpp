// One grammar for cells, fields and sentences; what is ambiguous is refused with its candidates.
#include "report/lookup.hpp"

#include <gtest/gtest.h>

#include "texts.hpp"

namespace embedscale::report {
namespace {

class look_up : public testing::Test {
 protected:
  std::string text(std::string_view of) const { return LookUp(of).in(all()).text; }
  std::string why_not(std::string_view of) const {
    return refusal([&] { text(of); });
  }
  Selection all() const {
    Selection out;
    for (const auto& m : measurements_) out.push_back(&m);
    return out;
  }
  std::vector<Measurement> measurements_{
      {.quantity = "ratio",
       .at = {{"format", "binary16"}, {"d_model", 64}},
       .value = 0.125,
       .samples = 4000,
       .method = "draws",
       .digits = 3},
      {.quantity = "ratio",
       .at = {{"format", "binary16"}, {"d_model", 1024}},
       .value = 2.5,
       .samples = 4000,
       .method = "draws",
       .digits = 3},
      {.quantity = "ratio",
       .at = {{"format", "a wide one"}, {"d_model", 64}, {"rate", 0.1}},
       .value = 0.5,
       .samples = 9,
       .method = "draws",
       .digits = 3,
       .lower = 0.25,
       .upper = 0.75},
      {.quantity = "misses",
       .at = {{"widths", Coordinate::List{1, 4, 1024}}},
       .value = 12345,
       .samples = 20000,
       .method = "exact",
       .unit = "count",
       .rule = none_of(properties::Part::belief, 20000)}};
};

TEST_F(look_up, finds_the_one_measurement) {
  EXPECT_EQ(text("misses"), "12,345");
  EXPECT_EQ(text("ratio format=binary16 d_model=64"), "0.125");
  EXPECT_EQ(text("ratio format=\"a wide one\""), "0.500");
  EXPECT_EQ(text("ratio rate=0.1"), "0.500");
  EXPECT_EQ(text("ratio !rate d_model<=100"), "0.125");
  EXPECT_EQ(text("ratio +rate"), "0.500");
  EXPECT_EQ(LookUp("ratio +rate").in(all(), {{"rate", 0.1}, {"d_model", 64}}).text, "0.500");
  EXPECT_TRUE(LookUp("ratio +rate").matching(all(), {{"rate", 0.2}}).empty());
  EXPECT_EQ(text("ratio format!=binary16"), "0.500");
  EXPECT_EQ(text("ratio d_model=greatest"), "2.50");
}

TEST_F(look_up, aggregates) {
  EXPECT_EQ(text("greatest ratio"), "2.50");
  EXPECT_EQ(text("least ratio format=binary16"), "0.125");
  EXPECT_EQ(text("range of ratio"), "0.125 to 2.50");
  EXPECT_EQ(text("range of ratio rate=0.1"), "0.500");
  EXPECT_EQ(text("sum ratio"), "3.12");  // 3.125, to even
  EXPECT_EQ(text("number of ratio format=binary16"), "2");
  EXPECT_EQ(text("list ratio format=binary16"), "0.125, 2.50");
}

TEST_F(look_up, projects) {
  EXPECT_EQ(text("samples of misses"), "20,000");
  EXPECT_EQ(text("lower of ratio rate=0.1"), "0.250");
  EXPECT_EQ(text("greatest d_model of ratio"), "1,024");
  EXPECT_EQ(text("format of greatest ratio"), "binary16");
  EXPECT_EQ(text("list format of ratio"), "binary16, a wide one");
  EXPECT_EQ(text("widths of misses"), "1, 4, 1024");
}

TEST_F(look_up, shows_as_told) {
  EXPECT_EQ(text("greatest ratio : 1"), "2");
  EXPECT_EQ(text("least ratio : %"), "12.5 %");
  EXPECT_EQ(text("least ratio : 2 percent up"), "13");
  EXPECT_EQ(text("least ratio : complement"), "0.875");
  EXPECT_EQ(text("least ratio : inverse"), "8.00");
  EXPECT_EQ(text("ratio format=none : or —"), "—");
  EXPECT_EQ(text("list ratio format=binary16 : 1 each \"{} at d_model = {d_model}\""),
            "0.1 at d_model = 64, 2 at d_model = 1,024");
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

TEST_F(look_up, follows_a_changed_measurement) {
  measurements_[1].value = 4;
  EXPECT_EQ(text("greatest ratio"), "4.00");
}

}  // namespace
}  // namespace embedscale::report
