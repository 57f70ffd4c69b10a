#include "audit/known_keys.hpp"

#include "audit/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace embedscale::audit {
namespace {

// Levenshtein 1966, one row of the table at a time.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char c : from) {
    std::size_t diagonal = std::exchange(row[0], row[0] + 1);
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (c == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Whether `key` leaves letters of `whole` out but not the first: std for standard_deviation.
bool shortens(std::string_view key, std::string_view whole) {
  if (key.size() < 3 || key.front() != whole.front()) return false;
  std::size_t matched = 0;
  for (const char c : whole)
    if (matched < key.size() && key[matched] == c) ++matched;
  return matched == key.size();
}

std::string_view last_part(std::string_view path) { return path.substr(path.find('.') + 1); }

bool contains(std::span<const std::string> paths, std::string_view path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

// "name", "model", "model.d_model", …: the paths, each section ahead of its first key.
std::vector<std::string> with_sections(std::span<const std::string> known) {
  std::vector<std::string> all;
  for (const std::string& path : known) {
    const std::string section = path.substr(0, path.find('.'));
    if (!contains(all, section)) all.push_back(section);
    if (section.ends_with("[]")) all.push_back(section.substr(0, section.size() - 2));
    if (section != path) all.push_back(path);
  }
  return all;
}

}  // namespace

std::string nearest_path(std::string_view path, std::span<const std::string> known) {
  if (known.empty()) throw std::invalid_argument("nearest_path: no paths are known");
  const std::string_view start = path.substr(0, 100);
  const auto distance = [start](const std::string& candidate) {
    const std::string_view own = last_part(start), its = last_part(candidate);
    const std::size_t apart = edits(own, its);
    return std::tuple(shortens(own, its) ? std::min<std::size_t>(apart, 1) : apart,
                      its.size() != candidate.size(), edits(start, candidate));
  };
  return *std::min_element(known.begin(), known.end(),
                           [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
}

void refuse_unknown_keys(const Document& document, std::span<const std::string> known) {
  const std::vector<std::string> paths = with_sections(known);
  const auto require_known = [&](const std::string& path, const toml::key& key) {
    if (!contains(paths, path))
      refuse_at(
          document, key.source(),
          fmt::format("unknown key {}: nearest is {}", shown(path), nearest_path(path, paths)));
  };
  for (const auto& [key, node] : document.root) {
    const std::string name(key.str());
    require_known(name, key);
    if (contains(known, name)) continue;
    const bool several = contains(paths, name + "[]");
    if (several && !node.is_array_of_tables())
      Entry(document, name, {}).refuse(fmt::format("an array of tables, each [[{}]]", name));
    if (!several && !node.is_table())
      Entry(document, name, {}).refuse(fmt::format("a table, [{}]", name));
    const auto require_inner = [&](const toml::table& table, const std::string& section) {
      for (const auto& [inner, value] : table)
        require_known(fmt::format("{}.{}", section, inner.str()), inner);
    };
    if (several)
      for (const toml::node& table : *node.as_array())
        require_inner(*table.as_table(), name + "[]");
    else
      require_inner(*node.as_table(), name);
  }
}

}  // namespace embedscale::audit
