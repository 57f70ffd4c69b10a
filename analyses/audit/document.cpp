#include "audit/document.hpp"

#include "audit/error.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace embedscale::audit {
namespace {

// Counts brackets, and dots of one key, outside of strings and comments. Strings in three quotes,
// which no value needs, might hide some.
void require_shallow(std::string_view toml, std::string_view file) {
  int open = 0, dots = 0;
  char within = 0;  // a string in these quotes, or a comment
  std::ptrdiff_t line = 1;
  const auto refuse = [&](const std::string& what) {
    throw ContentError(
        fmt::format("{}:{}: {}, which no configuration needs", printable(file, 200), line, what));
  };
  for (std::size_t at = 0; at < toml.size(); ++at) {
    const char c = toml[at];
    if (c == '\n') ++line, within = 0, dots = 0;
    if (within != 0) {
      if (c == '\\' && within == '"' && toml.substr(at + 1, 1) != "\n") ++at;
      if (c == within && c != '#') within = 0;
      continue;
    }
    if (c == '"' || c == '\'') {
      if (toml.substr(at, 3) == std::string(3, c)) refuse("has a string in three quotes");
      within = c;
    }
    if (c == '#') within = c;
    if (c == '[' || c == '{') ++open;
    if (c == ']' || c == '}') --open;
    if (c == '=' || c == ',') dots = 0;
    if (c == '.') ++dots;
    if (open > deepest_nesting || dots > deepest_nesting)
      refuse(fmt::format("is nested more than {} deep", deepest_nesting));
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

// What is handed in for a configuration now and then, by some of its first bytes.
void refuse_other_formats(std::string_view text, std::string_view file) {
  using namespace std::string_view_literals;
  constexpr std::string_view weights =
      "weights do not tell how they were drawn and what the code multiplies; write that into a "
      "configuration, which is TOML";
  const struct {
    std::size_t at;
    std::string_view bytes, is, but;
  } formats[] = {
      // Eight bytes with the length of a header, below 4 GB, then that header, which is JSON.
      {4, "\0\0\0\0{"sv, "a safetensors file", weights},
      {0, "\x93NUMPY", "a NumPy array", weights},
      {0, "PK\x03\x04", "a zip archive, as PyTorch and NumPy write them", weights},
      {0, "GGUF", "a GGUF file", weights}};
  for (const auto& [at, bytes, is, but] : formats)
    if (text.substr(std::min(at, text.size())).starts_with(bytes))
      throw ContentError(fmt::format("{}: is {}: {} (embedscale audit --keys tells all keys)",
                                     printable(file, 200), is, but));
}

}  // namespace

const toml::node* Document::find(const std::string& path) const {
  return toml::at_path(root, path).node();
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
