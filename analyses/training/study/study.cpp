// Runs a training study, run by run, and writes what it found into analyses/training/record.json,
// the second one into recipe_record.json. Each run is a part (parts/parts.hpp): kept as soon as it
// is finished, on whatever machine.
#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <torch/torch.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <thread>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "parts/parts.hpp"
#include "properties/training/design.hpp"
#include "properties/training/paired.hpp"
#include "report/file.hpp"
#include "report/loops.hpp"
#include "report/source_hash.hpp"
#include "training/recipes/runs.hpp"
#include "training/recipes/train.hpp"
#include "training/study/record.hpp"
#include "training/study/runs.hpp"
#include "training/study/train.hpp"

namespace embedscale::training {
namespace {

namespace fs = std::filesystem;
namespace study = properties::training;

struct Options {
  fs::path project, kept, record, text = fortunes;
  std::vector<std::string> names;
  bool first = false, quick = false, recipes = false;
  cli::Options shared{};  ///< --quiet, --progress
  parts::Options parts{};
};

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

/// The study under way: what is known, and who makes the rest.
class Study {
 public:
  Study(const Options& options, const Provenance& provenance, const Text& text)
      : options_(options),
        text_(text),
        of_(fmt::format("{:016x}", hash_of(provenance.sources + "\n" + provenance.text + "\n" +
                                           provenance.libtorch))),
        record_(provenance),
        parts_(options.parts, options.kept) {
    const Record committed(options.record);
    if (committed.provenance() == provenance) record_.keep(committed);
  }

  /// Runs what is missing of the second study's cells, stage by stage.
  void run(const std::vector<RecipeCell>& cells) {
    const auto progress = parts_.is_first() ? cli::shown_progress(options_.shared) : std::jthread();
    const int stages = std::ranges::max(cells, {}, &RecipeCell::stage).stage;
    for (int stage = 1; stage <= stages && !parts_.stopped(); ++stage) {
      if (parts_.is_first())
        cli::narrate(options_.shared, fmt::format("stage {}", stage),
                     static_cast<std::size_t>(stage), static_cast<std::size_t>(stages));
      const auto next = [&] {
        std::map<std::string, RecipeRun> all;  // a run can belong to several cells
        for (const auto& cell : cells)
          if (cell.stage <= stage)
            for (const auto& run : next_runs(cell, record_)) all.try_emplace(name_of(run), run);
        std::vector<RecipeRun> list;
        for (const auto& [name, run] : all) list.push_back(run);
        std::ranges::stable_sort(list, std::greater{},  // no long one at the end
                                 [](const RecipeRun& run) { return cost(run); });
        return list;
      };
      bool is_whole = true;
      for (auto runs = next(); is_whole && !runs.empty(); runs = next()) {
        report::Loop all(runs.size());
        is_whole = make(std::move(runs), all, [](const RecipeRun&) { return std::uint64_t{1}; });
      }
      if (is_whole && parts_.is_first())
        report::write_file(options_.record, finished_recipes(record_).text());
    }
  }

  /// Runs what is missing of these cells. The record has those that are whole.
  void run(const std::vector<study::Cell>& cells) {
    const auto progress = parts_.is_first() ? cli::shown_progress(options_.shared) : std::jthread();
    report::Loop all(missing_cost(cells));
    for (std::size_t i = 0; i < cells.size() && !parts_.stopped(); ++i) {
      if (parts_.is_first())
        cli::narrate(options_.shared, name_of(cells[i].setting), i + 1, cells.size());
      const auto weight = [](const Run& run) { return cost(run.setting); };
      const bool is_whole = make(swept_runs(cells[i]), all, weight) &&
                            make(refined_runs(cells[i], record_), all, weight) &&
                            make(compared_runs(cells[i], record_), all, weight);
      if (is_whole && parts_.is_first())
        report::write_file(options_.record, finished(record_).text());
    }
  }

 private:
  std::uint64_t missing_cost(const std::vector<study::Cell>& cells) const {
    std::uint64_t sum = 1;
    for (const auto& cell : cells) sum += cost(cell.setting) * missing_runs(cell, record_);
    return sum;
  }

  /// Whether all of them are there then.
  template <class OneRun, class Weight>
  bool make(std::vector<OneRun> runs, report::Loop& progress, const Weight& weight) {
    std::erase_if(runs, [&](const OneRun& run) { return record_.find(name_of(run)) != nullptr; });
    std::vector<parts::Part> list;
    for (const auto& run : runs) list.push_back({name_of(run), of_});
    const auto results = parts_.make(
        list, [&](std::size_t i) { return text_of(RecipeOutcome{trained(runs[i], text_)}); },
        {.found = [&](std::size_t i, const std::string&) { progress.step(weight(runs[i])); }});
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (results[i]) record_.keep(name_of(runs[i]), outcome_in(*results[i]));
    return std::ranges::all_of(results, [](const auto& one) { return one.has_value(); });
  }

  const Options& options_;
  const Text& text_;
  std::string of_;
  Record record_;
  parts::Parts parts_;
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
int quick(const std::vector<study::Cell>& cells, const Text& text, const Options& options) {
  const auto progress = cli::shown_progress(options.shared);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  parts::threads(options.parts));
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
  const auto cells = chosen(options);
  if (options.quick) return quick(cells, text, options);
  const char* const source =
      options.recipes ? "analyses/training/recipes/train.cpp" : "analyses/training/study/train.cpp";
  const Provenance provenance{report::hash_of_sources(options.project, source), text.hash,
                              fmt::format("{}, {}", TORCH_VERSION, blas)};
  Study all(options, provenance, text);
  options.recipes ? all.run(study::recipe_cells()) : all.run(cells);
  return parts::stop() ? parts::interrupted : cli::done;
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
  arguments.option("--recipes", options.recipes, "the second study");
  arguments.option("--first", options.first, "the first two settings, which take a third of it");
  arguments.option("--quick", options.quick,
                   "a few steps of every arm, and whether two runs have the same bits; keeps none");
  parts::add_options(arguments, options.parts);
  arguments.option("--quiet", options.shared.quiet, "no narration");
  arguments.option("--progress", options.shared.progress, "say how far it is");
  return arguments.run(argc, argv, [&] { return training::act(options); });
}
