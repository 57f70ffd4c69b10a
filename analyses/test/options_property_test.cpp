// The programs at options that nobody thought of, drawn over the ranges that --help states: each
// run ends within a minute or says how long it takes; what is refused is refused at once, with the
// range; every figure is finite, every interval has its value and the truth where that is known.
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
#include <regex>
#include <set>

#include "child.hpp"
#include "report/json.hpp"

namespace embedscale::options_test {
namespace {

using properties::testing::holds_exactly, properties::testing::in_range,
    properties::testing::integers, properties::testing::named, properties::testing::number_of;
using report::Json;

/// What --help says of an option: "even numbers from 4 to 16384".
struct Stated {
  std::string option;
  std::uint64_t multiple_of;
  double least, most;
  bool is_real() const { return option == "--std"; }
};

const std::string program = EMBEDSCALE_ANALYSES;

std::vector<Stated> stated_by(const std::string& topic) {
  static const std::regex line("(--[a-z-]+) [^\n]*"),
      range("(even numbers )?from ([0-9.e+-]+) to ([0-9.e+]+)");
  std::vector<Stated> all;
  const auto help = run(program, {topic, "--help"}).out;
  for (std::sregex_iterator one(help.begin(), help.end(), line), end; one != end; ++one) {
    const auto text = one->str();
    for (std::sregex_iterator found(text.begin(), text.end(), range); found != end; ++found)
      all.push_back({one->str(1), found->str(1).empty() ? 1u : 2u, std::stod(found->str(2)),
                     std::stod(found->str(3))});
  }
  return all;
}

constexpr int few = 2;
int cases() {
  const auto asked = number_of("EMBEDSCALE_CASES", 1, std::numeric_limits<int>::max()).value_or(1);
  return std::max(few, static_cast<int>(asked / 50'000));
}
bool is_long() { return cases() > few; }

/// A value of the range, as it is told to the program; the lower part of it on a logarithmic scale
/// where runs are short.
std::string value_of(const Stated& of, const std::string& name) {
  const double reach = is_long() ? 1 : 0.3;
  const double most = of.least * std::pow(of.most / of.least, reach);
  if (of.is_real()) {
    const int k = named(name, in_range(0, 65));
    const double value = of.least * std::pow(of.most / of.least, k / 64.0);
    return fmt::format("{}",
                       std::clamp(std::stod(fmt::format("{:.3g}", value)), of.least, of.most));
  }
  const auto lowest = static_cast<std::uint64_t>(of.least) / of.multiple_of;
  const auto highest = std::max(static_cast<std::uint64_t>(most) / of.multiple_of, lowest);
  return std::to_string(of.multiple_of * named(name, integers({lowest, highest})));
}

struct Request {
  std::vector<std::string> words{"--json"};
  std::string refused{};  ///< the option that has a value outside its range; "" where none has
};

Request drawn_request(const std::vector<Stated>& stated) {
  Request request;
  const bool outside = named("one is outside", in_range(0, 8)) == 0;
  const std::size_t which =
      static_cast<std::size_t>(named("which", in_range<std::uint64_t>(0, stated.size())));
  std::set<std::string> given;
  for (std::size_t i = 0; i < stated.size(); ++i) {
    const auto& one = stated[i];
    const auto name = one.option.substr(2) + " " + std::to_string(i);
    const bool is_given = !is_long() || named(name + " given", in_range(0, 4)) > 0;
    auto value = value_of(one, name);
    if (one.option != "--samples")
      if (const auto other = value_of(one, name + " too"); other != value)
        if (named(name + " two", in_range(0, 2)) == 1) value += "," + other;
    // An option of several ranges stands here once for each, and is given once.
    if (outside && one.option == stated[which].option)
      request.refused = one.option, value = fmt::format("{}", one.is_real() ? 1e300 : 0);
    if ((!is_given && request.refused != one.option) || !given.insert(one.option).second) continue;
    request.words.push_back(one.option + "=" + value);
  }
  return request;
}

/// An interval by Student's t has ends from two draws on; Fieller's of a quotient once the mean of
/// what it divides by is 3.3 of its own deviations from 0; one draw's is below 30 means here.
constexpr std::uint64_t enough_for_ends = 10'000;

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
  const auto all = report::measurements_in(row);
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
std::string amiss(const Request& request, const Ended& ended) {
  if (ended.stopped)
    return ended.err.find(" left of this step") != ended.err.npos ? "" : "no progress for a minute";
  if (ended.signal != 0) return fmt::format("ended by signal {}", ended.signal);
  if (ended.code == 2) {
    const bool tells =
        ended.err.find(" to ") != ended.err.npos || ended.err.find("at most ") != ended.err.npos;
    if (!ended.out.empty() || !tells) return "a refusal without its range: " + ended.err;
    return ended.processor_seconds < 2 ? "" : "a refusal after work has begun: " + ended.err;
  }
  if (ended.code != 0) return fmt::format("exit code {}: {}", ended.code, ended.err);
  if (!request.refused.empty()) return request.refused + " is accepted";
  for (const auto& row : report::parsed(ended.out)) {
    if (const auto missed = missed_truth(row); !missed.empty()) return missed;
    for (const auto& m : report::measurements_in(row))
      if (const auto wrong = amiss(m); !wrong.empty()) return wrong + ": " + m.dump();
  }
  return {};
}

class options : public testing::TestWithParam<std::string> {};

TEST_P(options, are_measured_or_refused) {
  // Some measure for seconds: the optimizer's paths, in 50 digits.
  static const std::set<std::string> slow{"attention", "normalization", "optimizer", "tied_output"};
  const auto& topic = GetParam();
  const auto stated = stated_by(topic);
  ASSERT_FALSE(stated.empty());
  std::string last;
  properties::testing::expect_held(
      properties::testing::run("options." + topic,
                               is_long()              ? cases()
                               : slow.contains(topic) ? 1
                                                      : few,
                               [&] {
                                 const auto request = drawn_request(stated);
                                 auto words = request.words;
                                 words.insert(words.begin(), topic);
                                 const auto ended = run(program, words, {.seconds = 60});
                                 const auto wrong = amiss(request, ended);
                                 if (!wrong.empty())
                                   last = fmt::format("{}\n  {}", fmt::join(words, " "), wrong);
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
