// The page about the token part: its verdicts and key figures, known from elsewhere (by hand or by
// mpmath), and what becomes of them when a measurement or the atlas is another.
#include "embedding.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "cli/analysis.hpp"
#include "report/page.hpp"

namespace embedscale {
namespace {

using namespace embedding_analysis;
using report::Json;

const std::filesystem::path file = EMBEDSCALE_WORDS_DIR "/embedding.md";

cli::Options small() {
  cli::Options options;
  options.samples = 50;
  return options;
}

const report::Page& measured() {
  static const report::Page page = analysis().page(small(), report::Words::read(file));
  return page;
}

const report::Section& section_of(const report::Page& page, const std::string& predicate) {
  for (const auto& section : page.sections)
    if (section.claim().predicate() == predicate) return section;
  throw std::invalid_argument("no such section: " + predicate);
}

/// The value of a quantity where each of these is so.
double value(const report::Section& section, std::string_view quantity, const Json& at) {
  for (const auto& m : section.measurements()) {
    bool same = m.quantity == quantity;
    for (const auto& [key, wanted] : at.items())
      same = same && m.at.contains(key) && m.at.at(key) == wanted;
    if (same) return m.value;
  }
  ADD_FAILURE() << quantity << " at " << at.dump() << " was not measured";
  return NAN;
}

TEST(embedding_page, comes_to_its_verdicts) {
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(measured())) {
    verdicts[row.at("id")] = row.at("verdict");
    EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << row.at("id");
  }
  const std::map<std::string, std::string> expected = {
      {"embedding.root_d_restores_unit_variance", "holds"},
      {"embedding.small_tables_stay_dominated", "holds if"},
      {"embedding.balances_the_two_parts", "fails"},
      {"embedding.depends_on_initialisation", "fails"},
      {"embedding.lookup_has_unit_fan_in", "holds"},
      {"embedding.norm_concentrates", "fails"},
      {"embedding.gradient_scale", "fails"}};
  EXPECT_EQ(verdicts, expected);
}

TEST(embedding_page, leaves_no_field_of_its_words) {
  const auto text = markdown(measured());
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    EXPECT_EQ(text[at + 1], '"') << text.substr(at, 60);  // {"format": …}: where it was measured
}

// 1, 4, 9 … 128²: the squares up to 16384, whose roots every format has.
TEST(embedding_page, the_variance_is_exactly_1_at_the_128_squares) {
  const auto& section = section_of(measured(), "root_d_restores_unit_variance");
  for (const char* format : {"binary64", "binary32", "binary16", "bfloat16"})
    EXPECT_EQ(value(section, "widths_of_variance_1", {{"format", format}}), 128) << format;
  EXPECT_LE(value(section, "largest_error_of_deviation", {{"format", "bfloat16"}}), 0x1p-8);
  EXPECT_GE(value(section, "largest_error_of_deviation", {{"format", "bfloat16"}}), 0x1p-9);
  // 1 − 4φ(2)/erf(√2)
  EXPECT_NEAR(value(section, "token_variance",
                    {{"law", "truncated_normal of nominal deviation d_model^-1/2"}}),
              0.7737413, 1e-6);
}

TEST(embedding_page, a_table_of_one_hundredth_breaks_even_at_5000) {
  const auto& section = section_of(measured(), "small_tables_stay_dominated");
  EXPECT_NEAR(value(section, "break_even_width", {{"standard_deviation", 0.01}}), 5000, 1e-9);
  EXPECT_NEAR(value(section, "break_even_width", {{"standard_deviation", 0.02}}), 1250, 1e-9);
  const auto ratio = [&](int d, const char* m) {
    return value(section, "energy_ratio", {{"d_model", d}, {"multiplier", m}});
  };
  EXPECT_NEAR(ratio(512, "1"), 0.0002, 1e-12);              // 0.0001 over 1/2
  EXPECT_NEAR(ratio(512, "sqrt(d_model)"), 0.1024, 1e-10);  // 0.0512 over 1/2
  EXPECT_NEAR(ratio(16384, "sqrt(d_model)"), 3.2768, 1e-8);
  EXPECT_EQ(section.verdict(), "holds if d_model ≥ 1/(2σ²), 5000 at σ = 0.01");
}

TEST(embedding_page, is_open_where_the_condition_is_not_the_right_one) {
  auto page = measured();
  for (auto& section : page.sections)
    if (section.claim().predicate() == "small_tables_stay_dominated")
      for (auto& m : section.measurements())
        if (m.quantity == "belief_holds_elsewhere") m.value = 1;
  EXPECT_EQ(section_of(page, "small_tables_stay_dominated").verdict(), "open");
}

/// A system of width 64, with these [token] and [position] keys.
System system(const std::string& name, const std::string& token, const std::string& position) {
  return audit::audit_of(audit::parse_configuration(
      fmt::format("name = '{}'\n[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = "
                  "16\n[token]\n{}\n[position]\n{}\n",
                  name, token, position),
      name + ".toml"));
}
const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'";
const std::string fixed_root_d =
    "law = 'normal'\nstandard_deviation = 0.02\nmultiplier = 'sqrt(d_model)'";
const std::string learned = "kind = 'learned'\nlaw = 'normal'\nstandard_deviation = 0.02";

// √2 beside sinusoids; beside learned positions of the same law 1 without the factor, √64 with it.
TEST(balance_section, tells_what_the_factor_did_to_each_system) {
  const auto section = balances_the_two_parts(
      small(),
      {system("paper", root_d, "kind = 'sinusoidal'"), system("learned", fixed_root_d, learned),
       system("bare", "law = 'normal'\nstandard_deviation = 0.02", learned)});
  EXPECT_EQ(section.verdict(), "fails");
  EXPECT_NEAR(value(section, "token_to_position", {{"system", "paper"}}), std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(value(section, "token_to_position", {{"system", "learned"}}), 8, 1e-12);
  EXPECT_EQ(value(section, "unbalanced_systems", {{"factor", 2}}), 1);
  EXPECT_EQ(value(section, "balanced_systems", {{"factor", 2}}), 2);
  EXPECT_EQ(value(section, "systems_by_effect", {{"without", "balanced"}, {"with", "unbalanced"}}),
            1);
  EXPECT_EQ(value(section, "systems_by_effect", {{"without", "unbalanced"}, {"with", "balanced"}}),
            1);
}

TEST(balance_section, holds_where_every_system_with_a_factor_is_balanced) {
  const auto section = balances_the_two_parts(
      small(), {system("paper", root_d, "kind = 'sinusoidal'"),
                system("bare", "law = 'normal'\nstandard_deviation = 1", "kind = 'sinusoidal'")});
  EXPECT_EQ(section.verdict(), "holds");
  EXPECT_FALSE(section.has_counterexample());
}

// √(2·512/(32000 + 512)) = 0.17747, √512 = 22.627, √512·0.02·0.8796 = 0.39807.
TEST(embedding_page, families_come_out_at_known_scales) {
  const auto& section = section_of(measured(), "depends_on_initialisation");
  const auto rms = [&](const Json& at) {
    Json all = {{"d_model", 512}, {"multiplier", "sqrt(d_model)"}};
    all.update(at);
    return value(section, "token_rms", all);
  };
  EXPECT_NEAR(rms({{"family", "xavier"}, {"vocabulary", 32000}}), 0.177471, 1e-6);
  EXPECT_NEAR(rms({{"family", "unit"}}), 22.6274, 1e-4);
  EXPECT_NEAR(rms({{"family", "d_model^-1/2"}}), 1, 1e-12);
  EXPECT_NEAR(rms({{"family", "truncated normal"}}), 0.398073, 1e-6);
}

TEST(embedding_page, a_look_up_has_the_tables_variance_and_a_dense_product_v_times_it) {
  const auto& section = section_of(measured(), "lookup_has_unit_fan_in");
  for (const int v : {100, 256000}) {
    EXPECT_NEAR(value(section, "lookup_variance", {{"vocabulary", v}}), 0.0004, 1e-15);
    EXPECT_NEAR(value(section, "dense_variance", {{"vocabulary", v}}), 0.0004 * v, 1e-9);
  }
}

// gammainc(8, 0, 4), gammainc(256, 0, 128), regularised, by mpmath.
TEST(embedding_page, short_tokens_are_as_rare_as_mpmath_says) {
  const auto& section = section_of(measured(), "norm_concentrates");
  const auto shorter = [&](int d) {
    return value(
        section, "probability_token_shorter",
        {{"d_model", d}, {"multiplier", "sqrt(d_model)"}, {"standard_deviation", "d_model^-1/2"}});
  };
  EXPECT_NEAR(shorter(16), 0.0511336157928, 1e-12);
  EXPECT_NEAR(shorter(512) / 1.66107419078e-23, 1, 1e-9);
  EXPECT_EQ(value(section, "widths_as_random", Json::object()), 1);  // d = 1: the entry itself
}

TEST(embedding_page, gradients_grow_as_the_root_and_with_every_occurrence) {
  const auto& section = section_of(measured(), "gradient_scale");
  const auto ratio = [&](int d, int times) {
    return value(section, "gradient_ratio", {{"d_model", d}, {"occurrences", times}});
  };
  EXPECT_EQ(ratio(256, 1), 16);
  EXPECT_EQ(ratio(16384, 1), 128);
  EXPECT_EQ(ratio(256, 16), 256);
}

TEST(embedding_page, measures_at_the_points_that_are_told) {
  auto options = small();
  options.widths = {100};
  options.vocabulary = {50};
  options.deviations = {0.1};
  const auto page = analysis().page(options, report::Words::read(file));
  const Json at = {{"d_model", 100}, {"multiplier", "sqrt(d_model)"}, {"standard_deviation", 0.1}};
  EXPECT_NEAR(value(section_of(page, "small_tables_stay_dominated"), "energy_ratio", at), 2, 1e-12);
  EXPECT_NEAR(value(section_of(page, "lookup_has_unit_fan_in"), "dense_variance",
                    {{"vocabulary", 50}, {"standard_deviation", 0.1}}),
              0.5, 1e-12);
  for (const auto& m : section_of(page, "depends_on_initialisation").measurements())
    if (m.at.contains("d_model")) {
      EXPECT_EQ(m.at.at("d_model"), 100);
    }
  EXPECT_FALSE(markdown(page).empty());
  options.widths = {7};
  EXPECT_THROW(analysis().page(options, report::Words::read(file)), std::invalid_argument);
}

TEST(embedding_page, draws_by_the_seed_alone) {
  EXPECT_EQ(results(measured()), results(analysis().page(small(), report::Words::read(file))));
}

}  // namespace
}  // namespace embedscale
