#pragma once
// Every claim, settled or planned, in the order in which the index shows them.
#include <algorithm>
#include <string_view>
#include <vector>

#include "combination.hpp"
#include "planned.hpp"

namespace embedscale::properties {

inline std::vector<Claim> catalogue() {
  std::vector<Claim> all(combination::claims.begin(), combination::claims.end());
  all.insert(all.end(), planned_claims.begin(), planned_claims.end());
  return all;
}

/// The topics, each once, in the catalogue's order.
inline std::vector<std::string_view> topics() {
  std::vector<std::string_view> names;
  for (const auto& claim : catalogue())
    if (std::ranges::find(names, claim.topic()) == names.end()) names.push_back(claim.topic());
  return names;
}

}  // namespace embedscale::properties
