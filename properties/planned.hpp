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
    planned_claim("training.up_equals_down", "Up and down train to the same loss.", {"S0"}),
    planned_claim("training.unscaled_is_worse", "Training is worse without the factor.",
                  {"t2t1718"}),
    planned_claim("training.folded_needs_its_own_rate",
                  "A table of std 1 without the factor trains as well at the same learning rate.",
                  {"S0"}),
    planned_claim("training.ratio_is_what_matters",
                  "What matters is the ratio of tokens to positions, not how it is set.",
                  {"S1", "S2"}),
};

}  // namespace embedscale::properties
