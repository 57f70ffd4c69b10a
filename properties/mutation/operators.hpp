#pragma once
// The mutation operators on single tokens: another operator, another number, another function.
// Those on whole statements and lists are in structure_operators.hpp.
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "mutant.hpp"
#include "source.hpp"

namespace embedscale::properties::mutation {
namespace detail {

struct Swap {
  std::string_view from;
  std::initializer_list<std::string_view> to;
};

inline void replace_token(const Source& source, std::size_t i, const Swap& swap, Operator op,
                          std::vector<Edit>& edits) {
  if (!source.is(i, swap.from)) return;
  for (const auto to : swap.to)
    edits.push_back({source[i].begin, source[i].text.size(), std::string(to), op});
}

/// Whether << at `i` writes to a stream: the chain it is in starts with one by its usual name.
inline bool writes(const Source& source, std::size_t i) {
  while (i > 0 && !source.is(i - 1, ";") && !source.is(i - 1, "{") && !source.is(i - 1, ")")) --i;
  if (source.is(i, "return")) ++i;
  return source.is(i, "out") || source.is(i, "message");
}

inline void arithmetic(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  constexpr auto op = Operator::arithmetic;
  if (source.is_binary(i)) {
    for (const Swap& swap :
         {Swap{"+", {"-"}}, Swap{"-", {"+"}}, Swap{"*", {"/", "+"}}, Swap{"/", {"*", "-"}},
          Swap{"%", {"/"}}, Swap{"&", {"|"}}, Swap{"|", {"&"}}, Swap{"^", {"|"}},
          Swap{"+=", {"-=", "="}}, Swap{"-=", {"+=", "="}}, Swap{"*=", {"/=", "="}},
          Swap{"/=", {"*=", "="}}})
      replace_token(source, i, swap, op, edits);
    if (source.is(i, "<<") && !writes(source, i))
      replace_token(source, i, {"<<", {">>"}}, op, edits);
  }
  if (source.is(i, ">") && source.is(i + 1, ">") && source.touches_next(i) &&
      source.is_binary(i, 2))
    edits.push_back({source[i].begin, 2, "<<", op});
  replace_token(source, i, {"++", {"--"}}, op, edits);
  replace_token(source, i, {"--", {"++"}}, op, edits);
}

inline void relational(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  if (!source.is_binary(i)) return;
  for (const Swap& swap : {Swap{"<", {"<=", ">="}}, Swap{"<=", {"<", ">"}}, Swap{">", {">=", "<="}},
                           Swap{">=", {">", "<"}}, Swap{"==", {"!="}}, Swap{"!=", {"=="}}})
    replace_token(source, i, swap, Operator::relational, edits);
}

/// Whether the condition from ( on is one comparison, whose opposite `relational` has.
inline bool compares_once(const Source& source, std::size_t open) {
  std::size_t comparisons = 0, others = 0;
  for (auto i = open; i < source.partner(open); ++i) {
    others += source.is(i, "&&") || source.is(i, "||");
    for (const char* comparison : {"<", "<=", ">", ">=", "==", "!="})
      comparisons += source.is(i, comparison) && source.is_binary(i);
  }
  return comparisons == 1 && others == 0;
}

inline void logical(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  constexpr auto op = Operator::logical;
  if (source.is_binary(i)) {
    replace_token(source, i, {"&&", {"||"}}, op, edits);
    replace_token(source, i, {"||", {"&&"}}, op, edits);
  }
  replace_token(source, i, {"!", {""}}, op, edits);
  const auto before = i == 0 ? std::string_view() : source[i - 1].text;
  const bool starts =
      before == "(" || before == "[" || before == "=" || before == "," || before == "return";
  if (source.is_word(i) && source.is(i + 1, "?") && starts)
    edits.push_back({source[i].begin, 0, "!", op});
  const bool guards =
      source.is(i, "(") &&
      (before == "if" || (before == "constexpr" && i > 1 && source.is(i - 2, "if")));
  if (guards && !compares_once(source, i)) {
    const std::string inside(source.between(i, source.partner(i)));
    edits.push_back({source[i].begin, inside.size(), "(!" + inside + ")", op});
  }
}

/// What may stand for a number: its neighbours; for 1/2, 2 and such also its double or half.
inline std::vector<std::string> instead_of(std::string_view number) {
  if (number.find('\'') != number.npos) return {};
  if (number.starts_with("0x")) {  // 0x1p-52: the exponent
    const auto p = number.find('p');
    if (p == number.npos) return {};
    int exponent = 0;
    const auto digits = number.substr(p + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    const std::string mantissa(number.substr(0, p + 1));
    return {mantissa + std::to_string(exponent + 1), mantissa + std::to_string(exponent - 1)};
  }
  const auto size = std::min(number.find_first_not_of("0123456789"), number.size());
  const std::string rest(number.substr(size));
  std::uint64_t n = 0;
  std::from_chars(number.data(), number.data() + size, n);
  if (rest.starts_with(".")) {
    if (number == "0.0") return {"1.0"};
    if (number == "0.5") return {"2.0", "0.25"};
    if (rest == ".0")
      return {std::to_string(n + 1) + ".0", n == 1 ? "0.0" : std::to_string(n - 1) + ".0"};
    return {"2 * " + std::string(number)};
  }
  if (rest.find_first_of("eE") != rest.npos) return {"2 * " + std::string(number)};
  std::vector<std::string> others{std::to_string(n + 1) + rest};
  if (n > 0) others.push_back(std::to_string(n - 1) + rest);
  return others;
}

inline void constant(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  if (source[i].kind == Token::Kind::number)
    for (auto& other : instead_of(source[i].text))
      edits.push_back({source[i].begin, source[i].text.size(), other, Operator::constant});
  replace_token(source, i, {"true", {"false"}}, Operator::constant, edits);
  replace_token(source, i, {"false", {"true"}}, Operator::constant, edits);
}

inline void function(const Source& source, std::size_t i, std::vector<Edit>& edits) {
  // `Format sin(Format a)` declares one.
  const bool declared = i > 0 && (source.is_word(i - 1) && !source.is(i - 1, "return"));
  if (!source.is(i + 1, "(") || declared) return;
  for (const Swap& swap :
       {Swap{"sin", {"cos"}},       Swap{"cos", {"sin"}},       Swap{"floor", {"ceil"}},
        Swap{"ceil", {"floor"}},    Swap{"min", {"max"}},       Swap{"max", {"min"}},
        Swap{"exp", {"expm1"}},     Swap{"expm1", {"exp"}},     Swap{"log", {"log1p"}},
        Swap{"log1p", {"log"}},     Swap{"erf", {"erfc"}},      Swap{"erfc", {"erf"}},
        Swap{"sqrt", {"cbrt"}},     Swap{"real", {"imag"}},     Swap{"imag", {"real"}},
        Swap{"all_of", {"any_of"}}, Swap{"any_of", {"all_of"}}, Swap{"last", {"first"}},
        Swap{"first", {"last"}},    Swap{"infinity", {"max"}}})
    if (!(source.is(i, "max") && source.is(i + 2, ")")))  // numeric_limits'
      replace_token(source, i, swap, Operator::function, edits);
}

}  // namespace detail
}  // namespace embedscale::properties::mutation
