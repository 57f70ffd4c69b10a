#pragma once
// An analysis is a function from options to a page; everything else about its program is shared.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "report/page.hpp"

namespace embedscale::cli {

struct Analysis {
  std::string topic;
  std::string about;  ///< one line for --help
  std::function<report::Page(const Options&, report::Words)> page;
  std::vector<std::string> parameters{};  ///< the options that tell its points: "--widths"
};

/// Runs the program of an analysis: parses the options, measures, writes or prints.
/// Returns the exit code; every error is one line on stderr.
int run(const Analysis& analysis, int argc, char** argv);

/// One line about what is being measured, where --progress asks for it.
void narrate(const Options& options, std::string_view what);

/// Calls `action`, and turns what it throws into one line on stderr and an exit code: 2 for what a
/// person told wrongly, 3 for files that cannot be read or written.
int guarded(std::string_view program, const std::function<int()>& action);

}  // namespace embedscale::cli

namespace embedscale {
/// Each program defines its one analysis.
cli::Analysis analysis();
}  // namespace embedscale
