#include "cli/port.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>

#include "audit/error.hpp"
#include "cli/atlas_file.hpp"
#include "cli/program.hpp"
#include "port/port.hpp"

namespace embedscale::cli {
namespace {

using audit::Change;

/// A name with a slash or of a .toml, or of a file that is there; else of a system.
std::string file_of(const std::string& name) {
  std::error_code error;
  const bool is_file = name == "-" || name.find('/') != std::string::npos ||
                       name.ends_with(".toml") || std::filesystem::exists(name, error);
  return is_file ? name : atlas_file(name);
}

/// Those of one side, without its name.
std::vector<Change> changes_of(const PortRequest& request, port::Side side) {
  std::vector<Change> all;
  for (const auto& text : request.changes) {
    const auto own = std::string(port::path_of(side)) + ".";
    if (text.starts_with(own))
      all.push_back(audit::change_from(text.substr(own.size())));
    else if (!text.starts_with("from.") && !text.starts_with("to."))
      throw std::invalid_argument(
          fmt::format("port: --set {}: must be from.PATH=VALUE or to.PATH=VALUE, such as "
                      "to.token.multiplier=1",
                      audit::printable(text)));
  }
  return all;
}

audit::Configuration configuration(const PortRequest& request, port::Side side) try {
  const auto changes = changes_of(request, side);
  return audit::read_configuration(file_of(side == port::Side::from ? request.from : request.to),
                                   changes);
} catch (const audit::ContentError& error) {
  // What was set is named as it was asked for.
  const std::string_view set = "--set ", said = error.what();
  if (!said.starts_with(set)) throw;
  throw audit::ContentError(
      fmt::format("{}{}.{}", set, port::path_of(side), said.substr(set.size())));
}

}  // namespace

CLI::App* add_port(CLI::App& app, PortRequest& request) {
  auto* command = app.add_subcommand(
      "port",
      "What to do with a checkpoint of FROM so that TO's code computes and trains the same");
  const std::string about =
      ": a system of the atlas, or a TOML file (a name with / or .toml, or "
      "of a file that is there; - is standard input)";
  command->add_option("FROM", request.from, "the checkpoint's code" + about)->required();
  command->add_option("TO", request.to, "the other code" + about)->required();
  command
      ->add_option("--set", request.changes,
                   "what if: FROM's or TO's field PATH had this VALUE (an empty one takes it away)")
      ->type_name("from.PATH=VALUE|to.PATH=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--json", request.json, "one JSON object on a line");
  command->footer(
      "Exit codes: 0 the steps keep the function, 1 something stops them (it is named; steps are "
      "printed all the same), 2 usage or content, 3 input or output.");
  return command;
}

int port_one(const PortRequest& request) {
  if (request.from == "-" && request.to == "-")
    throw std::invalid_argument("port: standard input can be read once only");
  const auto port = port::port_of(configuration(request, port::Side::from),
                                  configuration(request, port::Side::to));
  print(request.json ? port::json_line(port) + "\n" : port::words_of(port));
  return port.keeps_function() ? done : differs;
}

}  // namespace embedscale::cli
