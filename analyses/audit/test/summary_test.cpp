// An audit as programs and as people read it.
#include "configurations.hpp"
#include "properties/catalogue.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"
#include "report/table.hpp"

#include <set>

namespace embedscale::audit {
namespace {

using report::Json;

Json json_of(const Audit& audit) { return report::parsed(json_line(audit)); }

/// What is at a dotted path of JSON.
Json at_path(const Json& json, std::string path) {
  std::erase(path, ']');
  std::ranges::replace_if(
      path, [](char x) { return x == '.' || x == '['; }, '/');
  return json.at(Json::json_pointer("/" + path));
}

/// The paths of the figures, in full: programs rely on them.
const auto paths = words_of(
    "token.rms position.rms token_to_position extra.rms input.rms position.constant_share "
    "attention_input.rms first_layer.logit_std first_layer.logit_std_over_keys first_layer.entropy "
    "first_layer.shares.token_token first_layer.shares.token_position "
    "first_layer.shares.position_token first_layer.shares.position_position output.logit_std "
    "output.initial_loss output.own_logit optimizer.adam_relative_step scaled_down.factor "
    "scaled_down.exact_factor scaled_down.rounding_error scaled_down.input.rms "
    "scaled_down.epsilon_shrinkage_up scaled_down.epsilon_shrinkage_down "
    "scaled_down.epsilon_deviation scaled_down.logit_std");

const std::string down = "scaled_down.";

TEST(json, has_a_number_with_its_bounds_or_a_reason_at_every_path) {
  for (const Audit& audit : audited_systems()) {
    const auto all = quantities(audit.scales);
    const auto merged = std::ranges::mismatch(all, paths, {}, &Quantity::path);
    ASSERT_EQ(merged.in2, paths.end());
    EXPECT_EQ(all.end() - merged.in1, 3 * std::ssize(audit.configuration.merged));
    SCOPED_TRACE(audit.configuration.name);
    const Json json = json_of(audit);
    EXPECT_EQ(json["file"], system_file(audit.configuration.name));
    std::size_t reasons = 0;
    const auto expect_reason = [&](const auto& result) {
      if (result.value) return;
      ++reasons;
      EXPECT_EQ(json["missing"][result.path], result.missing);
    };
    for (const Quantity& q : all) {
      expect_reason(q);
      const Json told = at_path(json, q.path);
      EXPECT_EQ(told.is_null(), !q.value) << q.path;
      if (!q.value) continue;
      const bool in_full = q.path == down + "factor" || q.path == down + "exact_factor";
      EXPECT_EQ(told, in_full ? *q.value : report::rounded(*q.value, 10)) << q.path;
      const Json& method = json["methods"][q.path];
      if (q.error == 0) {
        EXPECT_EQ(method["lower"], told) << q.path;
        EXPECT_EQ(method["upper"], told) << q.path;
      } else {
        const double most = 2e-9 * std::abs(*q.value), lower = method["lower"],
                     upper = method["upper"];
        EXPECT_LE(lower, *q.value - q.error) << q.path;
        EXPECT_GE(upper, *q.value + q.error) << q.path;
        EXPECT_LE(upper - lower, 2 * (q.error + most)) << q.path;
      }
      EXPECT_EQ(method["method"] == "quadrature",
                q.path == "first_layer.entropy" || q.path == "output.initial_loss");
    }
    for (const Verdict& v : verdicts(audit.scales)) expect_reason(v);
    EXPECT_EQ(json["missing"].size(), reasons);
  }
}

TEST(json, keeps_apart_how_each_value_was_come_by) {
  const Json d2l = json_of(audit_of(system_named("d2l_mxnet")));
  EXPECT_EQ(d2l["marks"]["token.half_range"], "assumed");
  EXPECT_FALSE(d2l["marks"].contains("model.d_model"));
  EXPECT_EQ(d2l["defaults"]["position.multiplier"], "1");
  EXPECT_FALSE(d2l["defaults"].contains("token.multiplier"));
  EXPECT_EQ(d2l["scaled_down"]["rounds_identically"]["binary32"], true);
}

TEST(json, is_text_in_utf_8_whatever_the_file_is_called) {
  const Json json = json_of(audit_of(parse_configuration(whole, "dir/caf\xe9.toml")));
  EXPECT_EQ(json["name"], "caf\xef\xbf\xbd");
  EXPECT_EQ(json["file"], "dir/caf\xef\xbf\xbd.toml");
}

/// A line of a figure: its path, its value, its claim.
bool is_row(const std::string& line) {
  const auto words = words_of(line);
  return words.size() == 3 && words[2].front() == '[' &&
         (std::ranges::find(paths, words[0]) != paths.end() ||
          words[0].starts_with("scaled_down.rounds_identically.") ||
          words[0].starts_with("merged["));
}

TEST(summary, fits_and_has_each_figure_with_its_claim_and_each_finding) {
  std::set<std::string> ids;
  for (const auto& claim : properties::catalogue()) ids.emplace(claim.id);
  for (const Audit& audit : audited_systems()) {
    SCOPED_TRACE(audit.configuration.name);
    Json claims = json_of(audit)["claims"];
    for (const auto& [path, claim] : claims.items()) EXPECT_TRUE(ids.contains(claim)) << path;
    const std::string text = summary_of(audit);
    for (const Finding& f : audit.findings)
      EXPECT_NE(text.find(f.claim + "]"), std::string::npos) << f.claim;
    for (const auto one : report::split(text, '\n')) {
      const std::string line(one);
      EXPECT_LE(report::width_of(line), is_row(line) ? 99u : 79u) << line;
      if (!is_row(line)) continue;
      const auto words = words_of(line);
      EXPECT_EQ(words[2], fmt::format("[{}]", claims.at(words[0]).get<std::string>()));
      claims.erase(words[0]);
    }
    for (const auto& [path, claim] : claims.items())
      EXPECT_TRUE(path == "extra.rms" || path.starts_with("scaled_down.")) << path;
  }
}

}  // namespace
}  // namespace embedscale::audit
