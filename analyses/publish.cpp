// Puts the generated tree in the place of the committed one, file by file and atomically; or, with
// --check, shows where the committed one is stale or was edited by hand.
//
// Some pages take minutes and are made only when they are named. Each has a directory apart from
// the generated tree: inputs.json with a hash of each thing that it is made of, and, where it was
// made, its part of the reports. Unless it is named, the committed one stays; hashes check it.
#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/process.hpp"
#include "report/project.hpp"
#include "report/row.hpp"

namespace embedscale {
namespace {

namespace fs = std::filesystem;

/// What differs from machine to machine: published along, never compared.
const fs::path provenance = "reports/provenance.json";
/// Made by ./dev reports NAME of what is installed for them, or measured.
const std::set<fs::path> made_by_name{"reports/implementations.md", "reports/performance.md"};

std::set<fs::path> files_below(const fs::path& root) {
  std::set<fs::path> files;
  if (fs::exists(root))
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file()) files.insert(entry.path().lexically_relative(root));
  return files;
}

bool same(const fs::path& a, const fs::path& b) {
  return fs::exists(a) && fs::exists(b) && report::read_file(a) == report::read_file(b);
}

/// `diff -u` of two files; a missing one counts as empty.
std::string difference(const fs::path& committed, const fs::path& generated) {
  const auto existing = [](const fs::path& path) {
    return fs::exists(path) ? path.string() : std::string("/dev/null");
  };
  const auto name = committed.string();
  const auto ended =
      report::run({.words = {"diff", "-u", "--label", name + " (committed)", "--label",
                             name + " (generated)", existing(committed), existing(generated)}});
  return ended.code == 127 ? name + " differs (install diffutils to see how)\n" : ended.out;
}

/// Whether a file that nothing generates may go: one that a page leaves behind when a figure
/// is renamed. A page or a note of somebody's own stays.
bool is_left_behind(const fs::path& file) {
  const auto directory = file.parent_path();
  return directory == "reports/figures" || directory == "reports/data" ||
         directory == "reports/badges" || directory == "reports/evidence";
}

/// A page that is made apart, and whether it was named.
struct Apart {
  fs::path directory;
  bool named;

  std::string topic() const { return directory.filename().string(); }
  fs::path page() const { return fs::path("reports") / (topic() + ".md"); }
  fs::path evidence() const { return fs::path("reports/evidence") / (topic() + ".md"); }
  fs::path data() const { return fs::path("reports/data") / (topic() + ".json"); }
  bool has(const fs::path& file) const {
    const auto parent = file.parent_path();
    return file == page() || file == evidence() || file == data() ||
           ((parent == "reports/figures" || parent == "reports/data") &&
            file.filename().string().starts_with(topic() + "_"));
  }
};

using Generated = std::map<fs::path, fs::path>;  ///< where each file of the tree is

/// Pages that are made apart are those that were made now, or as they are committed.
///
/// Errors    FileError where a page is named and was not made.
Generated generated_files(const fs::path& from, const fs::path& to,
                          const std::vector<Apart>& apart) {
  Generated files;
  for (const auto& file : files_below(from)) files[file] = from / file;
  for (const auto& one : apart) {
    if (one.named) report::read_file(one.directory / one.page());
    const auto root = one.named ? one.directory : to;
    for (const auto& below : files_below(root / "reports"))
      if (const auto file = "reports" / below; one.has(file)) files[file] = root / file;
  }
  return files;
}

struct Differences {
  std::vector<fs::path> changed, surplus;  ///< relative to the tree
  bool any() const { return !changed.empty() || !surplus.empty(); }
};

Differences differences(const Generated& generated, const fs::path& to) {
  Differences found;
  for (const auto& [file, source] : generated)
    if (file != provenance && !same(source, to / file)) found.changed.push_back(file);
  for (const auto& below : files_below(to / "reports"))
    if (const auto file = "reports" / below;
        !generated.contains(file) && !made_by_name.contains(file))
      found.surplus.push_back(file);
  return found;
}

/// What a committed page that was not made again is no longer made of: "" where it is current.
std::string staleness(const Apart& one, const fs::path& to) {
  const auto page = one.page().string();
  for (const auto& file : {one.page(), one.evidence(), one.data()})
    if (!fs::exists(to / file)) return fmt::format("{}: {} is not there\n", page, file.string());
  const auto record = report::read_json(to / one.data()),
             inputs = report::read_json(one.directory / "inputs.json");
  const auto before = record.value("inputs", report::Json::object());
  const auto& now = inputs.at("hashes");
  std::string told;
  for (const auto& [name, hash] : now.items())
    if (before.value(name, report::Json()) != hash)
      told += fmt::format("{}: {} since\n", page,
                          name + (before.contains(name) ? " has changed" : " was added"));
  for (const auto& [name, hash] : before.items())
    if (!now.contains(name)) told += fmt::format("{}: {} is gone since\n", page, name);
  const auto hash = fmt::format("{:016x}", hash_of(report::read_file(to / one.page()) +
                                                   report::read_file(to / one.evidence())));
  if (record.value("page", "") != hash)
    told += fmt::format("{}: it, or {}, is not as it was made\n", page, one.evidence().string());
  return told;
}

/// A line for each claim whose verdict differs, "topic.claim: true → false".
std::string verdict_changes(const report::Json& before, const report::Json& after) {
  std::string out;
  for (const auto& row : after.at("claims")) {
    const auto* old = report::find_claim(before, report::text(row, "id"));
    const auto was = old == nullptr ? "(no such claim)" : report::verdict_of(*old),
               now = report::verdict_of(row);
    if (was != now) out += fmt::format("{}: {} → {}\n", report::text(row, "id"), was, now);
  }
  return out;
}

std::string changed_verdicts(const fs::path& from, const fs::path& to) {
  const fs::path results = "reports/results.json";
  if (!fs::exists(to / results)) return {};
  const auto now = report::read_results(from / results);
  try {
    return verdict_changes(report::read_results(to / results), now);
  } catch (const std::invalid_argument&) {  // a conflict of a merge in it, or another layout
    fmt::print(stderr, "publish: the committed {} cannot be read: made anew\n", results.string());
    return {};
  }
}

int check(const fs::path& from, const fs::path& to, const Generated& generated,
          const std::vector<Apart>& apart, const Differences& found) {
  std::string out;
  for (const auto& file : found.changed) out += difference(to / file, generated.at(file));
  for (const auto& file : found.surplus)
    out += fmt::format("{}: in the reports, but nothing generates it\n", file.string());
  out += changed_verdicts(from, to);
  int code = cli::done;
  for (const auto& one : apart) {
    const auto told = one.named ? std::string() : staleness(one, to);
    if (told.empty()) continue;
    out += told;
    fmt::print(stderr, "publish: {} is stale or edited; ./dev reports {} remakes it\n",
               one.page().string(), one.topic());
    code = cli::differs;
  }
  cli::print(out);
  if (!found.any()) return code;
  fmt::print(stderr, "publish: {} of the reports are stale or edited; ./dev reports remakes them\n",
             found.changed.size() + found.surplus.size());
  return cli::differs;
}

int replace(const fs::path& from, const fs::path& to, const Generated& generated,
            const Differences& found) {
  const auto verdicts = changed_verdicts(from, to);
  for (const auto& file : found.changed)
    report::write_file(to / file, report::read_file(generated.at(file)));
  for (const auto& file : found.surplus)
    if (is_left_behind(file)) fs::remove(to / file);
  if (found.any() || !fs::exists(to / provenance))
    report::write_file(to / provenance, report::read_file(from / provenance));
  std::string out;
  for (const auto& file : found.changed) out += file.string() + "\n";
  for (const auto& file : found.surplus)
    out +=
        file.string() +
        (is_left_behind(file) ? " (removed)\n" : " (kept: nothing generates it, so it is yours)\n");
  if (!verdicts.empty()) out += "verdicts changed:\n" + verdicts;
  cli::print(out);
  if (!found.any()) fmt::print(stderr, "The reports are current.\n");
  return cli::done;
}

}  // namespace
}  // namespace embedscale

int main(int argc, char** argv) {
  using namespace embedscale;
  cli::Arguments arguments("Puts the generated reports in the place of the committed ones",
                           "publish");
  std::filesystem::path from, to;
  std::vector<std::filesystem::path> directories;
  std::vector<std::string> named;
  bool only_check = false;
  arguments.option("from", from, "the generated tree").required().existing_directory();
  arguments.option("to", to, "the repository").required().existing_directory();
  arguments.option("--check", only_check,
                   "change nothing; exit 1 with the difference if there is one");
  arguments.option("--apart", directories, "where a page is made that takes minutes: .../<topic>");
  arguments.option("--named", named, "the topics of such pages that were made now");
  return arguments.run(argc, argv, [&] {
    std::vector<Apart> apart;
    for (const auto& directory : directories)
      apart.push_back({directory, std::ranges::count(named, directory.filename().string()) > 0});
    const auto generated = generated_files(from, to, apart);
    const auto found = differences(generated, to);
    return only_check ? check(from, to, generated, apart, found)
                      : replace(from, to, generated, found);
  });
}
