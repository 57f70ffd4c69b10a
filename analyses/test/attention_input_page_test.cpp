// The sections about a factor at the input follow their measurements: verdicts, numbers that are
// known without them, and what becomes of a verdict when one measured figure is another.
#include "attention_input.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "report/page.hpp"

namespace embedscale {
namespace {

using report::Json;
using report::Section;

using Measure = Section (*)(const cli::Options&);
const std::map<std::string, Measure> sections{
    {"attention.root_d_model_does_not_cancel", attention_analysis::root_d_model_does_not_cancel},
    {"attention.factor_is_a_temperature", attention_analysis::factor_is_a_temperature},
    {"attention.projections_absorb_the_factor", attention_analysis::projections_absorb_the_factor},
    {"attention.first_layer_terms", attention_analysis::first_layer_terms},
    {"attention.first_projection_range", attention_analysis::first_projection_range}};

report::Words words() { return report::Words::read(EMBEDSCALE_WORDS_DIR "/attention/words.md"); }

cli::Options small() {
  cli::Options options;
  options.samples = 64;
  return options;
}

Section section_of(const std::string& predicate, const cli::Options& options = small()) {
  return sections.at("attention." + predicate)(options);
}

/// The value of `quantity` at a place that has all of `at`; fails where there is none.
double value(const Section& section, std::string_view quantity, const Json& at) {
  for (const auto& m : section.measurements()) {
    bool here = m.quantity == quantity;
    for (const auto& [key, what] : at.items())
      here = here && m.at.contains(key) && m.at.at(key) == what;
    if (here) return m.value;
  }
  ADD_FAILURE() << section.claim().id << " does not measure " << quantity << " at " << at.dump();
  return 0;
}

void change(Section& section, std::string_view quantity, double to) {
  for (auto& m : section.measurements())
    if (m.quantity == quantity) {
      m.value = to;
      return;
    }
  throw std::invalid_argument("nothing measures " + std::string(quantity));
}

TEST(attention_input_page, comes_to_its_verdicts) {
  const std::map<std::string, std::string> expected{
      {"attention.root_d_model_does_not_cancel", "fails"},
      {"attention.factor_is_a_temperature", "fails"},
      {"attention.projections_absorb_the_factor",
       "holds if W_V is divided by the factor as well and nothing passes attention by"},
      {"attention.first_layer_terms", "fails"},
      {"attention.first_projection_range",
       "holds if nothing is added to the tokens and the projections' variance falls as 1/d_model"}};
  const auto text = words();
  for (const auto& [id, measure] : sections) {
    const auto section = measure(small());
    EXPECT_EQ(section.verdict(), expected.at(id));
    EXPECT_EQ(section.judgement().evaluated, section.judgement().expected) << id;
    for (const char* part : {"title", "table", "why", "limits"})
      EXPECT_EQ(section.prose(text, part).find('{'), std::string::npos) << id;
    EXPECT_EQ(section.summary(text).find('{'), std::string::npos) << id;
    EXPECT_FALSE(section.figures().empty()) << id;
  }
}

TEST(attention_input_page, has_the_exponents_of_the_two_by_two_table) {
  const auto section = section_of("root_d_model_does_not_cancel");
  for (const char* root : {"absent", "present"})
    for (const char* scale : {"absent", "present"}) {
      const Json at{{"projection", "Xavier, d_model to d_model"},
                    {"root_d_model", root},
                    {"root_d_k", scale},
                    {"part", "token·token"}};
      EXPECT_EQ(value(section, "logit_std_exponent_in_d_model", at), root[0] == 'p' ? 0 : -1);
      EXPECT_EQ(value(section, "logit_std_exponent_in_d_k", at), scale[0] == 'p' ? 0 : 0.5);
    }
  for (const auto& m : section.measurements())
    if (m.quantity == "logit_std_exponent_in_d_model" && m.at.at("part") == "whole" &&
        m.at.at("root_d_model") == "absent" &&
        m.at.at("projection") == "Xavier, d_model to d_model") {
      EXPECT_DOUBLE_EQ(*m.lower, -2.0 / 18);  // −2/(d + 2) at d = 16 and 2^14
      EXPECT_DOUBLE_EQ(*m.upper, -2.0 / 16386);
      EXPECT_TRUE(*m.lower < m.value && m.value < *m.upper);
    }
  EXPECT_EQ(value(section, "shapes_where_the_factors_cancel", {}), 0);
  EXPECT_EQ(value(section, "shapes_where_all_logits_agree", {}), 1);
}

TEST(attention_input_page, has_the_shares_of_the_paper) {
  const auto section = section_of("first_layer_terms");
  for (const char* input : {"up", "down", "folded"}) {
    const Json at{{"input", input}, {"d_model", 512}};
    EXPECT_NEAR(value(section, "share_token_token", at), 4.0 / 9, 1e-15);
    EXPECT_NEAR(value(section, "share_token_position", at), 2.0 / 9, 1e-15);
    EXPECT_NEAR(value(section, "share_position_token", at), 2.0 / 9, 1e-15);
    EXPECT_NEAR(value(section, "share_position_position", at), 1.0 / 9, 1e-15);
  }
  // T/P = 2/512.
  EXPECT_NEAR(value(section, "share_token_token", {{"input", "unscaled"}, {"d_model", 512}}),
              1.0 / (257 * 257), 1e-15);
  // (2 + 4·½)/(64·(3/2)²) more, for normal tokens.
  EXPECT_NEAR(value(section, "second_moment_ratio", {{"d_model", 64}, {"pair", "i = j"}}),
              1 + 4 / 144.0, 1e-14);
}

TEST(attention_input_page, has_the_variances_of_projections) {
  const auto section = section_of("first_projection_range");
  const auto at = [&](const char* law, int d, const char* input) {
    return value(section, "projection_variance",
                 {{"projection", law}, {"d_model", d}, {"input", input}});
  };
  EXPECT_NEAR(at("Xavier, d_model to d_model", 512, "up"), 1.5, 1e-14);
  EXPECT_NEAR(at("Xavier, d_model to d_model", 512, "unscaled"), 0.5 + 1.0 / 512, 1e-14);
  EXPECT_NEAR(at("Xavier, packed 3·d_model", 512, "folded"), 0.75, 1e-14);
  EXPECT_NEAR(at("N(0, 1/d_model)", 64, "down"), 1.5 / 64, 1e-14);
  EXPECT_NEAR(at("N(0, 0.02²)", 1024, "tokens alone, scaled"), 0.4096, 1e-14);
  EXPECT_NEAR(at("Xavier, d_model to d_k", 512, "up"), 1.5 * 512 * 2 / 576, 1e-14);
  for (const auto& m : section.measurements())
    if (m.quantity == "drawn_projection_variance") {
      EXPECT_LT(*m.lower, m.value);
      EXPECT_GT(*m.upper, m.value);
    }
}

TEST(attention_input_page, has_even_weights_scaled_down_and_not_up) {
  const auto section = section_of("factor_is_a_temperature");
  const auto at = [&](const char* quantity, const char* input) {
    return value(section, quantity, {{"d_model", 512}, {"positions", 512}, {"input", input}});
  };
  // Down is up/√d, and logits are quadratic.
  EXPECT_NEAR(at("logit_std", "up") / at("logit_std", "down"), 512, 1e-9);
  EXPECT_GT(at("entropy_share", "down"), 0.99999);
  EXPECT_LT(at("entropy_share", "up"), 0.9);
  EXPECT_EQ(at("entropy_share", "up"), at("entropy_share", "folded"));
}

TEST(attention_input_page, is_open_where_a_statement_does_not_stand) {
  for (const auto& [predicate, quantity] :
       {std::pair("root_d_model_does_not_cancel", "scaling_disagreements"),
        {"factor_is_a_temperature", "worst_share_of_entropy_bound"},
        {"projections_absorb_the_factor", "bit_disagreements"},
        {"first_layer_terms", "moment_disagreements"},
        {"first_projection_range", "worst_share_of_bound"}}) {
    auto section = section_of(predicate);
    change(section, quantity, 1.5);
    EXPECT_EQ(section.verdict(), "open") << predicate;
    EXPECT_NE(section.summary(words()).find(quantity), std::string::npos) << predicate;
  }
}

TEST(attention_input_page, fails_where_projections_leave_something_of_the_factor) {
  auto section = section_of("projections_absorb_the_factor");
  change(section, "logit_disagreements", 1);
  EXPECT_EQ(section.verdict(), "fails");
  EXPECT_FALSE(section.summary(words()).empty());
}

TEST(attention_input_page, goes_by_the_systems_that_add_positions) {
  const auto system = [](const std::string& token, const std::string& position) {
    return audit::audit_of(audit::parse_configuration(
        fmt::format("[model]\nd_model = 64\nheads = 1\nvocabulary = 100\npositions = 16\n[token]\n"
                    "law = 'normal'\nstandard_deviation = 1\n{}\n[position]\nkind = '{}'\n",
                    token, position),
        "system.toml"));
  };
  const auto loud = system("multiplier = 'sqrt(d_model)'", "sinusoidal");
  const auto even = system("", "sinusoidal"), none = system("", "none");
  EXPECT_EQ(attention_analysis::first_layer_terms_of(small(), {loud, none}).verdict(), "holds");
  EXPECT_EQ(attention_analysis::first_layer_terms_of(small(), {loud, even}).verdict(), "fails");
}

TEST(attention_input_page, measures_at_the_points_told) {
  auto options = small();
  options.widths = {320};
  options.head_widths = {40};
  options.deviations = {0.05};
  options.vocabulary = {5000};
  options.positions = {100};
  const auto range = section_of("first_projection_range", options);
  EXPECT_NEAR(value(range, "projection_variance",
                    {{"projection", "N(0, 0.05²)"}, {"d_model", 320}, {"input", "up"}}),
              0.0025 * 320 * 1.5, 1e-14);
  EXPECT_NEAR(value(range, "dot_product_std", {{"d_k", 40}, {"input", "up"}}),
              1.5 * std::sqrt(40.0), 1e-13);
  const auto terms = section_of("first_layer_terms", options);
  const double token = 320 * 2.0 / 5320;
  EXPECT_NEAR(value(terms, "share_token_token", {{"vocabulary", 5000}, {"d_model", 320}}),
              std::pow(token / (token + 0.5), 2), 1e-14);
  const auto exponents = section_of("root_d_model_does_not_cancel", options);
  EXPECT_DOUBLE_EQ(value(exponents, "logit_std_exponent_in_d_model",
                         {{"root_d_model", "absent"}, {"part", "whole"}}),
                   -2.0 / 322);
  value(section_of("factor_is_a_temperature", options), "entropy_share", {{"positions", 100}});
}

TEST(attention_input_page, draws_by_the_seed_alone) {
  auto other = small();
  other.seed = 1;
  const auto rows = [](const cli::Options& options) {
    return section_of("first_projection_range", options).to_json(words());
  };
  EXPECT_EQ(rows(small()), rows(small()));
  EXPECT_NE(rows(small()), rows(other));
}

}  // namespace
}  // namespace embedscale
