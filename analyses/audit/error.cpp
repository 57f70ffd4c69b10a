#include "audit/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace embedscale::audit {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

bool controls(char c) { return static_cast<unsigned char>(c) < 0x20u || c == '\x7f'; }

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (controls(c))
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

// The bytes of the first `count` code points.
std::size_t length_of(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; end < text.size(); ++end)
    if (!continues(text[end]) && count-- == 0) break;
  return end;
}

}  // namespace

std::string shown(std::string_view text, std::size_t width) {
  // Escaping only lengthens, so what lies beyond `width` code points need not be looked at.
  const std::string line = escaped(text.substr(0, length_of(text, width + 1)));
  if (code_points(line) <= width) return line;
  return line.substr(0, length_of(line, width - 1)) + "…";
}

}  // namespace embedscale::audit
