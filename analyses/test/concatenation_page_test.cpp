// The page about appended positions follows its measurements: verdicts, sentences, and numbers that
// are known from elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "cli/analysis.hpp"

namespace embedscale {
namespace {

using report::Json;

const std::filesystem::path file = EMBEDSCALE_WORDS_DIR "/concatenation.md";

cli::Options small() {
  cli::Options options;
  options.widths = {64, 512, 1024};
  options.vocabulary = {1000, 37000};
  options.samples = 160;
  return options;
}

report::Page page_of(const cli::Options& options) {
  return analysis().page(options, report::Words::read(file));
}
const report::Page& measured() {
  static const report::Page page = page_of(small());
  return page;
}

Json row_of(const report::Page& page, const std::string& id) {
  for (const auto& row : results(page))
    if (row.at("id") == "concatenation." + id) return row;
  return nullptr;
}

report::Section& section_of(report::Page& page, const std::string& id) {
  for (auto& section : page.sections)
    if (section.claim().id == "concatenation." + id) return section;
  throw std::invalid_argument("no such section: " + id);
}

/// The value of the first measurement of `quantity` whose place has all of `at`.
double value_of(const report::Page& page, const std::string& id, const std::string& quantity,
                const Json& at) {
  const auto row = row_of(page, id);
  for (const auto& m : row.at("measurements")) {
    bool there = m.at("quantity") == quantity;
    for (const auto& [key, value] : at.items())
      there = there && m.at("at").contains(key) && m.at("at").at(key) == value;
    if (there) return m.at("value").get<double>();
  }
  throw std::invalid_argument("nothing measures " + quantity + " at " + at.dump());
}

void change(report::Section& section, std::string_view quantity, double value) {
  for (auto& m : section.measurements())
    if (m.quantity == quantity) {
      m.value = value;
      return;
    }
  throw std::invalid_argument("nothing measures " + std::string(quantity));
}

TEST(concatenation_page, comes_to_its_verdicts) {
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(measured())) {
    verdicts[row.at("id")] = row.at("verdict");
    EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << row.at("id");
  }
  const std::map<std::string, std::string> expected = {
      {"concatenation.is_a_padded_sum", "holds"},
      {"concatenation.sum_is_a_tied_concatenation", "fails"},
      {"concatenation.first_channels_unusable", "fails"},
      {"concatenation.parts_are_nearly_orthogonal", "holds if"},
      {"concatenation.costs", "holds if"}};
  EXPECT_EQ(verdicts, expected);
}

TEST(concatenation_page, leaves_no_field_of_its_words) {
  const auto text = markdown(measured());
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    EXPECT_EQ(text[at + 1], '"') << text.substr(at, 60);
}

// 37000·512 and 12·512² by hand; 64 channels of positions save 37000·64, or add 12·64·1088.
TEST(concatenation_page, counts_what_a_pencil_counts) {
  const auto page = measured();
  const auto parameters = [&](const char* model, const char* part) {
    return value_of(page, "costs", "parameters",
                    {{"model", model}, {"d_model", 512}, {"vocabulary", 37000}, {"part", part}});
  };
  EXPECT_EQ(parameters("sum", "table"), 18944000);
  EXPECT_EQ(parameters("sum", "projections"), 1048576);
  EXPECT_EQ(parameters("sum", "first block"), 3145728);
  EXPECT_EQ(parameters("appended, width d", "table"), 16576000);
  EXPECT_EQ(parameters("appended, tokens d", "table and first block"), 18944000 + 3145728 + 835584);
  const auto operations = [&](const char* model) {
    return value_of(page, "costs", "operations",
                    {{"model", model}, {"d_model", 512}, {"part", "first block"}});
  };
  EXPECT_EQ(operations("sum"), 24 * 512 * 512 + 4 * 512 * 512);
  EXPECT_EQ(operations("appended, tokens d"), 24 * 576 * 576 + 4 * 512 * 576);
}

// z(0.995) = 2.5758 makes d = 663.5 of a normal cosine; the law itself, by another program in 30
// digits, 662.
TEST(concatenation_page, knows_from_which_width_on_parts_are_nearly_orthogonal) {
  const auto page = measured();
  EXPECT_EQ(value_of(page, "parts_are_nearly_orthogonal", "first_orthogonal_width", Json::object()),
            662);
  EXPECT_NEAR(value_of(page, "parts_are_nearly_orthogonal", "cosine_std", {{"d_model", 64}}), 0.125,
              1e-12);
}

TEST(concatenation_page, has_readers_that_err_as_they_know) {
  const auto page = measured();
  const auto error = [&](const char* reader, const char* multiplier) {
    return value_of(
        page, "first_channels_unusable", "reader_error",
        {{"reader", reader}, {"d_model", 64}, {"vocabulary", 1000}, {"multiplier", multiplier}});
  };
  for (const char* multiplier : {"√d or folded", "1"}) {
    EXPECT_LE(error("knows the mean position", multiplier),
              error("does not know the position", multiplier));
    EXPECT_GT(error("does not know the position", "1"),
              error("does not know the position", multiplier) - 1e-15);
  }
  // By 20,000 draws of another program: 0.9636, to 0.0011.
  EXPECT_NEAR(error("does not know the position", "1"), 0.9636, 0.006);
}

TEST(concatenation_page, is_open_where_a_statement_does_not_stand) {
  const std::map<std::string, std::pair<std::string, double>> statements = {
      {"is_a_padded_sum", {"bit_disagreements", 1}},
      {"sum_is_a_tied_concatenation", {"worst_share_of_bound", 1.2}},
      {"first_channels_unusable", {"exact_misreadings", 1}},
      {"parts_are_nearly_orthogonal", {"exact_disagreements", 1}},
      {"costs", {"count_disagreements", 1}}};
  for (const auto& [id, changed] : statements) {
    auto page = measured();
    change(section_of(page, id), changed.first, changed.second);
    EXPECT_EQ(row_of(page, id).at("verdict"), "open") << id;
  }
}

TEST(concatenation_page, verdicts_follow_the_beliefs) {
  auto page = measured();
  change(section_of(page, "is_a_padded_sum"), "exact_disagreements", 1);
  change(section_of(page, "sum_is_a_tied_concatenation"), "maps_reproduced", 0);
  auto& readers = section_of(page, "first_channels_unusable");
  for (auto& m : readers.measurements())
    if (m.quantity == "readers_at_chance") m.value = static_cast<double>(m.samples);
  change(section_of(page, "parts_are_nearly_orthogonal"), "narrow_exceptions", 1);
  change(section_of(page, "costs"), "shapes_that_do_not_save", 1);
  EXPECT_EQ(row_of(page, "is_a_padded_sum").at("verdict"), "fails");
  EXPECT_EQ(row_of(page, "sum_is_a_tied_concatenation").at("verdict"), "holds");
  EXPECT_EQ(row_of(page, "first_channels_unusable").at("verdict"), "holds");
  EXPECT_EQ(row_of(page, "parts_are_nearly_orthogonal").at("verdict"), "open");
  EXPECT_EQ(row_of(page, "costs").at("verdict"), "fails");
}

TEST(concatenation_page, draws_by_the_seed_alone) {
  auto other = small();
  other.seed = 1;
  EXPECT_EQ(results(measured()), results(page_of(small())));
  EXPECT_NE(results(measured()), results(page_of(other)));
}

}  // namespace
}  // namespace embedscale
