#pragma once
// The mutation operators on statements and lists, and all operators together.
#include <string>
#include <utility>
#include <vector>

#include "operators.hpp"

namespace embedscale::properties::mutation {
namespace detail {

/// Whether a statement begins at `i`: behind ; { } else, or the head of an if, for or while.
inline bool begins_statement(const Source& source, std::size_t i) {
  if (i == 0 || (source.enclosing(i) != Source::none && !source.is(source.enclosing(i), "{")))
    return false;
  if (source.is(i - 1, ";") || source.is(i - 1, "{") || source.is(i - 1, "}") ||
      source.is(i - 1, "else"))
    return true;
  if (!source.is(i - 1, ")") || source.partner(i - 1) == Source::none) return false;
  const auto head = source.partner(i - 1) - 1;  // a ( at the start would wrap, and is() says no
  return source.is(head, "if") || source.is(head, "for") || source.is(head, "while");
}

/// Whether tokens first … last contain two operands side by side, as `Real sum` and `const Real& x`
/// do: a declaration.
inline bool declares(const Source& source, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    if (source.is(i, "(") || source.is(i, "{")) i = source.partner(i);
    const bool suffix = source.is(i, ">") || source.is(i, "&") || source.is(i, "*");
    const bool type = source.is_word(i) || (suffix && !source.is_binary(i));
    if (type && source.is_word(i + 1) && !source.is(i, "return")) return true;
  }
  return false;
}

/// Where the statement i … end assigns, or `end`; a list in braces or a control word: nowhere.
inline std::size_t assignment_in(const Source& source, std::size_t i, std::size_t end) {
  constexpr std::array<std::string_view, 5> assignments{"=", "+=", "-=", "*=", "/="};
  for (; i < end; ++i) {
    if (std::ranges::count(assignments, source[i].text) > 0) return i;
    if (source.is(i, "{")) return end;
    if (source.is(i, "(") || source.is(i, "[")) i = source.partner(i);
  }
  return end;
}

inline void statement(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  constexpr std::array<std::string_view, 9> others{"if",    "for",   "while",    "using", "else",
                                                   "class", "const", "template", "do"};
  if (!begins_statement(source, i) || std::ranges::count(others, source[i].text) > 0) return;
  const auto end = source.statement_end(i);
  if (end == Source::none || end == i) return;
  const bool leaves = source.is(i, "return") || source.is(i, "throw");
  const bool jumps =
      source.is(i, "continue") || source.is(i, "break") || (leaves && source.is(i - 1, ")"));
  const bool counts = source.is(i, "++") || source.is(i, "--");
  const auto assignment = assignment_in(source, i, end);
  const bool assigns = assignment < end && source.is_word(i) && !declares(source, i, assignment);
  const auto open = source.is(end - 1, ")") ? source.partner(end - 1) : Source::none;
  const bool calls = !leaves && source.is_word(i) && open != Source::none && open > i &&
                     source.is_word(open - 1) && !declares(source, i, open);
  if (!(jumps || counts || assigns || calls)) return;
  if (source.left_alone(i) && !source.is(i, "throw")) return;
  edits.push_back({source[i].begin, source[end].end() - source[i].begin, ";", Operator::statement});
}

/// The entries between brackets, as first and last token; empty where one of them is no value.
inline std::vector<std::pair<std::size_t, std::size_t>> entries(const Source& source,
                                                                std::size_t open) {
  const auto close = source.partner(open);
  std::vector<std::pair<std::size_t, std::size_t>> list;
  for (auto first = open + 1; first < close;) {
    auto i = first;
    while (i < close && !source.is(i, ",")) {
      if (source.is(i, ";")) return {};
      const auto angle = source.template_end(i);
      if (angle != Source::none)
        i = angle;
      else if (source.partner(i) != Source::none)
        i = source.partner(i);
      ++i;
    }
    if (i == first || declares(source, first, i - 1) || source.is(first, "[") ||
        source.is(first, ".") || source[first].kind == Token::Kind::string)
      return {};
    list.emplace_back(first, i - 1);
    first = i + 1;
  }
  return list;
}

inline void arguments(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  constexpr std::array<std::string_view, 8> no_calls{"if",  "for", "while", "switch",
                                                     "min", "max", "copy",  "fill"};
  if (i == 0 || source.partner(i) == Source::none) return;
  const bool call = source.is(i, "(") && source.is_word(i - 1) &&
                    std::ranges::count(no_calls, source[i - 1].text) == 0;
  const bool braces = source.is(i, "{") && (source.is(i - 1, "return") || source.is(i - 1, "=") ||
                                            source.is(i - 1, "(") || source.is(i - 1, "{"));
  if (!call && !braces) return;
  const auto list = entries(source, i);
  for (std::size_t k = 0; k + 1 < list.size(); ++k) {
    const auto one = source.between(list[k].first, list[k].second);
    const auto other = source.between(list[k + 1].first, list[k + 1].second);
    if (one == other) continue;
    const auto both = source.between(list[k].first, list[k + 1].second);
    edits.push_back({source[list[k].first].begin, both.size(),
                     std::string(other) + ", " + std::string(one), Operator::arguments});
  }
}

inline void sign(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  if (source.is(i, "-") && i > 0 && !source.ends_operand(i - 1) && source.touches_next(i))
    edits.push_back({source[i].begin, 1, "", Operator::sign});
  if (!source.is(i, "return")) return;
  const auto end = source.statement_end(i);
  if (end == Source::none || end == i + 1) return;
  bool computes = false;
  for (auto k = i + 1; k < end; ++k) {
    if (source.is(k, "?") || source.is(k, "<<") || source.is(k, "{") || source.is(k, "==")) return;
    computes = computes || (source.is_binary(k) && (source.is(k, "+") || source.is(k, "-") ||
                                                    source.is(k, "*") || source.is(k, "/")));
  }
  const std::string value(source.between(i + 1, end - 1));
  if (computes)
    edits.push_back({source[i + 1].begin, value.size(), "-(" + value + ")", Operator::sign});
}
}  // namespace detail

/// Every mutant of a header, in the order of their places.
inline std::vector<Mutant> mutants_of(const std::string& header, const std::string& text) {
  const Source source(text);
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < source.size(); ++i) {
    detail::statement(source, i, edits);  // a guarded throw can go, what it says cannot change
    if (source.left_alone(i)) continue;
    detail::arithmetic(source, i, edits);
    detail::relational(source, i, edits);
    detail::logical(source, i, edits);
    detail::constant(source, i, edits);
    detail::arguments(source, i, edits);
    detail::sign(source, i, edits);
    detail::function(source, i, edits);
  }
  return name_edits(header, text, std::move(edits));
}

}  // namespace embedscale::properties::mutation
