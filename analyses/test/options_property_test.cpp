// The programs at options that nobody thought of, drawn over the ranges that the claims state: each
// run ends within a minute or says how long it takes, or is too much, which is said at once; every
// figure is finite, every interval has its value and the truth where that is known.
//
// Two cases of each program in the suite, over the lower part of the ranges; from
// EMBEDSCALE_CASES=100000 on a 50,000th of that, over the whole ranges.
#include "properties/testing/draws.hpp"
#include "properties/testing/holds.hpp"
#include "properties/testing/run.hpp"
#include "properties/testing/seed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "cli/analysis.hpp"
#include "report/json.hpp"
#include "report/process.hpp"

namespace embedscale::options_test {
namespace {

using properties::testing::holds_exactly, properties::testing::in_range,
    properties::testing::integers, properties::testing::named, properties::testing::number_of;
using report::Json;

constexpr int few = 2;
int cases() {
  const auto asked = number_of("EMBEDSCALE_CASES", 1, std::numeric_limits<int>::max()).value_or(1);
  return std::max(few, static_cast<int>(asked / 50'000));
}
bool is_long() { return cases() > few; }

/// A value of the range, as it is told to the program; the lower part of it on a logarithmic scale
/// where runs are short.
std::string value_of(const cli::Parameter& of, const std::string& name) {
  const double most = of.least * std::pow(of.most / of.least, is_long() ? 1 : 0.3);
  if (of.option == "--std") {
    const double part = named(name, in_range(0, 65)) / 64.0;
    return fmt::format("{}",
                       std::clamp(of.least * std::pow(most / of.least, part), of.least, most));
  }
  const auto lowest = static_cast<std::uint64_t>(of.least) / of.multiple_of;
  const auto highest = std::max(static_cast<std::uint64_t>(most) / of.multiple_of, lowest);
  return std::to_string(of.multiple_of * named(name, integers({lowest, highest})));
}

/// The program with one value or two of each option that a claim takes, in its range.
std::vector<std::string> drawn_request(const cli::Analysis& analysis) {
  std::map<std::string, cli::Parameter> all{{"--samples", analysis.samples}};
  for (const auto& one : analysis.sections)
    for (const auto& parameter : one.takes) all.emplace(std::string(parameter.option), parameter);
  std::vector<std::string> words{EMBEDSCALE_ANALYSES, analysis.topic, "--json"};
  for (const auto& [option, parameter] : all) {
    if (is_long() && named(option + " given", in_range(0, 4)) == 0) continue;
    auto value = value_of(parameter, option);
    if (option != "--samples" && named(option + " two", in_range(0, 2)) == 1)
      if (const auto other = value_of(parameter, option + " too"); other != value)
        value += "," + other;
    words.push_back(option + "=" + value);
  }
  return words;
}

/// An interval by Student's t has ends from two draws on; Fieller's of a quotient once the mean of
/// what it divides by is 3.3 of its own deviations from 0; one draw's is below 30 means here.
constexpr std::uint64_t enough_for_ends = 10'000;

/// A row's measurements one by one, each with what its group has.
Json measurements_in(const Json& row) {
  Json all = Json::array();
  for (const auto& group : row.at("measurements")) {
    const auto &axes = group.at("axes"), &columns = group.at("columns");
    for (const auto& line : group.at("rows")) {
      Json m{{"quantity", group.at("quantity")}, {"at", group.value("at", Json::object())}};
      for (const char* key : {"lower", "upper", "confidence", "samples"})
        m[key] = group.value(key, Json());
      for (std::size_t j = 0; j < line.size(); ++j)
        if (j < axes.size())
          m["at"][axes[j].get<std::string>()] = line[j];
        else
          m[columns.at(j - axes.size()).get<std::string>()] = line[j];
      all.push_back(std::move(m));
    }
  }
  return all;
}

/// What is wrong with a measurement, or nothing.
std::string amiss(const Json& m) {
  for (const char* key : {"value", "lower", "upper"})
    if (m.at(key).is_string()) return fmt::format("{} is not finite", key);
  for (const char* key : {"lower", "upper"})
    if (m.at(key).is_null() && !m.at("confidence").is_null() && m.at("samples") >= enough_for_ends)
      return fmt::format("the interval has no {} end", key);
  const double value = m.at("value");
  const bool has_value = (m.at("lower").is_null() || m.at("lower") <= value) &&
                         (m.at("upper").is_null() || m.at("upper") >= value);
  return has_value ? "" : "the interval has not its value";
}

/// What is drawn, and what is known of it at the same place. An interval of 99.9 % may miss it; one
/// of twice that width does not, once in 10^10 runs.
std::string missed_truth(const Json& row) {
  static const std::map<std::string, std::string> truths{
      {"dot_variance_drawn", "dot_variance"},
      {"entropy_drawn", "entropy"},
      {"drawn_projection_variance", "projection_variance"}};
  std::map<std::string, double> known;
  const auto place = [](const Json& m) { return m.at("at").dump(); };
  const auto all = measurements_in(row);
  for (const auto& m : all) known[m.at("quantity").get<std::string>() + place(m)] = m.at("value");
  for (const auto& m : all) {
    const auto truth = truths.find(m.at("quantity").get<std::string>());
    if (truth == truths.end() || m.at("lower").is_null() || m.at("upper").is_null()) continue;
    const auto found = known.find(truth->second + place(m));
    const double value = m.at("value"), lower = m.at("lower"), upper = m.at("upper");
    if (found != known.end() && (found->second < value - 2 * (value - lower) ||
                                 found->second > value + 2 * (upper - value)))
      return fmt::format("{} at {} excludes {}", truth->first, place(m), found->second);
  }
  return {};
}

/// What is wrong with what a run has printed, or nothing.
std::string amiss(const report::Ended& ended) {
  if (ended.stopped)
    return ended.err.find(" left of this step") != ended.err.npos ? "" : "no progress for a minute";
  if (ended.code == 2 && ended.err.find("at most ") != ended.err.npos && ended.out.empty())
    return ended.processor_seconds < 2 ? "" : "a refusal after work has begun: " + ended.err;
  if (ended.code != 0 || ended.signal != 0)
    return fmt::format("exit code {}, signal {}: {}", ended.code, ended.signal, ended.err);
  for (const auto& row : report::parsed(ended.out)) {
    if (const auto missed = missed_truth(row); !missed.empty()) return missed;
    for (const auto& m : measurements_in(row))
      if (const auto wrong = amiss(m); !wrong.empty()) return wrong + ": " + m.dump();
  }
  return {};
}

class options : public testing::TestWithParam<std::string> {};

TEST_P(options, are_measured) {
  // Some measure for seconds: the optimizer's paths, in 50 digits.
  static const std::set<std::string> slow{"attention", "normalization", "optimizer", "tied_output"};
  const auto analysis = cli::analysis_of(GetParam());
  const int count = is_long() || !slow.contains(GetParam()) ? cases() : 1;
  std::string last;
  properties::testing::expect_held(properties::testing::run("options." + GetParam(), count, [&] {
    const auto words = drawn_request(analysis);
    const auto wrong = amiss(report::run({.words = words, .seconds = 60}));
    if (!wrong.empty()) last = fmt::format("{}\n  {}", fmt::join(words, " "), wrong);
    holds_exactly(wrong.empty());
  }));
  if (!last.empty()) ADD_FAILURE() << last;
}

INSTANTIATE_TEST_SUITE_P(all, options,
                         testing::Values("attention", "combination", "concatenation", "conventions",
                                         "embedding", "normalization", "optimizer", "sinusoidal",
                                         "tied_output"),
                         [](const auto& topic) { return topic.param; });

}  // namespace
}  // namespace embedscale::options_test
