#pragma once
// A source text with what the mutation operators ask of it: which bracket closes which, where
// operands end, which tokens lie where no mutant is wanted.
//
// This is no parser. It leans on clang-format: a binary operator has a space on both sides, the <
// of a template list touches the name before it. Where it guesses wrong, the mutant does not
// compile and is not counted.
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokens.hpp"

namespace embedscale::properties::mutation {

class Source {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  explicit Source(std::string text)
      : text_(std::move(text)),
        tokens_(tokens_of(text_)),
        partner_(tokens_.size(), none),
        enclosing_(tokens_.size(), none),
        left_alone_(tokens_.size(), false) {
    match_brackets();
    for (std::size_t i = 0; i < size(); ++i) leave_alone_from(i);
  }
  Source(const Source&) = delete;  // the tokens look into text_
  Source& operator=(const Source&) = delete;

  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t i) const { return tokens_[i]; }
  const std::string& text() const { return text_; }

  bool is(std::size_t i, std::string_view text) const { return i < size() && tokens_[i].is(text); }
  bool is_word(std::size_t i) const { return i < size() && tokens_[i].kind == Token::Kind::word; }
  /// The other bracket of a pair, or `none`.
  std::size_t partner(std::size_t i) const { return partner_[i]; }
  /// The innermost bracket that is open at `i`, or `none`.
  std::size_t enclosing(std::size_t i) const { return enclosing_[i]; }
  /// In a template list, a type alias, a static_assert, what is thrown, a concept: no mutants.
  bool left_alone(std::size_t i) const { return left_alone_[i]; }

  /// The text of tokens first … last.
  std::string_view between(std::size_t first, std::size_t last) const {
    return std::string_view(text_).substr(tokens_[first].begin,
                                          tokens_[last].end() - tokens_[first].begin);
  }
  bool touches_next(std::size_t i) const {
    return i + 1 < size() && tokens_[i].end() == tokens_[i + 1].begin;
  }

  /// Whether a value may end here, so that an operator after it is a binary one.
  bool ends_operand(std::size_t i) const {
    if (i >= size()) return false;
    constexpr std::array<std::string_view, 11> not_values{"return",   "throw",     "case",   "else",
                                                          "const",    "constexpr", "static", "auto",
                                                          "operator", "typename",  "if"};
    switch (tokens_[i].kind) {
      case Token::Kind::word: return std::ranges::count(not_values, tokens_[i].text) == 0;
      case Token::Kind::number:
      case Token::Kind::string:
      case Token::Kind::character: return true;
      default: return is(i, ")") || is(i, "]") || is(i, "}");
    }
  }

  /// A binary operator of `width` tokens (2 for >>), with a space on both sides.
  bool is_binary(std::size_t i, std::size_t width = 1) const {
    return i > 0 && i + width < size() && ends_operand(i - 1) && !touches_next(i - 1) &&
           !touches_next(i + width - 1);
  }

  /// The `;` that ends what begins at `i`, or `none` where a bracket closes first.
  std::size_t statement_end(std::size_t i) const {
    for (; i < size() && !is(i, ";"); ++i) {
      if (is(i, ")") || is(i, "]") || is(i, "}")) return none;
      if (partner_[i] != none) i = partner_[i];
    }
    return i < size() ? i : none;
  }

  /// The > of a template list whose < touches the word before it, or `none`.
  std::size_t template_end(std::size_t i) const {
    const bool opens =
        is(i, "<") && i > 0 && is_word(i - 1) && (touches_next(i - 1) || is(i - 1, "template"));
    if (!opens) return none;
    for (std::size_t depth = 0; i < size() && !is(i, ";") && !is(i, "{"); ++i) {
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
      const bool closes = is(i, ")") || is(i, "]") || is(i, "}");
      if (closes && !open.empty()) {
        partner_[i] = open.back();
        partner_[open.back()] = i;
        open.pop_back();
      }
      enclosing_[i] = open.empty() ? none : open.back();
      if (is(i, "(") || is(i, "[") || is(i, "{")) open.push_back(i);
    }
    for (const auto i : open) partner_[i] = size() - 1;  // never closed: the text ends it
  }

  void leave_alone(std::size_t first, std::size_t last) {
    for (std::size_t i = first; last != none && i <= last; ++i) left_alone_[i] = true;
  }
  void leave_alone_from(std::size_t i) {
    constexpr std::array<std::string_view, 5> whole{"static_assert", "throw", "using", "concept",
                                                    "enum"};
    if (tokens_[i].kind == Token::Kind::directive) left_alone_[i] = true;
    if (is_word(i) && std::ranges::count(whole, tokens_[i].text) > 0)
      leave_alone(i, statement_end(i));
    if (is(i, "operator")) leave_alone(i, std::min(i + 2, size() - 1));
    leave_alone(i, template_end(i));
  }

  std::string text_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> partner_, enclosing_;
  std::vector<bool> left_alone_;
};

}  // namespace embedscale::properties::mutation
