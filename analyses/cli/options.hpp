#pragma once
// The options that every analysis program shares.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace embedscale::cli {

struct Options {
  std::filesystem::path out;        ///< directory of the reports; empty: the page goes to stdout
  std::filesystem::path words;      ///< the topic's words; empty: the installed ones
  std::filesystem::path evidence;   ///< the record of the tests; empty: the committed one
  std::uint64_t seed = 0;           ///< of every stream of random numbers
  int jobs = 0;                     ///< threads; 0: as many as there are processors
  std::uint64_t samples = 4000;     ///< draws at each point
  std::filesystem::path unrounded;  ///< takes all measurements to the last bit
  bool json = false;                ///< the measurements on stdout, nothing written
  bool quiet = false;               ///< no narration
  bool progress = false;            ///< what is being measured, as it goes

  // Where to measure; empty: at each claim's own points.
  std::vector<std::uint64_t> widths;       ///< d_model
  std::vector<std::uint64_t> keys;         ///< n, that a softmax is over
  std::vector<std::uint64_t> head_widths;  ///< d_k
  std::vector<std::uint64_t> vocabulary;   ///< V
  std::vector<std::uint64_t> positions;    ///< L, for positions 0 … L−1
  std::vector<double> deviations;          ///< σ

  /// Whether any of these was given: what is measured is then not the claim's domain.
  bool at_own_points() const {
    return !(widths.empty() && keys.empty() && head_widths.empty() && vocabulary.empty() &&
             positions.empty() && deviations.empty());
  }
};

/// The points that were given, or those of the claim.
template <class Value, class Range>
std::vector<Value> points(const std::vector<Value>& given, const Range& otherwise) {
  if (!given.empty()) return given;
  return {otherwise.begin(), otherwise.end()};
}

/// The point that sentences are about: `usual` where it is one of these, else the first.
inline std::uint64_t said_of(const std::vector<std::uint64_t>& all, std::uint64_t usual) {
  return std::ranges::count(all, usual) > 0 ? usual : all.front();
}

}  // namespace embedscale::cli
