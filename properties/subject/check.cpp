// embedscale-check: somebody's functions under the properties, in whatever language they are.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "../../analyses/cli/arguments.hpp"
#include "checked.hpp"
#include "report.hpp"
#include "vectors.hpp"

namespace {

namespace subject = embedscale::properties::subject;

void list() {
  fmt::print("operations, each in binary64, binary32, binary16 or bfloat16:\n");
  for (const auto& [name, arguments, result] : subject::described())
    fmt::print("  {:<16} {}\n  {:<16} gives {}\n", name, arguments, "", result);
  const auto library = subject::library();
  fmt::print("\nclaims, and the operations that their properties ask:\n");
  for (const auto& [claim, operations] : subject::claims_and_operations(*library))
    fmt::print("  {}: {}\n", claim, fmt::join(operations, ", "));
  fmt::print("\nproperties that no subject is asked for:\n");
  for (const auto& [property, why] : subject::exempt()) fmt::print("  {}: {}\n", property, why);
}

/// From the system.
std::uint64_t some_seed() {
  std::uint64_t seed = 0;
  if (::getentropy(&seed, sizeof seed) != 0) throw std::runtime_error("no random seed can be had");
  return seed;
}

}  // namespace

/// What `embedscale vectors` becomes.
int vectors(int argc, char** argv) {
  embedscale::cli::Arguments arguments(
      "Writes test vectors: calls in JSON, with what is right and how far off is allowed",
      "embedscale vectors");
  std::filesystem::path directory;
  arguments.option("DIRECTORY", directory, "where a file of each operation goes").required();
  return arguments.run(argc, argv, [&] { return subject::write_vectors(directory), 0; });
}

int main(int argc, char** argv) {
  if (std::string_view(argv[0]) == "vectors") return vectors(argc, argv);
  embedscale::cli::Arguments arguments(
      "Tries functions of your own under embedscale's properties. Exits with 0 where no property "
      "is violated, with 1 where one is, with 2 where the subject cannot be tried",
      "embedscale check");
  std::vector<std::string> command;
  std::string shared_object, seed = "0", junit, baseline;
  subject::Wanted wanted;
  bool lists = false, json = false, annotations = false, quiet = false;
  double deadline = 10;
  std::uint64_t cases = 0;
  arguments.option("COMMAND", command, "the subject: a program that speaks the protocol")
      .option("--library", shared_object, "the subject: a shared object with C functions")
      .option("--list", lists, "list operations and the claims that each takes part in")
      .option("--claims", wanted.claims, "only the claims of this pattern, as 'precision.*'")
      .option("--format", wanted.format, "only in this format, as binary32")
      .option("--cases", cases, "of each property: 10000, of dear ones fewer")
      .between(1, 100000000)
      .option("--requests", wanted.requests,
              "of each property, about: what asks much of a case tries fewer cases: 100000")
      .between(1, 1000000000)
      .option("--seed", seed, "of all draws, a number or random: 0")
      .option("--deadline", deadline, "seconds that an answer may take: 10")
      .between(0.001, 86400.0)
      .option("--json", json, "print the result as JSON")
      .option("--junit", junit, "write the result as JUnit to this file, too")
      .option("--annotations", annotations, "print what is violated as annotations of GitHub")
      .option("--baseline", baseline, "a file of known violations with their reasons, in JSON")
      .option("--quiet", quiet, "no progress");
  return arguments.run(argc, argv, [&] {
    if (lists) return list(), 0;
    if (command.empty() == shared_object.empty())
      throw std::invalid_argument("name one subject: -- COMMAND …, or --library FILE");
    if (seed == "random") seed = std::to_string(some_seed());
    ::setenv("EMBEDSCALE_SEED", seed.c_str(), 1);
    if (cases > 0) ::setenv("EMBEDSCALE_CASES", std::to_string(cases).c_str(), 1);
    const auto known = baseline.empty() ? subject::Baseline{} : subject::read_baseline(baseline);
    const std::chrono::milliseconds until(static_cast<long>(1000 * deadline));
    const auto tried = shared_object.empty() ? subject::program(command, until)
                                             : subject::shared_object(shared_object);
    wanted.shows_progress = !quiet && !json;
    auto checked = subject::check(*tried, wanted);
    subject::compare(checked, known);
    if (!junit.empty()) subject::write_junit(checked, junit);
    if (json)
      std::cout << subject::json_of(checked).dump(1) << "\n";
    else
      std::cout << subject::text_of(checked);
    if (annotations) std::cout << subject::annotations_of(checked);
    return checked.exit_code();
  });
}
