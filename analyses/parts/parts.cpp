#include "parts/parts.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>
#include <unistd.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "report/table.hpp"

namespace embedscale::parts {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::atomic<bool> is_stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal's handler sets it");

void stop_at_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    constexpr std::string_view text = "\nstopping; once more ends it at once\n";
    is_stopped = true;
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
  };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

class Threads : public Driver {
 public:
  explicit Threads(std::size_t jobs) : jobs_(jobs) {}
  std::size_t number() const override { return 0; }
  std::string shared(std::string text) override { return text; }

  void hand_out(const Work& work) override {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, jobs_);
    std::mutex mutex;
    const auto begin = [&](tbb::flow_control& flow) -> std::size_t {
      const std::lock_guard lock(mutex);
      const auto part = work.next();
      if (!part) flow.stop();
      return part.value_or(0);
    };
    // In the stage that evaluates: where another part throws, no later stage is run.
    const auto evaluate_and_keep = [&](std::size_t part) {
      const auto result = work.evaluate(part);
      const std::lock_guard lock(mutex);
      if (result) work.keep(part, *result);
    };
    tbb::task_arena(static_cast<int>(jobs_)).execute([&] {
      tbb::parallel_pipeline(
          jobs_,
          tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, begin) &
              tbb::make_filter<std::size_t, void>(tbb::filter_mode::parallel, evaluate_and_keep));
    });
  }

 private:
  std::size_t jobs_;
};

/// From beside the program: no program depends on MPI.
std::unique_ptr<Driver> mpi() {
  const auto file = fs::read_symlink("/proc/self/exe").parent_path() / "libembedscale_parts_mpi.so";
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  void* const make = library == nullptr ? nullptr : ::dlsym(library, mpi_driver);
  if (make == nullptr)
    throw std::invalid_argument(
        fmt::format("--mpi: {}; a build with -D EMBEDSCALE_MPI=ON has it (./dev makes one), which "
                    "needs the packages of ./dev packages mpi",
                    ::dlerror()));
  std::unique_ptr<Driver> driver(reinterpret_cast<MakeDriver>(make)());
  if (!driver) throw std::invalid_argument("--mpi: MPI does not start; is this run by mpirun?");
  return driver;
}

/// The row of a line that is kept; null where it is torn or somebody else's.
Json row_in(std::string_view line) {
  Json row = Json::parse(line, nullptr, false);
  const auto is_text = [&](const char* key) { return row.contains(key) && row[key].is_string(); };
  return row.is_object() && is_text("part") && is_text("of") && row.contains("result") ? row
                                                                                       : Json();
}

}  // namespace

const std::atomic<bool>& stop() { return is_stopped; }

std::size_t threads(const Options& options) {
  if (options.mpi) return 1;
  return options.jobs > 0 ? static_cast<std::size_t>(options.jobs)
                          : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void add_options(cli::Arguments& arguments, Options& options) {
  arguments.option("--shard", options.shard,
                   "i/n: the i-th of n shares of the parts, for machines that share nothing");
  arguments.option("--mpi", options.mpi, "a process for each part under way: mpirun -n 4 … --mpi");
  arguments.option("--jobs", options.jobs, "threads, without --mpi; 0: one for each processor")
      .between(0, 4096);
}

Parts::Parts(const Options& options, fs::path folder) : folder_(std::move(folder)) {
  char rest = 0;
  if (std::sscanf(options.shard.c_str(), "%lu/%lu%c", &shard_, &shards_, &rest) != 2 ||
      shard_ < 1 || shard_ > shards_ || shards_ > 4096)
    throw std::invalid_argument(
        fmt::format("--shard {}: needs i/n, the i-th of n shares, from 1/n to n/n", options.shard));
  driver_ = options.mpi ? mpi() : std::make_unique<Threads>(threads(options));
  if (!is_first()) return;
  stop_at_signals();
  file_ = folder_ / fmt::format("{}-of-{}.jsonl", shard_, shards_);
  fs::create_directories(folder_);
  const auto lock = fs::path(file_).replace_extension(".lock");
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0)
    throw report::FileError(fmt::format("another one is running: it has {}", lock.string()));
  lines_.emplace(file_);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path().extension() != ".jsonl") continue;
    const auto text = report::read_file(entry.path());
    for (const auto line : report::split(text, '\n'))
      if (const auto row = row_in(line); !row.is_null())
        kept_[{row["part"], row["of"]}] = row["result"].dump();
  }
}

Parts::~Parts() {
  if (lock_ >= 0) ::close(lock_);
}

const std::string* Parts::find(const Part& part) const {
  const auto found = kept_.find({part.name, part.of});
  return found == kept_.end() ? nullptr : &found->second;
}

/// Writes this shard's file without what other sources made of these parts, and without torn lines.
void Parts::forget_others(const std::vector<Part>& list) const {
  if (!fs::exists(file_)) return;
  std::map<std::string_view, std::string_view> current;
  for (const auto& part : list) current[part.name] = part.of;
  const auto text = report::read_file(file_);
  std::string kept;
  for (const auto line : report::split(text, '\n')) {
    const auto row = row_in(line);
    if (row.is_null()) continue;
    const auto part = current.find(row["part"].get_ref<const std::string&>());
    if (part == current.end() || row["of"] == part->second) kept.append(line) += '\n';
  }
  if (kept.size() < text.size()) report::write_file(file_, kept);
}

void Parts::say_what_is_missing(const std::vector<Part>& list) const {
  std::string names;
  std::size_t missing = 0;
  for (const auto& part : list)
    if (find(part) == nullptr && ++missing <= 3) names += (names.empty() ? "" : ", ") + part.name;
  if (missing > 0)
    fmt::print(stderr,
               "{} of {} parts are not made: {}{}. What is finished is kept; the same command goes "
               "on{}\n",
               missing, list.size(), names, missing > 3 ? " …" : "",
               shards_ == 1 ? ""
                            : fmt::format(". Other shards' parts: put their .jsonl files into {}",
                                          folder_.string()));
}

void Parts::compare(const std::vector<Part>& list) const {
  std::string all;
  for (const auto& part : list) all += part.name + "\n" + part.of + "\n";
  const auto hash = std::to_string(hash_of(all));
  if (driver_->shared(hash) != hash)
    throw std::runtime_error("the first process makes other parts: of other sources or options");
}

/// Gives every process what the first one has, and whether that was stopped; after an error each of
/// them ends.
void Parts::share(std::vector<Result>& results, const std::exception_ptr& error) {
  Json told = {{"stopped", is_stopped.load()}, {"results", Json::array()}};
  if (is_first() && !error)
    for (const auto& result : results) told["results"].push_back(result.value_or(""));
  const auto known = Json::parse(driver_->shared(error ? "null" : told.dump()));
  if (error) std::rethrow_exception(error);
  if (known.is_null()) throw std::runtime_error("the first process has ended with an error");
  stopped_ = known["stopped"];
  for (std::size_t i = 0; i < results.size(); ++i)
    if (known["results"][i] != "") results[i] = known["results"][i].get<std::string>();
}

std::vector<Parts::Result> Parts::make(const std::vector<Part>& list,
                                       const std::function<Result(std::size_t)>& evaluate,
                                       const Ways& ways) {
  compare(list);
  std::vector<Result> results(list.size());
  std::size_t next = 0;
  const auto reach = [&](std::size_t part, const std::string& result) {
    results[part] = result;
    ways.found(part, result);
  };
  std::exception_ptr error;
  try {
    driver_->hand_out(
        {.next = [&]() -> std::optional<std::size_t> {
           if (next == 0) forget_others(list);
           for (; next < list.size(); ++next)
             if (const auto* known = find(list[next]); known != nullptr && ways.counts(*known))
               reach(next, *known);
             else if (hash_of(list[next].name) % shards_ == shard_ - 1)
               break;
           if (next == list.size() || is_stopped || !ways.goes_on()) return std::nullopt;
           return next++;
         },
         .evaluate = evaluate,
         .keep =
             [&](std::size_t part, const std::string& result) {
               const auto& [name, of] = list[part];
               lines_->append(fmt::format(R"({{"part":{},"of":{},"result":{}}})", Json(name).dump(),
                                          Json(of).dump(), result));
               reach(part, kept_[{name, of}] = result);
             },
         .say_what_is_missing = [&] { say_what_is_missing(list); },
         .stop = is_stopped});
  } catch (...) {
    error = std::current_exception();
  }
  if (is_first()) say_what_is_missing(list);
  share(results, error);
  missing_ += static_cast<std::size_t>(std::ranges::count(results, Result()));
  return results;
}

}  // namespace embedscale::parts
