#pragma once
// Claims whose evidence is still to come. Their ids are taken, and permanent; nothing is said yet
// about their truth. A claim leaves this list for the header of its topic when it has a statement,
// a measure, a property, mutants and a section in a report.
#include <array>

#include "claim.hpp"

namespace embedscale::properties {

constexpr Claim planned_claim(std::string_view id, std::string_view said, Names asked_in = {}) {
  return {.id = id, .said = said, .states = {}, .asked_in = asked_in, .status = Status::planned};
}

inline constexpr std::array planned_claims{
    planned_claim("normalization.token_share_after_blocks",
                  "With rotary positions the factor has nothing to balance, so it does nothing."),
    planned_claim("porting.function_is_kept",
                  "To move a checkpoint to a model without the factor, multiply the table."),
    planned_claim("porting.tied_output_needs_a_place_for_the_factor", "Weights are weights."),
    planned_claim("porting.optimizer_state_follows", "The optimiser's state is loaded as it is."),
    planned_claim("porting.global_clipping_parts",
                  "Clipping does not care where the factor stands."),
    planned_claim("porting.rounded_multiplier_is_the_function", "√d_model is √d_model."),
};

}  // namespace embedscale::properties
