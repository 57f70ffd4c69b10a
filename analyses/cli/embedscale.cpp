// The `embedscale` command: what is claimed, how each claim stands, and what a configuration does.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "audit/configuration.hpp"
#include "audit/error.hpp"
#include "audit/scales.hpp"
#include "audit/summary.hpp"
#include "cli/analysis.hpp"
#include "cli/share.hpp"
#include "report/file.hpp"
#include "report/project.hpp"
#include "report/results.hpp"

namespace embedscale::cli {
namespace {

/// All output of a command in one piece: an error leaves nothing half-printed.
int print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw report::FileError("standard output: cannot be written");
  return done;
}

int list(const std::filesystem::path& results_file) {
  const auto results = report::read_results(results_file);
  std::string out;
  for (const auto& row : results.at("claims"))
    out += fmt::format("{:<46}  {}\n", row.at("id").get<std::string>(), report::verdict_of(row));
  return print(out);
}

int show(const std::filesystem::path& results_file, const std::vector<std::string>& ids) {
  const auto results = report::read_results(results_file);
  std::string out;
  for (const auto& id : ids) {
    const auto* row = report::find_claim(results, id);
    if (row == nullptr)
      throw std::invalid_argument(
          fmt::format("no claim named '{}'; `embedscale list` names them all", id));
    out += (out.empty() ? "" : "\n") + report::description(*row);
  }
  return print(out);
}

enum class Shape { summary, json };

int audit_files(const std::vector<std::string>& files, Shape shape) {
  std::string out;
  for (const auto& file : files) {
    const auto configuration = audit::read_configuration(file);
    const auto scales = audit::scales_of(configuration);
    if (shape == Shape::json)
      out += audit::json_line(configuration, scales) + "\n";
    else
      out += (out.empty() ? "" : "\n") + audit::summary_of(configuration, scales);
  }
  return print(out);
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
  app.footer(
      fmt::format("`embedscale COMMAND --help` tells a command's options.\n"
                  "Exit codes: 0 done, 2 usage or content, 3 input or output.\n{}",
                  project::url));

  std::filesystem::path results;
  std::vector<std::string> ids, files;
  bool json = false;
  auto* list = app.add_subcommand("list", "All claims with their verdicts");
  auto* show = app.add_subcommand("show", "One claim: belief, statement, verdict, evidence");
  for (auto* command : {list, show})
    command->add_option("--results", results, "a results.json (default: the installed one)");
  show->add_option("CLAIM", ids, "its id, topic.predicate")->required();
  auto* audit = app.add_subcommand("audit", "Token, position and input scale of a configuration");
  audit->add_option("FILE", files, "TOML configurations; - is standard input")->required();
  audit->add_flag("--json", json, "one JSON object a line and a file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::done : cli::usage;
  }
  return cli::guarded("embedscale", [&] {
    try {
      if (results.empty()) results = cli::share("results.json");
      if (*list) return cli::list(results);
      if (*show) return cli::show(results, ids);
      return cli::audit_files(files, json ? cli::Shape::json : cli::Shape::summary);
    } catch (const audit::InputError& error) {
      throw report::FileError(error.what());
    }
  });
}
