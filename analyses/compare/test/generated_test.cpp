// Configurations that nobody thought of: their comparisons have words, and the ways are what they
// are called.

#include "audit/test/drawn.hpp"
#include "compare/compare.hpp"
#include "properties/testing/run.hpp"
#include "report/json_once.hpp"

namespace embedscale::compare {
namespace {

namespace testing = properties::testing;
using testing::holds, testing::holds_exactly;

/// A comparison takes a tenth of a second, most of it for many blocks.
constexpr int cases = 100;
constexpr std::uint64_t one_block[] = {1};

Parametrisations drawn(std::span<const std::uint64_t> depths = usual_depths) {
  return compared(audit::configured(audit::Drawn().toml()), depths);
}

TEST(compare_generated, comparisons_have_words_and_json_that_reads_back) {
  testing::expect_held(testing::run("compare_generated.words", cases, [] {
    const auto one = drawn();
    const auto line = json_line(one);
    holds_exactly(nlohmann::ordered_json::parse(line).dump() == line);
    holds_exactly(!words_of(one).empty());
    for (const Row& row : one.rows) {
      holds_exactly(row.at.size() == one.ways.size());
      for (const auto& figure : row.at)
        holds_exactly(figure.value.has_value() == figure.missing.empty() &&
                      std::isfinite(figure.value.value_or(0)));
    }
  }));
}

/// |a − b| over what so many roundings of binary64 may come to.
double apart(const Parametrisations& one, const char* path, const char* way, const char* other,
             double factor, double roundings) {
  const auto &a = one.at(path, way).value, &b = one.at(path, other).value;
  if (!a || !b || *a == factor * *b) return 0;
  return std::abs(*a - factor * *b) / (roundings * 2 * audit::u64 * std::abs(*a));
}

/// σ comes as the root of its square, m and p with one rounding each; 16 are allowed.
TEST(compare_generated, ways_keep_what_they_are_to_keep) {
  testing::expect_held(testing::run("compare_generated.ways", cases, [] {
    const auto one = drawn(one_block);
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

}  // namespace
}  // namespace embedscale::compare
