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

inline constexpr std::array<Claim, 0> planned_claims{};  // none at the moment

}  // namespace embedscale::properties
