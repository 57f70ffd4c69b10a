#include "audit/error.hpp"

#include "report/table.hpp"

#include <fmt/core.h>

#include <algorithm>

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

}  // namespace

std::string printable(std::string_view text, std::size_t width) {
  // Escaping only lengthens, so what lies beyond `width` code points need not be looked at; nor
  // what lies beyond four bytes for each, as bytes that are no UTF-8 might go on for ever.
  const std::string_view start = text.substr(0, 4 * (width + 1));
  const std::string line = escaped(start.substr(0, length_of(start, width + 1)));
  if (report::width_of(line) <= width) return line;
  return line.substr(0, length_of(line, width - 1)) + "…";
}

}  // namespace embedscale::audit
