#pragma once
// Do the arms train to the same loss? The claims; the runs that they rest on are recorded.
#include <array>

#include "../claim.hpp"
#include "recipe_claims.hpp"

namespace embedscale::properties::training {

inline constexpr Claim up_equals_down{
    .id = "training.up_equals_down",
    .said = "Up and down train to the same loss.",
    .states =
        "Up and down have one token-to-position ratio, and inputs that differ by a common factor "
        "√d_model alone. If all that follows the sum ignores a common factor, they are one run, "
        "bit for bit at d_model = 4ᵏ. In real blocks the median over seeds of the difference of "
        "their held-out losses, each at its own learning rate, lies in the interval given for each "
        "setting",
    .kind = Kind::trained,
    .asked_in = {"S0"},
    .cites = {"vaswani2017", "kingma2015", "xiong2020"},
    .measures =
        "loss_difference:3:nat, steps_difference:3, against:count, undecided:count, alike:count, "
        "lower:count, higher:count, beyond:count, never_starting:count, families:count, "
        "loss:4:nat, "
        "own_rate:2, failed:count",
    .shows =
        "never_started:count, never_started_against:count, half_width:2:nat, diverged:count, "
        "runs:count, settings:count, never_reached:count, "
        "reached_steps:3, good_rates_from:2, good_rates_to:2, own_rates_at_an_end:count, "
        "swept_loss:4:nat, loss_at_rate_of_up:2:nat, curve:4:nat, trend:2"};

inline constexpr Claim unscaled_is_worse{
    .id = "training.unscaled_is_worse",
    .said = "Without the factor, training is always worse.",
    .states =
        "Without the factor the token-to-position ratio is 1/√d_model of that with it, as it is "
        "with √d_model at both parts. The median over seeds of the difference of the held-out "
        "losses, and of the steps to one loss, each arm at its own learning rate, lies in the "
        "interval given for each setting. The interval from the least to the greatest difference "
        "of n seeds misses a median of 0 in a share 2¹⁻ⁿ of all cases, whatever the continuous "
        "distribution",
    .kind = Kind::trained,
    .asked_in = {"t2t1718"},
    .cites = {"vaswani2017", "kingma2015"},
    .measures =
        "loss_difference:3:nat, against:count, undecided:count, alike:count, lower:count, "
        "higher:count, beyond:count, never_starting:count, families:count",
    .shows =
        "never_started:count, never_started_against:count, half_width:2:nat, steps_difference:3, "
        "loss_at_rate_of_up:2:nat"};

inline constexpr Claim folded_needs_its_own_rate{
    .id = "training.folded_needs_its_own_rate",
    .said = "A table of std 1 without the factor trains as well at the same learning rate.",
    .states =
        "A table of standard deviation 1 without the factor starts as the function of up. It stays "
        "on up's path, bit for bit at d_model = 4ᵏ, if its learning rate is √d_model times as "
        "large and its ε divided by √d_model under Adam, or its rate d_model times as large under "
        "momentum. At the rate of up it leaves the path in the first step. The median over seeds "
        "of the difference of their held-out losses, at the rate of up and each at its own, lies "
        "in the interval given for each setting",
    .kind = Kind::trained,
    .asked_in = {"S0"},
    .cites = {"kingma2015", "polyak1964", "vaswani2017"},
    .measures =
        "loss_difference:3:nat, steps_difference:3, against:count, undecided:count, alike:count, "
        "lower:count, higher:count, beyond:count, never_starting:count, families:count, "
        "bit_disagreements:count",
    .shows = "never_started:count, never_started_against:count, half_width:2:nat"};

inline constexpr Claim ratio_is_what_matters{
    .id = "training.ratio_is_what_matters",
    .said = "What matters is the ratio of tokens to positions, not how it is set.",
    .states =
        "Half the factor and twice the positions have one token-to-position ratio. So have the "
        "input without the factor and that with √d_model on both parts. Each pair of inputs "
        "differs by a common factor alone, 2 or √d_model. The median over seeds of the difference "
        "of the held-out losses of two ways to one ratio, and of two ratios, each arm at its own "
        "learning rate, lies in the interval given for each setting",
    .kind = Kind::trained,
    .asked_in = {"S1", "S2"},
    .cites = {"vaswani2017", "glorot2010"},
    .measures =
        "loss_difference:3:nat, steps_difference:3, against:count, undecided:count, alike:count, "
        "lower:count, higher:count, beyond:count, never_starting:count, families:count, "
        "start_ratio:3, "
        "end_ratio:3",
    .shows =
        "never_started:count, never_started_against:count, half_width:2:nat, loss_by_ratio:4:nat, "
        "ratio_curve:3"};

inline constexpr std::array claims{
    up_equals_down,        unscaled_is_worse, folded_needs_its_own_rate,
    ratio_is_what_matters, best_multiplier,   table_rate,
    rotary_models,         learned_positions, gap_closes,
    width_transfer,        robust_rate};

}  // namespace embedscale::properties::training
