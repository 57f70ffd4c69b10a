#pragma once
// A C++ source text as tokens, as far as mutating it needs: comments are left out, a preprocessor
// directive is one token, and so is a string, raw or not.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <vector>

namespace embedscale::properties::mutation {

struct Token {
  enum class Kind { word, number, string, character, punctuator, directive };
  Kind kind;
  std::size_t begin;      ///< offset of the first byte
  std::string_view text;  ///< a part of the source, which has to outlive it

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view other) const { return text == other; }
};

namespace detail {
inline bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Longest first; what is not here is a punctuator of one byte. `>>` is left out, as it may close
// two template lists: shifts are two tokens without a space between them.
constexpr std::array<std::string_view, 25> punctuators{
    "<=>", "<<=", "...", "->*", "::", "->", "++", "--", "<<", "<=", ">=", "==", "!=",
    "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", ".*", "##"};

/// How many bytes the comment, blank or token at the start of `rest` has.
inline std::size_t up_to(std::string_view rest, std::string_view closing, std::size_t from) {
  const auto at = rest.find(closing, from);
  return at == rest.npos ? rest.size() : at + closing.size();
}

inline std::size_t quoted(std::string_view rest, std::size_t opening) {
  const char quote = rest[opening];
  std::size_t i = opening + 1;
  while (i < rest.size() && rest[i] != quote) i += rest[i] == '\\' ? 2 : 1;
  return std::min(i + 1, rest.size());
}

/// A directive ends with its line, unless a backslash continues that; its comments belong to it.
inline std::size_t directive(std::string_view rest) {
  std::size_t i = 0;
  while (i < rest.size() && !(rest[i] == '\n' && (i == 0 || rest[i - 1] != '\\'))) ++i;
  return i;
}

/// R"mark( … )mark"
inline std::size_t raw_string(std::string_view rest) {
  const auto open = rest.find('(');
  if (open == rest.npos) return rest.size();
  std::array<char, 20> closing{};
  const auto mark = rest.substr(2, std::min<std::size_t>(open - 2, 16));
  closing[0] = ')';
  std::ranges::copy(mark, closing.begin() + 1);
  closing[mark.size() + 1] = '"';
  return up_to(rest, {closing.data(), mark.size() + 2}, open);
}

/// A number with its digit separators, exponents (their signs, too) and suffixes.
inline std::size_t number(std::string_view rest) {
  std::size_t i = 1;
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  const std::string_view exponents = hexadecimal ? "pP" : "eE";
  while (i < rest.size() &&
         (in_word(rest[i]) || rest[i] == '.' || rest[i] == '\'' ||
          ((rest[i] == '+' || rest[i] == '-') && exponents.find(rest[i - 1]) != rest.npos)))
    ++i;
  return i;
}
}  // namespace detail

inline std::vector<Token> tokens_of(std::string_view source) {
  std::vector<Token> tokens;
  bool line_begins = true;  // nothing but blanks so far: a # starts a directive
  for (std::size_t at = 0; at < source.size();) {
    const auto rest = source.substr(at);
    const char c = rest[0];
    const auto take = [&](Token::Kind kind, std::size_t size) {
      tokens.push_back({kind, at, rest.substr(0, size)});
      line_begins = false;
      at += size;
    };
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      line_begins = line_begins || c == '\n';
      ++at;
    } else if (rest.starts_with("//")) {
      at += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      at += detail::up_to(rest, "*/", 2);
    } else if (c == '#' && line_begins) {
      take(Token::Kind::directive, detail::directive(rest));
    } else if (rest.starts_with("R\"")) {
      take(Token::Kind::string, detail::raw_string(rest));
    } else if (c == '"') {
      take(Token::Kind::string, detail::quoted(rest, 0));
    } else if (c == '\'') {
      take(Token::Kind::character, detail::quoted(rest, 0));
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && rest.size() > 1 && std::isdigit(static_cast<unsigned char>(rest[1])))) {
      take(Token::Kind::number, detail::number(rest));
    } else if (detail::in_word(c)) {
      std::size_t size = 1;
      while (size < rest.size() && detail::in_word(rest[size])) ++size;
      take(Token::Kind::word, size);
    } else {
      const auto known = std::ranges::find_if(
          detail::punctuators, [&](std::string_view p) { return rest.starts_with(p); });
      take(Token::Kind::punctuator, known == detail::punctuators.end() ? 1 : known->size());
    }
  }
  return tokens;
}

}  // namespace embedscale::properties::mutation
