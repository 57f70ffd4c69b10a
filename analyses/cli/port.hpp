#pragma once
// `embedscale port`.
#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace embedscale::cli {

/// What it is asked for.
struct PortRequest {
  std::string from, to;
  std::vector<std::string> changes;  ///< "from.PATH=VALUE", "to.PATH=VALUE"
  bool json = false;
};

/// The command, with its options.
CLI::App* add_port(CLI::App& app, PortRequest& request);

/// Prints how a checkpoint moves.  Returns  an exit code, 1 where the function is not kept.
///
/// Errors    std::invalid_argument, audit::AuditError, report::FileError.
int port_one(const PortRequest& request);

}  // namespace embedscale::cli
