#include "optimizer/systems.hpp"

#include <cmath>

#include "audit/error.hpp"
#include "cli/share.hpp"
#include "conventions.hpp"
#include "report/file.hpp"

namespace embedscale::optimizer_analysis {

std::vector<SystemTable> systems_with_tables() try {
  std::vector<SystemTable> all;
  for (const auto& system : conventions_analysis::atlas(cli::share("systems"))) {
    const auto& c = system.configuration;
    const auto& sigma = system.scales.input.entry_rms.value;
    if (sigma && c.token.multiplier)
      all.push_back({c.name, conventions_analysis::linked(c), *sigma, std::abs(*c.token.multiplier),
                     *system.scales.adam_relative_step.value});
  }
  return all;
} catch (const audit::InputError& error) {
  throw report::FileError(error.what());
}

}  // namespace embedscale::optimizer_analysis
