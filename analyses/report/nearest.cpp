#include "report/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace embedscale::report {
namespace {

constexpr std::size_t few = 8;

// Damerau 1964, where two exchanged letters are one edit; three rows of the table at a time.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before, last, row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    before = std::exchange(last, std::exchange(row, std::vector(to.size() + 1, i + 1)));
    for (std::size_t j = 0; j < to.size(); ++j) {
      row[j + 1] = std::min({last[j] + (from[i] == to[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1});
      if (i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
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

std::size_t apart(std::string_view name, std::string_view candidate) {
  const std::string_view own = last_part(name), its = last_part(candidate);
  const std::size_t edited = edits(own, its);
  return shortens(own, its) ? std::min<std::size_t>(edited, 1) : edited;
}

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> known,
                    std::string_view otherwise) {
  const std::string_view start = name.substr(0, 100);
  const auto distance = [&](const std::string& candidate) {
    return std::tuple(apart(start, candidate), last_part(candidate).size() != candidate.size(),
                      edits(start, candidate));
  };
  const auto found = std::ranges::min_element(known, {}, distance);
  if (found != known.end()) {
    const auto length = std::max(last_part(start).size(), last_part(*found).size());
    if (apart(start, *found) <= std::max<std::size_t>(1, length / 3)) return "nearest is " + *found;
  }
  if (known.empty() || known.size() > few) return std::string(otherwise);
  return fmt::format("there are {}", fmt::join(known, ", "));
}

}  // namespace embedscale::report
