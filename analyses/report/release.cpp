#include "report/release.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <stdexcept>

#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/project.hpp"

namespace embedscale::report {
bool Release::has(const Json& row) const {
  const auto released = claims.find(text(row, "id"));
  return released != claims.end() && released->second == digest_of(row);
}

std::string digest_of(const Json& row) {
  const auto said = fmt::format("{}\n{}\n{}\n{}", text(row, "finding"), text(row, "belief"),
                                verdict_of(row), text(row, "premise"));
  return fmt::format("{:016x}", hash_of(said));
}

Json release_record(const Json& results, std::string_view commit, std::string_view date) {
  Json claims = Json::object();
  for (const auto& row : results.at("claims")) claims[text(row, "id")] = digest_of(row);
  return {{"version", project::version}, {"commit", commit}, {"date", date}, {"claims", claims}};
}

Release read_release(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  const auto json = read_json(path);
  try {
    Release release{json.at("version"), json.at("commit"), json.at("date"), {}};
    for (const auto& [id, digest] : json.at("claims").items()) release.claims[id] = digest;
    return release;
  } catch (const Json::exception& error) {
    throw std::invalid_argument(
        fmt::format("{}: not as ./dev release writes it: {}", path.string(), error.what()));
  }
}

std::string permalink(const Json& row, const Release& release) {
  return fmt::format("{}/blob/{}/reports/{}", project::url,
                     release.has(row) ? release.commit : "main", text(row, "anchor"));
}

}  // namespace embedscale::report
