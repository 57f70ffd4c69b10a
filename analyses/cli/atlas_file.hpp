#pragma once
// The configurations that a command is asked for: files, systems of the installed atlas, changes.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "audit/configuration.hpp"

namespace embedscale::cli {

/// The systems of the installed atlas, by name.
///
/// Errors    report::FileError.
std::vector<std::string> atlas_names();

/// The file of one of them.
///
/// Errors    std::invalid_argument naming the nearest; report::FileError.
std::string atlas_file(const std::string& name);

/// What a command that reads configurations is asked for.
struct Asked {
  std::vector<std::string> files, systems, changes;
  bool json = false;
};

/// Adds FILE, --system, --set and --json to a command.
void add_options(CLI::App& command, Asked& asked);

/// What is asked for, files first, read and changed.
///
/// Errors    std::invalid_argument, audit::AuditError, report::FileError.
std::vector<audit::Configuration> configurations(const std::string& command, const Asked& asked);

}  // namespace embedscale::cli
