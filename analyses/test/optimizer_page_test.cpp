// The page about training: its verdicts and key figures, known by hand, and what becomes of them
// when a measurement is another.
#include "optimizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/page.hpp"

namespace embedscale {
namespace {

using namespace optimizer_analysis;
using report::Json;

const std::filesystem::path file = EMBEDSCALE_WORDS_DIR "/optimizer.md";

cli::Options small() {
  cli::Options options;
  options.samples = 200;
  return options;
}

/// One section alone, as paths take seconds.
const report::Section& section_of(const std::string& predicate) {
  static std::map<std::string, report::Section> measured;
  if (const auto found = measured.find(predicate); found != measured.end()) return found->second;
  const auto section = [&] {
    if (predicate == "same_function_same_path") return same_function_same_path(small());
    if (predicate == "folded_sgd_step") return folded_sgd_step(small());
    if (predicate == "folded_adam_step") return folded_adam_step(small());
    return relative_step(small(), conventions_analysis::atlas(cli::share("systems")));
  }();
  return measured.emplace(predicate, section).first->second;
}

/// What becomes of a section's verdict where the first figure of a quantity is another.
std::string verdict_with(const char* predicate, const char* quantity, double changed) {
  auto section = section_of(predicate);
  for (auto& m : section.measurements())
    if (m.quantity == quantity && m.rule) {
      m.value = changed;
      return section.verdict();
    }
  return "not measured";
}

/// The value of a quantity where each of these is so.
double value(const std::string& predicate, std::string_view quantity, const Json& at) {
  for (const auto& m : section_of(predicate).measurements()) {
    bool same = m.quantity == quantity;
    for (const auto& [key, wanted] : at.items())
      same = same && m.at.contains(key) && m.at.at(key) == wanted;
    if (same) return m.value;
  }
  ADD_FAILURE() << quantity << " at " << at.dump() << " was not measured";
  return NAN;
}

TEST(optimizer_page, comes_to_its_verdicts_and_leaves_no_field_of_its_words) {
  report::Page page{.topic = "optimizer", .words = report::Words::read(file), .sections = {}};
  for (const char* predicate :
       {"same_function_same_path", "folded_sgd_step", "folded_adam_step", "relative_step"})
    page.sections.push_back(section_of(predicate));
  std::map<std::string, std::string> verdicts;
  for (const auto& row : results(page)) {
    verdicts[row.at("id")] = row.at("verdict");
    EXPECT_EQ(row.at("evaluated"), row.at("obligations")) << row.at("id");
  }
  const std::map<std::string, std::string> expected = {
      {"optimizer.same_function_same_path", "holds if"},
      {"optimizer.folded_sgd_step", "holds if"},
      {"optimizer.folded_adam_step", "fails"},
      {"optimizer.relative_step", "holds if"}};
  EXPECT_EQ(verdicts, expected);
  const auto text = markdown(page);
  for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1))
    EXPECT_EQ(text[at + 1], '"') << text.substr(at, 60);
}

// Where a factor is ignored, and at widths 4^k in bits, and nowhere else. Changed figures change
// the verdict.
TEST(optimizer_page, paths_of_up_and_down_agree_where_they_should) {
  const auto& section = section_of("same_function_same_path");
  for (const auto& m : section.measurements()) {
    if (m.quantity != "path_deviation" || m.at.contains("format")) continue;
    const auto follows = m.at.at("follows").get<std::string>();
    const bool ignores = follows.find("ε = 0") != follows.npos;
    EXPECT_EQ(m.value == 0, ignores) << m.at.dump() << m.value;
  }
  for (const char* format : {"binary32", "binary64"})
    for (const char* rates : {"falling", "fixed"})
      for (const int d : {16, 48, 64, 192, 256, 768, 1024, 3072, 4096, 16384}) {
        if (rates[1] == 'i' && (format[6] == '3' || d > 4096)) continue;  // not measured
        const Json at = {
            {"follows", "RMSNorm, ε = 0"}, {"format", format}, {"rates", rates}, {"d_model", d}};
        const double apart = value("same_function_same_path", "path_deviation", at);
        int exponent = 0;
        EXPECT_EQ(apart == 0, std::frexp(std::sqrt(d), &exponent) == 0.5) << at.dump();
      }
  EXPECT_EQ(verdict_with("same_function_same_path", "function_disagreements", 1), "open");
  EXPECT_EQ(verdict_with("same_function_same_path", "path_deviation", 0.5), "fails");
  EXPECT_EQ(verdict_with("same_function_same_path", "bit_disagreements", 1), "open");
}

// √512 = 22.6274 and 512: by hand.
TEST(optimizer_page, ratios_are_the_factor_and_its_square) {
  EXPECT_NEAR(value("folded_sgd_step", "gradient_ratio", {{"d_model", 512}}), 22.627417, 1e-6);
  for (const char* optimiser : {"gradient descent", "momentum"})
    EXPECT_NEAR(
        value("folded_sgd_step", "rate_ratio", {{"d_model", 512}, {"optimiser", optimiser}}), 512,
        1e-9);
  const auto at = [](double g) {
    return value("folded_adam_step", "rate_ratio", {{"d_model", 512}, {"gradient", g}});
  };
  EXPECT_NEAR(at(1.0), 22.627417, 1e-5);
  EXPECT_NEAR(at(1e-8), 512 * 2 / (22.627417 + 1), 1e-5);
  EXPECT_NEAR(at(1e-14), 511.98893, 1e-4);  // 512·(1 + 10^−6)/(1 + 22.627·10^−6)
}

TEST(optimizer_page, the_relative_step_is_the_inverse_of_the_deviation) {
  EXPECT_NEAR(value("relative_step", "relative_step", {{"standard_deviation", 0.02}}), 50, 1e-8);
  EXPECT_NEAR(value("relative_step", "relative_step",
                    {{"d_model", 512}, {"standard_deviation", "d_model^-1/2"}}),
              22.627417, 1e-6);
  EXPECT_NEAR(
      value("relative_step", "relative_step_ratio", {{"d_model", 512}, {"optimiser", "momentum"}}),
      22.627417, 1e-6);
  EXPECT_NEAR(
      value("relative_step", "relative_step_ratio", {{"d_model", 512}, {"optimiser", "AdamW"}}), 1,
      1e-12);
}

// The audit has 1/σ by its own way.
TEST(optimizer_page, systems_have_the_step_that_the_audit_tells) {
  std::size_t compared = 0;
  for (const auto& s : conventions_analysis::atlas(cli::share("systems"))) {
    if (!s.scales.adam_relative_step.value || !s.configuration.token.multiplier) continue;
    EXPECT_NEAR(value("relative_step", "relative_step", {{"system", s.configuration.name}}) /
                    *s.scales.adam_relative_step.value,
                1, 1e-10)
        << s.configuration.name;
    ++compared;
  }
  EXPECT_GT(compared, 20u);
}

TEST(optimizer_page, follows_its_measurements) {
  EXPECT_EQ(verdict_with("folded_sgd_step", "path_disagreements", 1), "fails");
  EXPECT_EQ(verdict_with("folded_sgd_step", "equal_rate_agreements", 1), "open");
  EXPECT_EQ(verdict_with("folded_adam_step", "equal_setting_agreements", 200), "holds");
  EXPECT_EQ(verdict_with("folded_adam_step", "path_deviation", 1e-20), "open");
  EXPECT_EQ(verdict_with("relative_step", "worst_share_of_bound", 1.5), "open");
}

TEST(optimizer_page, measures_at_the_points_told) {
  cli::Options options;
  options.samples = 20;
  options.widths = {9};
  options.deviations = {0.25};
  const auto page = analysis().page(options, report::Words::read(file));
  std::size_t at_nine = 0;
  for (const auto& section : page.sections)
    for (const auto& m : section.measurements())
      if (m.at.contains("d_model") && m.at.at("d_model") == 9) ++at_nine;
  EXPECT_GE(at_nine, 4u + 3 + 5 + 5);
}

}  // namespace
}  // namespace embedscale
