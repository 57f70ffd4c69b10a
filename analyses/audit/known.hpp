#pragma once
// A value, or the reason why there is none: what formulas take, and what they give.
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace embedscale::audit {

/// Why there is no value: "needs model.vocabulary …".
struct Missing {
  std::string reason;
};

template <class Value>
struct Known {
  std::optional<Value> value = {};
  std::string missing = {};  ///< empty exactly where there is a value

  Known(Value known) : value(std::move(known)) {}
  Known(Missing why = {}) : missing(std::move(why.reason)) {}
};

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
auto from(Compute compute, const Part&... parts) {
  using Made = typename AsKnown<std::invoke_result_t<Compute, decltype(*parts.value)...>>::type;
  const std::string* why = nullptr;
  ((why = why || parts.value ? why : &parts.missing), ...);
  return why ? Made(Missing{*why}) : Made(compute(*parts.value...));
}

}  // namespace embedscale::audit
