#pragma once
// What became of mutants, kept in a file as it comes, a line of JSON each: what a run goes on from,
// and what is learned about which program kills.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace embedscale::properties::mutation {

enum class Fate {
  killed,     ///< a test failed, or a static_assert of one
  timed_out,  ///< a test program took ten times its time and more: killed
  survived,   ///< every test program that reads the file passed
  invalid     ///< does not compile: no mutant
};
NLOHMANN_JSON_SERIALIZE_ENUM(Fate, {{Fate::killed, "killed"},
                                    {Fate::timed_out, "timed out"},
                                    {Fate::survived, "survived"},
                                    {Fate::invalid, "invalid"}})

struct Result {
  std::string id;  ///< of the mutant
  Fate fate = Fate::survived;
  std::string by = {};  ///< the program and the test that killed it; why it is invalid
  /// Programs and processor seconds of each; the last one decided.
  std::vector<std::pair<std::string, double>> tried = {};
  std::string made_from = {};  ///< a hash of all that decided

  std::string file() const { return id.substr(0, id.find('#')); }
  bool is_dead() const { return fate == Fate::killed || fate == Fate::timed_out; }
};

/// All that a file keeps; a line that a killed run has left unfinished is ended, and is none.
///
/// Errors    std::runtime_error, nlohmann::json::exception: a line of somebody else's.
std::vector<Result> kept_in(const std::filesystem::path& file);

/// Errors    std::runtime_error: it cannot be written.
void keep(const Result& result, const std::filesystem::path& file);

}  // namespace embedscale::properties::mutation
