// The `embedscale` command: what is claimed, how each claim stands, and what a configuration does.
#include <fmt/core.h>

#include <algorithm>
#include <CLI/CLI.hpp>
#include <filesystem>

#include "audit/error.hpp"
#include "audit/fields.hpp"
#include "audit/summary.hpp"
#include "cli/program.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"
#include "report/project.hpp"
#include "report/row.hpp"

namespace embedscale::cli {
namespace {

struct AuditRequest {
  std::vector<std::string> files, systems, changes;
  bool json = false, keys = false, list = false;
  std::string fail_on;
};

/// The systems of the installed atlas, by name.
std::vector<std::string> atlas_names() {
  const auto directory = share("systems");
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  if (names.empty()) throw report::FileError(directory.string() + ": has no systems");
  std::sort(names.begin(), names.end());
  return names;
}

/// The file of one of them.
std::string atlas_file(const std::string& name) {
  const auto names = atlas_names();
  if (std::binary_search(names.begin(), names.end(), name))
    return (share("systems") / (name + ".toml")).string();
  throw std::invalid_argument(
      fmt::format("no system named '{}': nearest is {}; --systems lists "
                  "all {}",
                  audit::printable(name), audit::nearest_path(name, names), names.size()));
}

int audit_all(const AuditRequest& request) {
  if (request.keys) return print(audit::manual());
  if (request.list) {
    std::string list;
    for (const auto& name : atlas_names()) list += name + "\n";
    return print(list);
  }
  std::vector<std::string> files = request.files;
  for (const auto& name : request.systems) files.push_back(atlas_file(name));
  if (files.empty())
    throw std::invalid_argument("audit: name a FILE, or a system with --system NAME");
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw std::invalid_argument("audit: standard input can be read once only");
  std::vector<audit::Change> changes;
  for (const auto& text : request.changes) changes.push_back(audit::change_from(text));
  std::string out;
  bool warned = false;
  for (const auto& file : files) {
    const auto audit = audit::audit_of(audit::read_configuration(file, changes));
    warned = warned || audit.warns();
    if (request.json)
      out += audit::json_line(audit) + "\n";
    else
      out += (out.empty() ? "" : "\n") + audit::summary_of(audit);
  }
  print(out);
  return warned && request.fail_on == "warning" ? differs : done;
}

}  // namespace
}  // namespace embedscale::cli

int main(int argc, char** argv) {
  using namespace embedscale;
  CLI::App app(
      "What multiplying token embeddings by the square root of d_model does, settled by properties",
      "embedscale");
  app.set_version_flag("--version", fmt::format("embedscale {}", project::version));
  app.set_help_all_flag("--help-all", "All commands with their options");
  app.require_subcommand(1);
  app.footer(fmt::format(
      "`embedscale COMMAND --help` tells a command's options.\n"
      "Exit codes: 0 done, 1 a finding that --fail-on names, 2 usage or content, 3 input or "
      "output.\n{}",
      project::url));

  std::filesystem::path results;
  std::vector<std::string> ids;
  cli::AuditRequest request;
  auto* list = app.add_subcommand("list", "All claims with their verdicts");
  auto* show = app.add_subcommand("show", "One claim: belief, statement, verdict, evidence");
  for (auto* command : {list, show})
    command->add_option("--results", results, "a results.json (default: the installed one)");
  show->add_option("CLAIM", ids, "its id, topic.predicate")->required();
  auto* audit = app.add_subcommand(
      "audit", "What a configuration's embedding and position scales do at initialisation");
  audit->add_option("FILE", request.files, "TOML configurations; - is standard input");
  audit->add_option("--system", request.systems, "a system of the atlas, by NAME")
      ->type_name("NAME")
      ->allow_extra_args(false);
  audit
      ->add_option("--set", request.changes,
                   "what if: the field PATH had this VALUE (an empty one takes it away)")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  audit->add_flag("--json", request.json, "one JSON object a line and a file");
  audit
      ->add_option("--fail-on", request.fail_on, "exit 1 where there is a finding of this severity")
      ->check(CLI::IsMember({"warning"}));
  audit->add_flag("--systems", request.list, "list the systems of the atlas");
  audit->add_flag("--keys", request.keys, "list the fields of a configuration and their defaults");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::done : cli::usage;
  }
  return cli::guarded("embedscale", [&] {
    try {
      if (results.empty()) results = cli::share("results.json");
      if (*list) return cli::print(report::list_of_claims(results));
      if (*show) return cli::print(report::descriptions(results, ids));
      return cli::audit_all(request);
    } catch (const audit::InputError& error) {
      throw report::FileError(error.what());
    }
  });
}
