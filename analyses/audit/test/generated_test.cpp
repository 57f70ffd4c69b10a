// Each configuration that follows the README is accepted, and its audit comes to numbers that agree
// with each other; its comparison has words, and the ways are what they are called; two of them are
// ported, or refused in one line.
#include "audit/fields.hpp"
#include "audit/parts.hpp"
#include "audit/test/drawn.hpp"
#include "compare/compare.hpp"
#include "port/port.hpp"

#include "properties/testing/run.hpp"

#include <functional>

#include "report/json_once.hpp"
#include "report/row.hpp"

namespace embedscale::audit {
namespace {

namespace testing = properties::testing;
using testing::covers, testing::holds, testing::holds_exactly;

/// A reading of a configuration takes a tenth of a millisecond; the integrals of an audit take one;
/// a comparison takes a tenth of a second, most of it for many blocks.
constexpr int cases = testing::default_cases, audits = 500, comparisons = 100;

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
    holds_exactly(report::parsed(line).dump() == line);
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

compare::Parametrisations compared(std::span<const std::uint64_t> depths = compare::usual_depths) {
  return compare::compared(configured(Drawn().toml()), depths);
}

TEST(compare_generated, comparisons_have_words_and_json_that_reads_back) {
  testing::expect_held(testing::run("compare_generated.words", comparisons, [] {
    const auto one = compared();
    const auto line = json_line(one);
    holds_exactly(report::parsed(line).dump() == line);
    holds_exactly(!words_of(one).empty());
    for (const compare::Row& row : one.rows) {
      holds_exactly(row.at.size() == one.ways.size());
      for (const auto& figure : row.at)
        holds_exactly(figure.value.has_value() == figure.missing.empty() &&
                      std::isfinite(figure.value.value_or(0)));
    }
  }));
}

/// |a − b| over what so many roundings of binary64 may come to.
double apart(const compare::Parametrisations& one, const char* path, const char* way,
             const char* other, double factor, double roundings) {
  const auto &a = one.at(path, way).value, &b = one.at(path, other).value;
  if (!a || !b || *a == factor * *b) return 0;
  return std::abs(*a - factor * *b) / (roundings * 2 * u64 * std::abs(*a));
}

/// σ comes as the root of its square, m and p with one rounding each; 16 are allowed.
TEST(compare_generated, ways_keep_what_they_are_to_keep) {
  testing::expect_held(testing::run("compare_generated.ways", comparisons, [] {
    constexpr std::uint64_t one_block[] = {1};
    const auto one = compared(one_block);
    const double m = *one.root->factor.value;
    holds(apart(one, "token_to_position", "up", "down", 1, 16));
    holds(apart(one, "input.rms", "up", "down", m, 16));
    for (const char* path : {"token.rms", "position.rms", "extra.rms", "input.rms"})
      holds(apart(one, path, "up", "folded", 1, 16));
    holds(apart(one, "output.logit_std", "up", "unscaled", 1, 0.5));
    // A tied output is the table that the factor was folded into.
    const bool tied = one.configuration.output.tied == true;
    holds(apart(one, "output.logit_std", "folded", "up", tied ? m : 1, 16));
    holds(apart(one, "optimizer.adam_relative_step", "up", "folded", m, 16));
    holds_exactly(one.at("token.rms", "down").value == one.at("token.rms", "unscaled").value ||
                  !one.way("down").configuration.value);
  }));
}

/// None where it is refused.
std::optional<port::Port> ported(const Configuration& from, const Configuration& to) try {
  return port::port_of(from, to);
} catch (const ContentError& error) {
  const std::string_view said = error.what();
  holds_exactly(said.starts_with("port: ") && said.find('\n') == said.npos);
  return std::nullopt;
}

TEST(port_generated, ports_have_words_and_factors_that_are_numbers) {
  int ports = 0;
  testing::expect_held(testing::run("port_generated.words", 1000, [&ports] {
    const auto from = configured(Drawn("from ").toml());
    auto to = configured(Drawn("to ").toml());
    to.model.d_model = from.model.d_model;
    const auto port = ported(from, to);
    if (!port) return;
    ++ports;
    const auto json = report::parsed(json_line(*port));
    for (const auto& step : json.at("steps"))
      holds_exactly(step.at("factor").is_null() || step.at("factor").is_number());
    for (const auto& one : json.at("optimizer"))
      for (const auto* of : {"adam", "sgd"})
        for (const auto& [name, factor] : one.at(of).items())
          holds_exactly(factor.is_number() && std::isnormal(factor.get<double>()));
    holds_exactly((words_of(*port).find("NOT kept") == std::string::npos) ==
                  port->keeps_function());
  }));
  EXPECT_GT(ports, 250);  // not refusals alone
}

}  // namespace
}  // namespace embedscale::audit
