#pragma once
// A value, or the reason why there is none: what formulas take, and what they give.
#include "audit/scales.hpp"

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace embedscale::audit {

/// Why there is no value: "needs model.vocabulary …".
struct Missing {
  std::string reason;
};

template <class Value>
using Known = std::variant<Value, Missing>;

template <class Value>
struct AsKnown {
  using type = Known<Value>;
};
template <class Value>
struct AsKnown<Known<Value>> {
  using type = Known<Value>;
};

/// compute(parts…), a value or Known; or the first of the reasons why a part is not known.
template <class Compute, class... Part>
auto from(Compute compute, const Known<Part>&... parts) {
  using Made = typename AsKnown<std::invoke_result_t<Compute, const Part&...>>::type;
  const Missing* why = nullptr;
  ((why = why ? why : std::get_if<Missing>(&parts)), ...);
  return why ? Made(*why) : Made(compute(*std::get_if<Part>(&parts)...));
}

/// What was found, a number or an expectation with its error, as the result of this path.
template <class Value>
Quantity figure(const std::string& path, const Known<Value>& found,
                Method method = Method::closed_form) {
  if (const auto* why = std::get_if<Missing>(&found)) return {.path = path, .missing = why->reason};
  const Value& value = *std::get_if<Value>(&found);
  Quantity made{.path = path, .method = method};
  if constexpr (std::is_same_v<Value, double>)
    made.value = value;
  else
    made = {.path = path, .value = value.value, .method = Method::quadrature, .error = value.error};
  if (!std::isfinite(*made.value)) return {.path = path, .missing = "leaves the range of binary64"};
  return made;
}

/// A result that other formulas take.
inline Known<double> known(const Quantity& q) {
  if (!q.value) return Missing{q.missing};
  return *q.value;
}

}  // namespace embedscale::audit
