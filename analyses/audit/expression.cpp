#include "audit/expression.hpp"

#include "audit/error.hpp"

#include <fmt/core.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace embedscale::audit {
namespace {

[[noreturn]] void refuse(std::string_view expression, std::string_view why) {
  throw std::invalid_argument(fmt::format("\"{}\": {}", printable(expression), why));
}

std::string names(std::span<const Variable> variables) {
  if (variables.empty()) return "no variables here";
  std::string list;
  for (const Variable& v : variables) list += (list.empty() ? "" : ", ") + std::string(v.name);
  return list;
}

// muParser reads C strings in the current locale: neither a NUL nor a byte above 127 may reach it.
bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// An unknown variable is a NaN, which is handed on by every operation that needs it.
double value_of(std::string_view expression, std::span<const Variable> variables) {
  mu::Parser parser;
  for (const Variable& v : variables)
    parser.DefineConst(std::string(v.name), v.value.value_or(std::nan("")));
  parser.SetExpr(std::string(expression));
  const double value = parser.Eval();
  if (parser.GetNumResults() != 1) refuse(expression, "must be one formula, not a list of them");
  return value;
}

std::string explained(std::string_view expression, const mu::ParserError& error,
                      std::span<const Variable> variables) {
  std::string why = error.GetMsg();
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
    why = fmt::format("{} is not known; known are {}", error.GetToken(), names(variables));
  if (expression.find("**") != std::string_view::npos) why = "a power is written ^, not **";
  return printable(why, 200);
}

bool some_unknown(std::span<const Variable> variables) {
  return std::any_of(variables.begin(), variables.end(),
                     [](const Variable& v) { return !v.value; });
}

}  // namespace

std::optional<double> evaluate(std::string_view expression, std::span<const Variable> variables) {
  if (expression.size() > longest_expression)
    refuse(expression, fmt::format("has {} characters, must have at most {}", expression.size(),
                                   longest_expression));
  if (!is_printable(expression)) refuse(expression, "must be a formula in printable ASCII");
  try {
    const double value = value_of(expression, variables);
    if (std::isnan(value) && some_unknown(variables)) return std::nullopt;
    if (std::isnan(value)) refuse(expression, "is not a number, must be finite");
    if (!std::isfinite(value)) refuse(expression, fmt::format("is {}, must be finite", value));
    return value;
  } catch (const mu::ParserError& error) {
    refuse(expression, explained(expression, error, variables));
  }
}

}  // namespace embedscale::audit
