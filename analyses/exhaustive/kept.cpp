#include "exhaustive/kept.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "report/parallel.hpp"

namespace embedscale::exhaustive {

using Json = nlohmann::ordered_json;

Kept::Kept(const std::filesystem::path& directory, const Run& run, std::string hash)
    : lines_(directory / (run.name + ".jsonl")), hash_(std::move(hash)) {}

Kept::Parts Kept::parts() const {
  Parts parts;
  for (const auto& line : lines_.lines()) {
    const Json row = Json::parse(line, nullptr, false);
    if (row.is_object() && row.value("hash", "") == hash_)
      parts[row.at("part").get<std::uint64_t>()] = found_of(row.at("found").dump());
  }
  return parts;
}

void Kept::keep(std::uint64_t part, const Found& found) {
  const Json row{{"hash", hash_}, {"part", part}, {"found", Json::parse(to_text(found))}};
  lines_.append(row.dump());
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
