#pragma once
// A claim is in many places at once: the catalogue, the tests, the mutants, the words, the pages,
// the index, the results, the bibliography. These rules say what is missing where, and what belongs
// to nothing. They see data, not files, so that they can be tested with planted faults.
#include "properties/claim.hpp"

#include <map>
#include <string>
#include <vector>

#include "report/evidence.hpp"
#include "report/json.hpp"

namespace embedscale::consistency {

using report::Json;

struct Material {
  std::vector<properties::Claim> claims;      ///< the catalogue
  std::vector<report::TestRecord> tests;      ///< what the test programs recorded
  Json results;                               ///< results.json
  std::map<std::string, std::string> pages;   ///< reports/*.md, by file name
  std::map<std::string, std::string> words;   ///< by topic.md
  std::string bibliography;                   ///< claims.bib
  std::vector<std::string> permanent, known;  ///< ids that must stay; keys of sources.hpp
};

/// What is wrong, a line each, with the claim's id first.
using Complaints = std::vector<std::string>;

/// Ids are "topic.predicate", each once, and none of the permanent ones is gone.
Complaints ids(const Material& material);
/// A settled claim has a property and a mutant; every record passed and is of a settled claim.
Complaints tests(const Material& material);
/// Every claim has one row, settled or planned as the catalogue says, with exactly the tests on
/// record; every row has a claim.
Complaints rows(const Material& material);
/// A row measures exactly what its claim declares.
Complaints measures(const Material& material);
/// A settled claim has one anchor, in its topic's page; no other claim has one, and nothing else.
Complaints anchors(const Material& material);
/// A settled claim is in the index, its finding linked, and every other one is listed there.
Complaints index(const Material& material);
/// A settled claim's finding is its own: no other's, not the belief, without a figure.
Complaints findings(const Material& material);
/// A page is read in one go: 3,500 words, some 5,000, the answer above its index 1,800, the
/// decisions 1,000.
Complaints lengths(const Material& material);
/// What a claim cites, and where it was asked, is among the sources.
Complaints sources(const Material& material);
/// A settled claim has one entry in the bibliography, and no other has one.
Complaints entries(const Material& material);
/// A settled claim has a section in its topic's words; every section that is named like a claim is
/// one's.
Complaints sections(const Material& material);

}  // namespace embedscale::consistency
