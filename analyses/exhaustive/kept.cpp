#include "exhaustive/kept.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/file.hpp"
#include "report/parallel.hpp"

namespace embedscale::exhaustive {

using Json = nlohmann::ordered_json;

Kept::Kept(const std::filesystem::path& directory, const Run& run, std::string hash)
    : file_(directory / (run.name + ".jsonl")), hash_(std::move(hash)) {
  std::filesystem::create_directories(file_.parent_path());
  // What follows an unfinished line must not continue it.
  if (std::filesystem::exists(file_) && !report::read_file(file_).ends_with('\n')) append("\n");
}

Kept::Parts Kept::parts() const {
  Parts parts;
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);) {
    const Json row = Json::parse(line, nullptr, false);
    if (row.is_object() && row.value("hash", "") == hash_)
      parts[row.at("part").get<std::uint64_t>()] = found_of(row.at("found").dump());
  }
  return parts;
}

void Kept::keep(std::uint64_t part, const Found& found) {
  const Json row{{"hash", hash_}, {"part", part}, {"found", Json::parse(to_text(found))}};
  const std::lock_guard lock(mutex_);
  append(row.dump() + "\n");
}

void Kept::forget() const { std::filesystem::remove(file_); }

/// In one piece, which is the system's as soon as it is written.
void Kept::append(const std::string& text) const {
  std::ofstream out(file_, std::ios::app);
  if (!(out << text << std::flush)) throw report::FileError(file_.string() + ": cannot be written");
}

Recorded evaluated(const Run& run, Kept& kept) {
  auto parts = kept.parts();
  std::vector<std::uint64_t> missing;
  for (std::uint64_t part = 0; part < run.parts; ++part)
    if (!parts.contains(part)) missing.push_back(part);
  std::mutex mutex;
  report::in_parallel(missing.size(), [&](std::uint64_t i) {
    auto found = run.evaluate(missing[i]);
    kept.keep(missing[i], found);
    const std::lock_guard lock(mutex);
    parts[missing[i]] = std::move(found);
  });
  Recorded all{.hash = kept.hash(), .parts = run.parts};
  for (const auto& [part, found] : parts) all.found += found;
  // A test evaluates the part again that attains the first of the greatest values.
  const auto is_told = [&](const auto& part) {
    const auto& greatest = all.found.greatest;
    if (greatest.empty()) return true;
    const auto own = part.second.greatest.find(greatest.begin()->first);
    return own != part.second.greatest.end() && own->second == greatest.begin()->second;
  };
  const auto told = std::ranges::find_if(parts, is_told);
  all.part = told->first;
  all.found_in_part = told->second;
  return all;
}

}  // namespace embedscale::exhaustive
