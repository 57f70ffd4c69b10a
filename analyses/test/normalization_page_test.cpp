// The page about norms and blocks: its verdicts and key figures, known from elsewhere (by hand, by
// NumPy), and what becomes of them when a measurement or the atlas is another.
#include "normalization.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "cli/analysis.hpp"
#include "report/page.hpp"

namespace embedscale {
namespace {

using namespace normalization_analysis;
using report::Json;

const std::filesystem::path file = EMBEDSCALE_WORDS_DIR "/normalization.md";

cli::Options small() {
  cli::Options options;
  options.samples = 100;
  options.widths = {16, 64};
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

TEST(normalization_page, comes_to_its_verdicts) {
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(measured())) {
    verdicts[row.at("id")] = row.at("verdict");
    EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << row.at("id");
  }
  const std::map<std::string, std::string> expected = {
      {"normalization.absorbs_the_factor", "holds if"},
      {"normalization.epsilon_is_rescaled", "fails"},
      {"normalization.post_norm_block", "holds if"},
      {"normalization.pre_norm_block", "fails"}};
  EXPECT_EQ(verdicts, expected);
}

TEST(normalization_page, leaves_no_field_of_its_words) {
  const auto text = markdown(measured());
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    EXPECT_EQ(text[at + 1], '"') << text.substr(at, 60);  // {"format": …}: where it was measured
}

// By hand: 1 − √((1.5 + ε)/(1.5 + dε)) and ε(√d − 1)/(√1.5 + √d·ε).
TEST(normalization_page, has_the_closed_form_of_epsilon) {
  cli::Options options = small();
  options.widths = {512};
  const auto section =
      epsilon_is_rescaled(options, conventions_analysis::atlas(EMBEDSCALE_WORDS_DIR "/systems"));
  const auto at = [&](double epsilon, const char* added) {
    return value(section, "epsilon_deviation",
                 {{"d_model", 512}, {"epsilon", epsilon}, {"added", added}});
  };
  EXPECT_NEAR(at(1e-3, "under the root"), 1 - std::sqrt(1.501 / 2.012), 1e-12);
  EXPECT_NEAR(at(1e-5, "under the root"), 1 - std::sqrt(1.50001 / 1.50512), 1e-12);
  const double root = std::sqrt(512);
  EXPECT_NEAR(at(1e-6, "beside the root"), 1e-6 * (root - 1) / (std::sqrt(1.5) + root * 1e-6),
              1e-15);
  // dε/1.5 = 1/0.99² − 1 and a little: 1.5·0.020304/1e-5 = 3045.6, and 30.5 at 1e-3.
  EXPECT_EQ(value(section, "width_of_deviation",
                  {{"epsilon", 1e-5}, {"deviation", 0.01}, {"added", "under the root"}}),
            3047);
  EXPECT_EQ(value(section, "width_of_deviation",
                  {{"epsilon", 1e-3}, {"deviation", 0.01}, {"added", "under the root"}}),
            32);
  // Tokens of RMS 1 and √½ to two or three digits: 64·512 normal draws.
  EXPECT_NEAR(value(section, "epsilon_deviation_of_draws",
                    {{"epsilon", 1e-3}, {"norm", "rms_norm"}, {"d_model", 512}}),
              at(1e-3, "under the root"), 2e-3);
}

/// A system of width 64 with these tables.
System system(const std::string& name, const std::string& norms) {
  return audit::audit_of(audit::parse_configuration(
      fmt::format("name = '{}'\n[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = "
                  "16\n[token]\nlaw = 'normal'\nstandard_deviation = 1\n[position]\nkind = "
                  "'sinusoidal'\n{}",
                  name, norms),
      name + ".toml"));
}

TEST(normalization_page, goes_by_the_systems_epsilon_and_by_what_comes_first) {
  const auto tiny = system("tiny", "[block]\nnorm = 'pre'\nkind = 'rms_norm'\nepsilon = 1e-12\n");
  const auto large = system("large", "[block]\nnorm = 'post'\nkind = 'rms_norm'\nepsilon = 0.1\n");
  const auto summed = system("summed",
                             "[embedding_norm]\nkind = 'layer_norm'\nepsilon = 1e-12\n[block]\n"
                             "norm = 'post'\nkind = 'layer_norm'\nepsilon = 0.1\n");
  EXPECT_EQ(epsilon_is_rescaled(small(), {tiny}).verdict(), "holds");
  EXPECT_EQ(epsilon_is_rescaled(small(), {summed}).verdict(), "holds");
  const auto section = epsilon_is_rescaled(small(), {tiny, large});
  EXPECT_EQ(section.verdict(), "fails");
  EXPECT_NEAR(value(section, "epsilon_deviation", {{"system", "large"}}),
              1 - std::sqrt(1.6 / (1.5 + 6.4)), 1e-12);
  const auto first = absorbs_the_factor(small(), {tiny, large, summed});
  for (const char* place : {"a norm of the sum itself", "a pre-norm block", "a post-norm block"})
    EXPECT_EQ(value(first, "systems", {{"first_behind_the_sum", place}}), 1) << place;
}

TEST(normalization_page, a_compensated_block_does_not_change_and_others_do) {
  const auto& section = section_of(measured(), "post_norm_block");
  const auto at = [&](const char* name, const char* norm, int d) {
    return value(section, "block_deviation", {{"case", name}, {"norm", norm}, {"d_model", d}});
  };
  for (const char* norm : {"LayerNorm", "RMSNorm"})
    for (const int d : {16, 64}) {
      EXPECT_EQ(at("compensated", norm, d), 0);
      EXPECT_EQ(at("compensated in W_Q alone", norm, d), 0);
      EXPECT_EQ(at("with biases, all compensated", norm, d), 0);
      EXPECT_GT(at("uncompensated", norm, d), 0.01);
      EXPECT_GT(at("with biases, weights divided", norm, d), 0.01);
    }
  EXPECT_EQ(value(section, "outputs_changed", Json::object()), 0);
}

TEST(normalization_page, branch_over_skip_is_the_root_of_d_apart) {
  const auto& section = section_of(measured(), "pre_norm_block");
  const auto at = [&](const char* input, int d) {
    return value(section, "branch_to_skip",
                 {{"input", input}, {"norm", "LayerNorm"}, {"d_model", d}});
  };
  for (const int d : {16, 64}) {
    EXPECT_NEAR(at("down", d) / at("up", d), std::sqrt(d), 1e-9);
    EXPECT_EQ(at("folded", d), at("up", d));
  }
  EXPECT_GT(value(section, "stack_deviation", {{"d_model", 64}, {"blocks", 6}}), 0.1);
  EXPECT_LT(value(section, "branch_deviation", {{"d_model", 64}, {"epsilon", 1e-5}}), 1e-2);
}

// LayerNorm of (0, 0, 2, 2) is (−1, −1, 1, 1); swapped and added, (−1, 1, 1, 3) and (−1, 1, 3, 5),
// which are (−2, 0, 0, 2)/√2 and (−3, −1, 1, 3)/√5 behind a final norm.
TEST(normalization_page, shows_a_counterexample_that_a_hand_can_check) {
  const auto row = section_of(measured(), "pre_norm_block").to_json(report::Words::read(file));
  const auto text = row.dump();
  EXPECT_NE(text.find("(-1.41, 0, 0, 1.41) for x"), std::string::npos) << text.substr(0, 2000);
  EXPECT_NE(text.find("(-1.34, -0.447, 0.447, 1.34) for 2x"), std::string::npos);
}

TEST(normalization_page, is_open_where_a_statement_does_not_stand) {
  for (const auto& [predicate, quantity] : {std::pair("absorbs_the_factor", "worst_share_of_bound"),
                                            {"absorbs_the_factor", "directions_that_stay"},
                                            {"epsilon_is_rescaled", "rescaling_disagreements"},
                                            {"post_norm_block", "outputs_that_stay"},
                                            {"post_norm_block", "harmless_changes"},
                                            {"pre_norm_block", "branch_disagreements"}}) {
    auto section = section_of(measured(), predicate);
    for (auto& m : section.measurements())
      if (m.quantity == quantity) {
        m.value = 1.5;
        break;
      }
    EXPECT_EQ(section.verdict(), "open") << predicate << " " << quantity;
  }
}

TEST(normalization_page, measures_at_the_points_that_are_told) {
  auto options = small();
  options.widths = {24};
  options.heads = {3};
  options.positions = {5};
  options.deviations = {0.02};
  const auto page = analysis().page(options, report::Words::read(file));
  // s = 24·0.02² + 1/2.
  const double s = 0.5096, epsilon = 1e-3;
  EXPECT_NEAR(value(section_of(page, "epsilon_is_rescaled"), "epsilon_deviation",
                    {{"d_model", 24}, {"epsilon", epsilon}, {"added", "under the root"}}),
              1 - std::sqrt((s + epsilon) / (s + 24 * epsilon)), 1e-12);
  value(section_of(page, "post_norm_block"), "block_deviation", {{"d_model", 24}});
  for (const std::uint64_t d : {7u, 4096u}) {
    options.widths = {d};
    EXPECT_THROW(analysis().page(options, report::Words::read(file)), std::invalid_argument);
  }
  options.widths = {64};
  EXPECT_THROW(analysis().page(options, report::Words::read(file)), std::invalid_argument);
}

TEST(normalization_page, draws_by_the_seed_alone) {
  EXPECT_EQ(results(measured()), results(analysis().page(small(), report::Words::read(file))));
}

}  // namespace
}  // namespace embedscale
