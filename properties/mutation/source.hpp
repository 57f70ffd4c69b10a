#pragma once
// A source text as the mutation operators see it: its tokens, which bracket closes which, where
// operands end, which tokens lie where no mutant is wanted.
//
// This is no parser. It leans on clang-format: a binary operator has a space on both sides, the <
// of a template list touches the name before it. Where it guesses wrong, the mutant does not
// compile and is not counted.
#include <algorithm>
#include <array>
#include <cstddef>
#include <regex>
#include <string_view>
#include <vector>

namespace embedscale::properties::mutation {

struct Token {
  enum class Kind { directive, literal, number, word, punctuator };
  Kind kind;
  std::size_t begin;      ///< offset of the first byte
  std::string_view text;  ///< a part of the source

  std::size_t end() const { return begin + text.size(); }
};

/// Comments are left out; a directive is one token, and so is a string, raw or not. >> is two, as
/// it may close two template lists.
inline std::vector<Token> tokens_of(std::string_view source) {
  // A group for each kind, in their order; a comment is in none. The third is a raw string's mark.
  static const std::regex pattern(
      R"re(//[^\n]*|/\*[^]*?\*/)re"
      R"re(|(#(?:\\\n|[^\n])*))re"
      R"re(|(R"([^(\s]*)\([^]*?\)\3"|"(?:\\[^]|[^"\\])*"?|'(?:\\[^]|[^'\\])*'?))re"
      R"re(|(0[xX](?:[pP][+-]|[\w.'])*|\.?\d(?:[eE][+-]|[\w.'])*))re"
      R"re(|(\w+))re"
      R"re(|(<=>|<<=|\.\.\.|->\*|::|->|\+\+|--|<<|&&|\|\||[<>=!+\-*/%&|^]=|\.\*|##|\S))re");
  constexpr std::array<std::size_t, 5> groups{1, 2, 4, 5, 6};
  std::vector<Token> tokens;
  for (std::cregex_iterator match(source.begin(), source.end(), pattern), end; match != end;
       ++match)
    for (std::size_t kind = 0; kind < groups.size(); ++kind)
      if ((*match)[groups[kind]].matched) {
        const auto begin = static_cast<std::size_t>(match->position());
        tokens.push_back({static_cast<Token::Kind>(kind), begin,
                          source.substr(begin, static_cast<std::size_t>(match->length()))});
      }
  return tokens;
}

class Source {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Requires  that the text outlives it.
  explicit Source(std::string_view text)
      : text_(text),
        tokens_(tokens_of(text)),
        partner_(size(), none),
        enclosing_(size(), none),
        left_alone_(size(), false) {
    match_brackets();
    for (std::size_t i = 0; i < size(); ++i) {
      if (tokens_[i].kind == Token::Kind::directive) left_alone_[i] = true;
      if (is(i, "static_assert", "throw", "using", "concept", "enum"))
        leave_alone(i, statement_end(i));
      if (is(i, "operator")) leave_alone(i, std::min(i + 2, size() - 1));
      leave_alone(i, template_end(i));
    }
  }

  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t i) const { return tokens_[i]; }

  /// Whether token `i` exists and is one of these.
  template <class... Texts>
  bool is(std::size_t i, const Texts&... texts) const {
    return i < size() && ((tokens_[i].text == texts) || ...);
  }
  bool is_word(std::size_t i) const { return i < size() && tokens_[i].kind == Token::Kind::word; }
  /// The other bracket of a pair, or `none`.
  std::size_t partner(std::size_t i) const { return partner_[i]; }
  /// The innermost bracket that is open at `i`, or `none`.
  std::size_t enclosing(std::size_t i) const { return enclosing_[i]; }
  /// In a template list, a type alias, a static_assert, what is thrown, a concept: no mutants.
  bool left_alone(std::size_t i) const { return left_alone_[i]; }

  /// The text of tokens first … last.
  std::string_view between(std::size_t first, std::size_t last) const {
    return text_.substr(tokens_[first].begin, tokens_[last].end() - tokens_[first].begin);
  }
  bool touches_next(std::size_t i) const {
    return i + 1 < size() && tokens_[i].end() == tokens_[i + 1].begin;
  }

  /// Whether a value may end here, so that an operator after it is a binary one.
  bool ends_operand(std::size_t i) const {
    if (i >= size()) return false;
    if (is_word(i))
      return !is(i, "return", "throw", "case", "else", "const", "constexpr", "static", "auto",
                 "operator", "typename", "if");
    const auto kind = tokens_[i].kind;
    return kind == Token::Kind::number || kind == Token::Kind::literal || is(i, ")", "]", "}");
  }
  /// A binary operator of `width` tokens (2 for >>), with a space on both sides.
  bool is_binary(std::size_t i, std::size_t width = 1) const {
    return i > 0 && i + width < size() && ends_operand(i - 1) && !touches_next(i - 1) &&
           !touches_next(i + width - 1);
  }

  /// The `;` that ends what begins at `i`, or `none` where a bracket closes first.
  std::size_t statement_end(std::size_t i) const {
    for (; i < size() && !is(i, ";"); ++i) {
      if (is(i, ")", "]", "}")) return none;
      if (partner_[i] != none) i = partner_[i];
    }
    return i < size() ? i : none;
  }
  /// The > of a template list whose < touches the word before it, or `none`.
  std::size_t template_end(std::size_t i) const {
    if (!is(i, "<") || !is_word(i - 1) || !(touches_next(i - 1) || is(i - 1, "template")))
      return none;
    for (std::size_t depth = 0; i < size() && !is(i, ";", "{"); ++i) {
      if (is(i, "<")) ++depth;
      if (is(i, ">") && --depth == 0) return i;
      if (is(i, "(") && partner_[i] != none) i = partner_[i];
    }
    return none;
  }

 private:
  void match_brackets() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < size(); ++i) {
      if (is(i, ")", "]", "}") && !open.empty()) {
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
      enclosing_[i] = open.empty() ? none : open.back();
      if (is(i, "(", "[", "{")) open.push_back(i);
    }
    for (const auto i : open) partner_[i] = size() - 1;  // never closed: the text ends it
  }
  void leave_alone(std::size_t first, std::size_t last) {
    for (std::size_t i = first; last != none && i <= last; ++i) left_alone_[i] = true;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partner_, enclosing_;
  std::vector<bool> left_alone_;
};

}  // namespace embedscale::properties::mutation
