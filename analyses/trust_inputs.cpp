// Collects what the page about the checks rests on, in one file: what the tests recorded of the
// ledger's entries and of the mutants, the score of source mutation, what ./dev identity found, and
// hashes of all that and of the sources that are simulated: so a stale page is seen without a run.
#include <fmt/format.h>
#include <embedscale/random.hpp>
#include "properties/ledger.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"

namespace embedscale {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string hash(std::string_view bytes) { return fmt::format("{:016x}", hash_of(bytes)); }

/// The properties of these names that a test recorded. Times and paths of the machine are left out.
Json chosen(const Json& test, std::initializer_list<const char*> keys) {
  Json some = Json::object();
  for (const char* key : keys) some[key] = test.at(key);
  return some;
}

/// What was seen of the classes that properties require: all of them spend one entry.
struct Classes {
  std::uint64_t count = 0, fewest_cases = std::numeric_limits<std::uint64_t>::max();
  bool passed = true;

  void add(const Json& test) {
    const auto classes = std::stoull(test.value("classes", "0"));
    if (classes == 0) return;
    count += classes;
    fewest_cases =
        std::min<std::uint64_t>(fewest_cases, std::stoull(test.at("cases").get<std::string>()));
    passed = passed && !test.contains("failures");
  }
  /// As the tests of other entries record theirs. A class that passes has more than 1 − effect of
  /// its share, however many cases there were.
  Json spent() const {
    constexpr auto entry = *properties::ledger::find("properties.required_coverage");
    return {{"ledger", entry.id},
            {"spends", "alpha"},
            {"kind", entry.kind},
            {"alpha", fmt::format("{:g}", entry.alpha)},
            {"beta", fmt::format("{:g}", entry.beta)},
            {"effect", fmt::format("{:g}", entry.effect)},
            {"grid", std::to_string(count)},
            {"smallest_effect", fmt::format("{:g}", entry.effect)},
            {"draws", std::to_string(fewest_cases)},
            {"passed", passed}};
  }
};

/// Adds what one program recorded.
void collect(const Json& document, Json& ledger, Json& mutants, Classes& classes) {
  for (const auto& suite : document.at("testsuites"))
    for (const auto& test : suite.at("testsuite")) {
      if (test.contains("ledger")) {
        auto row = chosen(test, {"ledger", "spends", "kind", "alpha", "beta", "effect", "grid",
                                 "smallest_effect", "draws"});
        if (test.contains("mutants")) row["mutants"] = test["mutants"];
        row["passed"] = !test.contains("failures");
        ledger.push_back(std::move(row));
      }
      if (test.value("role", "") == "holds") classes.add(test);
      if (test.value("role", "") == "rejects") {
        auto row = chosen(test, {"claim", "property", "subject", "cases"});
        row["passed"] = !test.contains("failures");
        mutants.push_back(std::move(row));
      }
    }
}

/// The score, with the explanations of what survives.
Json mutation(const fs::path& directory) {
  auto found = report::read_json(directory / "score.json");
  found["explanations"] = report::read_file(directory / "equivalent.txt");
  return found;
}

struct Paths {
  fs::path source, out;
  std::vector<fs::path> records, inputs;
};

int write(const Paths& paths) {
  Json ledger = Json::array(), mutants = Json::array(), hashes = Json::object();
  Classes classes;
  for (const auto& file : paths.records) collect(report::read_json(file), ledger, mutants, classes);
  for (const auto& file : std::set<fs::path>(paths.inputs.begin(), paths.inputs.end()))
    hashes[fs::proximate(file, paths.source).generic_string()] = hash(report::read_file(file));
  if (classes.count > 0) ledger.push_back(classes.spent());
  const Json score = mutation(paths.source / "properties/mutation");
  hashes["the tests' records of the ledger"] = hash(ledger.dump());
  hashes["the tests' records of mutants"] = hash(mutants.dump());
  hashes["the score of source mutation"] = hash(score.dump());
  const Json ways = report::read_json(paths.source / "analyses/identity/record.json");
  hashes["the record of identical reports"] = hash(ways.dump());
  const Json all{{"hashes", hashes},
                 {"ledger", ledger},
                 {"mutants", mutants},
                 {"mutation", score},
                 {"identity", ways}};
  report::write_file(paths.out, all.dump(1) + "\n");
  return cli::done;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Collects what the page about the checks rests on", "trust_inputs");
  Paths paths;
  arguments.option("--source", paths.source, "the project's directory").required();
  arguments.option("--records", paths.records, "what test programs wrote").required();
  arguments.option("--inputs", paths.inputs, "the sources that are simulated").required();
  arguments.option("--out", paths.out, "the file to write").required();
  return arguments.run(argc, argv, [&] { return write(paths); });
}
