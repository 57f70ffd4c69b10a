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

/// The first group of every match, in order.
std::vector<std::string> found(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    all.push_back((*match)[1]);
  return all;
}

class Complaints {
 public:
  explicit Complaints(const Material& material) : of_(material) {}

  /// Each once, and none of the released ones is gone.
  void ids() {
    std::set<std::string_view> seen;
    for (const auto& claim : of_.claims)
      if (!seen.insert(claim.id).second) say(claim.id, "appears twice");
    for (const auto& id : of_.permanent)
      if (!seen.contains(id)) say(id, "is gone, but ids are permanent");
  }

  /// A settled claim has a property and a mutant; every record passed and is of a settled claim.
  void tests() {
    for (const auto& claim : of_.claims)
      for (const auto& [role, what] : {std::pair{"holds", "property"}, {"rejects", "mutant"}})
        if (is_settled(claim) &&
            std::ranges::none_of(of_.tests, [&, role = role](const report::TestRecord& test) {
              return test.claim == claim.id && test.role == role;
            }))
          say(claim.id, "has no {}", what);
    for (const auto& test : of_.tests) {
      if (!is_settled(test.claim))
        say(test.claim, "has test {}, but is no settled claim", test.test);
      if (!test.passed) say(test.claim, "{} failed", test.test);
    }
  }

  /// Every claim has one row, settled or planned as the catalogue says, with exactly the tests on
  /// record and the quantities that it declares; every row has a claim.
  void rows() {
    for (const auto& claim : of_.claims) {
      const auto& all = of_.results.at("claims");
      const auto id_of = [](const Json& row) { return report::text(row, "id"); };
      const auto row = std::ranges::find(all, claim.id, id_of);
      if (std::ranges::count(all, claim.id, id_of) != 1) {
        say(claim.id, "has not one row in results.json");
        continue;
      }
      std::vector<report::TestRecord> records;
      Json names = Json::array();
      for (const auto& test : of_.tests)
        if (test.claim == claim.id) records.push_back(test), names.push_back(test.test);
      const auto mutants = report::mutants_of(records);
      if (row->at("status") != (is_settled(claim) ? "evaluated" : "planned"))
        say(claim.id, "its row has another status");
      if (is_settled(claim) &&
          row->at("anchor") != fmt::format("{}.md#{}", claim.topic(), claim.id))
        say(claim.id, "its row has another anchor");
      if (row->at("tests") != names) say(claim.id, "its row has other tests than are recorded");
      if (row->at("mutants") != Json{{"killed", mutants.killed}, {"total", mutants.total}})
        say(claim.id, "its row has other mutants than are recorded");
      measures(claim, *row);
    }
    for (const auto& row : of_.results.at("claims"))
      if (const auto id = report::text(row, "id");
          std::ranges::count(of_.claims, id, &Claim::id) == 0)
        say(id, "has a row, but is no claim");
  }

  /// A settled claim has one anchor, in its topic's page, one section of words, in its topic's, and
  /// one entry in the bibliography; no other claim has one, and nothing else.
  void places() {
    // Of a claim: questions and sayings have others, without a dot.
    once_each("anchors", of_.pages, R"re(<a id="([^".]*\.[^"]*)">)re");
    once_each("sections of words", of_.words, "\n## (\\w+\\.\\w+)(?=\n|$)");
    once_each("entries", {{"", of_.bibliography}}, "@\\w+\\{embedscale:([^,]*),");
  }

  /// A settled claim is in the index, its finding linked, and every other one is listed there. The
  /// finding is its own: no other's, not the belief, without a figure.
  void findings() {
    const auto index = of_.pages.find("README.md");
    std::map<std::string, std::string> seen;
    // A formula's number stands behind a letter, a sign or before a slash: √d_k, σ², 1/√d_k.
    const std::regex figure("(^| )[0-9][0-9.,]*( |%|$)");
    for (const auto& row : of_.results.at("claims")) {
      const auto id = report::text(row, "id"), finding = report::text(row, "finding");
      const auto entry = finding.empty()
                             ? fmt::format("\n| {} ", id)
                             : fmt::format("\n| [{}]({}) ", finding, report::text(row, "anchor"));
      if (index == of_.pages.end() || index->second.find(entry) == entry.npos)
        say(id, "is not in the index");
      if (finding.empty()) continue;
      if (!seen.try_emplace(finding, id).second) say(id, "has the finding of {}", seen[finding]);
      if (finding + "." == report::text(row, "belief")) say(id, "its finding is the belief");
      if (std::regex_search(finding, figure)) say(id, "its finding has a figure in it");
    }
  }

  /// A page is read in one go: 3,500 words, some 5,000, the answer above its index 1,800, the
  /// decisions 1,000.
  void lengths() {
    static const std::map<std::string, std::ptrdiff_t> others{
        {"attention.md", 5000},     {"sinusoidal.md", 5000}, {"conventions.md", 5000},
        {"concatenation.md", 5000}, {"folklore.md", 5000},   {"questions.md", 5500},
        {"decide.md", 1150},        {"port.md", 2100},       {"README.md", 1800}};
    for (const auto& [page, text] : of_.pages) {
      const auto other = others.find(page);
      const auto most = other == others.end() ? 3500 : other->second;
      std::istringstream in(text.substr(0, text.find("\n## All claims\n")));
      const auto words = std::distance(std::istream_iterator<std::string>(in), {});
      if (words > most) say(page, "{} words of at most {}", words, most);
    }
  }

  /// What a claim cites, and where it was asked, is among the sources.
  void sources() {
    for (const auto& claim : of_.claims)
      for (const auto& list : {claim.asked_in, claim.cites})
        for (std::size_t i = 0; i < properties::count(list); ++i)
          if (std::ranges::count(of_.known, list[i]) == 0) say(claim.id, "no source '{}'", list[i]);
  }

  std::string text;

 private:
  template <class... Arguments>
  void say(std::string_view id, fmt::format_string<Arguments...> what, Arguments&&... arguments) {
    text += fmt::format("{}: {}\n", id, fmt::format(what, std::forward<Arguments>(arguments)...));
  }
  bool is_settled(std::string_view id) const {
    return std::ranges::any_of(of_.claims,
                               [&](const Claim& c) { return c.id == id && is_settled(c); });
  }
  static bool is_settled(const Claim& claim) {
    return claim.status == properties::Status::evaluated;
  }

  void measures(const Claim& claim, const Json& row) {
    std::set<std::string> declared, measured;
    for (const auto& quantity : claim.measures)
      if (!quantity.name.empty()) declared.emplace(quantity.name);
    for (const auto& m : row.at("measurements")) measured.insert(m.at("quantity"));
    for (const auto& quantity : declared)
      if (!measured.contains(quantity)) say(claim.id, "{} is declared, not measured", quantity);
    for (const auto& quantity : measured)
      if (!declared.contains(quantity)) say(claim.id, "{} is measured, not declared", quantity);
  }
  /// What must stand once for each settled claim, in a file of its topic's name, and nothing else.
  void once_each(std::string_view what, const std::map<std::string, std::string>& files,
                 const char* pattern) {
    std::map<std::string, int> times;
    for (const auto& [file, content] : files)
      for (const auto& id : found("\n" + content, pattern)) {
        ++times[id];
        if (!file.empty() && file != id.substr(0, id.find('.')) + ".md")
          say(id, "has {} in {}", what, file);
        if (!is_settled(id)) say(id, "has {}, but is no settled claim", what);
      }
    for (const auto& claim : of_.claims)
      if (const int n = times[std::string(claim.id)]; is_settled(claim) && n != 1)
        say(claim.id, "{} {} instead of 1", n, what);
  }

  const Material& of_;
};

}  // namespace

std::string complaints(const Material& material) {
  Complaints all(material);
  all.ids();
  all.tests();
  all.rows();
  all.places();
  all.findings();
  all.lengths();
  all.sources();
  return all.text;
}

}  // namespace embedscale::consistency
