#pragma once
// An analysis is a function from options to a page; everything else about its program is shared.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/program.hpp"
#include "report/page.hpp"

namespace embedscale::cli {

using Measure = void(report::Section& s, const Options& options);

/// What is measured of one claim.
struct Measured {
  const properties::Claim* claim;
  Measure* measure;
};

struct Analysis {
  std::string topic;
  std::string about;  ///< one line for --help
  std::function<report::Page(const Options&, report::Words)>
      page{};                             ///< if it is no list of sections
  std::vector<std::string> parameters{};  ///< the options that tell its points: "--widths"
  std::vector<Measured> sections{};
};

/// Measures all sections.
report::Page page_of(const Analysis& analysis, const Options& options, report::Words words);

/// Runs the program of an analysis: parses the options, measures, writes or prints.
/// Returns the exit code; every error is one line on stderr.
int run(const Analysis& analysis, int argc, char** argv);

/// One line about what is being measured, where --progress asks for it.
void narrate(const Options& options, std::string_view what);

}  // namespace embedscale::cli

namespace embedscale {
/// Each program defines its one analysis.
cli::Analysis analysis();
}  // namespace embedscale
