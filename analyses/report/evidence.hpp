#pragma once
// What only the tests know, cases run and mutants rejected: the committed record of them, in the
// form of GoogleTest's own JSON. See record.py.
#include "properties/evidence/verdict.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace embedscale::report {

/// One test of a claim.
struct TestRecord {
  std::string test;            ///< "combination_rounds_identically.when_the_root_is_…"
  std::string claim;           ///< its id
  std::string property;        ///< what is asserted, as a name
  std::string role;            ///< "holds", "rejects" or "refutes"
  std::string speaks_about;    ///< what of the claim, as Speaks has it; "" of a mutant
  std::string subject;         ///< the primitives, or the mutant
  std::uint64_t cases = 0;     ///< evaluated; for a mutant, before the one that rejects it
  std::string seed;            ///< 64 bits, in decimal
  double worst = 0.0;          ///< largest ratio to a bound, 0 where nothing is compared to one
  std::string counterexample;  ///< the simplest one found
  std::string coverage;        ///< the classes that were required, with their shares
  std::string calls;           ///< of the library: "down (binary32, binary64); sum (binary32)"
  bool passed = false;
  /// Of what was drawn fails at most, at 95 %; of an exhaustive property none can.
  std::optional<double> failing_mass = {};
};

/// The tests of one program, in its order.
///
/// Errors    FileError; std::invalid_argument where it is not such a file.
std::vector<TestRecord> read_evidence(const std::filesystem::path& path);

/// The verdict that these tests of a claim settle.
properties::Judgement judgement_of(const std::vector<TestRecord>& tests);

/// snake_case names as a reader would say them.
std::string spoken(std::string name);

struct Mutants {
  std::uint64_t killed = 0, total = 0;
};
Mutants mutants_of(const std::vector<TestRecord>& tests);

}  // namespace embedscale::report
