// Changes the library, one small thing at a time, and asks whether a test notices. README.md says
// how and what the numbers mean.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <stdexcept>
#include <thread>

#include "../../analyses/cli/arguments.hpp"
#include "../../analyses/cli/program.hpp"
#include "../../analyses/cli/progress.hpp"
#include "../../analyses/report/file.hpp"
#include "../../analyses/report/loops.hpp"
#include "judge.hpp"

namespace embedscale::properties::mutation {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler sets it");

constexpr int interrupted = 130;
constexpr std::uint64_t usual_minutes = 25, unlimited = std::numeric_limits<std::uint64_t>::max();

struct Options {
  fs::path project, build;
  std::uint64_t minutes = unlimited, seed = 0;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
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

/// Judges mutants in their order, keeps what it finds, shows how far it is.
class Run {
 public:
  /// What is edited from here on does not matter.
  Run(const Options& options, const std::vector<Mutant>& order, const Equivalents& argued)
      : order_(order),
        argued_(argued),
        jobs_(static_cast<std::size_t>(options.jobs)),
        seconds_(options.seconds()),
        kept_(options.build / "mutation/results.jsonl"),
        known_(results_in(kept_.lines())),
        scratch_(emptied(options.build / "mutation/scratch")),
        graph_(options.project, options.build, scratch_),
        judge_(graph_, scratch_, jobs_, stop) {
    for (const auto& mutant : order)
      if (auto& known = fingerprints_[mutant.file]; known.empty())
        known = graph_.fingerprint(library + mutant.file);
  }

  /// What became of a beginning of the order; where it was stopped, of fewer.
  ///
  /// Errors    std::runtime_error: a program fails unmutated, the results cannot be written.
  std::vector<Result> results() {
    const auto progress = cli::shown_progress({});
    report::Loop loop(order_.size());
    std::vector<std::future<void>> workers;
    for (std::size_t worker = 0; worker < jobs_; ++worker)
      workers.push_back(std::async(std::launch::async, [&, worker] { work(worker, loop); }));
    for (auto& worker : workers) worker.wait();
    fs::remove_all(scratch_);
    for (auto& worker : workers) worker.get();
    return done_;
  }

 private:
  static fs::path emptied(const fs::path& folder) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    return folder;
  }

  void work(std::size_t worker, report::Loop& loop) try {
    while (const Mutant* mutant = next(loop)) {
      std::unique_lock lock(mutex_);
      const auto programs = judge_.in_order_for(mutant->file, known_);
      lock.unlock();
      auto result = judge_.judge(*mutant, programs, worker);
      if (!result) return;
      lock.lock();
      result->made_from = fingerprints_.at(mutant->file);
      kept_.append(line_of(*result));
      known_.push_back(*result);
      finish(*mutant, *result, loop);
    }
  } catch (...) {
    stop = true;
    throw;
  }

  /// The next one of which nothing is known. What has been started is finished: who stopped at the
  /// clock would drop the slow ones, which are the survivors.
  const Mutant* next(report::Loop& loop) {
    const std::lock_guard lock(mutex_);
    for (; next_ < order_.size(); ++next_) {
      const auto kept = std::ranges::find_if(known_, [&](const Result& result) {
        return result.id == order_[next_].id &&
               result.made_from == fingerprints_.at(order_[next_].file);
      });
      if (kept == known_.end()) break;
      finish(order_[next_], *kept, loop);
    }
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    return next_ < order_.size() && elapsed.count() < seconds_ && !stop ? &order_[next_++]
                                                                        : nullptr;
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
  std::size_t jobs_;
  double seconds_;  // none is started later
  report::KeptLines kept_;
  std::vector<Result> known_;
  fs::path scratch_;
  BuildGraph graph_;
  Judge judge_;
  std::map<std::string, std::string> fingerprints_;  // by the mutated file
  Clock::time_point begin_ = Clock::now();

  std::mutex mutex_;  // of known_, kept_ and what follows
  std::size_t next_ = 0;
  std::vector<Result> done_;
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
  fs::create_directories(options.build / "mutation");
  const int folder_itself = ::open((options.build / "mutation").c_str(), O_RDONLY | O_CLOEXEC);
  if (::flock(folder_itself, LOCK_EX | LOCK_NB) != 0)
    throw std::runtime_error("another one is running");
  fmt::print(stderr, "{} mutants; asking how the tests are built\n", order.size());
  const auto results = Run(options, order, argued).results();
  if (stop) {
    fmt::print(stderr, "interrupted; what was judged is kept, the same command goes on\n");
    return interrupted;
  }
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
  struct sigaction action = {};
  action.sa_handler = [](int) { mutation::stop = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
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
  arguments.option("--jobs", options.jobs, "at a time").between(1, 4096);
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
