#include "audit/error.hpp"

#include "report/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace embedscale::audit {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

unsigned byte(char c) { return static_cast<unsigned char>(c); }

// The control characters below U+0020, U+007F, and U+0080 … U+009F, which UTF-8 has as c2 80 … 9f:
// a terminal may obey those too.
std::size_t control_length(std::string_view rest) {
  if (byte(rest[0]) < 0x20u || rest[0] == '\x7f') return 1;
  const bool second = rest.size() > 1 && byte(rest[1]) >= 0x80u && byte(rest[1]) <= 0x9fu;
  return rest[0] == '\xc2' && second ? 2 : 0;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = control_length(text.substr(at));
    for (std::size_t i = 0; i < length; ++i) out += fmt::format("\\x{:02x}", byte(text[at + i]));
    if (length == 0) out += text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

// The bytes of the first `count` code points.
std::size_t length_of(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (!continues(text[end]) && count-- == 0) break;
  return end;
}

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

}  // namespace

std::string printable(std::string_view text, std::size_t width) {
  // Escaping only lengthens, so what lies beyond `width` code points need not be looked at; nor
  // what lies beyond four bytes for each, as bytes that are no UTF-8 might go on for ever.
  const std::string_view start = text.substr(0, 4 * (width + 1));
  const std::string line = escaped(start.substr(0, length_of(start, width + 1)));
  if (report::width_of(line) <= width) return line;
  return line.substr(0, length_of(line, width - 1)) + "…";
}

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

}  // namespace embedscale::audit
