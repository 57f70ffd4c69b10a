#pragma once
// The same defect in each of several formats, in one of them alone: a mutant for each.
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "rows.hpp"
#include "subject.hpp"

namespace embedscale::properties::testing {

/// Rows "name_in_binary32", …: what change.operator()<Real>() returns, a replacement in Real.
template <class Primitives, class... Reals, class Change>
void add_in_each_format(Mutants<Primitives>& to, const std::string& name, std::string_view defect,
                        const Change& change) {
  static std::deque<std::string> names;  // rows hold views of them
  const auto add = [&]<class Real>() {
    std::string of = name + "_in_" + std::string(number_name<Real>());
    std::ranges::replace(of, ' ', '_');
    to.push_back({names.emplace_back(std::move(of)), defect, change.template operator()<Real>()});
  };
  (add.template operator()<Reals>(), ...);
}

/// Of an operation: 0 in the place of what it returns, or of each number that it writes.
template <class Real, class Operation>
constexpr auto giving_zeros(Operation operation) {
  return changes<Real>(operation, []<class... Given>(Given&&... given) {
    const auto zero = []<class Out>(Out& out) {
      if constexpr (std::is_same_v<Out, std::span<Real>> || std::is_same_v<Out, std::vector<Real>>)
        for (Real& value : out) value = Real(0);
    };
    auto& first = std::get<0>(std::tie(given...));
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(first)>, Real>)
      first = Real(0);
    else
      (zero(given), ...);
  });
}

}  // namespace embedscale::properties::testing
