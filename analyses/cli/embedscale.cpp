// The `embedscale` command: what is claimed, how each claim stands, and what a configuration does.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "audit/error.hpp"
#include "audit/fields.hpp"
#include "audit/summary.hpp"
#include "cli/checkpoint.hpp"
#include "cli/program.hpp"
#include "compare/compare.hpp"
#include "core/core.hpp"
#include "inputs/inputs.hpp"
#include "report/file.hpp"
#include "report/nearest.hpp"
#include "report/project.hpp"
#include "report/row.hpp"

namespace embedscale::cli {
namespace {

/// What a command that reads configurations is asked for.
struct Asked {
  std::vector<std::string> files, systems, changes;
  bool json = false;
};

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

std::string atlas_file(const std::string& name) {
  const auto names = atlas_names();
  if (std::binary_search(names.begin(), names.end(), name))
    return (share("systems") / (name + ".toml")).string();
  throw std::invalid_argument(
      fmt::format("no system named '{}': {}; audit --systems lists all {}", audit::printable(name),
                  report::nearest(name, names, "none is near"), names.size()));
}

void add_options(CLI::App& command, Asked& asked) {
  command.add_option("FILE", asked.files,
                     "TOML configurations, or config.json files of Hugging Face, whose encoder and "
                     "decoder FILE:encoder and FILE:decoder name; - is standard input");
  command.add_option("--system", asked.systems, "a system of the atlas, by NAME")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--set", asked.changes,
                  "what if: the field PATH had this VALUE (an empty one takes it away)")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--json", asked.json, "one JSON object a line and a file");
}

core::Question question(const std::string& command, const Asked& asked) {
  std::vector<std::string> files = asked.files;
  for (const auto& name : asked.systems) files.push_back(atlas_file(name));
  if (files.empty())
    throw std::invalid_argument(command + ": name a FILE, or a system with --system NAME");
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw std::invalid_argument(command + ": standard input can be read once only");
  core::Question question{command, {}, asked.changes};
  for (const auto& file : files) question.inputs.push_back(inputs::read(file));
  return question;
}

audit::ModelTypes model_types() { return inputs::model_types(share("model_types")); }

struct AuditRequest : Asked {
  bool keys = false, list = false;
  std::string fail_on, to_toml;
};

int audit_all(const AuditRequest& request) {
  if (request.keys) return print(audit::manual());
  if (!request.to_toml.empty()) {
    if (!request.files.empty() || !request.systems.empty() || request.json)
      throw std::invalid_argument("audit: --to-toml takes one FILE and --set, nothing else");
    return print(
        core::answer({"toml", {inputs::read(request.to_toml)}, request.changes}, model_types()));
  }
  if (request.list) {
    std::string list;
    for (const auto& name : atlas_names()) list += name + "\n";
    return print(list);
  }
  std::string out;
  bool warned = false;
  for (auto& configuration : core::configurations(question("audit", request), model_types())) {
    const auto audit = audit::audit_of(std::move(configuration));
    warned = warned || audit.warns();
    out += request.json ? audit::json_line(audit) + "\n"
                        : (out.empty() ? "" : "\n") + audit::summary_of(audit);
  }
  print(out);
  return warned && request.fail_on == "warning" ? differs : done;
}

int compare_all(const Asked& asked) {
  const auto asks = question("compare", asked);
  if (asked.json) return print(core::answer(asks, model_types()));
  std::string out;
  for (auto& configuration : core::configurations(asks, model_types()))
    out +=
        (out.empty() ? "" : "\n") + compare::words_of(compare::compared(std::move(configuration)));
  return print(out);
}

/// What `port` is asked for.
struct PortRequest {
  std::string from, to, place;
  std::vector<std::string> changes;  ///< "from.PATH=VALUE", "to.PATH=VALUE"
  ApplyRequest apply;
  bool json = false;
};

/// A name with a slash, a dot or a colon, or of a file that is there; else of a system.
std::string file_of(const std::string& name) {
  std::error_code error;
  const bool is_file = name == "-" || name.find_first_of("/.:") != std::string::npos ||
                       std::filesystem::exists(name, error);
  return is_file ? name : atlas_file(name);
}

/// The command, with its options.
CLI::App* add_port(CLI::App& app, PortRequest& request) {
  auto* command = app.add_subcommand(
      "port",
      "What to do with a checkpoint of OLD code so that NEW code computes and trains the same");
  const std::string about =
      ": a system of the atlas, or a file of TOML or a config.json, whose decoder is taken unless "
      "it is FILE:encoder (a name with /, a dot or a colon, or of a file that is there; - is "
      "standard input)";
  command->add_option("OLD", request.from, "the checkpoint's code" + about)->required();
  command->add_option("NEW", request.to, "the code to move it to" + about)->required();
  command
      ->add_option("--set", request.changes,
                   "what if: the field PATH of OLD (from.) or of NEW (to.) had this VALUE "
                   "(an empty one takes it away)")
      ->type_name("from.PATH=VALUE|to.PATH=VALUE")
      ->allow_extra_args(false);
  command
      ->add_option("--place", request.place,
                   "where the factor of tied logits goes (default: the first that NEW has)")
      ->check(CLI::IsMember({"logit_factor", "final_norm", "own_table"}));
  command->add_flag("--json", request.json, "one JSON object on a line");
  add_apply(*command, request.apply);
  command->footer(
      "Exit codes: 0 the steps keep the function, 1 they do not (what changes it is named; steps "
      "are printed all the same), 2 usage or content, 3 input or output.");
  return command;
}

/// Returns  an exit code, 1 where the function is not kept.
int port_one(const PortRequest& request) {
  if (request.from == "-" && request.to == "-")
    throw std::invalid_argument("port: standard input can be read once only");
  const auto port =
      core::port({"port",
                  {inputs::read(file_of(request.from)), inputs::read(file_of(request.to))},
                  request.changes,
                  request.place},
                 model_types());
  if (!request.apply.files.empty() && port.keeps_function()) return apply(request.apply, port);
  print(request.json ? port::json_line(port) + "\n" : port::words_of(port));
  if (!request.apply.files.empty())
    fmt::print(stderr, "embedscale: port: --apply writes nothing: the function is not kept\n");
  return port.keeps_function() ? done : differs;
}

/// Becomes embedscale-check, the program beside this one, or else of PATH: it needs the properties,
/// which this one does without.
///
/// Errors    std::invalid_argument where there is none.
int become_check(char** arguments) {
  const auto beside =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "embedscale-check";
  ::execv(beside.c_str(), arguments);
  ::execvp("embedscale-check", arguments);
  throw std::invalid_argument(
      "check and vectors are a program of their own, embedscale-check, and neither beside this one "
      "nor in PATH is one; it is built and installed with the properties");
}

/// Becomes cite.py, which CI runs without a build, too.
///
/// Errors    std::invalid_argument where there is no python3.
int become_cite(char** arguments) {
  std::string python = "python3", file = share("cite/cite.py").string();
  std::vector<char*> all{python.data(), file.data()};
  do all.push_back(*arguments);
  while (*arguments++ != nullptr);
  ::execvp("python3", all.data());
  throw std::invalid_argument("cite is a program in Python, and no python3 is in PATH");
}

/// What stands in the first place: CLI11 would ask for a command where one is misspelt.
void require_command(const CLI::App& app, std::string_view first) {
  std::vector<std::string> names;
  for (const auto* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (!first.empty() && !first.starts_with('-') && std::ranges::count(names, first) == 0)
    throw std::invalid_argument(fmt::format("no command '{}': {}; --help tells of each",
                                            audit::printable(first),
                                            report::nearest(first, names, "")));
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
      "Exit codes: 0 done, 1 a finding that --fail-on names, a port that does not keep the "
      "function, 2 usage or content, 3 input or output.\n{}",
      project::url));

  std::filesystem::path results;
  std::vector<std::string> ids;
  cli::AuditRequest request;
  bool primitives = false;
  auto* list = app.add_subcommand("list", "All claims with their verdicts");
  list->add_flag("--primitives", primitives,
                 "the primitives under test: number types, claims and properties that call them");
  auto* show = app.add_subcommand("show", "One claim: belief, statement, verdict, evidence");
  for (auto* command : {list, show})
    command->add_option("--results", results, "a results.json (default: the installed one)");
  show->add_option("CLAIM", ids, "its id, topic.predicate")->required();
  auto* audit = app.add_subcommand(
      "audit", "What a configuration's embedding and position scales do at initialisation");
  cli::add_options(*audit, request);
  audit
      ->add_option("--fail-on", request.fail_on, "exit 1 where there is a finding of this severity")
      ->check(CLI::IsMember({"warning"}));
  audit->add_flag("--systems", request.list, "list the systems of the atlas");
  audit->add_flag("--keys", request.keys, "list the fields of a configuration and their defaults");
  audit
      ->add_option("--to-toml", request.to_toml,
                   "print the configuration that is made of a config.json, or with --set of any "
                   "file, to edit it")
      ->type_name("FILE");
  cli::Asked compared;
  auto* compare =
      app.add_subcommand("compare", "A configuration up, down, folded and unscaled, side by side");
  cli::add_options(*compare, compared);
  cli::PortRequest ported;
  const auto* port = cli::add_port(app, ported);
  cli::FingerprintRequest fingerprinted;
  const auto* fingerprint = cli::add_fingerprint(app, fingerprinted);
  app.add_subcommand("check", "Tries functions of your own, in any language, under the properties");
  app.add_subcommand("cite",
                     "Entries for a bibliography; checks what documentation says of claims");
  app.add_subcommand("vectors", "Writes test vectors: calls in JSON, with what is right");
  return cli::guarded("embedscale", [&]() -> int {
    if (const std::string_view command = argc > 1 ? argv[1] : "";
        command == "check" || command == "vectors")
      return cli::become_check(argv + 1);
    else if (command == "cite")
      return cli::become_cite(argv + 2);
    cli::require_command(app, argc > 1 ? argv[1] : "");
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app.exit(error) == 0 ? cli::done : cli::usage;
    }
    if (results.empty()) results = cli::share("results.json");
    if (*list)
      return cli::print(primitives ? report::list_of_primitives(results)
                                   : report::list_of_claims(results));
    if (*show) return cli::print(report::descriptions(results, ids));
    if (*compare) return cli::compare_all(compared);
    if (*fingerprint) return cli::fingerprint(fingerprinted);
    if (*port) return cli::port_one(ported);
    return cli::audit_all(request);
  });
}
