// Changes the library, one small thing at a time, and asks whether a test notices. README.md says
// how and what the numbers mean.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "../../analyses/cli/arguments.hpp"
#include "../../analyses/cli/program.hpp"
#include "../../analyses/cli/progress.hpp"
#include "../../analyses/parts/parts.hpp"
#include "../../analyses/report/file.hpp"
#include "../../analyses/report/loops.hpp"
#include "judge.hpp"

namespace embedscale::properties::mutation {
namespace {

constexpr std::uint64_t usual_minutes = 25, unlimited = std::numeric_limits<std::uint64_t>::max();

struct Options {
  fs::path project, build;
  std::uint64_t minutes = unlimited, seed = 0;
  parts::Options parts{};
  std::vector<std::string> files, ids;
  bool all = false, equivalents = false, list = false, record = false;

  /// No limit where it is said what to try.
  double seconds() const {
    if (minutes == unlimited && (all || equivalents || !ids.empty()))
      return std::numeric_limits<double>::infinity();
    return 60 * static_cast<double>(minutes == unlimited ? usual_minutes : minutes);
  }
};

std::vector<Mutant> chosen(std::vector<Mutant> order, const Options& options,
                           const Equivalents& argued) {
  shuffle(order, options.seed);
  const auto among = [](const auto& list, const std::string& one) {
    return list.empty() || std::ranges::count(list, one) > 0;
  };
  std::erase_if(order, [&](const Mutant& mutant) {
    return (options.equivalents && !argued.contains(mutant.id)) ||
           !among(options.files, mutant.file) || !among(options.ids, mutant.id);
  });
  return order;
}

/// Judges mutants in their order, each a part (analyses/parts/parts.hpp), and shows how far it is.
class Run {
 public:
  /// What is edited from here on does not matter.
  Run(const Options& options, const std::vector<Mutant>& order, const Equivalents& argued,
      parts::Parts& parts)
      : order_(order),
        argued_(argued),
        seconds_(options.seconds()),
        parts_(parts),
        scratch_(emptied(options.build / "mutation" / parts.process())),
        graph_(options.project, options.build, scratch_),
        judge_(graph_, scratch_, parts::threads(options.parts), parts::stop()) {
    for (const auto& result : parts.kept()) known_.push_back(result_in(result));
  }
  ~Run() {
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// What became of a beginning of the order, in the first process; where it was stopped, of fewer.
  /// What has been started is finished: who stopped at the clock would drop the slow ones, which
  /// are the survivors.
  ///
  /// Errors    std::runtime_error: a program fails unmutated, the results cannot be written.
  std::vector<Result> results() {
    const auto progress = parts_.is_first() ? cli::shown_progress({}) : std::jthread();
    const auto begin = std::chrono::steady_clock::now();
    report::Loop loop(order_.size());
    std::map<std::string, std::string> fingerprints;  // by the mutated file
    std::vector<parts::Part> list;
    for (const auto& mutant : order_) {
      auto& of = fingerprints[mutant.file];
      if (of.empty()) of = graph_.fingerprint(library + mutant.file);
      list.push_back({mutant.id, of});
    }
    parts_.make(
        list, [&](std::size_t i) { return judged(order_[i]); },
        {.found = [&](std::size_t i,
                      const std::string& text) { finish(order_[i], result_in(text), loop); },
         .goes_on =
             [&] {
               const std::chrono::duration<double> elapsed =
                   std::chrono::steady_clock::now() - begin;
               return elapsed.count() < seconds_;
             }});
    return done_;
  }

 private:
  static fs::path emptied(const fs::path& folder) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
  }

  std::optional<std::string> judged(const Mutant& mutant) {
    std::unique_lock lock(mutex_);
    const auto programs = judge_.in_order_for(mutant.file, known_);
    lock.unlock();
    const auto result = judge_.judge(mutant, programs);
    if (!result) return std::nullopt;
    lock.lock();
    known_.push_back(*result);
    return text_of(*result);
  }

  void finish(const Mutant& mutant, const Result& result, report::Loop& loop) {
    done_.push_back(result);
    if (result.fate == MutantStatus::survived && !argued_.contains(result.id))
      fmt::print(stderr, "{}survived: {}", ::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "",
                 difference(mutant));
    cli::narrate({}, counted(tally(done_, argued_)), done_.size(), order_.size());
    loop.step();
  }

  const std::vector<Mutant>& order_;
  const Equivalents& argued_;
  double seconds_;  // none is started later
  parts::Parts& parts_;
  fs::path scratch_;
  BuildGraph graph_;
  Judge judge_;
  std::vector<Result> done_;

  std::mutex mutex_;  // of what follows
  std::vector<Result> known_;
};

int mutate(const Options& options) {
  const auto folder = options.project / "properties/mutation";
  const auto argued = parse_equivalents(report::read_file(folder / "equivalent.txt"));
  const auto order = chosen(all_mutants(options.project), options, argued);
  if (order.empty()) throw std::invalid_argument("--id, --header: there is no such mutant");
  if (options.list) {
    for (const auto& mutant : order) fmt::print("{}", difference(mutant));
    return cli::done;
  }
  parts::Parts parts(options.parts, options.build / "parts/mutation");
  if (parts.is_first())
    fmt::print(stderr, "{} mutants; asking how the tests are built\n", order.size());
  const auto results = Run(options, order, argued, parts).results();
  if (parts::stop()) return parts::interrupted;
  if (!parts.is_first()) return cli::done;
  const auto found = score(results, order, argued, options.seed);
  fmt::print("{}", summary(found));
  if (options.record) report::write_file(folder / "score.json", found.dump(1) + "\n");
  return passes(found) ? cli::done : cli::differs;
}

}  // namespace
}  // namespace embedscale::properties::mutation

int main(int argc, char** argv) {
  using namespace embedscale;
  namespace mutation = properties::mutation;
  cli::Arguments arguments(
      "Changes the library, one small thing at a time: does a test notice? Exits with 0 where all "
      "survivors and only survivors are argued equivalent, with 1 where not, with 3 where it could "
      "not be tried, with 130 where it was interrupted; the same command goes on",
      "mutate");
  mutation::Options options;
  arguments.option("--project", options.project, "the project's directory")
      .required()
      .existing_directory();
  arguments.option("--build", options.build, "its build tree, which is current")
      .required()
      .existing_directory();
  arguments.option("--minutes", options.minutes,
                   "start no mutant after so many: 25; no limit where it is said what to try");
  arguments.option("--all", options.all, "try all, without limit");
  arguments.option("--equivalents", options.equivalents, "try those that are argued equivalent");
  arguments.option("--header", options.files, "only mutants of this file, e.g. attention.hpp");
  arguments.option("--id", options.ids, "only this mutant");
  parts::add_options(arguments, options.parts);
  arguments.option("--seed", options.seed, "of the order: 0");
  arguments.option("--list", options.list, "print the mutants in their order and try none");
  arguments.option("--record", options.record,
                   "write the result to properties/mutation/score.json");
  return arguments.run(argc, argv, [&] {
    try {
      return mutation::mutate(options);
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "mutate: {}\n", error.what());
      return static_cast<int>(cli::input_output);
    }
  });
}
