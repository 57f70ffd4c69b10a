// Changes the library, one small thing at a time, and asks whether a test notices. README.md says
// how and what the numbers mean.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <CLI/CLI.hpp>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "process.hpp"
#include "report.hpp"
#include "runner.hpp"
#include "sampling.hpp"
#include "structure_operators.hpp"

namespace embedscale::properties::mutation {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  fs::path project, build;
  double minutes = 25;
  std::uint64_t sample = std::numeric_limits<std::uint64_t>::max(), seed = 0;
  std::uint64_t jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> headers, ids;
  bool all = false, equivalents = false, list = false, record = false;
};

void declare(CLI::App& app, Options& options) {
  app.add_option("--project", options.project, "the project's directory")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--build", options.build, "its build tree")
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
  app.add_option("--header", options.headers, "only mutants of this header, e.g. attention.hpp");
  app.add_option("--id", options.ids, "only this mutant");
  app.add_option("--jobs", options.jobs, "at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the order")->capture_default_str();
  app.add_flag("--list", options.list, "print the mutants in their order and try none");
  app.add_flag("--record", options.record, "write the result to properties/mutation/score.json");
  app.footer(
      "Exit codes: 0 at least 95 % killed of those not argued equivalent, and no survivor\n"
      "unexplained; 1 not so, or one argued equivalent was killed; 2 usage; 3 it could not be\n"
      "tried.");
  app.callback([&options, minutes, sample] {
    const bool chosen =
        options.all || options.equivalents || !options.ids.empty() || sample->count() > 0;
    if (chosen && minutes->count() == 0) options.minutes = std::numeric_limits<double>::infinity();
  });
}

/// All headers of the library, "attention.hpp", with their texts.
std::map<std::string, std::string> read_headers(const fs::path& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".hpp")
      texts[entry.path().lexically_relative(folder).generic_string()] = read(entry.path());
  return texts;
}

std::vector<Mutant> chosen(std::vector<Mutant> all, const Options& options,
                           const std::vector<Equivalent>& argued) {
  auto order = in_sampling_order(std::move(all), options.seed);
  std::erase_if(order, [&](const Mutant& mutant) {
    const bool listed = std::ranges::count(argued, mutant.id, &Equivalent::id) > 0;
    return (options.equivalents && !listed) ||
           (!options.headers.empty() && std::ranges::count(options.headers, mutant.header) == 0) ||
           (!options.ids.empty() && std::ranges::count(options.ids, mutant.id) == 0);
  });
  return order;
}

std::vector<Result> attempt(const std::vector<Mutant>& order, const Options& options,
                            const std::map<std::string, std::string>& texts) {
  const auto begin = Clock::now();
  std::vector<std::string> headers;
  for (const auto& mutant : order)
    if (std::ranges::count(headers, mutant.header) == 0) headers.push_back(mutant.header);
  const Runner runner({options.project, options.build, options.build / "mutation"}, headers,
                      options.jobs);
  if (!interrupted()) {
    fmt::print(stderr, "they pass unmutated; seconds of the processor to compile and to run:\n");
    for (const auto& program : runner.programs())
      fmt::print(stderr, "  {} {:.1f} + {:.1f}\n", program.name, program.compile_seconds,
                 program.run_seconds);
  }
  // What has been started is finished: who stopped at the clock would drop the slow ones, which
  // are the survivors.
  const auto in_time = [&](std::size_t) {
    return Clock::now() - begin < std::chrono::duration<double>(60 * options.minutes) &&
           !interrupted();
  };
  std::mutex mutex;
  std::vector<Result> results;
  const auto goal = std::min<std::uint64_t>(options.sample, order.size());
  in_parallel(goal, options.jobs, in_time, [&](std::size_t i, std::size_t worker) {
    const auto result = runner.judge(order[i], texts.at(order[i].header), worker);
    if (!result) return;
    constexpr std::array<const char*, 4> fates{"killed", "timed out", "SURVIVED", "invalid"};
    const std::lock_guard lock(mutex);
    results.push_back(*result);
    fmt::print(stderr, "{}/{} {:.1f} s {} {} {}\n", results.size(), goal, result->seconds,
               fates[static_cast<std::size_t>(result->fate)], result->mutant.place(), result->by);
  });
  if (interrupted()) throw std::runtime_error("interrupted");
  return results;
}

int mutate(const Options& options) {
  const auto folder = options.project / "properties/mutation";
  const auto texts = read_headers(options.project / "lib/embedscale");
  for (const auto& header : options.headers)
    if (!texts.contains(header))
      throw CLI::ValidationError("--header", "no such header: " + header);
  std::vector<Mutant> all;
  for (const auto& [header, text] : texts)
    for (auto& mutant : mutants_of(header, text)) all.push_back(std::move(mutant));
  const auto argued = parse_equivalents(read(folder / "equivalent.txt"));
  const auto order = chosen(all, options, argued);
  if (order.empty()) throw CLI::ValidationError("--id, --header", "there is no such mutant");
  if (options.list) {
    for (const auto& mutant : order) fmt::print("{}", difference(mutant));
    return 0;
  }
  Asked asked{.seed = options.seed, .population = order.size()};
  for (const auto& mutant : order)
    asked.equivalents +=
        static_cast<std::uint64_t>(std::ranges::count(argued, mutant.id, &Equivalent::id));
  const auto verdict = judge(attempt(order, options, texts), argued);
  const auto data = json(verdict, asked).dump(1) + "\n";
  fmt::print("{}", table(verdict, asked));
  write(options.build / "mutation/results.json", data);
  if (options.record) write(folder / "score.json", data);
  const auto gone = stale(argued, all);
  for (const auto& id : gone)
    fmt::print("\nargued equivalent, but there is no such mutant (any more): {}\n", id);
  return verdict.passes(asked.least_score) && gone.empty() ? 0 : 1;
}

}  // namespace
}  // namespace embedscale::properties::mutation

int main(int argc, char** argv) {
  using namespace embedscale::properties::mutation;
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupt_all(); };
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
