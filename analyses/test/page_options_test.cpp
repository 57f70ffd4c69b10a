// Each option that a claim takes is swept: of two values both stand in the places of its
// measurements, and another value makes other measurements.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "known_values.hpp"
#include "report/evidence.hpp"
#include "report/table.hpp"

namespace embedscale {
namespace {

/// Small values of an option that it takes.
std::vector<double> small_values(const cli::Parameter& parameter) {
  static const std::map<std::string_view, std::vector<double>> small{
      {"--widths", {12, 24, 72}},    {"--keys", {6, 24}},          {"--d-k", {6, 24}},
      {"--vocabulary", {120, 1200}}, {"--positions", {6, 18, 54}}, {"--std", {0.27, 0.53}}};
  std::vector<double> taken;
  std::ranges::copy_if(small.at(parameter.option), std::back_inserter(taken),
                       [&](double value) { return parameter.takes(value); });
  return taken;
}

/// The values of an option at which its page is measured.
std::vector<double> known_values(const cli::Options& options, const cli::Parameter& parameter) {
  std::vector<double> taken;
  cli::with_values(options, parameter.option, [&](const auto& values) {
    for (const auto value : values)
      if (parameter.takes(static_cast<double>(value))) taken.push_back(static_cast<double>(value));
  });
  return taken;
}

/// Its measurements with one small value of each option that it takes, and two of one of them.
report::Section measured(const cli::Measured& of, std::uint64_t samples,
                         std::string_view swept = {}) {
  cli::Options options;
  options.samples = samples;
  for (const auto& parameter : of.takes) {
    const auto small = small_values(parameter);
    cli::with_values(options, parameter.option, [&](auto& to) {
      for (std::size_t i = 0; i < (parameter.option == swept ? 2 : 1); ++i)
        to.push_back(static_cast<std::remove_reference_t<decltype(to[0])>>(small.at(i)));
    });
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

TEST_P(page, has_each_option_swept_and_in_the_places) {
  const auto analysis = cli::analysis_of(GetParam());
  const auto samples =
      std::max<std::uint64_t>(8, static_cast<std::uint64_t>(analysis.samples.least));
  for (const auto& of : analysis.sections) {
    for (const auto& parameter : of.takes) {
      SCOPED_TRACE(std::string(of.claim->id) + " " + std::string(parameter.option));
      auto values = known_values(known.options, parameter);
      std::optional<report::Section> by_two;
      if (values.size() < 2) {
        values = small_values(parameter);
        by_two.emplace(measured(of, samples, parameter.option));
      }
      const auto at = [&](double value) {
        return those(by_two ? *by_two : section(of.claim->id),
                     [&](const auto& m) { return is_at(m, value); });
      };
      const auto at_one = at(values[0]), at_other = at(values[1]);
      EXPECT_FALSE(at_one.empty()) << values[0] << " is nowhere";
      EXPECT_FALSE(at_other.empty()) << values[1] << " is nowhere";
      if (at_one != at_other) continue;
      const auto any = [](const auto&) { return true; };
      if (!by_two) by_two.emplace(measured(of, samples, parameter.option));
      EXPECT_NE(those(measured(of, samples), any), those(*by_two, any)) << "it changes nothing";
    }
  }
}

}  // namespace
}  // namespace embedscale
