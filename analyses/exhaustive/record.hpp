#pragma once
// The committed record of the exhaustive runs: what each found, and of which sources it was made.
//
//   const exhaustive::Record record;                     // of the running program
//   const auto& run = record.of("difference/bfloat16/512");
//   s.measure("largest_error", at, run.value("error"), exhaustive::method);
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "exhaustive/found.hpp"
#include "report/value.hpp"

namespace embedscale::exhaustive {

/// How a measurement says that no case was left out.
inline constexpr const char* method = "exhaustive";

/// What one run found.
struct Recorded {
  std::string hash;         ///< of its sources: hash_of_sources
  std::uint64_t parts = 0;  ///< that it is divided into
  Found found{};            ///< in all of them
  std::uint64_t part = 0;   ///< one of them, which a test evaluates again …
  Found found_in_part{};    ///< … and what was found there

  /// A greatest value, or a count, of so many cases: those that are counted under this name.
  ///
  /// Errors    std::out_of_range naming what is missing; so below.
  report::Value greatest(std::string_view name, std::string_view cases) const;
  report::Value count(std::string_view name, std::string_view cases) const;
  report::Value least(std::string_view name, std::string_view cases) const;
  /// A count over another one, of all its cases.
  report::Value share(std::string_view name, std::string_view cases) const;
  /// The case that attains a greatest value.
  const std::string& at(std::string_view name) const;
};

class Record {
 public:
  /// The one that the running program finds beside itself.
  Record();
  /// An empty one where there is no such file.
  ///
  /// Errors    report::FileError; std::invalid_argument where it is something else.
  explicit Record(const std::filesystem::path& file);

  /// Errors    std::out_of_range: no such run.
  const Recorded& of(std::string_view run) const;
  bool contains(std::string_view run) const { return runs_.contains(run); }
  const std::map<std::string, Recorded, std::less<>>& runs() const { return runs_; }

  /// Puts it in the place of what was found before.
  void keep(const std::string& run, Recorded recorded) { runs_[run] = std::move(recorded); }
  /// Forgets what is no run any more.
  template <class Is>
  void forget_unless(Is is_run) {
    std::erase_if(runs_, [&](const auto& row) { return !is_run(row.first); });
  }
  /// As text: a line a run.
  std::string text() const;

 private:
  std::map<std::string, Recorded, std::less<>> runs_;
};

/// What a part found, as a line of JSON, and the reverse.
std::string to_text(const Found& found);
/// Errors    std::invalid_argument.
Found found_of(std::string_view text);

}  // namespace embedscale::exhaustive
