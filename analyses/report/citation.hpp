#pragma once
// How others name what was found: BibTeX, CITATION.cff, and schema.org's ClaimReview.
#include <filesystem>
#include <map>
#include <string>

#include "report/row.hpp"

namespace embedscale::report {

/// What a citation may rely on: reports/release.json has the commit that was released and what it
/// says of each claim; citations name it for as long as a claim's row says the same.
struct Release {
  std::string version, commit, date;                       ///< empty where nothing was released
  std::map<std::string, std::string, std::less<>> claims;  ///< digest_of() its row, by id

  /// Whether the row says what was released: the same finding, belief and verdict.
  bool has(const Json& row) const;
  bool empty() const { return commit.empty(); }
};

/// Of what a citation repeats of a row: 16 hexadecimal digits.
std::string digest_of(const Json& row);

/// What release.json holds of these results: the commit's full hash, its date as YYYY-MM-DD.
Json release_record(const Json& results, std::string_view commit, std::string_view date);

/// release.json; an empty release where there is no such file.
///
/// Errors    FileError, std::invalid_argument naming the file.
Release read_release(const std::filesystem::path& path);

/// The claim's section: at the commit that was released where it has the row, otherwise on main.
std::string permalink(const Json& row, const Release& release);

/// claims.bib: an entry for each claim, its title the finding, so that a citation is true
/// without the verdict. One whose row is not what was released says so and leads to main.
std::string bibliography(const Json& results, const Release& release);

/// CITATION.cff.
std::string citation(const Release& release);

/// claimreview.jsonld: what was found about each belief that is not open, as search engines and
/// fact checkers read it. It has a date only where the row was released.
///
/// Errors    std::invalid_argument for a verdict or a source that it does not know.
Json claim_reviews(const Json& results, const Release& release);

}  // namespace embedscale::report
