#include "report/results.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <tbb/version.h>
#include <boost/version.hpp>
#include <CLI/Version.hpp>
#include "properties/catalogue.hpp"

#include <fstream>
#include <stdexcept>

#include "report/project.hpp"
#include "report/section.hpp"

namespace embedscale::report {
namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

std::string dotted(int version, int major, int minor) {
  return fmt::format("{}.{}.{}", version / major, version / minor % (major / minor),
                     version % minor);
}

}  // namespace

Json merged_results(const std::filesystem::path& reports) {
  std::map<std::string, Json, std::less<>> rows;
  for (const auto topic : properties::topics()) {
    const auto path = reports / "data" / (std::string(topic) + ".json");
    if (!std::filesystem::exists(path)) continue;
    for (auto& row : read_json(path)) rows[row.at("id").get<std::string>()] = row;
  }
  Json claims = Json::array();
  for (const auto& claim : properties::catalogue()) {
    const auto row = rows.find(claim.id);
    if (row == rows.end())
      throw std::invalid_argument(fmt::format("{}: no analysis has measured it (looked in {})",
                                              claim.id, (reports / "data").string()));
    claims.push_back(row->second);
  }
  return {{"version", project::version}, {"claims", claims}};
}

std::string verdict_changes(const Json& before, const Json& after) {
  std::string out;
  for (const auto& row : after.at("claims")) {
    const Json* old = find_claim(before, text(row, "id"));
    const std::string was = old == nullptr ? "(no such claim)" : verdict_of(*old);
    if (was != verdict_of(row))
      out += fmt::format("{}: {} → {}\n", text(row, "id"), was, verdict_of(row));
  }
  return out;
}

std::uint64_t judged_mutants(const Json& tally) {
  std::uint64_t all = 0;
  for (const char* fate : {"killed", "timed_out", "survived"})
    all += tally.at(fate).get<std::uint64_t>();
  return all;
}

Json provenance() {
  return {{"embedscale", project::version},
          {"compiler", __VERSION__},
          {"libc", gnu_get_libc_version()},
          {"boost", dotted(BOOST_VERSION, 100000, 100)},
          {"fmt", dotted(FMT_VERSION, 10000, 100)},
          {"tbb", TBB_VERSION_STRING},
          {"cli11", CLI11_VERSION},
          {"nlohmann-json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR,
                                        NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
          {"processor", processor()}};
}

}  // namespace embedscale::report
