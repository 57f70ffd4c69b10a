#include "report/citation.hpp"

#include <fmt/format.h>
#include <embedscale/random.hpp>
#include "properties/sources.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "report/file.hpp"
#include "report/json_once.hpp"
#include "report/project.hpp"

namespace embedscale::report {
namespace {

constexpr std::size_t short_commit = 12;

/// As TeX takes it outside of \url. What is beyond ASCII stays: see the head of claims.bib.
std::string for_tex(std::string_view plain) {
  std::string out;
  for (const char c : plain)
    if (c == '^' || c == '~')
      out += fmt::format("\\{}{{}}", c);
    else if (c == '\\')
      out += "\\textbackslash{}";
    else
      out += (std::string_view("_%&#$").find(c) == std::string_view::npos ? "" : "\\") +
             std::string(1, c);
  return out;
}

std::string entry(const Json& row, const Release& release) {
  const bool is_released = release.has(row);
  const auto state = is_released ? fmt::format("embedscale {}, commit {}", release.version,
                                               release.commit.substr(0, short_commit))
                                 : "embedscale, not released yet: what is linked may change";
  return fmt::format(
      "\n@misc{{embedscale:{},\n  author = {{{{The embedscale authors}}}},\n"
      "  title = {{{{{}}}}},\n  year = {{{}}},\n{}"
      "  howpublished = {{\\url{{{}}}}},\n"
      "  note = {{{}. Verdict on “{}”: {}{}}},\n}}\n",
      text(row, "id"), for_tex(text(row, "finding")),
      is_released ? release.date.substr(0, 4) : project::year,
      is_released ? fmt::format("  version = {{{}}},\n", release.version) : "",
      permalink(row, release), for_tex(state), for_tex(text(row, "belief")),
      for_tex(verdict_of(row)),
      text(row, "premise").empty() ? "" : ". Premise: " + for_tex(text(row, "premise")));
}

/// Google asks for a number along with the words. It is coarse on purpose: a condition, or a
/// premise without its reason, is neither true nor false.
int rating_of(const Json& row) {
  constexpr std::array scale{std::pair{"false", 1}, std::pair{"true if", 2},
                             std::pair{"premise true if", 2}, std::pair{"premise true", 2},
                             std::pair{"true", 3}};
  const auto found = std::ranges::find(
      scale, text(row, "verdict"), [](const auto& pair) { return std::string_view(pair.first); });
  if (found == scale.end())
    throw std::invalid_argument(fmt::format("{}: a verdict that has no rating: '{}'",
                                            text(row, "id"), text(row, "verdict")));
  return found->second;
}

/// Where the belief was met. Who held it first is not known, so that none is called the first.
Json appearances(const Json& row) {
  Json out = Json::array();
  for (const auto& key : row.at("asked_in")) {
    const auto source = std::ranges::find(properties::sources, key.get<std::string>(),
                                          [](const auto& one) { return std::string(one.key); });
    if (source == properties::sources.end())
      throw std::invalid_argument(
          fmt::format("{}: '{}' is no source", text(row, "id"), key.get<std::string>()));
    Json work{{"@type", "CreativeWork"}, {"name", source->title}};
    if (!source->address.empty()) work["url"] = source->address;
    out.push_back(std::move(work));
  }
  return out;
}

/// What the verdict is on, where that is not the whole belief, and what was found.
std::string body_of(const Json& row) {
  const auto premise = text(row, "premise");
  return (premise.empty() ? "" : "The premise: " + premise + " ") + text(row, "summary");
}

Json claim_review(const Json& row, const Release& release) {
  auto words = verdict_of(row);
  words[0] = static_cast<char>(words[0] - 'a' + 'A');
  Json claim{{"@type", "Claim"}};
  if (auto works = appearances(row); !works.empty()) claim["appearance"] = std::move(works);
  Json review{
      {"@type", "ClaimReview"},
      {"identifier", row.at("id")},
      {"url", permalink(row, release)},
      {"name", row.at("finding")},
      {"claimReviewed", row.at("belief")},
      {"reviewBody", body_of(row)},
      {"reviewRating",
       {{"@type", "Rating"},
        {"ratingValue", rating_of(row)},
        {"worstRating", 1},
        {"bestRating", 3},
        {"alternateName", words}}},
      {"itemReviewed", claim},
      {"author", {{"@type", "Organization"}, {"name", "embedscale"}, {"url", project::url}}}};
  if (release.has(row)) review["datePublished"] = release.date;
  return review;
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

std::string bibliography(const Json& results, const Release& release) {
  std::string out =
      "% Generated by ./dev reports. In Unicode: for XeLaTeX, LuaLaTeX or a pdfLaTeX that is told "
      "of √, σ, ≥.\n";
  for (const auto& row : results.at("claims")) out += entry(row, release);
  return out;
}

std::string citation(const Release& release) {
  return fmt::format(
      "# Generated by ./dev reports.\ncff-version: 1.2.0\n"
      "message: \"To cite one result, take its entry from reports/claims.bib; to cite the whole, "
      "this.\"\ntype: software\ntitle: embedscale\nversion: \"{}\"\n{}license: MIT\nauthors:\n"
      "  - name: \"The embedscale authors\"\nrepository-code: \"{}\"\nurl: \"{}\"\n",
      release.empty() ? fmt::format("{} (not released yet)", project::version) : release.version,
      release.empty()
          ? ""
          : fmt::format("commit: \"{}\"\ndate-released: \"{}\"\n", release.commit, release.date),
      project::url, project::url);
}

Json claim_reviews(const Json& results, const Release& release) {
  Json graph = Json::array();
  for (const auto& row : results.at("claims"))
    if (text(row, "verdict") != "open") graph.push_back(claim_review(row, release));
  return {{"@context", "https://schema.org"}, {"@graph", graph}};
}

}  // namespace embedscale::report
