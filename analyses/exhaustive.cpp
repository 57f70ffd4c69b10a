// Evaluates every case of the exhaustive runs and writes what they found into
// properties/exhaustive.json, as soon as each is finished: however this is ended, the same command
// goes on from there.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <filesystem>
#include <optional>
#include <stdexcept>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "exhaustive/record.hpp"
#include "exhaustive/run.hpp"
#include "report/file.hpp"
#include "report/source_hash.hpp"

namespace embedscale::exhaustive {
namespace {

struct Options {
  std::filesystem::path project, record;
  std::vector<std::string> names;
  bool check = false, list = false, again = false;
  cli::Options shared{};  ///< --jobs, --quiet, --progress
};

bool is_named(const Run& run, const std::string& name) {
  return run.name == name || run.name.starts_with(name + "/");
}

/// Those that are asked for.
///
/// Errors    std::invalid_argument: a name of none.
std::vector<Run> chosen(const std::vector<std::string>& names) {
  auto all = runs();
  for (const auto& name : names)
    if (std::ranges::none_of(all, [&](const Run& run) { return is_named(run, name); }))
      throw std::invalid_argument(fmt::format("no exhaustive run is named '{}': see --list", name));
  std::erase_if(all, [&](const Run& run) {
    return !names.empty() && std::ranges::none_of(names, [&](const std::string& name) {
      return is_named(run, name);
    });
  });
  return all;
}

int act(const Options& options) {
  Record record(options.record);
  std::vector<Run> stale;
  for (auto& run : chosen(options.names)) {
    const bool is_current =
        record.runs.contains(run.name) &&
        record.of(run.name).hash == report::hash_of_sources(options.project, run.source);
    if (options.list) fmt::print("{}{}\n", run.name, is_current ? "" : "  (not of these sources)");
    if (options.check && !is_current)
      fmt::print(stderr, "exhaustive: {} is not of these sources: run ./dev exhaustive\n",
                 run.name);
    if (options.again || !is_current) stale.push_back(std::move(run));
  }
  if (options.list) return cli::done;
  if (options.check) return stale.empty() ? cli::done : cli::differs;
  if (stale.empty() && !options.shared.quiet)
    fmt::print(
        stderr,
        "exhaustive: every case was evaluated, of these sources; --again does so once more\n");
  std::optional<tbb::global_control> limit;
  if (options.shared.jobs > 0)
    limit.emplace(tbb::global_control::max_allowed_parallelism,
                  static_cast<std::size_t>(options.shared.jobs));
  std::erase_if(record.runs, [all = runs()](const auto& row) {
    return std::ranges::count(all, row.first, &Run::name) == 0;
  });
  const cli::Progress progress(options.shared);
  for (std::size_t i = 0; i < stale.size(); ++i) {
    const auto& run = stale[i];
    cli::narrate(options.shared, run.name, i + 1, stale.size());
    record.runs[run.name] =
        evaluated(report::hash_of_sources(options.project, run.source), run.parts, run.evaluate);
    report::write_file(options.record, record.text());
  }
  report::write_file(options.record, record.text());
  return cli::done;
}

}  // namespace
}  // namespace embedscale::exhaustive

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments(
      "Evaluates every case of what is claimed exhaustively. What was stopped goes on where it was",
      "exhaustive");
  exhaustive::Options options;
  arguments.option("names", options.names, "runs, or what their names begin with (default: all)");
  arguments.option("--project", options.project, "the project's directory").required();
  arguments.option("--record", options.record, "the file to write or to check").required();
  arguments.option("--again", options.again, "even those that are current");
  arguments.option("--check", options.check, "exit 1 where the file is of other sources");
  arguments.option("--list", options.list, "the names, and evaluate none");
  arguments.option("--jobs", options.shared.jobs, "threads; 0: one for each processor")
      .between(0, 4096);
  arguments.option("--quiet", options.shared.quiet, "no narration");
  arguments.option("--progress", options.shared.progress, "say how far it is");
  return arguments.run(argc, argv, [&] { return exhaustive::act(options); });
}
