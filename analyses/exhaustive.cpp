// Evaluates every case of the exhaustive runs, part by part, and writes what they found into
// properties/exhaustive.json. Each part is kept in the build directory as soon as it is finished:
// however a run is ended, the same command goes on from there.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "exhaustive/kept.hpp"
#include "exhaustive/record.hpp"
#include "exhaustive/run.hpp"
#include "report/file.hpp"
#include "report/progress.hpp"
#include "report/source_hash.hpp"

namespace embedscale::exhaustive {
namespace {

namespace fs = std::filesystem;
struct Options {
  fs::path project, kept, record;
  std::vector<std::string> names;
  bool check = false, list = false, again = false;
  cli::Options shared{};  ///< --jobs, --quiet, --progress
};

bool is_named(const Run& run, const std::vector<std::string>& names) {
  return names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
           return run.name == name || run.name.starts_with(name + "/");
         });
}

/// Those that are asked for.
///
/// Errors    std::invalid_argument: a name of none.
std::vector<Run> chosen(const std::vector<std::string>& names) {
  auto all = runs();
  for (const auto& name : names)
    if (std::ranges::none_of(all, [&](const Run& run) { return is_named(run, {name}); }))
      throw std::invalid_argument(fmt::format("no exhaustive run is named '{}': see --list", name));
  std::erase_if(all, [&](const Run& run) { return !is_named(run, names); });
  return all;
}

/// With the hash of what each is made of now.
struct Stale {
  Run run;
  std::string hash;
};

std::vector<Stale> stale_ones(const Options& options, const Record& record) {
  std::vector<Stale> stale;
  for (auto& run : chosen(options.names)) {
    const auto hash = report::hash_of_sources(options.project, run.source);
    const bool is_current = record.contains(run.name) && record.of(run.name).hash == hash &&
                            record.of(run.name).parts == run.parts;
    if (options.list) fmt::print("{}{}\n", run.name, is_current ? "" : "  (not of these sources)");
    if (options.again || !is_current) stale.push_back({std::move(run), hash});
  }
  return stale;
}

int check(const std::vector<Stale>& stale) {
  for (const auto& one : stale)
    fmt::print(stderr, "exhaustive: {} is not of these sources: run ./dev exhaustive\n",
               one.run.name);
  return stale.empty() ? cli::done : cli::differs;
}

void evaluate(const std::vector<Stale>& stale, const Options& options, Record& record) {
  const cli::Progress progress(options.shared);
  report::Loop all(stale.size());
  for (std::size_t i = 0; i < stale.size(); ++i) {
    const auto& [run, hash] = stale[i];
    cli::narrate(options.shared, run.name, i + 1, stale.size());
    const auto began = std::chrono::steady_clock::now();
    Kept kept(options.kept, run, hash);
    if (options.again) kept.forget();
    record.keep(run.name, evaluated(run, kept));
    report::write_file(options.record, record.text());
    kept.forget();
    all.step();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
    if (!options.shared.quiet)
      fmt::print(stderr, "{}: {} parts, {:.1f} s\n", run.name, run.parts, seconds.count());
  }
}

int act(const Options& options) {
  Record record(options.record);
  const auto stale = stale_ones(options, record);
  if (options.list) return cli::done;
  if (options.check) return check(stale);
  if (stale.empty() && !options.shared.quiet)
    fmt::print(
        stderr,
        "exhaustive: every case was evaluated, of these sources; --again does so once more\n");
  std::optional<tbb::global_control> limit;
  if (options.shared.jobs > 0)
    limit.emplace(tbb::global_control::max_allowed_parallelism,
                  static_cast<std::size_t>(options.shared.jobs));
  std::set<std::string> names;
  for (const auto& run : runs()) names.insert(run.name);
  record.forget_unless([&](const std::string& name) { return names.contains(name); });
  evaluate(stale, options, record);
  report::write_file(options.record, record.text());
  return cli::done;
}

}  // namespace
}  // namespace embedscale::exhaustive

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments(
      "Evaluates every case of what is claimed exhaustively. A run that was stopped goes on where "
      "it was",
      "exhaustive");
  exhaustive::Options options;
  arguments.option("names", options.names, "runs, or what their names begin with (default: all)");
  arguments.option("--project", options.project, "the project's directory").required();
  arguments.option("--kept", options.kept, "where finished parts are kept").required();
  arguments.option("--record", options.record, "the file to write or to check").required();
  arguments.option("--again", options.again, "even those that are current, from the beginning");
  arguments.option("--check", options.check, "exit 1 where the file is of other sources");
  arguments.option("--list", options.list, "the names, and evaluate none");
  arguments.option("--jobs", options.shared.jobs, "threads; 0: one for each processor")
      .between(0, 4096);
  arguments.option("--quiet", options.shared.quiet, "no narration");
  arguments.option("--progress", options.shared.progress, "say how far it is");
  return arguments.run(argc, argv, [&] { return exhaustive::act(options); });
}
