#pragma once
// The order in which mutants are tried: every beginning of it is a stratified sample.
//
// A stratum is a header and an operator. The n_s mutants of one are shuffled; the r-th of them gets
// the key (r + U_s)/n_s, U_s uniform on (0, 1), and all are sorted by their keys. Each key by
// itself is uniform on (0, 1), so that each mutant is among the first with the same probability,
// and a beginning up to key t holds t·n_s of each stratum, to less than one. So the share of the
// killed in it estimates that of all without weights; and as strata that differ only make the
// number of the killed vary less than a binomial one of the same mean (Hoeffding 1956), the
// interval of Clopper and Pearson covers at least as often as it says.
#include <embedscale/random.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mutant.hpp"

namespace embedscale::properties::mutation {

/// All mutants in sampling order, a function of them and the seed.
inline std::vector<Mutant> in_sampling_order(std::vector<Mutant> mutants, std::uint64_t seed) {
  std::map<std::pair<std::string, Operator>, std::vector<Mutant>> strata;
  for (auto& mutant : mutants) strata[{mutant.header, mutant.edit.op}].push_back(std::move(mutant));
  std::vector<std::pair<double, Mutant>> keyed;
  for (auto& [stratum, members] : strata) {
    const Stream stream(seed,
                        "mutation " + stratum.first + " " + std::string(name_of(stratum.second)));
    for (std::size_t last = members.size(); last-- > 1;)  // Fisher and Yates
      std::swap(members[last], members[stream.below(last + 1, last)]);
    const double shift = stream.uniform(0);
    for (std::size_t r = 0; r < members.size(); ++r)
      keyed.emplace_back((static_cast<double>(r) + shift) / static_cast<double>(members.size()),
                         std::move(members[r]));
  }
  std::ranges::stable_sort(keyed, {}, [](const auto& pair) { return pair.first; });
  std::vector<Mutant> order;
  for (auto& [key, mutant] : keyed) order.push_back(std::move(mutant));
  return order;
}

}  // namespace embedscale::properties::mutation
