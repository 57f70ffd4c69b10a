#pragma once
// A run's finished parts, kept as they come: however a run ends, the next one goes on from there.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "exhaustive/record.hpp"
#include "exhaustive/run.hpp"
#include "report/kept_lines.hpp"

namespace embedscale::exhaustive {

/// The finished parts of one run in `<directory>/<name>.jsonl`, a line each, until it is recorded.
class Kept {
 public:
  using Parts = std::map<std::uint64_t, Found>;

  /// Of these sources: what is kept of others does not count.
  ///
  /// Errors    report::FileError, std::filesystem::filesystem_error; so below.
  Kept(const std::filesystem::path& directory, const Run& run, std::string hash);

  const std::string& hash() const { return hash_; }
  /// A line that a killed run left unfinished is none.
  Parts parts() const;
  /// From any thread.
  void keep(std::uint64_t part, const Found& found);
  void forget() const { lines_.forget(); }

 private:
  report::KeptLines lines_;
  std::string hash_;
};

/// What a run found in all its parts, of which those are evaluated that are not kept, on all
/// processors.
Recorded evaluated(const Run& run, Kept& kept);

}  // namespace embedscale::exhaustive
