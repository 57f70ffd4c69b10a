// Configurations as cases.txt has them, and what comes of each.
#include "configurations.hpp"

#include "audit/expression.hpp"
#include "audit/fields.hpp"
#include "compare/compare.hpp"
#include "report/file.hpp"
#include "report/table.hpp"

#include <cctype>
#include <fstream>
#include <map>
#include <set>

namespace embedscale::audit {
namespace {

struct Case {
  int line = 0;  ///< of the file
  std::vector<std::string> toml = {};
  std::vector<Change> changes = {};
  std::vector<std::string> expected = {};  ///< "! …", "= …", as the file says
};

std::vector<std::string> lines_of_system(const std::string& name) {
  const std::string text = report::read_file(system_file(name));
  const auto lines = report::split(text, '\n');
  return {lines.begin(), lines.end()};
}

std::vector<Case> cases() {
  std::map<std::string, std::vector<std::string>> bases;
  std::vector<Case> all;
  std::ifstream in(EMBEDSCALE_CASES_FILE);
  std::string line, base;
  std::ptrdiff_t place = 0;  // of the next line of TOML
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) base.clear();
    if (line.empty() || line.starts_with("#")) continue;
    const std::string rest = line.substr(1);
    if (line.starts_with("base ")) {
      base = line.substr(5);
      bases[base] = {};
    } else if (!base.empty()) {
      bases[base].push_back(line);
    } else if (line[0] == ' ' || std::islower(line[0])) {
      auto words = words_of(line);
      if (line[0] != ' ') {
        const auto known = bases.find(words[0]);
        all.push_back({number, known != bases.end() ? known->second : lines_of_system(words[0])});
        place = std::ssize(all.back().toml);
        words.erase(words.begin());
      }
      for (const std::string& word : words) all.back().changes.push_back(change_from(word));
    } else if (auto& toml = all.back().toml; line[0] == '-') {
      const auto gone = std::ranges::find(toml, rest);
      EXPECT_NE(gone, toml.end()) << "line " << number;
      place = toml.erase(gone) - toml.begin();
    } else if (line[0] == '+') {
      toml.insert(toml.begin() + place++, rest);
    } else if (line[0] == '@') {
      all.back().changes.push_back(change_from(rest));
    } else {
      all.back().expected.push_back(line);
    }
  }
  return all;
}

/// What a configuration and its multiplier came to, "field=value" each: "-" where it is not told.
std::set<std::string> values_of(const Audit& audit) {
  const Configuration& c = audit.configuration;
  std::vector<std::string> same, without;
  for (const Verdict& v : verdicts(audit.scales))
    same.push_back(v.path.substr(v.path.rfind('.') + 1) +
                   (v.value.value_or(false) ? ":yes" : ":no"));
  for (const auto& [field, needs] : c.without_effect) without.push_back(field);
  std::set<std::string> all = {"file=" + c.file,
                               fmt::format("rounds_identically={}", fmt::join(same, ",")),
                               fmt::format("without_effect={}", fmt::join(without, ","))};
  for (const Field& field : fields()) {
    const auto mark = c.marks.find(field.path);
    std::string value = field.value(c).value_or("-");
    std::erase(value, ' ');  // between those of further tables
    all.insert({field.path + "=" + value,
                fmt::format("{}:{}", field.path,
                            name_of(mark == c.marks.end() ? Mark::read : mark->second.mark))});
  }
  return all;
}

std::string defaults_of(const Configuration& c) {
  std::string all = ">";
  for (const auto& [field, words] : c.defaults) all += " " + field + "=" + words;
  return all;
}

void expect_figure(const Scales& scales, const std::string& line) {
  const auto words = words_of(line);
  expect_within(figure(scales, words.at(1)), *evaluate(words.at(2), {}), std::stod(words.at(3)));
}

void expect_missing(const Scales& scales, const std::string& line) {
  const std::size_t end = line.find(' ', 2);
  const std::string path = line.substr(2, end - 2), reason = line.substr(end + 1);
  int count = 0;
  const auto expect = [&](const auto& result) {
    if (result.path != path && (path != "*" || result.path == "extra.rms")) return;
    ++count;
    EXPECT_TRUE(!result.value && result.missing.starts_with(reason))
        << result.path << ": " << result.missing;
  };
  for (const Quantity& q : quantities(scales)) expect(q);
  for (const Verdict& v : verdicts(scales)) expect(v);
  EXPECT_GT(count, 0) << path;
}

void expect_in_a_way(const compare::Parametrisations& ways, const std::string& line) {
  const auto words = words_of(line);
  const Quantity& got = ways.at(words.at(2), words.at(1));
  if (words.at(3) == "?")
    EXPECT_EQ(got.missing, line.substr(line.find('?') + 2));
  else
    expect_within(got, *evaluate(words.at(3), {}), std::stod(words.at(4)));
}

void expect_in_all_ways(const compare::Parametrisations& ways, const std::string& line) {
  const auto words = words_of(line);
  ASSERT_EQ(words.size(), 3 + ways.ways.size());
  for (std::size_t i = 0; i < ways.ways.size(); ++i)
    expect_within(ways.at(words[1], ways.ways[i].name), *evaluate(words[3 + i], {}),
                  std::stod(words[2]));
}

void expect(const Case& one, const std::string& toml) {
  const Audit audit = audited(toml, one.changes);
  const auto values = values_of(audit);
  std::vector<std::string> expected, found;
  std::optional<compare::Parametrisations> made;
  const auto compared = [&]() -> const auto& {
    return made ? *made : made.emplace(compare::compared(audit.configuration));
  };
  for (const std::string& line : one.expected) switch (line[0]) {
      case '~': expect_figure(audit.scales, line); break;
      case '?': expect_missing(audit.scales, line); break;
      case '>': EXPECT_EQ(line, defaults_of(audit.configuration)); break;
      case '*': expected.push_back(line); break;
      case '"':
        EXPECT_NE(audit.findings.at(0).sentence.find(line.substr(2)), std::string::npos) << line;
        break;
      case '^':
        EXPECT_EQ(line.substr(2), verdict_of(audit.configuration, audit.scales, audit.findings));
        break;
      case '$':
        EXPECT_TRUE(contains(on_one_line(summary_of(audit)), line.substr(2))) << line;
        break;
      case '&':
        EXPECT_TRUE(contains(on_one_line(words_of(compared())), line.substr(2))) << line;
        break;
      case '%': expect_in_a_way(compared(), line); break;
      case '|': expect_in_all_ways(compared(), line); break;
      case '=':
        for (const std::string& value : words_of(line.substr(1)))
          EXPECT_TRUE(values.contains(value)) << value;
        break;
      default: ADD_FAILURE() << "accepted, in the place of " << line;
    }
  for (const Finding& f : audit.findings)
    found.push_back(fmt::format("* {} {}", name_of(f.severity), f.claim));
  if (found.empty()) found.emplace_back("*");
  EXPECT_TRUE(expected.empty() || expected == found) << fmt::format("{}", fmt::join(found, ", "));
}

TEST(configuration, is_named_by_itself_or_its_file) {
  EXPECT_EQ(parse_configuration("name = 'piped'\n" + whole, "-").name, "piped");
  EXPECT_EQ(parse_configuration(whole, "-").name, "standard input");
  EXPECT_EQ(parse_configuration(whole, "dir/mine.toml").name, "mine");
}

TEST(cases, come_to_what_is_expected_of_them) {
  const auto all = cases();
  EXPECT_GE(all.size(), 150u);
  for (const Case& one : all) {
    SCOPED_TRACE(fmt::format("{}:{}", EMBEDSCALE_CASES_FILE, one.line));
    EXPECT_FALSE(one.expected.empty());
    std::string toml;
    for (const std::string& line : one.toml) toml += line + "\n";
    try {
      expect(one, toml);
    } catch (const ContentError& error) {
      EXPECT_EQ(one.expected, std::vector<std::string>{std::string("! ") + error.what()});
    }
  }
}

}  // namespace
}  // namespace embedscale::audit
