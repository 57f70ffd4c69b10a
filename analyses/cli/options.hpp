#pragma once
// The options that every analysis program shares.
#include <cstdint>
#include <filesystem>
#include <vector>

namespace embedscale::cli {

struct Options {
  std::filesystem::path out;          ///< directory of the reports; empty: the page goes to stdout
  std::filesystem::path words;        ///< the topic's words; empty: the installed ones
  std::filesystem::path evidence;     ///< what the topic's test program wrote; empty: none
  std::uint64_t seed = 0;             ///< of every stream of random numbers
  int jobs = 0;                       ///< threads; 0: as many as there are processors
  std::vector<std::uint64_t> widths;  ///< d_model; empty: each claim's own
  std::uint64_t samples = 4000;       ///< draws at each point
  std::uint64_t positions = 1024;     ///< L
  bool json = false;                  ///< the measurements on stdout, nothing written
  bool quiet = false;                 ///< no narration
  bool progress = false;              ///< what is being measured, as it goes
};

/// The widths of the options, or those of the claim.
template <class Range>
std::vector<std::uint64_t> widths(const Options& options, const Range& otherwise) {
  if (!options.widths.empty()) return options.widths;
  return {otherwise.begin(), otherwise.end()};
}

/// Exit codes of every program.
enum Exit : int { done = 0, differs = 1, usage = 2, input_output = 3 };

}  // namespace embedscale::cli
