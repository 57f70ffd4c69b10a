#pragma once
// Zeros in the place of what an operation gives: wrong however it is judged, if its value is.
#include <algorithm>
#include <deque>
#include <ranges>
#include <string>

#include "rows.hpp"
#include "subject.hpp"

namespace embedscale::properties::testing {

/// Of an operation: 0 in the place of what it returns, or of each number that it writes; in each
/// number type, or in those that are named.
template <class... Reals, class Operation>
constexpr auto giving_zeros(Operation operation) {
  return changes<Reals...>(operation, [](auto&... given) {
    const auto zero = []<class Out>(Out& out) {
      if constexpr (Scalar<Out>)
        out = Out(0);
      else if constexpr (requires { std::ranges::fill(out, std::ranges::range_value_t<Out>(0)); })
        std::ranges::fill(out, std::ranges::range_value_t<Out>(0));
    };
    (zero(given), ...);
  });
}

/// Adds a row "name_in_binary32" for each of the number types: zeros there alone.
template <class... Reals, class Primitives, class Operation>
void add_zeros(Mutants<Primitives>& rows, const std::string& name, Operation operation) {
  static std::deque<std::string> names;  // rows hold views of them
  const auto add = [&]<class Real>() {
    auto& in_format = names.emplace_back(name + "_in_" + std::string(number_name<Real>()));
    std::ranges::replace(in_format, ' ', '_');
    rows.push_back({in_format, "Zeros, in this format alone.", giving_zeros<Real>(operation)});
  };
  (add.template operator()<Reals>(), ...);
}

}  // namespace embedscale::properties::testing
