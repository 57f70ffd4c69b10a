// Changes the library, one small thing at a time, and asks whether a test notices. README.md says
// how and what the numbers mean.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <future>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>

#include "judge.hpp"

namespace embedscale::properties::mutation {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler sets it");

constexpr int interrupted = 130;

struct Options {
  fs::path project, build;
  double minutes = 25;
  std::uint64_t sample = std::numeric_limits<std::uint64_t>::max(), seed = 0;
  std::size_t jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> files, ids;
  bool all = false, equivalents = false, list = false, record = false;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--project", options.project, "the project's directory")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--build", options.build, "its build tree, which is current")
      ->required()
      ->check(CLI::ExistingDirectory);
  const auto* minutes =
      app.add_option("--minutes", options.minutes,
                     "start no mutant after so many; no limit where it is said what to try")
          ->check(CLI::NonNegativeNumber)
          ->capture_default_str();
  const auto* sample = app.add_option("--sample", options.sample, "try so many, in their order");
  app.add_flag("--all", options.all, "try all, without limit");
  app.add_flag("--equivalents", options.equivalents, "try those that are argued equivalent");
  app.add_option("--header", options.files, "only mutants of this file, e.g. attention.hpp");
  app.add_option("--id", options.ids, "only this mutant");
  app.add_option("--jobs", options.jobs, "at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the order")->capture_default_str();
  app.add_flag("--list", options.list, "print the mutants in their order and try none");
  app.add_flag("--record", options.record, "write the result to properties/mutation/score.json");
  app.footer(
      "What has been judged is kept in mutation/results.jsonl of the build tree; the same command\n"
      "goes on from there. Exit codes: 0 at least 95 % killed of those not argued equivalent, and\n"
      "no survivor unexplained; 1 not so, or one argued equivalent was killed; 2 usage;\n"
      "3 it could not be tried; 130 interrupted.");
  app.callback([&options, minutes, sample] {
    const bool chosen =
        options.all || options.equivalents || !options.ids.empty() || sample->count() > 0;
    if (chosen && minutes->count() == 0) options.minutes = std::numeric_limits<double>::infinity();
  });
}

std::vector<Mutant> chosen(std::vector<Mutant> all, const Options& options,
                           const Equivalents& argued) {
  auto order = in_sampling_order(std::move(all), options.seed);
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
        goal_(std::min<std::size_t>(options.sample, order.size())),
        jobs_(options.jobs),
        seconds_(60 * options.minutes),
        file_(options.build / "mutation/results.jsonl"),
        known_(kept_in(file_)),
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
    std::vector<std::future<void>> workers;
    for (std::size_t worker = 0; worker < jobs_; ++worker)
      workers.push_back(std::async(std::launch::async, [this, worker] { work(worker); }));
    const std::chrono::seconds pause(is_terminal_ ? 1 : 30);
    do show();
    while (std::ranges::any_of(workers, [&](auto& worker) {
      return worker.wait_for(pause) != std::future_status::ready;
    }));
    show();
    if (is_terminal_) fmt::print(stderr, "\n");
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

  void work(std::size_t worker) try {
    while (const Mutant* mutant = next()) {
      std::unique_lock lock(mutex_);
      const auto programs = judge_.in_order_for(mutant->file, known_);
      lock.unlock();
      auto result = judge_.judge(*mutant, programs, worker);
      if (!result) return;
      lock.lock();
      result->made_from = fingerprints_.at(mutant->file);
      keep(*result, file_);
      known_.push_back(*result);
      ++judged_;
      finish(*mutant, *result);
    }
  } catch (...) {
    stop = true;
    throw;
  }

  /// The next one of which nothing is known. What has been started is finished: who stopped at the
  /// clock would drop the slow ones, which are the survivors.
  const Mutant* next() {
    const std::lock_guard lock(mutex_);
    for (; next_ < goal_; ++next_) {
      const auto kept = std::ranges::find_if(known_, [&](const Result& result) {
        return result.id == order_[next_].id &&
               result.made_from == fingerprints_.at(order_[next_].file);
      });
      if (kept == known_.end()) break;
      finish(order_[next_], *kept);
    }
    return next_ < goal_ && elapsed() < seconds_ && !stop ? &order_[next_++] : nullptr;
  }

  void finish(const Mutant& mutant, const Result& result) {
    done_.push_back(result);
    if (result.fate == MutantStatus::survived && !argued_.contains(result.id))
      news_ += "survived: " + difference(mutant);
  }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  /// What the remaining ones take at the rate so far, no longer than there is time.
  double seconds_left() const {
    const auto remaining = static_cast<double>(goal_ - done_.size());
    const auto at_this_rate = judged_ > 0 || remaining == 0.0
                                  ? elapsed() * remaining / std::max(judged_, 1.0)
                                  : std::numeric_limits<double>::infinity();
    return std::max(0.0, std::min(at_this_rate, seconds_ - elapsed()));
  }

  /// A line, which a terminal shows in its last one, below the survivors.
  void show() {
    const std::lock_guard lock(mutex_);
    fmt::print(stderr, "{}{}{}{}", is_terminal_ ? "\r\x1b[K" : "", std::exchange(news_, ""),
               progress(tally(done_, argued_), goal_, seconds_left()), is_terminal_ ? "" : "\n");
  }

  const std::vector<Mutant>& order_;
  const Equivalents& argued_;
  std::size_t goal_, jobs_;
  double seconds_;  // none is started later
  fs::path file_;
  std::vector<Result> known_;
  fs::path scratch_;
  BuildGraph graph_;
  Judge judge_;
  std::map<std::string, std::string> fingerprints_;  // by the mutated file
  Clock::time_point begin_ = Clock::now();
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;

  std::mutex mutex_;  // of known_, file_ and what follows
  std::size_t next_ = 0;
  double judged_ = 0;  // by this run, the others were kept
  std::vector<Result> done_;
  std::string news_;
};

int mutate(const Options& options) {
  const auto folder = options.project / "properties/mutation";
  const auto all = all_mutants(options.project);
  const auto argued = parse_equivalents(read(folder / "equivalent.txt"));
  const auto order = chosen(all, options, argued);
  if (order.empty()) throw CLI::ValidationError("--id, --header", "there is no such mutant");
  if (options.list) {
    for (const auto& mutant : order) fmt::print("{}", difference(mutant));
    return 0;
  }
  bool is_stale = false;
  for (const auto& [id, reason] : argued)
    if (std::ranges::count(all, id, &Mutant::id) == 0) {
      fmt::print("argued equivalent, but there is no such mutant (any more): {}\n", id);
      is_stale = true;
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
  if (options.record) write(folder / "score.json", found.dump(1) + "\n");
  return passes(found) && !is_stale ? 0 : 1;
}

}  // namespace
}  // namespace embedscale::properties::mutation

int main(int argc, char** argv) {
  using namespace embedscale::properties::mutation;
  struct sigaction action = {};
  action.sa_handler = [](int) { stop = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  CLI::App app("Changes the library, one small thing at a time: does a test notice?", "mutate");
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
    return mutate(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mutate: {}\n", error.what());
    return 3;
  }
}
