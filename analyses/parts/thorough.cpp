// ./dev test --thorough: every test of CTest is a part. What passed by the same sources and random
// numbers is not run again.
#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <thread>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "parts/parts.hpp"
#include "report/loops.hpp"
#include "report/process.hpp"
#include "report/table.hpp"

namespace embedscale::parts {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Tests {
  fs::path project, build;
  std::vector<std::string> arguments;
  Options parts{};
};

/// Errors    std::runtime_error: it fails.
std::string output_of(std::vector<std::string> words, const fs::path& folder) {
  const auto ended = report::run({.words = std::move(words), .folder = folder});
  if (ended.code != 0) throw std::runtime_error(ended.err + ended.out);
  return ended.out;
}

/// Of what decides whether a test passes: the files that git knows of, how they are compiled, and
/// what random numbers derive from; not of libraries' versions.
std::string hash_of_all(const Tests& of) {
  const auto listed = output_of(
      {"git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"}, of.project);
  const auto names = report::split(listed, '\0');
  if (names.size() < 2) throw std::runtime_error(of.project.string() + ": git knows of no file");
  std::string all = report::read_file(of.build / "CMakeCache.txt");
  for (const auto name : names)
    if (const auto file = of.project / name; fs::is_regular_file(file))
      all += fmt::format("{} {:x}\n", name, hash_of(report::read_file(file)));
  for (const char* variable : {"EMBEDSCALE_SEED", "EMBEDSCALE_CASES", "EMBEDSCALE_OBSERVATIONS"})
    if (const char* value = std::getenv(variable)) all += std::string(variable) + value + "\n";
  return fmt::format("{:016x}", hash_of(all));
}

/// First those that others wait for.
std::array<std::vector<Part>, 2> tests(const Tests& options) {
  std::vector<std::string> words{"ctest", "--test-dir", options.build, "--show-only=json-v1"};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  const auto of = hash_of_all(options);
  std::array<std::vector<Part>, 2> all;
  const auto listed = Json::parse(output_of(std::move(words), options.project));
  for (const auto& test : listed.at("tests")) {
    const auto& properties = test.at("properties");
    const bool is_awaited = std::ranges::any_of(
        properties, [](const auto& one) { return one.at("name") == "FIXTURES_SETUP"; });
    all[is_awaited ? 0 : 1].push_back({test.at("name"), of});
  }
  return all;
}

/// By CTest, who knows its command, environment and time; in a folder of its own, for its logs.
std::optional<std::string> tried(const Part& test, const fs::path& folder) {
  static const std::regex special(R"([.+*?()\[\]^$\\|])");
  const auto name = "^" + std::regex_replace(test.name, special, R"(\$&)") + "$";
  const auto ended =
      report::run({.words = {"ctest", "--test-dir", folder, "-R", name, "-FA", ".", "--timeout",
                             "1800", "--no-tests=error", "--output-on-failure"},
                   .stop = &stop()});
  if (stop()) return std::nullopt;
  const auto told = ended.code == 0 ? "" : ended.out + ended.err;
  return Json{{"passed", ended.code == 0},
              {"told", told.substr(told.size() > 8000 ? told.size() - 8000 : 0)}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

int run(const Tests& options) {
  if (options.parts.shard != Options().shard)
    throw std::invalid_argument("--shard: tests wait for others, in one build tree; use --mpi");
  Parts parts(options.parts, options.build / "parts/thorough");
  const auto folder = options.build / "thorough" / parts.process();
  report::write_file(folder / "CTestTestfile.cmake",
                     fmt::format("subdirs([==[{}]==])\n", options.build.string()));
  const auto all = tests(options);
  const auto progress = parts.is_first() ? cli::shown_progress({}) : std::jthread();
  report::Loop loop(all[0].size() + all[1].size());
  std::string failed;
  std::size_t done = 0;
  const auto passed = [](const std::string& result) {
    return Json::parse(result).at("passed").get<bool>();
  };
  for (const auto& list : all)
    parts.make(list, [&](std::size_t i) { return tried(list[i], folder); },
               {.found =
                    [&](std::size_t i, const std::string& result) {
                      cli::narrate({}, list[i].name, ++done, all[0].size() + all[1].size());
                      loop.step();
                      if (passed(result)) return;
                      failed += "\n  " + list[i].name;
                      fmt::print("{}\n", Json::parse(result).at("told").get<std::string>());
                    },
                .counts = passed});
  if (parts.is_first() && !failed.empty()) fmt::print("failed:{}\n", failed);
  if (parts.is_first() && done == 0) throw std::invalid_argument("no test is named so");
  if (parts.is_first())
    fmt::print("{} tests, {} of them failed\n", done, std::ranges::count(failed, '\n'));
  if (stop()) return interrupted;
  return failed.empty() ? cli::done : cli::differs;
}

}  // namespace embedscale::parts

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Runs the tests of CTest, each a part", "thorough");
  parts::Tests options;
  arguments.option("arguments", options.arguments, "of ctest, behind --: which tests");
  arguments.option("--project", options.project, "the project's directory").required();
  arguments.option("--build", options.build, "its build tree, which is current").required();
  parts::add_options(arguments, options.parts);
  return arguments.run(argc, argv, [&] { return parts::run(options); });
}
