// Each option that a claim takes is swept: of two values both stand in the places of its
// measurements, and another value makes other measurements.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/evidence.hpp"
#include "report/table.hpp"

namespace embedscale::page_options {
namespace {

/// Two values of an option that it takes, small ones.
std::array<double, 2> two_of(const cli::Parameter& parameter) {
  static const std::map<std::string_view, std::vector<double>> small{
      {"--widths", {12, 24, 72}}, {"--keys", {6, 24}},           {"--d-k", {6, 24}},
      {"--heads", {2, 3}},        {"--vocabulary", {120, 1200}}, {"--positions", {6, 18, 54}},
      {"--std", {0.27, 0.53}}};
  std::vector<double> taken;
  std::ranges::copy_if(small.at(parameter.option), std::back_inserter(taken),
                       [&](double value) { return parameter.takes(value); });
  if (taken.size() < 2) throw std::logic_error("no two small values of an option are taken");
  return {taken[0], taken[1]};
}

void set(cli::Options& options, std::string_view option, const std::vector<double>& to) {
  cli::with_values(options, option, [&](auto& values) {
    values.clear();
    for (const double value : to)
      values.push_back(static_cast<std::remove_reference_t<decltype(values[0])>>(value));
  });
}

/// Its measurements, with so many small values of each option that it takes.
report::Section measured(const cli::Measured& of, std::uint64_t samples, std::size_t values) {
  cli::Options options;
  options.samples = samples;
  for (const auto& parameter : of.takes) {
    const auto two = two_of(parameter);
    set(options, parameter.option, {two.begin(), two.begin() + values});
  }
  static const auto tests = report::read_evidence(cli::share("record.json"));
  report::Section section(*of.claim);
  for (const auto& test : tests)
    if (test.claim == of.claim->id) section.add_test(test);
  of.measure(section, options);
  return section;
}

/// At the number, or under a name that tells it: "σ = 0.27, e + p".
bool is_at(const report::Measurement& m, double value) {
  return std::ranges::any_of(m.at, [&](const auto& entry) {
    const auto& coordinate = entry.second;
    if (coordinate.is_number()) return coordinate.number() == value;
    if (const auto* name = std::get_if<std::string>(&coordinate.any()))
      return name->find("= " + report::told(value, 2)) != name->npos;
    const auto* list = std::get_if<report::Coordinate::List>(&coordinate.any());
    return list != nullptr && std::ranges::count(*list, static_cast<std::uint64_t>(value)) > 0;
  });
}

/// What was measured there: of each quantity, all its values.
using Measurements = std::map<std::string, std::multiset<double>>;
template <class Test>
Measurements those(const report::Section& section, Test test) {
  Measurements all;
  for (const auto& m : section.measurements())
    if (test(m)) all[m.quantity].insert(m.value);
  return all;
}

class page_options : public testing::TestWithParam<std::string> {};

TEST_P(page_options, each_is_swept_and_stands_in_the_places) {
  const auto analysis = cli::analysis_of(GetParam());
  const auto samples =
      std::max<std::uint64_t>(8, static_cast<std::uint64_t>(analysis.samples.least));
  for (const auto& of : analysis.sections) {
    if (of.takes.empty()) continue;
    const auto both = measured(of, samples, 2);
    for (const auto& parameter : of.takes) {
      SCOPED_TRACE(std::string(of.claim->id) + " " + std::string(parameter.option));
      const auto [one, other] = two_of(parameter);
      const auto at_one = those(both, [one = one](const auto& m) { return is_at(m, one); });
      const auto at_other = those(both, [other = other](const auto& m) { return is_at(m, other); });
      EXPECT_FALSE(at_one.empty()) << one << " is nowhere";
      EXPECT_FALSE(at_other.empty()) << other << " is nowhere";
      if (at_one != at_other) continue;
      const auto any = [](const auto&) { return true; };
      EXPECT_NE(those(measured(of, samples, 1), any), those(both, any)) << "it changes nothing";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(topics, page_options, testing::ValuesIn(cli::topics()),
                         [](const auto& topic) { return topic.param; });

}  // namespace
}  // namespace embedscale::page_options
