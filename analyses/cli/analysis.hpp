#pragma once
// An analysis is a function from options to a page; everything else of the program is shared.
// Each claim states the options that its section takes, with their ranges, once: --help tells them,
// what no claim takes is refused before anything is measured, and a section is given what it takes
// alone, and says what it was not given.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/parameter.hpp"
#include "cli/program.hpp"
#include "report/page.hpp"

namespace embedscale::cli {

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
  std::string about;                                                  ///< one line for --help
  std::function<report::Page(const Options&, report::Words)> page{};  ///< if no list of sections
  std::vector<Measured> sections{};
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
