#pragma once
// Every claim, in the order in which the index shows them.
#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "attention/claims.hpp"
#include "block/claims.hpp"
#include "combination/claims.hpp"
#include "concatenation/claims.hpp"
#include "conventions/claims.hpp"
#include "embedding/claims.hpp"
#include "normalization/claims.hpp"
#include "optimizer/claims.hpp"
#include "porting/claims.hpp"
#include "precision/claims.hpp"
#include "primitives/claims.hpp"
#include "sinusoidal/claims.hpp"
#include "tied_output/claims.hpp"
#include "training/claims.hpp"

namespace embedscale::properties {

/// The order of the topics; one that is not listed comes last.
inline constexpr std::array<std::string_view, 12> topic_order{
    "combination", "normalization", "embedding",   "sinusoidal", "attention", "tied_output",
    "optimizer",   "concatenation", "conventions", "precision",  "training",  "porting"};

inline std::vector<Claim> catalogue() {
  std::vector<Claim> all;
  const auto add = [&all](const auto& claims) {
    all.insert(all.end(), claims.begin(), claims.end());
  };
  add(attention::claims);
  add(attention::input_claims);
  add(combination::claims);
  add(concatenation::claims);
  add(conventions::claims);
  add(embedding::claims);
  add(normalization::claims);
  add(optimizer::claims);
  add(porting::claims);
  add(precision::claims);
  add(sinusoidal::claims);
  add(tied_output::claims);
  add(training::claims);
  std::ranges::stable_sort(all, {}, [](const Claim& claim) {
    return std::ranges::find(topic_order, claim.topic()) - topic_order.begin();
  });
  return all;
}

/// What the library's own functions do: tested and recorded like claims, and on no page.
inline std::vector<Claim> facts() {
  std::vector<Claim> all;
  const auto add = [&all](const auto& facts) { all.insert(all.end(), facts.begin(), facts.end()); };
  add(primitives::facts);
  add(block::facts);
  add(normalization::facts);
  add(attention::facts);
  add(porting::facts);
  add(concatenation::facts);
  add(embedding::facts);
  add(tied_output::facts);
  add(conventions::facts);
  add(optimizer::facts);
  add(combination::facts);
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
