// Configurations that nobody thought of: each that follows the README is accepted, and its audit
// comes to numbers that agree with each other.
#include "audit/parts.hpp"
#include "configurations.hpp"

#include "properties/testing/generators/configurations.hpp"
#include "properties/testing/run.hpp"
#include "report/json_once.hpp"

#include <functional>
#include <set>

namespace embedscale::audit {
namespace {

namespace testing = properties::testing;
using properties::domain::ModelConfiguration;
using testing::holds;
using testing::holds_exactly;

/// A reading of a configuration takes a tenth of a millisecond; the integrals of an audit take one.
constexpr int cases = testing::default_cases, audits = 500;

/// A generated configuration, as it was read from its text, and what enters the first block.
struct Generated {
  ModelConfiguration written;
  Configuration read;
  InputScales input;
};

Generated generated(const ModelConfiguration& written) {
  const Configuration read = configured(properties::domain::toml_of(written));
  return {written, read, input_scales(read, parts_of(read))};
}

/// Holds `body` to generated configurations; one that is not accepted throws, which fails.
void for_generated(const std::string& name, int count,
                   const std::function<void(const Generated&)>& body) {
  testing::expect_held(testing::run("audit_generated." + name, count, [&] {
    body(generated(*testing::generators::configurations().as("configuration")));
  }));
}

/// |got − expected| over what so many roundings of binary64 may come to. A quantity that is not
/// there is 0: what depends on it is then not there either, and a test of its own says when.
double within(double got, double expected, double roundings) {
  if (got == expected) return 0;
  return std::abs(got - expected) / (roundings * 2 * u64 * std::abs(expected));
}

TEST(generated, configurations_are_accepted_and_read_back) {
  std::set<std::string> kinds, norms;
  for_generated("accepted", cases, [&](const Generated& g) {
    const Configuration& c = g.read;
    holds_exactly(name_of(c.position.kind) == g.written.position_kind);
    holds_exactly(name_of(c.token.law->kind) == g.written.token_law.kind);
    holds_exactly(*c.model.d_model == static_cast<std::int64_t>(g.written.d_model));
    holds_exactly(c.extras.size() == g.written.extras.size());
    holds_exactly(g.written.multiplied_by_root || c.token.multiplier == g.written.token_multiplier);
    kinds.insert(std::string(g.written.position_kind));
    norms.insert(std::string(g.written.block));
  });
  EXPECT_EQ(kinds.size(), 5u);
  EXPECT_EQ(norms.size(), 3u);
}

/// Shares are quotients of sums of squares: their sum is 1 but for a rounding each and the
/// quotients'; 1 + 16 u is allowed. An entropy is between 0 and that of equal weights, but for its
/// own error bound and a rounding of either logarithm.
TEST(generated, audits_have_a_finite_value_in_its_range_or_a_reason_at_every_path) {
  for_generated("value_or_reason", audits, [](const Generated& g) {
    const Audit audit = audit_of(g.read);
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
    const double constant = g.input.constant_share.value.value_or(0);
    holds_exactly(constant >= 0 && constant <= 1 + 16 * u64);
    double sum = 0;
    for (const auto* share :
         {&f.token_token, &f.token_position, &f.position_token, &f.position_position}) {
      holds_exactly(share->value.value_or(0) >= 0);
      sum += share->value.value_or(0);
    }
    holds_exactly(sum <= 1 + 16 * u64);
    if (!f.entropy.value) return;
    const double most = std::log(static_cast<double>(g.written.positions));
    holds_exactly(*f.entropy.value >= -f.entropy.error);
    holds_exactly(*f.entropy.value <= most + f.entropy.error + 4 * u64 * most);
  });
}

/// A part is there where it can be: tokens but for a Xavier law whose vocabulary is unknown, and
/// for a factor beyond binary16.
TEST(generated, figures_are_missing_only_where_something_is_unknown) {
  for_generated("missing", cases, [](const Generated& g) {
    const bool shape = g.written.token_law.kind.starts_with("xavier");
    const InputScales& s = g.input;
    holds_exactly(s.token_rms.value.has_value() == (!shape || g.written.vocabulary != 0));
    const bool rows = g.written.position_law.kind.starts_with("xavier");
    const bool position =
        g.written.position_kind == "sinusoidal" ||
        (g.written.position_kind == "learned" && (!rows || g.written.positions != 0));
    holds_exactly(s.position_rms.value.has_value() == position);
    holds_exactly(s.extra_rms.value.has_value());
  });
}

/// Twice all factors: products with 2 are exact, and so is all that is homogeneous in them.
TEST(generated, doubling_every_multiplier_doubles_the_input_and_keeps_the_ratio) {
  for_generated("doubled", cases, [](const Generated& g) {
    ModelConfiguration twice = g.written;
    if (twice.multiplied_by_root) return;
    twice.token_multiplier *= 2;
    twice.position_multiplier *= 2;
    for (auto& extra : twice.extras) extra.multiplier *= 2;
    const InputScales &one = g.input, two = generated(twice).input;
    const auto doubles = [](const Quantity& once, const Quantity& doubled) {
      holds_exactly(once.value.has_value() == doubled.value.has_value());
      holds_exactly(2 * once.value.value_or(0) == doubled.value.value_or(0));
    };
    doubles(one.token_rms, two.token_rms);
    doubles(one.position_rms, two.position_rms);
    doubles(one.extra_rms, two.extra_rms);
    holds(within(two.input_rms.value.value_or(0), 2 * one.input_rms.value.value_or(0), 4));
    holds_exactly(one.token_to_position.value == two.token_to_position.value);
    holds_exactly(one.constant_share.value == two.constant_share.value);
  });
}

}  // namespace
}  // namespace embedscale::audit
