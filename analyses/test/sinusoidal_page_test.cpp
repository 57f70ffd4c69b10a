// The page of `sinusoidal`: its verdicts, figures that are known from elsewhere, and what becomes
// of a verdict when a measured figure is another.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "cli/analysis.hpp"
#include "report/file.hpp"

namespace embedscale {
namespace {

using report::Json;

const std::filesystem::path file = EMBEDSCALE_WORDS_DIR "/sinusoidal.md";

cli::Options small() {
  cli::Options options;
  options.widths = {16, 64, 512};
  options.positions = {1, 2, 511};
  return options;
}

const report::Page& measured() {
  static const auto page = analysis().page({}, report::Words::read(file));
  return page;
}

const report::Section& section_of(const report::Page& page, std::string_view predicate) {
  for (const auto& section : page.sections)
    if (section.claim().predicate() == predicate) return section;
  throw std::invalid_argument("no such section: " + std::string(predicate));
}

/// The measurement of `quantity` at these places; others may be told beside them.
double value(std::string_view predicate, std::string_view quantity, const Json& at) {
  for (const auto& m : section_of(measured(), predicate).measurements()) {
    bool here = m.quantity == quantity;
    for (const auto& [key, told] : at.items())
      here = here && m.at.contains(key) && m.at[key] == told;
    if (here) return m.value;
  }
  throw std::invalid_argument("not measured: " + std::string(quantity) + " at " + at.dump());
}

TEST(sinusoidal_page, comes_to_its_verdicts) {
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(measured())) verdicts[row.at("id")] = row.at("verdict");
  const std::map<std::string, std::string> expected = {
      {"sinusoidal.stays_within_one", "holds"},
      {"sinusoidal.mean_square_is_half", "holds if"},
      {"sinusoidal.is_not_zero_mean", "fails"},
      {"sinusoidal.constant_share", "fails"},
      {"sinusoidal.early_channels_move", "holds if"},
      {"sinusoidal.shift_is_linear", "holds"},
      {"sinusoidal.product_depends_on_offset", "holds"},
      {"sinusoidal.layouts_are_permutations", "holds if"},
      {"sinusoidal.effective_rank", "holds if"}};
  EXPECT_EQ(verdicts, expected);
}

TEST(sinusoidal_page, evaluates_every_obligation) {
  for (const auto& row : results(measured())) {
    EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << row.at("id");
    EXPECT_GT(row.at("obligations").get<int>(), 0) << row.at("id");
  }
}

TEST(sinusoidal_page, leaves_no_field_of_its_words) {
  const auto text = markdown(measured());
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    EXPECT_EQ(text[at + 1], '"') << text.substr(at, 60);  // {"format": …}: where it was measured
}

/// By numpy, from the sines and cosines of the table of 512 positions of width 512 themselves.
TEST(sinusoidal_page, has_the_figures_that_numpy_has) {
  const Json table = {{"d_model", 512}, {"positions", 512}};
  const auto with = [&](Json at, const char* key, const Json& told) {
    at[key] = told;
    return at;
  };
  EXPECT_NEAR(value("constant_share", "constant_share", with(table, "rule", "paper")), 0.420931006,
              1e-9);
  EXPECT_NEAR(
      value("early_channels_move", "variance_share_of_first_channels", with(table, "percent", 50)),
      0.858788693, 1e-9);
  const auto directions = [&](double share, const char* mean) {
    return value("effective_rank", "directions_for_energy",
                 with(with(table, "share", share), "mean", mean));
  };
  EXPECT_EQ(directions(0.9, "kept"), 62);
  EXPECT_EQ(directions(0.99, "kept"), 109);
  EXPECT_EQ(directions(0.999, "kept"), 116);
  EXPECT_EQ(directions(0.9999, "kept"), 118);
  EXPECT_EQ(directions(0.9, "removed"), 80);
  EXPECT_EQ(directions(0.99, "removed"), 111);
}

/// What is known by hand.
TEST(sinusoidal_page, has_the_figures_that_are_known_exactly) {
  EXPECT_EQ(value("stays_within_one", "largest_magnitude", {{"format", "binary32"}}), 1.0);
  EXPECT_NEAR(value("mean_square_is_half", "rms", {{"d_model", 512}}), std::sqrt(0.5), 1e-12);
  for (const int d : {16, 512}) {
    const Json at = {{"d_model", d}, {"position", 0}};
    EXPECT_EQ(value("is_not_zero_mean", "coordinate_mean", at), 0.5);
    EXPECT_EQ(value("is_not_zero_mean", "coordinate_variance", at), 0.25);
    EXPECT_EQ(value("product_depends_on_offset", "offset_product", {{"d_model", d}, {"offset", 0}}),
              1.0);
  }
  // Two positions: the means of a pair of frequency w have the squared length cos²(w/2).
  double sum = 0;
  for (int i = 0; i < 8; ++i) sum += std::pow(std::cos(std::pow(10000.0, -i / 8.0) / 2), 2);
  EXPECT_NEAR(value("constant_share", "constant_share",
                    {{"d_model", 16}, {"positions", 2}, {"rule", "paper"}}),
              sum / 8, 1e-12);
  // tensor2tensor's lowest frequency is 1/10000 at every width.
  for (const int d : {16, 4096})
    EXPECT_EQ(value("early_channels_move", "longest_quiet_table",
                    {{"d_model", d}, {"rule", "tensor2tensor"}}),
              18311);
}

TEST(sinusoidal_page, fails_where_an_entry_passes_one) {
  auto page = measured();
  for (auto& section : page.sections)
    for (auto& m : section.measurements())
      if (m.quantity == "entries_beyond_one") m.value = 1;
  EXPECT_EQ(section_of(page, "stays_within_one").verdict(), "fails");
}

TEST(sinusoidal_page, is_open_where_a_bound_does_not_stand) {
  auto page = measured();
  for (auto& section : page.sections)
    for (auto& m : section.measurements())
      if (m.rule && m.rule->part == properties::Part::statement) m.value = 1.01;
  for (const char* predicate :
       {"mean_square_is_half", "is_not_zero_mean", "constant_share", "early_channels_move",
        "layouts_are_permutations", "effective_rank", "product_depends_on_offset"})
    EXPECT_EQ(section_of(page, predicate).verdict(), "open") << predicate;
}

TEST(sinusoidal_page, measures_at_the_points_that_are_told) {
  const auto page = analysis().page(small(), report::Words::read(file));
  for (const auto& m : section_of(page, "is_not_zero_mean").measurements())
    if (m.at.contains("position")) {
      EXPECT_TRUE(m.at["position"] == 1 || m.at["position"] == 2 || m.at["position"] == 511);
    }
  auto odd = small();
  odd.widths = {511};
  EXPECT_THROW(analysis().page(odd, report::Words::read(file)), std::invalid_argument);
}

}  // namespace
}  // namespace embedscale
