// Each configuration that follows the README is accepted, and its audit comes to numbers that agree
// with each other.
#include "audit/fields.hpp"
#include "audit/parts.hpp"
#include "audit/test/drawn.hpp"

#include "properties/testing/run.hpp"
#include "report/json_once.hpp"

#include <functional>

namespace embedscale::audit {
namespace {

namespace testing = properties::testing;
using testing::covers, testing::holds_exactly;

/// A reading of a configuration takes a tenth of a millisecond; the integrals of an audit take one.
constexpr int cases = testing::default_cases, audits = 500;

InputScales input_of(const Configuration& c) { return input_scales(c, parts_of(c)); }

/// Holds `body` to drawn configurations, as they were read; one that is not accepted throws, which
/// fails.
void for_drawn(const std::string& name, int count,
               const std::function<void(const Drawn&, const Configuration&)>& body) {
  testing::expect_held(testing::run("audit_generated." + name, count, [&] {
    const Drawn drawn;
    body(drawn, configured(drawn.toml()));
  }));
}

/// Of each of these words so many draws, below half of what it gets.
void cover(const Drawn& drawn, const std::string& path, double share,
           const std::vector<std::string>& words) {
  for (const auto& word : words) covers(path + " " + word, drawn.has(path, word), share);
}

TEST(audit_generated, configurations_are_accepted_and_read_back) {
  for_drawn("accepted", cases, [&](const Drawn& drawn, const Configuration& c) {
    cover(drawn, "position.kind", 1 / 16.0,
          {"none", "sinusoidal", "learned", "rotary", "relative", "relative_bias", "alibi"});
    cover(drawn, "block.norm", 1 / 6.0, {"none", "pre", "post"});
    cover(drawn, "final_norm.gain", 1 / 8.0, {"plain", "one_plus", "none"});
    cover(drawn, "output.tied", 1 / 4.0, {"true", "false"});
    covers("embedding norm", drawn.has("embedding_norm.kind"), 1 / 3.0);
    covers("concatenation", drawn.has("token.width"), 1 / 32.0);
    covers("further tables", drawn.extras > 0, 1 / 3.0);
    for (const Field& field : fields()) {
      if (!drawn.has(field.path) || drawn.has(field.path, "sqrt(d_model)")) continue;
      const std::string value = field.value(c).value(), written = drawn.values.at(field.path);
      holds_exactly(value == written || std::stod(value) == std::stod(written));
    }
    holds_exactly(std::ssize(c.extras) == drawn.extras);
  });
}

/// Shares are quotients of sums of squares: their sum is 1 but for a rounding each and the
/// quotients'; 1 + 16 u is allowed. An entropy is between 0 and that of equal weights, but for its
/// own error bound and a rounding of either logarithm.
TEST(audit_generated, audits_have_a_finite_value_in_its_range_or_a_reason_at_every_path) {
  for_drawn("value_or_reason", audits, [](const Drawn&, const Configuration& c) {
    const Audit audit = audit_of(c);
    for (const Quantity& q : quantities(audit.scales)) {
      holds_exactly(q.value.has_value() == q.missing.empty());
      holds_exactly(std::isfinite(q.value.value_or(0)) && q.error >= 0);
    }
    for (const Verdict& v : verdicts(audit.scales))
      holds_exactly(v.value.has_value() == v.missing.empty());
    const std::string line = json_line(audit);
    holds_exactly(nlohmann::ordered_json::parse(line).dump() == line);
    holds_exactly(!summary_of(audit).empty());

    const FirstLayer& f = audit.scales.first_layer;
    const double constant = audit.scales.input.constant_share.value.value_or(0);
    holds_exactly(constant >= 0 && constant <= 1 + 16 * u64);
    double sum = 0;
    for (const auto* share :
         {&f.token_token, &f.token_position, &f.position_token, &f.position_position}) {
      holds_exactly(share->value.value_or(0) >= 0);
      sum += share->value.value_or(0);
    }
    holds_exactly(sum <= 1 + 16 * u64);
    if (!f.entropy.value) return;
    const double most = std::log(static_cast<double>(*c.model.positions));
    holds_exactly(*f.entropy.value >= -f.entropy.error);
    holds_exactly(*f.entropy.value <= most + f.entropy.error + 4 * u64 * most);
  });
}

/// A part is there where it can be: tokens but for a Xavier law whose vocabulary is unknown, and
/// for a factor beyond binary16.
TEST(audit_generated, figures_are_missing_only_where_something_is_unknown) {
  for_drawn("missing", cases, [](const Drawn& drawn, const Configuration& c) {
    cover(drawn, "token.law", 1 / 12.0,
          {"normal", "uniform", "truncated_normal", "xavier_uniform", "xavier_normal"});
    cover(drawn, "attention.projection", 1 / 16.0,
          {"normal", "uniform", "truncated_normal", "xavier_uniform", "xavier_normal",
           "packed_xavier_uniform", "zeros"});
    cover(drawn, "token.multiplier_format", 1 / 10.0,
          {"binary64", "binary32", "binary16", "bfloat16"});
    const auto needs = [&](const char* law, const char* rows) {
      return drawn.values.at(law).starts_with("xavier") && !drawn.has(rows);
    };
    const InputScales s = input_of(c);
    holds_exactly(s.token_rms.value.has_value() == !needs("token.law", "model.vocabulary"));
    holds_exactly(s.position_rms.value.has_value() ==
                  (drawn.has("position.kind", "sinusoidal") ||
                   (drawn.has("position.law") && !needs("position.law", "model.positions"))));
    holds_exactly(s.extra_rms.value.has_value());
  });
}

}  // namespace
}  // namespace embedscale::audit
