#include "report/release.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>

#include <algorithm>
#include <stdexcept>

#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/project.hpp"

namespace embedscale::report {
namespace {

bool consists_of(std::string_view text, std::size_t size, std::string_view characters) {
  return text.size() == size && text.find_first_not_of(characters) == text.npos;
}

void require(bool is_right, std::string_view what, std::string_view is) {
  if (!is_right) throw std::invalid_argument(fmt::format("a release's {} is to be {}", what, is));
}

void check(const Release& release) {
  require(consists_of(release.commit, 40, "0123456789abcdef"), "commit", "40 hexadecimal digits");
  require(consists_of(release.date, 10, "0123456789-") && release.date[4] == '-' &&
              release.date[7] == '-',
          "date", "written as 2026-01-31");
  require(!release.version.empty(), "version", "named");
}

}  // namespace

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
  const Release release{project::version, std::string(commit), std::string(date), {}};
  check(release);
  Json claims = Json::object();
  for (const auto& row : results.at("claims")) claims[text(row, "id")] = digest_of(row);
  return {{"version", release.version},
          {"commit", release.commit},
          {"date", release.date},
          {"claims", claims}};
}

Release read_release(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  const auto json = read_json(path);
  try {
    Release release{json.at("version"), json.at("commit"), json.at("date"), {}};
    for (const auto& [id, digest] : json.at("claims").items()) release.claims[id] = digest;
    check(release);
    return release;
  } catch (const Json::exception& error) {
    throw std::invalid_argument(
        fmt::format("{}: not as ./dev release writes it: {}", path.string(), error.what()));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", path.string(), error.what()));
  }
}

std::string permalink(const Json& row, const Release& release) {
  return fmt::format("{}/blob/{}/reports/{}", project::url,
                     release.has(row) ? release.commit : "main", text(row, "anchor"));
}

}  // namespace embedscale::report
