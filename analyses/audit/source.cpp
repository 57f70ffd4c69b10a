#include "audit/source.hpp"

#include "audit/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace embedscale::audit {
namespace {

[[noreturn]] void fail_to_read(std::string_view file, const std::string& why) {
  throw InputError(fmt::format("{}: cannot be read: {}", shown(file, 200), why));
}

// The length of the string that `rest` opens with: TOML has "…", '…', """…""" and '''…'''. One on
// a single line ends with the line at the latest, where the parser will refuse it.
std::size_t string_length(std::string_view rest) {
  const char quote = rest[0];
  const bool multiline = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  const std::string_view close = multiline ? rest.substr(0, 3) : rest.substr(0, 1);
  std::size_t at = close.size();
  for (; at < rest.size() && !rest.substr(at).starts_with(close); ++at) {
    if (!multiline && rest[at] == '\n') return at;
    if (quote == '"' && rest[at] == '\\') ++at;
  }
  at = std::min(rest.size(), at + close.size());
  // A multi-line string may end in up to two quotes of its own, just before the closing three.
  for (int extra = 0; multiline && extra < 2 && at < rest.size() && rest[at] == quote; ++extra)
    ++at;
  return at;
}

std::size_t comment_length(std::string_view rest) { return std::min(rest.size(), rest.find('\n')); }

}  // namespace

std::string read_source(std::istream& in, std::string_view file) {
  std::string text(largest_source + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) fail_to_read(file, "reading failed");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > largest_source)
    throw ContentError(fmt::format("{}: is larger than {} bytes, which no configuration needs",
                                   shown(file, 200), largest_source));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw ContentError(fmt::format("{}: is empty", shown(file, 200)));
  return text;
}

std::string read_source(const std::string& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) fail_to_read(file, error.message());
  if (std::filesystem::is_directory(status)) fail_to_read(file, "is a directory");
  std::ifstream in(file, std::ios::binary);
  if (!in) fail_to_read(file, std::error_code(errno, std::generic_category()).message());
  return read_source(in, file);
}

void require_shallow(std::string_view toml, std::string_view file) {
  int open = 0, dots = 0;
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at += string_length(toml.substr(at));
      continue;
    }
    if (c == '#') {
      at += comment_length(toml.substr(at));
      continue;
    }
    if (c == '[' || c == '{') ++open;
    if (c == ']' || c == '}') --open;
    if (c == '\n' || c == '=' || c == ',') dots = 0;
    if (c == '.') ++dots;
    if (open > deepest_nesting || dots > deepest_nesting)
      throw ContentError(fmt::format(
          "{}:{}: is nested more than {} deep, which no configuration needs", shown(file, 200),
          1 + std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(at), '\n'),
          deepest_nesting));
    ++at;
  }
}

}  // namespace embedscale::audit
