// Puts the generated tree in the place of the committed one, file by file and atomically; or, with
// --check, shows where the committed one is stale or was edited by hand.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <set>

#include "cli/analysis.hpp"
#include "report/file.hpp"
#include "report/project.hpp"
#include "report/results.hpp"

extern char** environ;

namespace embedscale {
namespace {

namespace fs = std::filesystem;

/// What differs from machine to machine: published along, never compared.
const fs::path provenance = "reports/provenance.json";

constexpr const char* unwritten = "standard output: cannot be written";

std::set<fs::path> files_below(const fs::path& root) {
  std::set<fs::path> files;
  if (fs::exists(root))
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(root));
  return files;
}

bool same(const fs::path& a, const fs::path& b) {
  return fs::exists(a) && fs::exists(b) && report::read_file(a) == report::read_file(b);
}

/// `diff -u` of two files on stdout; a missing one counts as empty.
void show_difference(const fs::path& committed, const fs::path& generated) {
  std::fflush(stdout);
  const auto existing = [](const fs::path& path) {
    return fs::exists(path) ? path.string() : std::string("/dev/null");
  };
  std::string words[] = {"diff",
                         "-u",
                         "--label",
                         committed.string() + " (committed)",
                         "--label",
                         committed.string() + " (generated)",
                         existing(committed),
                         existing(generated)};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, "diff", nullptr, nullptr, arguments.data(), environ) != 0)
    fmt::print("{} differs (install diffutils to see how)\n", committed.string());
  else
    waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) throw report::FileError(unwritten);
}

/// Whether a file that nothing generates may go: one that a page leaves behind when a figure
/// is renamed. A page or a note of somebody's own stays.
bool is_left_behind(const fs::path& file) {
  const auto directory = file.parent_path();
  return directory == "reports/figures" || directory == "reports/data" ||
         directory == "reports/badges";
}

struct Differences {
  std::vector<fs::path> changed, surplus;  ///< relative to the tree
  bool any() const { return !changed.empty() || !surplus.empty(); }
};

Differences differences(const fs::path& from, const fs::path& to) {
  Differences found;
  const auto generated = files_below(from);
  for (const auto& file : generated)
    if (file != provenance && !same(from / file, to / file)) found.changed.push_back(file);
  for (const auto& file : files_below(to / "reports"))
    if (!generated.contains("reports" / file)) found.surplus.push_back("reports" / file);
  return found;
}

std::string changed_verdicts(const fs::path& from, const fs::path& to) {
  const fs::path results = "reports/results.json";
  if (!fs::exists(to / results)) return {};
  return report::verdict_changes(report::read_results(to / results),
                                 report::read_results(from / results));
}

int check(const fs::path& from, const fs::path& to, const Differences& found) {
  for (const auto& file : found.changed) show_difference(to / file, from / file);
  for (const auto& file : found.surplus)
    fmt::print("{}: in the reports, but nothing generates it\n", file.string());
  fmt::print("{}", changed_verdicts(from, to));
  if (!found.any()) return cli::done;
  fmt::print(stderr, "publish: {} of the reports are stale or edited; ./dev reports remakes them\n",
             found.changed.size() + found.surplus.size());
  return cli::differs;
}

int replace(const fs::path& from, const fs::path& to, const Differences& found) {
  const auto verdicts = changed_verdicts(from, to);
  for (const auto& file : found.changed)
    report::write_file(to / file, report::read_file(from / file));
  for (const auto& file : found.surplus)
    if (is_left_behind(file)) fs::remove(to / file);
  if (found.any() || !fs::exists(to / provenance))
    report::write_file(to / provenance, report::read_file(from / provenance));
  for (const auto& file : found.changed) fmt::print("{}\n", file.string());
  for (const auto& file : found.surplus)
    fmt::print("{} ({})\n", file.string(),
               is_left_behind(file) ? "removed" : "kept: nothing generates it, so it is yours");
  if (!verdicts.empty()) fmt::print("verdicts changed:\n{}", verdicts);
  if (!found.any()) fmt::print(stderr, "The reports are current.\n");
  return cli::done;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  CLI::App app("Puts the generated reports in the place of the committed ones");
  app.set_version_flag("--version", std::string(project::version));
  std::filesystem::path from, to;
  bool only_check = false;
  app.add_option("from", from, "the generated tree")->required()->check(CLI::ExistingDirectory);
  app.add_option("to", to, "the repository")->required()->check(CLI::ExistingDirectory);
  app.add_flag("--check", only_check, "change nothing; exit 1 with the difference if there is one");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::done : cli::usage;
  }
  return cli::guarded("publish", [&] {
    if (!only_check) report::remove_leftovers(to / "reports");
    const auto found = differences(from, to);
    const int code = only_check ? check(from, to, found) : replace(from, to, found);
    if (std::fflush(stdout) != 0) throw report::FileError(unwritten);
    return code;
  });
}
