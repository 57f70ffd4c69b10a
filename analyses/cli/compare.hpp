#pragma once
// `embedscale compare`.
#include <CLI/App.hpp>

#include "cli/atlas_file.hpp"

namespace embedscale::cli {

/// The command, with its options.
CLI::App* add_compare(CLI::App& app, Asked& asked);

/// Prints a comparison of each configuration that is asked for.  Returns  an exit code.
///
/// Errors    as configurations(), report::FileError.
int compare_all(const Asked& asked);

}  // namespace embedscale::cli
