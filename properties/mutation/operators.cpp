// The mutation operators: what each makes of a text.
#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "mutant.hpp"
#include "source.hpp"

namespace embedscale::properties::mutation {
namespace {

using Swaps = std::map<std::string_view, std::vector<std::string_view>>;
const Swaps arithmetic{{"+", {"-"}},        {"-", {"+"}},        {"*", {"/", "+"}},
                       {"/", {"*", "-"}},   {"%", {"/"}},        {"&", {"|"}},
                       {"|", {"&"}},        {"^", {"|"}},        {"+=", {"-=", "="}},
                       {"-=", {"+=", "="}}, {"*=", {"/=", "="}}, {"/=", {"*=", "="}}};
const Swaps relational{{"<", {"<=", ">="}}, {"<=", {"<", ">"}}, {">", {">=", "<="}},
                       {">=", {">", "<"}},  {"==", {"!="}},     {"!=", {"=="}}};
const Swaps logical{{"&&", {"||"}}, {"||", {"&&"}}};
const Swaps steps{{"++", {"--"}}, {"--", {"++"}}};
const Swaps negation{{"!", {""}}};
const Swaps truth{{"true", {"false"}}, {"false", {"true"}}};
const Swaps functions{
    {"sin", {"cos"}},       {"cos", {"sin"}},    {"floor", {"ceil"}}, {"ceil", {"floor"}},
    {"min", {"max"}},       {"max", {"min"}},    {"exp", {"expm1"}},  {"expm1", {"exp"}},
    {"log", {"log1p"}},     {"log1p", {"log"}},  {"erf", {"erfc"}},   {"erfc", {"erf"}},
    {"sqrt", {"cbrt"}},     {"real", {"imag"}},  {"imag", {"real"}},  {"all_of", {"any_of"}},
    {"any_of", {"all_of"}}, {"last", {"first"}}, {"first", {"last"}}, {"infinity", {"max"}}};

/// What may stand for a number: its neighbours; for 1/2, 2 and such also its double or half.
std::vector<std::string> instead_of(const std::string& number) {
  static const std::regex power_of_two(R"((0x[^p]*p)(-?\d+))"), whole(R"((\d+)(\.0|[uUlL]*))");
  if (number.find('\'') != number.npos) return {};
  if (number == "0.0") return {"1.0"};
  if (number == "0.5") return {"2.0", "0.25"};
  std::smatch part;
  if (std::regex_match(number, part, power_of_two)) {
    const auto exponent = std::stoi(part.str(2));
    return {part.str(1) + std::to_string(exponent + 1), part.str(1) + std::to_string(exponent - 1)};
  }
  if (number.starts_with("0x")) return {};
  if (!std::regex_match(number, part, whole)) return {"2 * " + number};
  const auto n = std::stoull(part.str(1));
  std::vector<std::string> others{std::to_string(n + 1) + part.str(2)};
  if (n > 0) others.push_back(std::to_string(n - 1) + part.str(2));
  return others;
}

class Editor {
 public:
  explicit Editor(std::string_view text) : source_(text) {}

  std::vector<Edit> edits() {
    for (std::size_t i = 0; i < source_.size(); ++i) {
      statement(i);  // a guarded throw can go, what it says cannot change
      if (!source_.left_alone(i)) token(i);
    }
    std::ranges::stable_sort(edits_, {}, &Edit::begin);
    return std::move(edits_);
  }

 private:
  void replace(Operator op, std::size_t first, std::size_t last, std::string replacement) {
    edits_.push_back(
        {source_[first].begin, source_.between(first, last).size(), std::move(replacement), op});
  }
  void swap(Operator op, std::size_t i, const Swaps& swaps) {
    if (const auto row = swaps.find(source_[i].text); row != swaps.end())
      for (const auto other : row->second) replace(op, i, i, std::string(other));
  }

  void token(std::size_t i) {
    if (source_.is_binary(i)) {
      swap(Operator::arithmetic, i, arithmetic);
      swap(Operator::relational, i, relational);
      swap(Operator::logical, i, logical);
      if (source_.is(i, "<<") && !writes(i)) replace(Operator::arithmetic, i, i, ">>");
    }
    if (source_.is(i, ">") && source_.is(i + 1, ">") && source_.touches_next(i) &&
        source_.is_binary(i, 2))
      replace(Operator::arithmetic, i, i + 1, "<<");
    swap(Operator::arithmetic, i, steps);
    swap(Operator::logical, i, negation);
    swap(Operator::constant, i, truth);
    if (source_[i].kind == Token::Kind::number)
      for (auto& other : instead_of(std::string(source_[i].text)))
        replace(Operator::constant, i, i, other);
    condition(i);
    arguments(i);
    sign(i);
    // `Format sin(Format a)` declares one; max() is numeric_limits'.
    const bool called = source_.is(i + 1, "(") &&
                        (!source_.is_word(i - 1) || source_.is(i - 1, "return")) &&
                        !(source_.is(i, "max") && source_.is(i + 2, ")"));
    if (called) swap(Operator::function, i, functions);
  }

  /// Whether << at `i` writes to a stream: the chain it is in starts with one by its usual name.
  bool writes(std::size_t i) const {
    while (i > 0 && !source_.is(i - 1, ";", "{", ")")) --i;
    return source_.is(source_.is(i, "return") ? i + 1 : i, "out", "message");
  }

  /// A condition negated: `a ?`, and what is in the brackets of an if.
  void condition(std::size_t i) {
    if (source_.is_word(i) && source_.is(i + 1, "?") &&
        source_.is(i - 1, "(", "[", "=", ",", "return"))
      edits_.push_back({source_[i].begin, 0, "!", Operator::logical});
    const bool guards =
        source_.is(i, "(") &&
        (source_.is(i - 1, "if") || (source_.is(i - 1, "constexpr") && source_.is(i - 2, "if")));
    if (guards && !compares_once(i))
      replace(Operator::logical, i, source_.partner(i),
              "(!" + std::string(source_.between(i, source_.partner(i))) + ")");
  }

  /// Whether the condition from ( on is one comparison, whose opposite `relational` has.
  bool compares_once(std::size_t open) const {
    std::size_t comparisons = 0, others = 0;
    for (auto i = open; i < source_.partner(open); ++i) {
      others += source_.is(i, "&&", "||");
      comparisons += relational.contains(source_[i].text) && source_.is_binary(i);
    }
    return comparisons == 1 && others == 0;
  }

  /// Whether a statement begins at `i`: behind ; { } else, or the head of an if, for or while.
  bool begins_statement(std::size_t i) const {
    if (i == 0 || (source_.enclosing(i) != Source::none && !source_.is(source_.enclosing(i), "{")))
      return false;
    if (source_.is(i - 1, ";", "{", "}", "else")) return true;
    return source_.is(i - 1, ")") && source_.partner(i - 1) != Source::none &&
           source_.is(source_.partner(i - 1) - 1, "if", "for", "while");
  }

  /// Whether tokens first … last contain two operands side by side, as `Real sum` and
  /// `const Real& x` do: a declaration.
  bool declares(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
      if (source_.is(i, "(", "{")) i = source_.partner(i);
      const bool suffix = source_.is(i, ">", "&", "*") && !source_.is_binary(i);
      if ((source_.is_word(i) || suffix) && source_.is_word(i + 1) && !source_.is(i, "return"))
        return true;
    }
    return false;
  }

  /// Where the statement i … end assigns, or `end`; a list in braces: nowhere.
  std::size_t assignment_in(std::size_t i, std::size_t end) const {
    for (; i < end && !source_.is(i, "=", "+=", "-=", "*=", "/="); ++i) {
      if (source_.is(i, "{")) return end;
      if (source_.is(i, "(", "[")) i = source_.partner(i);
    }
    return std::min(i, end);
  }

  void statement(std::size_t i) {
    if (!begins_statement(i) ||
        source_.is(i, "if", "for", "while", "using", "else", "class", "const", "template", "do"))
      return;
    const auto end = source_.statement_end(i);
    if (end == Source::none || end == i) return;
    const bool leaves = source_.is(i, "return", "throw");
    const bool jumps = source_.is(i, "continue", "break") || (leaves && source_.is(i - 1, ")"));
    const auto assignment = assignment_in(i, end);
    const bool assigns = assignment < end && source_.is_word(i) && !declares(i, assignment);
    const auto open = source_.is(end - 1, ")") ? source_.partner(end - 1) : Source::none;
    const bool calls = !leaves && source_.is_word(i) && open != Source::none && open > i &&
                       source_.is_word(open - 1) && !declares(i, open);
    const bool acts = jumps || source_.is(i, "++", "--") || assigns || calls;
    if (acts && (!source_.left_alone(i) || source_.is(i, "throw")))
      replace(Operator::statement, i, end, ";");
  }

  /// The entries between brackets, as first and last token; empty where one of them is no value.
  std::vector<std::pair<std::size_t, std::size_t>> entries(std::size_t open) const {
    const auto close = source_.partner(open);
    std::vector<std::pair<std::size_t, std::size_t>> list;
    for (auto first = open + 1; first < close;) {
      auto i = first;
      for (; i < close && !source_.is(i, ","); ++i) {
        if (source_.is(i, ";")) return {};
        const auto angle = source_.template_end(i);
        if (angle != Source::none)
          i = angle;
        else if (source_.partner(i) != Source::none)
          i = source_.partner(i);
      }
      if (i == first || declares(first, i - 1) || source_.is(first, "[", ".") ||
          source_[first].text[0] == '"')
        return {};
      list.emplace_back(first, i - 1);
      first = i + 1;
    }
    return list;
  }

  void arguments(std::size_t i) {
    if (i == 0 || source_.partner(i) == Source::none) return;
    const bool call =
        source_.is(i, "(") && source_.is_word(i - 1) &&
        !source_.is(i - 1, "if", "for", "while", "switch", "min", "max", "copy", "fill");
    const bool braces = source_.is(i, "{") && source_.is(i - 1, "return", "=", "(", "{");
    if (!call && !braces) return;
    const auto list = entries(i);
    for (std::size_t k = 0; k + 1 < list.size(); ++k) {
      const auto one = source_.between(list[k].first, list[k].second);
      const auto other = source_.between(list[k + 1].first, list[k + 1].second);
      if (one != other)
        replace(Operator::arguments, list[k].first, list[k + 1].second,
                std::string(other) + ", " + std::string(one));
    }
  }

  void sign(std::size_t i) {
    if (source_.is(i, "-") && i > 0 && !source_.ends_operand(i - 1) && source_.touches_next(i))
      replace(Operator::sign, i, i, "");
    if (!source_.is(i, "return")) return;
    const auto end = source_.statement_end(i);
    if (end == Source::none || end == i + 1) return;
    bool computes = false;
    for (auto k = i + 1; k < end; ++k) {
      if (source_.is(k, "?", "<<", "{", "==")) return;
      computes = computes || (source_.is_binary(k) && source_.is(k, "+", "-", "*", "/"));
    }
    if (computes)
      replace(Operator::sign, i + 1, end - 1,
              "-(" + std::string(source_.between(i + 1, end - 1)) + ")");
  }

  Source source_;
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Edit> edits_of(std::string_view text) { return Editor(text).edits(); }

}  // namespace embedscale::properties::mutation
