#pragma once
// What a system offers about sharing its table with the output.
#include <optional>

#include "atlas/atlas.hpp"

namespace embedscale::tied_output_analysis {

/// None where the record does not tell that, d_model and the multiplier.
inline std::optional<audit::Sharing> offer_of(const atlas::System& s) {
  const auto& c = s.configuration;
  const bool told = c.output.sharing && atlas::meant_multiplier_of(s) && c.model.d_model;
  return told ? c.output.sharing : std::nullopt;
}

}  // namespace embedscale::tied_output_analysis
