#include "optimizer/systems.hpp"

#include <cmath>

#include "conventions/atlas.hpp"

namespace embedscale::optimizer_analysis {

std::vector<SystemTable> systems_with_tables() {
  std::vector<SystemTable> all;
  for (const auto& system : conventions_analysis::installed_atlas()) {
    const auto& c = system.configuration;
    const auto& sigma = system.scales.input.entry_rms.value;
    if (sigma && c.token.multiplier)
      all.push_back({c.name, conventions_analysis::linked(c), *sigma, std::abs(*c.token.multiplier),
                     *system.scales.adam_relative_step.value});
  }
  return all;
}

}  // namespace embedscale::optimizer_analysis
