#pragma once
// A claim is in many places at once: the catalogue, the tests, the mutants, the words, the pages,
// the index, the results, the bibliography. This says what is missing where, and what belongs to
// nothing. It sees data, not files, so that it can be tested with planted faults.
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
  Json results;                               ///< results.json, as its schema has it
  std::map<std::string, std::string> pages;   ///< reports/*.md, by file name
  std::map<std::string, std::string> words;   ///< by topic.md
  std::string bibliography;                   ///< claims.bib
  std::vector<std::string> permanent, known;  ///< ids that must stay; keys of sources.hpp
};

/// What is wrong, a line each, with the claim's id first.
std::string complaints(const Material& material);

}  // namespace embedscale::consistency
