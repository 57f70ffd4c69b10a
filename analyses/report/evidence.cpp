#include "report/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/row.hpp"

namespace embedscale::report {

std::vector<TestRecord> read_evidence(const std::filesystem::path& path) {
  std::vector<TestRecord> records;
  try {
    const auto document = parsed(read_file(path));
    for (const auto& suite : document.at("testsuites"))
      for (const auto& test : suite.at("testsuite")) {
        if (!test.contains("claim")) continue;
        const auto text = [&](const char* key) { return test.at(key).get<std::string>(); };
        // A record leaves out what is empty.
        const auto any = [&](const char* key) { return test.value(key, std::string()); };
        records.push_back({.test = suite.at("name").get<std::string>() + "." + text("name"),
                           .claim = text("claim"),
                           .property = text("property"),
                           .role = text("role"),
                           .speaks_about = any("speaks_about"),
                           .subject = any("subject"),
                           .cases = std::stoull(text("cases")),
                           .seed = text("seed"),
                           .worst = std::stod(text("worst")),
                           .counterexample = any("counterexample"),
                           .coverage = any("coverage"),
                           .calls = any("calls"),
                           .passed = !test.contains("failures")});
        if (test.contains("failing_mass"))
          records.back().failing_mass = std::stod(text("failing_mass"));
      }
  } catch (const FileError&) {
    throw;
  } catch (const std::exception& error) {  // not JSON, or a count that is no number
    throw std::invalid_argument(
        fmt::format("{}: not the JSON of a test program: {}", path.string(), error.what()));
  }
  return records;
}

properties::Judgement judgement_of(const std::vector<TestRecord>& tests) {
  using properties::Speaks, properties::name_of;
  std::vector<properties::Tried> tried;
  for (const auto& test : tests) {
    if (test.role == "rejects") continue;
    constexpr std::array all{Speaks::statement, Speaks::belief, Speaks::necessity, Speaks::both,
                             Speaks::beside};
    const auto about =
        std::ranges::find(all, test.speaks_about, [](Speaks s) { return name_of(s); });
    if (about == all.end())  // left out, a property that failed would settle the rest
      throw std::invalid_argument(fmt::format("{}: property '{}' does not say what it speaks about",
                                              test.claim, test.property));
    tried.push_back({*about, test.role == "refutes", test.passed, test.cases});
  }
  return properties::judge(tried);
}

std::string spoken(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

Mutants mutants_of(const std::vector<TestRecord>& tests) {
  Mutants mutants;
  for (const auto& test : tests)
    if (test.role == "rejects") {
      ++mutants.total;
      mutants.killed += test.passed ? 1 : 0;
    }
  return mutants;
}

}  // namespace embedscale::report
