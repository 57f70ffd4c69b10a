#pragma once
// How the claims about attention are tried, and what that has to reject.
#include <string>
#include <vector>

#include "../testing/trials.hpp"
#include "primitives.hpp"

namespace embedscale::properties::attention {

using Table = testing::Properties<Primitives>;

/// Of the claims about products of queries and keys, their softmax and its gradient; of those about
/// the first attention's input; and of the values of each primitive.
extern const Table properties, input_properties, value_properties;
extern const testing::Beliefs beliefs, input_beliefs;
extern const testing::Mutants<Primitives> mutants;

/// Two of at most 15 in size. Simplified to 0.
inline std::vector<double> two_whole_numbers(const std::string& name) {
  using namespace testing;
  const auto n = named(name, list_of(2, mapped<int, int>(in_range(0, 31), [](int k) {
                                       return k % 2 == 0 ? -k / 2 : (k + 1) / 2;
                                     })));
  return {n.begin(), n.end()};
}

}  // namespace embedscale::properties::attention
