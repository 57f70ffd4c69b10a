#pragma once
// What the library's primitives do, as properties can hold them to it: facts in the shape of
// claims, which no one disputes and no report shows. Wrong primitives that stand for defects of
// other people's programs are rejected by these where no claim does it.
#include <array>
#include <string_view>

#include "../claim.hpp"

namespace embedscale::properties::primitives {

constexpr Claim fact(std::string_view id, std::string_view states, Kind kind) {
  return {.id = id, .said = {}, .states = states, .kind = kind, .status = Status::planned};
}

inline constexpr Claim multiplier_is_the_rounded_root =
    fact("primitives.multiplier_is_the_rounded_root",
         "the multiplier is a number of the format nearest to √d", Kind::exact);
inline constexpr Claim look_up_rounds_once =
    fact("primitives.look_up_rounds_once",
         "every channel of a token is fl(m·e), with m = fl(√d): infinite where that overflows",
         Kind::exact);
inline constexpr Claim positions_are_sines_and_cosines =
    fact("primitives.positions_are_sines_and_cosines",
         "each channel is sin(p·w_i) or cos(p·w_i), where its layout has it, up to rounding",
         Kind::bounded);
inline constexpr Claim draws_are_of_their_law = fact(
    "primitives.draws_are_of_their_law",
    "a draw is the scale of its distribution times a draw of the unit one, up to rounding; "
    "tokens and positions are drawn from a distribution each; a table repeats with its seed, and "
    "is of its distribution as a whole",
    Kind::bounded);
inline constexpr Claim scale_is_that_of_a_head =
    fact("primitives.scale_is_that_of_a_head",
         "the logits' factor is 1/√(d_model/h), up to rounding", Kind::bounded);

inline constexpr std::array facts{multiplier_is_the_rounded_root, look_up_rounds_once,
                                  positions_are_sines_and_cosines, draws_are_of_their_law,
                                  scale_is_that_of_a_head};

}  // namespace embedscale::properties::primitives
