#include "implementations.hpp"

#include "properties/catalogue.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "report/file.hpp"
#include "report/page.hpp"
#include "report/table.hpp"

namespace embedscale::implementations {
namespace {

namespace fs = std::filesystem;
using report::Table, report::text;

/// What one implementation does in one format.
struct Run {
  std::string name, format;
  const Json* found;
};

std::vector<Run> runs_of(const Found& found) {
  std::vector<Run> all;
  for (const auto& [key, json] : found) {
    const auto dot = key.rfind('.');
    all.push_back({key.substr(0, dot), key.substr(dot + 1), &json});
  }
  return all;
}

bool is_ill(const Json& finding) {
  return text(finding, "verdict") == "violated" || text(finding, "verdict") == "failed";
}
std::string property_of(const Json& finding) {
  return text(finding, "claim") + "." + text(finding, "property");
}
/// The property, with its claim's place, or with what it states where no page is about it.
std::string told(const Json& finding) {
  const auto id = text(finding, "claim"), property = property_of(finding);
  const auto claims = properties::catalogue();
  if (std::ranges::find(claims, id, &properties::Claim::id) == claims.end())
    return fmt::format("`{}` (that {})", property, text(finding, "states"));
  return fmt::format("[{}]({}.md#{})", property, id.substr(0, id.find('.')), id);
}

/// "layer_norm (binary32)" is layer_norm.
std::set<std::string> operations_of(const Json& finding) {
  std::set<std::string> all;
  for (const auto& [what, count] : finding.at("asked").items())
    all.insert(what.substr(0, what.find(' ')));
  return all;
}

std::string in_code(std::string words) { return "`" + std::move(words) + "`"; }

std::string table_of_implementations(const std::vector<Run>& runs) {
  auto table = Table::headed("Implementation|Format|Violated:|Properties:|Cases:");
  for (const auto& [name, format, found] : runs) {
    std::uint64_t cases = 0, ill = 0;
    for (const auto& finding : found->at("findings")) {
      cases += finding.at("cases").get<std::uint64_t>();
      ill += is_ill(finding) ? 1 : 0;
    }
    table.row({text(*found, "subject"), format, std::to_string(ill),
               std::to_string(found->at("findings").size()), report::count(cases)});
  }
  return table.markdown();
}

/// How many properties that ask an operation alone hold, and how close they come to their bounds.
std::string table_of_operations(const std::vector<Run>& runs) {
  struct Row {
    std::size_t properties = 0, ill = 0;
    double worst = 0;
  };
  std::map<std::pair<std::string, std::string>, std::map<std::string, Row>> all;
  for (const auto& run : runs)
    for (const auto& finding : run.found->at("findings"))
      if (const auto operations = operations_of(finding); operations.size() == 1) {
        const auto& operation = *operations.begin();
        auto& row = all[{operation, text(*run.found, "subject")}][run.format];
        ++row.properties;
        if (is_ill(finding))
          ++row.ill;
        else if (const auto& share = finding.at("worst_share_of_bound"); !share.is_null())
          row.worst = std::max(row.worst, share.get<double>());
      }
  auto table = Table::headed("Operation|Format|Worst share:|Implementation|Violated:|Properties:");
  for (const auto& [of, formats] : all)
    for (const auto& [format, row] : formats)
      table.row({in_code(of.first), format,
                 row.ill > 0        ? "violated"
                 : row.worst == 0.0 ? "—"
                                    : report::significant(row.worst, 2),
                 of.second, std::to_string(row.ill), std::to_string(row.properties)});
  return table.markdown();
}

/// A property that an implementation violates, and the formats in which it does.
struct Violation {
  const Json* finding;  ///< of the first of them
  std::vector<std::string> formats;
};

/// The simplest counterexample, as a call, if that shows numbers.
std::string counterexample(const Json& finding) {
  const auto& calls = finding.at("calls");
  return (calls.empty() ? "" : calls[0].get<std::string>() + "\n") + text(finding, "explanation");
}
bool shows_numbers(const Violation& of) {
  return counterexample(*of.finding).find("the library gives") != std::string::npos;
}

/// What one implementation violates: each property in its own words, or all others in those of
/// "*", with the first counterexample that shows numbers.
std::string violated(const std::string& name, const std::vector<Run>& runs,
                     const report::Words& words, std::set<std::string>& used) {
  std::map<std::string, Violation> all;
  std::string subject;
  for (const auto& run : runs) {
    if (run.name != name) continue;
    subject = text(*run.found, "subject");
    for (const auto& finding : run.found->at("findings"))
      if (is_ill(finding))
        all.try_emplace(property_of(finding), Violation{&finding, {}})
            .first->second.formats.push_back(run.format);
  }
  if (all.empty()) return "";
  std::string out = fmt::format("### {}\n\n", subject);
  std::string others;
  const Violation* shown = nullptr;
  const auto say = [&](const std::string& part, const Violation& of) {
    used.insert(name + "/" + part);
    out += fmt::format("{}\n\n```text\n{}\n```\n\n", words.part(name, part),
                       counterexample(*of.finding));
  };
  const auto item = [](const Violation& of) {
    return fmt::format("- {}, in {}\n", told(*of.finding), fmt::join(of.formats, ", "));
  };
  for (const auto& [property, of] : all) {
    if (words.has_part(name, property)) {
      say(property, of);
      out += item(of) + "\n";
    } else if (words.has_part(name, "*")) {
      others += item(of);
      if (shown == nullptr || (!shows_numbers(*shown) && shows_numbers(of))) shown = &of;
    } else {
      throw std::invalid_argument(fmt::format("{}: '## {}' has no '### {}', which is violated: {}",
                                              words.name(), name, property, of.finding->dump(1)));
    }
  }
  if (shown == nullptr) return out;
  say("*", *shown);
  return out + others + "\n";
}

}  // namespace

Found read(const fs::path& directory) {
  Found all;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".json")
      all.emplace(entry.path().stem().string(), report::read_json(entry.path()));
  return all;
}

std::string hash_of(const fs::path& project) {
  std::map<std::string, std::string> texts;  // by path, hence in an order
  const auto below = project / "properties/subject/implementations";
  for (const auto& entry : fs::recursive_directory_iterator(below))
    if (entry.is_regular_file())
      texts.emplace(entry.path().lexically_relative(below).generic_string(),
                    report::read_file(entry.path()));
  std::string all;
  for (const auto& [path, content] : texts)
    all += fmt::format("{} {:016x}\n", path, embedscale::hash_of(content));
  return fmt::format("{:016x}", embedscale::hash_of(all));
}

std::string page(const Found& found, const report::Words& words, const std::string& hash) {
  const auto runs = runs_of(found);
  std::set<std::string> names, used;
  for (const auto& run : runs) names.insert(run.name);
  std::string violations;
  for (const auto& name : names) violations += violated(name, runs, words, used);
  for (const auto& [name, parts] : words.sections())
    for (const auto& [part, text] : parts)
      if (name != "tables" && part != "introduction" && !used.contains(name + "/" + part))
        throw std::invalid_argument(
            fmt::format("{}: '## {}', '### {}' is not violated", words.name(), name, part));
  const auto text = [&](const char* part) { return words.part("tables", part); };
  return fmt::format("{}<!-- Of implementations {}. -->\n\n# {}\n\n{}\n\n", report::generated_note,
                     hash, words.title(), words.introduction()) +
         text("implementations") + "\n\n" + table_of_implementations(runs) + "\n## " +
         text("violated") + "\n\n" + violations + "## " + text("bounds") + "\n\n" +
         text("operations") + "\n\n" + table_of_operations(runs);
}

}  // namespace embedscale::implementations
