// Runs the training study, run by run, and writes what it found into analyses/training/record.json.
// Each run is kept as soon as it is finished: however the program is ended, the same command goes
// on from there. Several machines may take a share each: their files, put into one directory, are
// one study.
#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "properties/training/design.hpp"
#include "properties/training/paired.hpp"
#include "report/file.hpp"
#include "report/loops.hpp"
#include "report/source_hash.hpp"
#include "training/study/record.hpp"
#include "training/study/runs.hpp"
#include "training/study/train.hpp"

namespace embedscale::training {
namespace {

namespace fs = std::filesystem;
namespace study = properties::training;

struct Options {
  fs::path project, kept, record, text = fortunes;
  std::string shard = "1/1";
  std::vector<std::string> names;
  bool first = false, quick = false;
  cli::Options shared{};  ///< --jobs, --quiet, --progress
};

/// One of so many machines, from 1.
struct Shard {
  std::uint64_t number, of;
  bool has(const Run& run) const { return hash_of(name_of(run)) % of == number - 1; }
};

/// Errors    std::invalid_argument.
Shard shard_of(const std::string& text) {
  std::uint64_t number = 0, of = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%lu/%lu%c", &number, &of, &rest) == 2 && number >= 1 &&
      number <= of && of <= 4096)
    return {number, of};
  throw std::invalid_argument(
      fmt::format("--shard {}: needs i/n, the i-th of n machines, from 1/n to n/n", text));
}

/// One thread each: OpenBLAS's own threads would wait for each other's. Says what BLAS it is.
std::string use_one_thread_each() {
  at::set_num_threads(1);
  at::set_num_interop_threads(1);
  void* const set = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (set != nullptr) reinterpret_cast<void (*)(int)>(set)(1);
  return set != nullptr ? "OpenBLAS" : "another BLAS";
}

/// Those that are asked for.
///
/// Errors    std::invalid_argument: a name of none.
std::vector<study::Cell> chosen(const Options& options) {
  auto cells = study::cells();
  if (options.first) cells.resize(2);
  for (const auto& name : options.names)
    if (std::ranges::none_of(cells,
                             [&](const auto& cell) { return name_of(cell.setting) == name; }))
      throw std::invalid_argument(fmt::format("the study has no setting '{}'", name));
  if (!options.names.empty())
    std::erase_if(cells, [&](const auto& cell) {
      return std::ranges::find(options.names, name_of(cell.setting)) == options.names.end();
    });
  return cells;
}

/// The study under way: what is known, where it is kept, whose share is made here.
class Study {
 public:
  Study(const Options& options, const Provenance& provenance, const Text& text)
      : options_(options),
        shard_(shard_of(options.shard)),
        text_(text),
        record_(provenance),
        kept_(options.kept / fmt::format("{}-of-{}.jsonl", shard_.number, shard_.of)) {
    const Record committed(options.record);
    if (committed.provenance() == provenance) record_.keep(committed);
    for (const auto& entry : fs::directory_iterator(options.kept))
      if (entry.path().extension() == ".jsonl")
        for (const auto& line : report::KeptLines(entry.path()).lines()) record_.keep_line(line);
  }

  /// Runs what is missing of these cells; how many runs are left to other shards.
  std::size_t run(const std::vector<study::Cell>& cells) {
    report::Loop all(missing_cost(cells));
    std::size_t left = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cli::narrate(options_.shared, name_of(cells[i].setting), i + 1, cells.size());
      std::size_t others = make(swept_runs(cells[i]), all);
      if (others == 0) others = make(refined_runs(cells[i], record_), all);
      if (others == 0) others = make(compared_runs(cells[i], record_), all);
      left += others;
      if (others == 0) report::write_file(options_.record, finished(record_).text());
    }
    return left;
  }

 private:
  std::uint64_t missing_cost(const std::vector<study::Cell>& cells) const {
    std::uint64_t sum = 1;
    for (const auto& cell : cells) sum += cost(cell.setting) * missing_runs(cell, record_);
    return sum;
  }

  std::size_t make(const std::vector<Run>& runs, report::Loop& progress) {
    std::vector<Run> own;
    std::size_t others = 0;
    for (const auto& run : runs)
      if (record_.find(run) == nullptr) shard_.has(run) ? own.push_back(run) : void(++others);
    tbb::parallel_for(
        std::size_t{0}, own.size(),
        [&](std::size_t i) {
          const auto outcome = trained(own[i], text_);
          {
            const std::lock_guard lock(mutex_);
            record_.keep(own[i], outcome);
            kept_.append(record_.line_of(own[i]));
          }
          progress.step(cost(own[i].setting));
        },
        tbb::simple_partitioner());
    return others;
  }

  const Options& options_;
  Shard shard_;
  const Text& text_;
  Record record_;
  report::KeptLines kept_;
  std::mutex mutex_;
};

// A look at every arm of every setting in a few steps: does it train, and to the same bits?
constexpr int few_steps = 15;

/// Every arm once, and the first one twice.
std::vector<Run> few_runs(const study::Cell& cell) {
  auto setting = cell.setting;
  setting.steps = few_steps;
  std::vector<Run> all;
  for (const auto arm : cell.arms) all.push_back({setting, arm, cell.rates[1], 0});
  all.push_back(all.front());
  return all;
}

/// What is wrong with these runs of one cell; "" where nothing is.
std::string fault(const std::vector<Run>& runs, const std::vector<study::Outcome>& outcomes) {
  if (outcomes.front().bits != outcomes.back().bits) return "one run twice has other bits";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& outcome = outcomes[i];
    if (outcome.diverged)
      return fmt::format("{} diverges in {} steps", name_of(runs[i]), few_steps);
    if (runs[i].arm == study::Arm::up && !(outcome.curve.back() < outcome.curve.front()))
      return "up learns nothing";
    if (runs[i].arm == study::Arm::folded_at_its_rate && is_exact(runs[i].setting) &&
        outcome.bits != outcomes.front().bits)
      return "the folded table at its rate has other bits than up";
    if (runs[i].arm == study::Arm::unscaled && outcome.bits == outcomes.front().bits)
      return "unscaled has the bits of up";
  }
  return "";
}

/// Says on stderr what is wrong; cli::differs where something is.
int quick(const std::vector<study::Cell>& cells, const Text& text) {
  std::atomic<int> code{cli::done};
  tbb::parallel_for(std::size_t{0}, cells.size(), [&](std::size_t i) {
    const auto runs = few_runs(cells[i]);
    std::vector<study::Outcome> outcomes;
    for (const auto& run : runs) outcomes.push_back(trained(run, text));
    const auto wrong = fault(runs, outcomes);
    if (wrong.empty()) return;
    fmt::print(stderr, "training: {}: {}\n", study::name_of(cells[i].setting), wrong);
    code = cli::differs;
  });
  return code;
}

int act(Options& options) {
  const auto blas = use_one_thread_each();
  const Text text = read_text(options.text, study::text_vocabulary);
  const auto threads = options.shared.jobs > 0
                           ? static_cast<std::size_t>(options.shared.jobs)
                           : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const auto progress = cli::shown_progress(options.shared);
  const auto cells = chosen(options);
  if (options.quick) return quick(cells, text);
  const Provenance provenance{
      report::hash_of_sources(options.project, "analyses/training/study/train.cpp"), text.hash,
      fmt::format("{}, {}", TORCH_VERSION, blas)};
  fs::create_directories(options.kept);
  const auto left = Study(options, provenance, text).run(cells);
  if (left == 0) return cli::done;
  fmt::print(stderr,
             "training: {} runs are other shards'. When these are done, put all .jsonl files into "
             "{} and start once more\n",
             left, options.kept.string());
  return cli::done;
}

}  // namespace
}  // namespace embedscale::training

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Runs the training study. What was stopped goes on where it was",
                           "training_study");
  training::Options options;
  arguments.option("names", options.names, "settings, by name (default: all)");
  arguments.option("--project", options.project, "the project's directory").required();
  arguments.option("--kept", options.kept, "where finished runs are kept").required();
  arguments.option("--record", options.record, "the file to write").required();
  arguments.option("--text", options.text, "a directory of texts, as the package fortunes has it");
  arguments.option("--shard", options.shard, "i/n: the i-th of n shares of the runs");
  arguments.option("--first", options.first, "the first two settings, which take a third of it");
  arguments.option("--quick", options.quick,
                   "a few steps of every arm, and whether two runs have the same bits; keeps none");
  arguments.option("--jobs", options.shared.jobs, "threads; 0: one for each processor")
      .between(0, 4096);
  arguments.option("--quiet", options.shared.quiet, "no narration");
  arguments.option("--progress", options.shared.progress, "say how far it is");
  return arguments.run(argc, argv, [&] { return training::act(options); });
}
