#include "cli/atlas_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <CLI/CLI.hpp>
#include <filesystem>
#include <stdexcept>

#include "audit/error.hpp"
#include "cli/program.hpp"
#include "report/file.hpp"
#include "report/nearest.hpp"

namespace embedscale::cli {

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
  command.add_option("FILE", asked.files, "TOML configurations; - is standard input");
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

std::vector<audit::Configuration> configurations(const std::string& command, const Asked& asked) {
  std::vector<std::string> files = asked.files;
  for (const auto& name : asked.systems) files.push_back(atlas_file(name));
  if (files.empty())
    throw std::invalid_argument(command + ": name a FILE, or a system with --system NAME");
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw std::invalid_argument(command + ": standard input can be read once only");
  std::vector<audit::Change> changes;
  for (const auto& text : asked.changes) changes.push_back(audit::change_from(text));
  std::vector<audit::Configuration> read;
  for (const auto& file : files) read.push_back(audit::read_configuration(file, changes));
  return read;
}

}  // namespace embedscale::cli
