#pragma once
// An analysis is a function from options to a page; everything else of the program is shared.
// Each claim states the options that its section takes, with their ranges, once: --help tells them,
// what no claim takes is refused before anything is measured, and a section is given what it takes
// alone, and says what it was not given.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/page.hpp"

namespace embedscale::cli {

/// What a claim takes of an option that tells points.
struct Parameter {
  std::string_view option;        ///< "--widths"
  double least, most;             ///< of a value
  std::uint64_t multiple_of = 1;  ///< 2: even numbers; of whole numbers alone

  bool takes(double value) const {
    return least <= value && value <= most &&
           (multiple_of == 1 || std::fmod(value, static_cast<double>(multiple_of)) == 0);
  }
  /// "even numbers from 4 to 16384".
  std::string range() const;
};

/// How many values an option has at most.
inline constexpr std::size_t most_values = 16;

/// An option that tells points, and the list that it fills.
struct PointOption {
  std::string_view name;
  const char* what;
  std::variant<std::vector<std::uint64_t> Options::*, std::vector<double> Options::*> values;
};
inline constexpr std::array<PointOption, 6> point_options{
    {{"--widths", "d_model", &Options::widths},
     {"--keys", "n, that a softmax is over", &Options::keys},
     {"--d-k", "d_k, the width of a head", &Options::head_widths},
     {"--vocabulary", "V", &Options::vocabulary},
     {"--positions", "L, for positions 0 … L−1", &Options::positions},
     {"--std", "σ", &Options::deviations}}};

/// Calls f with the list that an option of these fills.
template <class SomeOptions, class F>
auto with_values(SomeOptions& options, std::string_view option, F f) {
  const auto* found = std::ranges::find(point_options, option, &PointOption::name);
  return std::visit([&](auto values) { return f(options.*values); }, found->values);
}

/// Their sum, or that of the points of a program's own.
template <class Number>
double total(const std::vector<Number>& values, double otherwise) {
  if (values.empty()) return otherwise;
  return static_cast<double>(std::accumulate(values.begin(), values.end(), Number(0)));
}

using Measure = void(report::Section& s, const Options& options);

/// What is measured of one claim, and the options that change it.
struct Measured {
  const properties::Claim* claim;
  Measure* measure;
  std::vector<Parameter> takes{};
};

/// What options come to together, which each of them alone does not tell: the entries of a table.
struct Limit {
  std::string what;  ///< "--widths times --positions"
  double (*of)(const Options& options);
  double most;
  std::string instead;  ///< what to ask for where it is more: "fewer --positions"
};

struct Analysis {
  std::string topic;
  std::string about;  ///< one line for --help
  std::vector<Measured> sections{};
  std::function<void(report::Page&)> describe{};  ///< adds what stands before them, if anything
  std::vector<Limit> limits{};
  Parameter samples{"--samples", 1, 1e9};
};

/// What its sections take of an option: "from 1 to 1024, some claims even numbers from 4 to 512".
std::string ranges_of(const Analysis& analysis, std::string_view option);

/// Refuses values that no section takes, and what is too much together.
///
/// Errors    std::invalid_argument naming the range.
void require_in_range(const Analysis& analysis, const Options& options);

/// Of the options, those values that a section takes.
struct Taken {
  Options options;
  std::vector<std::string> left_out;  ///< "--widths means nothing to this claim"
  bool is_empty = false;              ///< nothing is left of an option: there is nothing to measure
};
Taken taken(const Measured& measured, const Options& options);

/// Measures all sections, each by the options that it takes.
report::Page page_of(const Analysis& analysis, const Options& options, report::Words words);

/// Runs an analysis: parses the options, measures, writes or prints. Returns the exit code; every
/// error is one line on stderr.
int run(const Analysis& analysis, int argc, char** argv);

/// The topics of the program, in the order of the build (cli/topics.cpp.in), and the analysis of
/// one.
///
/// Errors    std::invalid_argument where there is no such topic.
std::vector<std::string> topics();
Analysis analysis_of(std::string_view topic);

}  // namespace embedscale::cli
