#pragma once
// What the census counts of a system of the atlas.
#include "atlas/atlas.hpp"
#include "properties/tied_output/primitives.hpp"

namespace embedscale::tied_output_analysis {

/// None where the record does not tell d_model, the multiplier and what is offered.
inline std::optional<properties::tied_output::Program> program_of(const atlas::System& s) {
  const auto& c = s.configuration;
  const auto& m = atlas::meant_multiplier_of(s);
  if (!c.output.sharing || !m || !c.model.d_model) return std::nullopt;
  return properties::tied_output::Program{
      static_cast<properties::tied_output::Sharing>(*c.output.sharing), *m,
      static_cast<std::uint64_t>(*c.model.d_model)};
}

}  // namespace embedscale::tied_output_analysis
