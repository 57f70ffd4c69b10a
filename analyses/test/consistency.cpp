#include "consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "report/row.hpp"

namespace embedscale::consistency {
namespace {

using properties::Claim;

bool is_settled(const Claim& claim) { return claim.status == properties::Status::evaluated; }

std::vector<const Claim*> settled(const Material& material) {
  std::vector<const Claim*> found;
  for (const auto& claim : material.claims)
    if (is_settled(claim)) found.push_back(&claim);
  return found;
}

bool is_settled(const Material& material, std::string_view id) {
  return std::ranges::any_of(material.claims,
                             [&](const Claim& c) { return c.id == id && is_settled(c); });
}

std::vector<std::string> names(const properties::Names& list) {
  return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(properties::count(list))};
}

/// The first group of every match, in order.
std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    all.push_back((*match)[1]);
  return all;
}

std::vector<const Json*> rows_of(const Material& material, std::string_view id) {
  std::vector<const Json*> all;
  for (const auto& row : material.results.at("claims"))
    if (row.at("id") == id) all.push_back(&row);
  return all;
}

/// Compares the lists in which something must stand once for each settled claim, and nothing else.
Complaints once_each(const Material& material, const std::vector<std::string>& list,
                     std::string_view what) {
  Complaints all;
  for (const auto* claim : settled(material))
    if (const auto times = std::ranges::count(list, claim->id); times != 1)
      all.push_back(fmt::format("{}: {} {} instead of 1", claim->id, times, what));
  for (const auto& id : std::set<std::string>(list.begin(), list.end()))
    if (!is_settled(material, id))
      all.push_back(fmt::format("{}: has {}, but is no settled claim", id, what));
  return all;
}

const std::string& text_of(const std::map<std::string, std::string>& files,
                           const std::string& name) {
  static const std::string none;
  const auto file = files.find(name);
  return file == files.end() ? none : file->second;
}

/// Of a claim: questions and sayings have others, without a dot.
constexpr const char* anchor = R"re(<a id="([^".]*\.[^"]*)">)re";

}  // namespace

Complaints ids(const Material& material) {
  Complaints all;
  std::set<std::string_view> seen;
  const std::regex shape("[a-z][a-z0-9]*(_[a-z0-9]+)*\\.[a-z][a-z0-9]*(_[a-z0-9]+)*");
  for (const auto& claim : material.claims) {
    if (!std::regex_match(std::string(claim.id), shape))
      all.push_back(fmt::format("{}: is not topic.predicate", claim.id));
    if (!seen.insert(claim.id).second) all.push_back(fmt::format("{}: appears twice", claim.id));
  }
  for (const auto& id : material.permanent)
    if (!seen.contains(id)) all.push_back(fmt::format("{}: is gone, but ids are permanent", id));
  for (const auto& id : seen)
    if (std::ranges::find(material.permanent, id) == material.permanent.end())
      all.push_back(fmt::format("{}: is new; add it to permanent_ids.txt", id));
  return all;
}

Complaints tests(const Material& material) {
  Complaints all;
  for (const auto* claim : settled(material))
    for (const auto& [role, what] : {std::pair{"holds", "property"}, {"rejects", "mutant"}})
      if (std::ranges::none_of(material.tests, [&](const report::TestRecord& test) {
            return test.claim == claim->id && test.role == role;
          }))
        all.push_back(fmt::format("{}: has no {}", claim->id, what));
  for (const auto& test : material.tests) {
    if (!is_settled(material, test.claim))
      all.push_back(fmt::format("{}: has test {}, but is no settled claim", test.claim, test.test));
    if (!test.passed) all.push_back(fmt::format("{}: {} failed", test.claim, test.test));
  }
  return all;
}

Complaints rows(const Material& material) {
  Complaints all;
  const auto complain = [&all](const Claim& claim, std::string_view what) {
    all.push_back(fmt::format("{}: {}", claim.id, what));
  };
  for (const auto& claim : material.claims) {
    const auto rows = rows_of(material, claim.id);
    if (rows.size() != 1) {
      complain(claim, fmt::format("{} rows in results.json instead of 1", rows.size()));
      continue;
    }
    const Json& row = *rows[0];
    std::vector<report::TestRecord> records;
    Json test_names = Json::array();
    for (const auto& test : material.tests)
      if (test.claim == claim.id) {
        records.push_back(test);
        test_names.push_back(test.test);
      }
    const auto mutants = report::mutants_of(records);
    if (row.at("status") != (is_settled(claim) ? "evaluated" : "planned"))
      complain(claim, "its row has another status");
    if (row.at("verdict").is_string() != is_settled(claim))
      complain(claim, "has a verdict exactly if it is settled; not so here");
    if (row.at("anchor") !=
        (is_settled(claim) ? Json(fmt::format("{}.md#{}", claim.topic(), claim.id)) : Json()))
      complain(claim, "its row has another anchor");
    if (row.at("tests") != test_names) complain(claim, "its row has other tests than are recorded");
    if (row.at("mutants") != Json{{"killed", mutants.killed}, {"total", mutants.total}})
      complain(claim, "its row has other mutants than are recorded");
  }
  for (const auto& row : material.results.at("claims"))
    if (std::ranges::find(material.claims, row.at("id").get<std::string>(), &Claim::id) ==
        material.claims.end())
      all.push_back(row.at("id").get<std::string>() + ": has a row, but is no claim");
  return all;
}

Complaints measures(const Material& material) {
  Complaints all;
  for (const auto& claim : material.claims) {
    std::vector<std::string> declared;
    for (const auto& quantity : claim.measures)
      if (!quantity.name.empty()) declared.emplace_back(quantity.name);
    if (is_settled(claim) && declared.empty())
      all.push_back(fmt::format("{}: declares no measure", claim.id));
    std::set<std::string> measured;
    for (const auto* row : rows_of(material, claim.id))
      for (const auto& m : row->at("measurements")) measured.insert(m.at("quantity"));
    for (const auto& quantity : declared)
      if (!measured.contains(quantity))
        all.push_back(fmt::format("{}: {} is declared, not measured", claim.id, quantity));
    for (const auto& quantity : measured)
      if (std::ranges::find(declared, quantity) == declared.end())
        all.push_back(fmt::format("{}: {} is measured, not declared", claim.id, quantity));
  }
  return all;
}

Complaints anchors(const Material& material) {
  std::vector<std::string> everywhere;
  Complaints misplaced;
  for (const auto& [page, text] : material.pages)
    for (const auto& id : found(text, anchor)) {
      everywhere.push_back(id);
      if (page != id.substr(0, id.find('.')) + ".md")
        misplaced.push_back(fmt::format("{}: has its anchor in {}", id, page));
    }
  auto all = once_each(material, everywhere, "anchors");
  all.insert(all.end(), misplaced.begin(), misplaced.end());
  return all;
}

Complaints index(const Material& material) {
  Complaints all;
  const auto& text = text_of(material.pages, "README.md");
  for (const auto& claim : material.claims) {
    const auto rows = rows_of(material, claim.id);
    const auto finding = rows.empty() ? std::string() : report::text(*rows[0], "finding");
    const auto entry = is_settled(claim)
                           ? fmt::format("\n| [{}]({}.md#{}) ", finding, claim.topic(), claim.id)
                           : fmt::format("\n| {} ", claim.id);
    if (text.find(entry) == std::string::npos)
      all.push_back(fmt::format("{}: is not in the index", claim.id));
  }
  return all;
}

Complaints findings(const Material& material) {
  Complaints all;
  std::map<std::string, std::string> seen;
  // A formula's number stands behind a letter, a sign or before a slash: √d_k, σ², 1/√d_k.
  const std::regex figure("(^| )[0-9][0-9.,]*( |%|$)");
  for (const auto& row : material.results.at("claims")) {
    const auto id = report::text(row, "id"), finding = report::text(row, "finding");
    const auto complain = [&](const std::string& what) { all.push_back(id + ": " + what); };
    if ((row.at("status") == "planned") != finding.empty())
      complain("has a finding exactly if it is settled; not so here");
    if (finding.empty()) continue;
    if (!seen.try_emplace(finding, id).second) complain("has the finding of " + seen[finding]);
    if (finding + "." == report::text(row, "belief")) complain("its finding is the belief");
    if (std::regex_search(finding, figure)) complain("its finding has a figure in it");
  }
  return all;
}

Complaints lengths(const Material& material) {
  constexpr std::pair<const char*, std::size_t> others[] = {
      {"attention.md", 5000},     {"sinusoidal.md", 5000}, {"conventions.md", 5000},
      {"concatenation.md", 5000}, {"folklore.md", 5000},   {"questions.md", 5500},
      {"decide.md", 1150},        {"port.md", 2100}};
  Complaints all;
  for (const auto& [page, text] : material.pages) {
    std::size_t most = page == "README.md" ? 1800 : 3500;
    for (const auto& [name, words] : others)
      if (page == name) most = words;
    std::istringstream in(page == "README.md" ? text.substr(0, text.find("\n## All claims\n"))
                                              : text);
    const auto words =
        static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(in), {}));
    if (words > most) all.push_back(fmt::format("{}: {} words of at most {}", page, words, most));
  }
  return all;
}

Complaints sources(const Material& material) {
  Complaints all;
  for (const auto& claim : material.claims)
    for (const auto& list : {claim.asked_in, claim.cites})
      for (const auto& key : names(list))
        if (std::ranges::find(material.known, key) == material.known.end())
          all.push_back(fmt::format("{}: no source '{}'", claim.id, key));
  return all;
}

Complaints entries(const Material& material) {
  return once_each(material, found(material.bibliography, "@\\w+\\{embedscale:([^,]*),"),
                   "entries in claims.bib");
}

Complaints sections(const Material& material) {
  Complaints all;
  std::vector<std::string> everywhere;
  for (const auto& [file, text] : material.words)
    for (const auto& id : found("\n" + text, "\n## (\\w+\\.\\w+)(?=\n|$)")) {
      everywhere.push_back(id);
      if (file != id.substr(0, id.find('.')) + ".md")
        all.push_back(fmt::format("{}: has its words in {}", id, file));
    }
  const auto wrong = once_each(material, everywhere, "sections of words");
  all.insert(all.end(), wrong.begin(), wrong.end());
  return all;
}

}  // namespace embedscale::consistency
