#include "audit/expression.hpp"

#include "audit/error.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace embedscale::audit {
namespace {

[[noreturn]] void refuse(std::string_view expression, std::string_view why) {
  throw std::invalid_argument(fmt::format("\"{}\": {}", shown(expression), why));
}

std::string names(std::span<const Variable> variables) {
  if (variables.empty()) return "no variables here";
  std::string list;
  for (const Variable& v : variables) list += (list.empty() ? "" : ", ") + std::string(v.name);
  return list;
}

// muParser reads C strings in the current locale: neither a NUL nor a byte above 127 may reach it.
bool printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

double value_of(std::string_view expression, std::span<const Variable> variables) {
  mu::Parser parser;
  for (const Variable& v : variables) parser.DefineConst(std::string(v.name), v.value);
  parser.SetExpr(std::string(expression));
  const double value = parser.Eval();
  if (parser.GetNumResults() != 1) refuse(expression, "must be one formula, not a list of them");
  return value;
}

std::string explained(const mu::ParserError& error, std::span<const Variable> variables) {
  std::string why = error.GetMsg();
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
    why = fmt::format("{} is not known; known are {}", error.GetToken(), names(variables));
  return shown(why, 200);
}

}  // namespace

double evaluate(std::string_view expression, std::span<const Variable> variables) {
  if (expression.size() > longest_expression)
    refuse(expression, fmt::format("has {} characters, must have at most {}", expression.size(),
                                   longest_expression));
  if (!printable(expression)) refuse(expression, "must be a formula in printable ASCII");
  try {
    const double value = value_of(expression, variables);
    if (!std::isfinite(value)) refuse(expression, fmt::format("is {}, must be finite", value));
    return value;
  } catch (const mu::ParserError& error) {
    refuse(expression, explained(error, variables));
  }
}

}  // namespace embedscale::audit
