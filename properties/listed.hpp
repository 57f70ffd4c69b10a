#pragma once
// How a subject lists its operations: by the names that they have, which are written once.
//
//   void list(Members& to) { EMBEDSCALE_LIST(to, up, down); }
#include <algorithm>
#include <string_view>

#include "operation.hpp"

namespace embedscale::properties {

#define EMBEDSCALE_LIST(to, ...) ::embedscale::properties::add_named(to, #__VA_ARGS__, __VA_ARGS__)

/// Adds operations, in the order of their names: "up, down".
template <class... Operations>
void add_named(Members& to, std::string_view names, Operations&... operations) {
  const auto next = [&] {
    const auto name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(name.size() + 2, names.size()));
    return name;
  };
  (to.add({{next(), &operations}}), ...);
}

}  // namespace embedscale::properties
