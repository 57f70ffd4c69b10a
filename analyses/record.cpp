// The record of what the tests did: cases, mutants rejected, entries of the ledger spent. It is
// committed with a hash of the sources that it was made from, so that pages need no tests while
// that holds. A line a test, in the form of GoogleTest's own JSON; times and paths are left out.
#include <fmt/format.h>
#include "properties/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"

namespace embedscale {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Whether it is a claim of the catalogue or a fact; the tester's own tests make some up.
bool is_ours(const std::string& id) {
  static const std::array all{properties::catalogue(), properties::facts()};
  return std::ranges::any_of(all, [&](const auto& claims) {
    return std::ranges::find(claims, id, &properties::Claim::id) != claims.end();
  });
}

/// A test's line, or null for one that neither belongs to a claim nor spends an entry.
Json line_of(const Json& test) {
  constexpr std::array kept{
      "name",     "claim",   "property", "role",       "speaks_about",    "subject",
      "cases",    "seed",    "worst",    "worst_case", "counterexample",  "failing_mass",
      "coverage", "classes", "calls",    "ledger",     "spends",          "kind",
      "alpha",    "beta",    "effect",   "grid",       "smallest_effect", "draws",
      "mutants",  "failures"};
  if (!test.contains("ledger") && !is_ours(test.value("claim", ""))) return nullptr;
  Json line = Json::object();
  for (const char* key : kept)
    if (test.contains(key) && test.at(key) != "") line[key] = test.at(key);
  return line;
}

/// The suites' files of a directory, in the order of their names, as one text.
std::string merged(const fs::path& directory, const std::string& hash) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::string text = "{\"hash\": \"" + hash + "\", \"testsuites\": [";
  const char* before = "\n";
  for (const auto& file : files) {
    const Json document = report::read_json(file);
    for (const auto& suite : document.at("testsuites")) {
      std::string lines;
      for (const auto& test : suite.at("testsuite")) {
        const Json line = line_of(test);
        if (!line.is_null()) lines += (lines.empty() ? "\n" : ",\n") + line.dump();
      }
      if (lines.empty()) continue;
      text += before + fmt::format("{{\"name\": {}, \"testsuite\": [{}\n]}}",
                                   suite.at("name").dump(), lines);
      before = ",\n";
    }
  }
  return text + "\n]}\n";
}

/// Whether the environment asks for another run than the committed one.
bool is_another_run() {
  const char* seed = std::getenv("EMBEDSCALE_SEED");
  return (seed != nullptr && std::string(seed) != "0") ||
         std::getenv("EMBEDSCALE_CASES") != nullptr;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Keeps what the tests did, for the reports", "record");
  fs::path suites, file;
  std::string hash;
  bool check = false;
  arguments.option("--suites", suites, "what the test programs wrote").required();
  arguments.option("--hash", hash, "of the sources that they were made from").required();
  arguments.option("--record", file, "the record to write or to check").required();
  arguments.option("--check", check, "exit 1 where it is another, 77 where the run was another");
  return arguments.run(argc, argv, [&]() -> int {
    if (is_another_run())
      return check ? 77
                   : throw std::invalid_argument(
                         "EMBEDSCALE_SEED or EMBEDSCALE_CASES is set: the record is of the usual "
                         "run");
    const std::string now = merged(suites, hash);
    if (!check) return report::write_file(file, now), cli::done;
    if (fs::exists(file) && report::read_file(file) == now) return cli::done;
    fmt::print(stderr, "record: {} is not what these tests did: run ./dev reports\n",
               file.string());
    return cli::differs;
  });
}
