#pragma once
// The committed record of the exhaustive runs: what each found, and of which sources it was made.
//
//   const exhaustive::Record record;                     // of the running program
//   const auto& run = record.of("difference/bfloat16/512");
//   s.measure("largest_error", at, run.greatest("error in u", "pairs"), exhaustive::method);
#include <filesystem>
#include <string>
#include <string_view>

#include "exhaustive/run.hpp"
#include "report/value.hpp"

namespace embedscale::exhaustive {

/// How a measurement says that no case was left out.
inline constexpr const char* method = "exhaustive";

/// As a line of JSON, and back.
std::string text_of(const Found& found);
Found found_in(const std::string& text);

/// What one run found.
struct Recorded {
  std::string hash{};      ///< of its sources: report::hash_of_sources
  Found found{};           ///< in all its parts
  std::uint64_t part = 0;  ///< the one that attains the first of the greatest values …
  Found found_in_part{};   ///< … which a test evaluates again

  /// A greatest value, a count, or a count over all cases, of so many: those counted by this name.
  ///
  /// Errors    std::out_of_range naming what is missing; so below.
  report::Value greatest(std::string_view name, std::string_view cases) const;
  report::Value count(std::string_view name, std::string_view cases) const;
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

  const Recorded& of(std::string_view run) const;
  /// As text: a line a run.
  std::string text() const;

  ByName<Recorded> runs;
};

}  // namespace embedscale::exhaustive
