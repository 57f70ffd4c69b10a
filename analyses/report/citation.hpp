#pragma once
// How others name what was found: BibTeX, CITATION.cff, and schema.org's ClaimReview.
#include <string>

#include "report/release.hpp"
#include "report/row.hpp"

namespace embedscale::report {

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
