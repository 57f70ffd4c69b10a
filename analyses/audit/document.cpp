#include "audit/document.hpp"

#include "audit/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

namespace embedscale::audit {
namespace {

[[noreturn]] void fail_to_read(std::string_view file, const std::string& why) {
  throw InputError(fmt::format("{}: cannot be read: {}", printable(file, 200), why));
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

void require_shallow(std::string_view toml, std::string_view file) {
  int open = 0, dots = 0;
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at += string_length(toml.substr(at));
      continue;
    }
    if (c == '#') {
      at = std::min(toml.size(), toml.find('\n', at));
      continue;
    }
    if (c == '[' || c == '{') ++open;
    if (c == ']' || c == '}') --open;
    if (c == '\n' || c == '=' || c == ',') dots = 0;
    if (c == '.') ++dots;
    if (open > deepest_nesting || dots > deepest_nesting)
      throw ContentError(fmt::format(
          "{}:{}: is nested more than {} deep, which no configuration needs", printable(file, 200),
          1 + std::count(toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(at), '\n'),
          deepest_nesting));
    ++at;
  }
}

// toml++ takes a bare word for the start of a number or of true, and says so.
std::string_view quotes_hint(std::string_view toml, std::size_t line_number) {
  std::size_t start = 0;
  for (std::size_t line = 1; line < line_number; ++line)
    start = std::min(toml.find('\n', start), toml.size() - 1) + 1;
  const std::string_view line = toml.substr(start, toml.find('\n', start) - start);
  const std::size_t equals = line.find('=');
  const std::size_t value =
      equals == line.npos ? equals : line.find_first_not_of(" \t", equals + 1);
  const bool word = value != line.npos && std::isalpha(static_cast<unsigned char>(line[value]));
  return word ? " (words and formulas stand in quotes)" : "";
}

// What is handed in for a configuration now and then, by its first bytes.
std::string_view other_format(std::string_view text) {
  using namespace std::string_view_literals;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return "JSON";
  // Eight bytes with the length of a header, below 4 GB, then that header, which is JSON.
  if (text.size() > 8 && text[8] == '{' && text.substr(4, 4) == "\0\0\0\0"sv)
    return "a safetensors file";
  if (text.starts_with("\x93NUMPY")) return "a NumPy array";
  if (text.starts_with("PK\x03\x04")) return "a zip archive, as PyTorch and NumPy write them";
  if (text.starts_with("GGUF")) return "a GGUF file";
  return {};
}

void refuse_other_formats(std::string_view text, std::string_view file) {
  const auto format = other_format(text);
  if (format.empty()) return;
  const std::string_view but =
      format == "JSON" ? "a configuration is TOML; write its values into one, hidden_size as "
                         "model.d_model and so on"
                       : "weights do not tell how they were drawn and what the code multiplies; "
                         "write that into a configuration, which is TOML";
  throw ContentError(fmt::format("{}: is {}: {} (embedscale audit --keys tells all keys)",
                                 printable(file, 200), format, but));
}

}  // namespace

const toml::node* Document::find(const std::string& path) const {
  const std::size_t dot = path.find('.'), bracket = path.find('[');
  const toml::node* section = root.get(std::string_view(path).substr(0, std::min(dot, bracket)));
  if (section && section->is_array() && bracket < dot)
    section = section->as_array()->get(std::stoul(path.substr(bracket + 1)));
  if (dot == path.npos || !section) return section;
  return section->is_table() ? section->as_table()->get(path.substr(dot + 1)) : nullptr;
}

std::string read_source(const std::string& file) {
  std::ifstream opened;
  if (file != "-") {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) fail_to_read(file, error.message());
    if (std::filesystem::is_directory(status)) fail_to_read(file, "is a directory");
    opened.open(file, std::ios::binary);
    if (!opened) fail_to_read(file, std::error_code(errno, std::generic_category()).message());
  }
  std::istream& in = file == "-" ? std::cin : opened;
  std::string text(largest_source + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) fail_to_read(file, "reading failed");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Document parse_document(std::string_view toml, const std::string& file) try {
  refuse_other_formats(toml, file);
  if (toml.size() > largest_source)
    refuse_at({file}, 0,
              fmt::format("is larger than {} bytes, which no configuration needs", largest_source));
  if (toml.find_first_not_of(" \t\r\n") == toml.npos) refuse_at({file}, 0, "is empty");
  require_shallow(toml, file);
  return {file, toml::parse(toml, std::string_view(file))};
} catch (const toml::parse_error& error) {
  const std::size_t line = error.source().begin.line;
  refuse_at({file}, line,
            fmt::format("is not TOML: {}{}", printable(error.description(), 200),
                        quotes_hint(toml, line)));
}

toml::table value_of(const std::string& text) {
  require_shallow(text, "--set");
  // Of what begins with a letter only these are TOML: a word is no exception, which takes long.
  constexpr std::string_view values[] = {"true", "false", "inf", "nan"};
  const bool is_word = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) &&
                       std::ranges::count(values, text) == 0;
  if (!is_word) {
    try {
      toml::table table = toml::parse("value = " + text);
      if (table.size() == 1 && table.contains("value")) return table;
    } catch (const toml::parse_error&) {
      // Then it is a formula.
    }
  }
  toml::table word;
  word.insert("value", text);
  return word;
}

void refuse_at(const Document& document, std::size_t line, std::string_view what) {
  const std::string file = printable(document.file, 200);
  if (line == 0) throw ContentError(fmt::format("{}: {}", file, what));
  throw ContentError(fmt::format("{}:{}: {}", file, line, what));
}

}  // namespace embedscale::audit
