// The page about the shared table: its verdicts, and numbers that are known from elsewhere.
#include "tied_output.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "audit/error.hpp"
#include "cli/analysis.hpp"

namespace embedscale {
namespace {

using namespace tied_output_analysis;

const std::filesystem::path words_file = EMBEDSCALE_WORDS_DIR "/tied_output.md";

cli::Options small() {
  cli::Options options;
  options.samples = 60;
  return options;
}

report::Page measured(const cli::Options& options = small()) {
  return analysis().page(options, report::Words::read(words_file));
}

/// The value of a quantity where all of `at` is as told.
double value_of(const report::Section& section, std::string_view quantity,
                const report::Json& at = report::Json::object()) {
  for (const auto& m : section.measurements()) {
    bool same = m.quantity == quantity;
    for (const auto& [key, value] : at.items())
      same = same && m.at.contains(key) && m.at.at(key) == value;
    if (same) return m.value;
  }
  throw std::invalid_argument("nothing measures " + std::string(quantity) + " at " + at.dump());
}

/// A system of width 64 with sinusoids and a [token] and an [output].
System system(const std::string& name, const std::string& token, const std::string& output) {
  return audit::audit_of(audit::parse_configuration(
      fmt::format("name = '{}'\n[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = "
                  "16\n[token]\n{}\n[position]\nkind = 'sinusoidal'\n[block]\nnorm = "
                  "'pre'\n[output]\n{}\n",
                  name, token, output),
      name + ".toml"));
}
const std::string root_d =
    "law = 'normal'\nstandard_deviation = 'd_model^-0.5'\nmultiplier = 'sqrt(d_model)'";
const std::string unit = "law = 'normal'\nstandard_deviation = 1";
const std::string never = "sharing = 'never'\ntied = false\nlaw = 'zeros'";
const std::string always = "sharing = 'always'";

TEST(tied_output_page, comes_to_its_verdicts) {
  const auto page = measured();
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(page)) {
    verdicts[row.at("id")] = row.at("verdict");
    EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << row.at("id");
  }
  const std::map<std::string, std::string> expected = {
      {"tied_output.one_table_two_scales", "holds if"},
      {"tied_output.initial_loss", "holds if"},
      {"tied_output.multipliers_trade_places", "holds if"},
      {"tied_output.sharing_is_not_needed", "holds if"},
      {"tied_output.copies_its_input", "fails"}};
  EXPECT_EQ(verdicts, expected);
  for (const auto& section : page.sections)
    EXPECT_FALSE(section.summary(page.words).empty()) << section.claim().id;
}

// By hand: σ = 1 at d = 1024 has logits of deviation 32, and 0.02·√(2500) is 1 at both ends.
TEST(scales_section, has_the_scales_that_are_known_by_hand) {
  auto options = small();
  options.widths = {1024, 2500};
  const auto section = one_table_two_scales(options);
  const auto at = [&](const char* quantity, const char* way, int d) {
    return value_of(section, quantity, {{"parametrisation", way}, {"d_model", d}});
  };
  EXPECT_DOUBLE_EQ(at("input_rms", "up: √d·e + p", 1024), 1);
  EXPECT_DOUBLE_EQ(at("logit_std", "up: √d·e + p", 1024), 1);
  EXPECT_DOUBLE_EQ(at("input_rms", "down: e + p/√d", 1024), 1.0 / 32);
  EXPECT_DOUBLE_EQ(at("logit_std", "down: e + p/√d", 1024), 1);
  EXPECT_DOUBLE_EQ(at("input_rms", "σ = 1", 1024), 1);
  EXPECT_DOUBLE_EQ(at("logit_std", "σ = 1", 1024), 32);
  EXPECT_NEAR(at("input_rms", "σ = 0.020, √d·e + p", 2500), 1, 1e-15);
  EXPECT_NEAR(at("logit_std", "σ = 0.020, √d·e + p", 2500), 1, 1e-15);
  EXPECT_NEAR(at("input_rms", "Xavier, √d·e + p", 1024), 32 * std::sqrt(2.0 / 33792), 1e-14);
}

// Two logits of deviation s: E ln Z = s/√π + E ln(1 + exp(−|d|)), d normal of variance 2s², which
// is s/√π + π²/12·(1/(s√π)) to leading order in 1/s.
TEST(loss_section, has_two_words_by_another_formula) {
  auto options = small();
  options.widths = {1 << 20};
  options.vocabulary = {2};
  options.deviations = {1};
  const auto section = initial_loss(options);
  const double s = 1024, root_pi = std::sqrt(3.14159265358979);
  EXPECT_NEAR(value_of(section, "initial_loss", {{"logits_times", "1"}}),
              s / root_pi + 0.822467 / (s * root_pi), 1e-8);
}

// A simulated state of T5's size gave 111.5, one of a law that scatters by some units.
TEST(loss_section, is_near_110_at_t5_and_near_11_divided) {
  const auto section = initial_loss(small());
  const report::Json t5{{"d_model", 768}, {"vocabulary", 32128}, {"standard_deviation", 1.0}};
  auto divided = t5;
  divided["logits_times"] = "d_model^-0.5";
  EXPECT_NEAR(value_of(section, "initial_loss", t5), 112.5, 3);
  EXPECT_NEAR(value_of(section, "initial_loss", divided), std::log(32128.0) + 0.5, 1e-4);
  EXPECT_LT(value_of(section, "widths_near_110", {{"which", "first"}}), 768);
  EXPECT_GT(value_of(section, "widths_near_110", {{"which", "last"}}), 768);
}

TEST(trade_section, loses_root_d_where_the_table_stays) {
  auto options = small();
  options.widths = {512};
  const auto section = multipliers_trade_places(options);
  const auto at = [&](const char* quantity, const char* way) {
    return value_of(section, quantity, {{"multiplier", way}});
  };
  EXPECT_NEAR(at("token_to_position", "√d in"), std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(at("token_to_position", "1/√d out, table times √d"), std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(at("token_to_position", "1/√d out, table kept"), 0.0625, 1e-15);
  EXPECT_NEAR(at("adam_relative_step", "√d in"), std::sqrt(512.0), 1e-13);
  EXPECT_EQ(at("adam_relative_step", "1/√d out, table times √d"), 1);
}

TEST(sharing_section, counts_by_its_rule) {
  const auto section = sharing_is_not_needed(
      small(), {system("shared", root_d, always), system("apart", root_d, never),
                system("option", root_d, "sharing = 'by_default'\ntied = false\nlaw = 'zeros'"),
                system("unscaled", unit, never), system("untold", root_d, "tied = true")});
  const auto count = [&](const char* sharing, const char* multiplier) {
    return value_of(section, "systems_by_sharing",
                    {{"sharing", sharing}, {"multiplier", multiplier}});
  };
  EXPECT_EQ(count("always", "sqrt(d_model)"), 1);
  EXPECT_EQ(count("by_default", "sqrt(d_model)"), 1);
  EXPECT_EQ(count("never", "sqrt(d_model)"), 1);
  EXPECT_EQ(count("never", "other"), 1);
  EXPECT_EQ(value_of(section, "shared_with_both_scales_one"), 1);
}

TEST(sharing_section, fails_where_all_that_multiply_share) {
  const auto section =
      sharing_is_not_needed(small(), {system("shared", root_d, always), system("x", unit, never)});
  EXPECT_EQ(section.verdict(), "fails");
}

/// A record that contradicts itself is refused.
TEST(sharing_field, agrees_with_what_is_tied) {
  EXPECT_THROW(system("x", root_d, "sharing = 'never'\ntied = true"), audit::ContentError);
  EXPECT_THROW(system("x", root_d, "sharing = 'always'\ntied = false\nlaw = 'zeros'"),
               audit::ContentError);
  EXPECT_THROW(system("x", root_d, "sharing = 'sometimes'"), audit::ContentError);
}

// √512/√1.5 = 18.48 to leading order; alone it is √d for any table, less a quarter of 1/d.
TEST(own_section, agrees_with_the_audit_to_leading_order) {
  auto options = small();
  options.widths = {512};
  const auto section = copies_its_input(options, {});
  const double own = value_of(section, "own_logit", {{"parametrisation", "σ = d^−½, √d·e + p"}});
  EXPECT_NEAR(own, 18.475, 0.04);
  EXPECT_NEAR(
      value_of(section, "own_over_others", {{"parametrisation", "no position, any σ·√d = 1"}}),
      std::sqrt(512.0) * (1 - 1 / 2048.0), 1e-4);
  const System t2t = audit::audit_of(
      audit::read_configuration(EMBEDSCALE_WORDS_DIR "/systems/tensor2tensor.toml"));
  // Its LayerNorm takes the positions' mean over channels, 1/2 or little more in size (the cosines
  // are half of the channels): at most 1/4 of 3/2.
  EXPECT_GE(*t2t.scales.output.own_logit.value / own, 0.99);
  EXPECT_LE(*t2t.scales.output.own_logit.value / own, 1 / std::sqrt(1 - 0.25 / 1.5) + 0.01);
}

}  // namespace
}  // namespace embedscale
