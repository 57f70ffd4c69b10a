#pragma once
// The claims of the second training study: models as people build them today.
#include <array>

#include "../claim.hpp"

namespace embedscale::properties::training {

inline constexpr Claim best_multiplier{
    .id = "training.best_multiplier",
    .said = "√d_model is the best multiplier.",
    .states =
        "The best multiplier of a seed is where the parabola over log₂ m through its least loss "
        "and the two beside it is least, each m at its own learning rate: nearer to that m than to "
        "any other tried, and the same after any shift of log₂ m or of the losses. Its median over "
        "seeds lies in the interval given for each setting",
    .kind = Kind::trained,
    .asked_in = {"S0", "S3"},
    .cites = {"vaswani2017", "kingma2015"},
    .measures =
        "best_multiplier:2, loss:4:nat, loss_difference:3:nat, own_rate:2, at_end:count, "
        "seeds:count, flat_from:2, flat_to:2, width_exponent:2",
    .shows = "choice_costs:2:nat, never_started:count, loss_by_share:4:nat"};

inline constexpr Claim table_rate{
    .id = "training.table_rate",
    .said = "The factor is only a larger learning rate for the table.",
    .states =
        "A table's rate k times that of all else moves the token's part of the input by m·k rates "
        "in Adam's first step, of m·σ at the start. A table of m·σ without the factor, at one "
        "rate, goes the way of up with k = 1/m, if ε is divided by m as well: bit for bit where m "
        "is a power of two. The median over seeds of the difference of the losses, each at its own "
        "rate, lies in the interval given",
    .kind = Kind::trained,
    .asked_in = {"t2t1718", "speechbrain926"},
    .cites = {"kingma2015", "vaswani2017"},
    .measures =
        "loss_difference:3:nat, loss:4:nat, own_rate:2, token_size:3, input_step:3, "
        "best_table_rate:2, against:count, undecided:count",
    .shows = "choice_costs:2:nat, never_started:count"};

inline constexpr Claim rotary_models{
    .id = "training.rotary_models",
    .said = "With rotary positions the factor makes no difference.",
    .states =
        "Kept at σ, folded to √d_model·σ and dropped at √d_model·σ start with one size of token; "
        "kept, and dropped with √d_model times the table's rate, move it alike in the first step. "
        "Decoupled decay takes the same share of a table at any σ and multiplier, and k times the "
        "share at k times the rate. The median over seeds of the difference of the losses, each at "
        "its own rate, lies in the interval given",
    .kind = Kind::trained,
    .asked_in = {"S0"},
    .cites = {"su2021", "zhang2019", "shazeer2020", "loshchilov2019", "touvron2023", "gemma2024"},
    .measures = "loss_difference:3:nat, loss:4:nat, own_rate:2, against:count, undecided:count",
    .shows = "choice_costs:2:nat, never_started:count"};

inline constexpr Claim learned_positions{
    .id = "training.learned_positions",
    .said = "Learned positions need no factor: they learn their own size.",
    .states =
        "Tokens of σ start with m·σ over the positions' σ as their ratio, 2 in GPT-2's recipe and "
        "2·√d_model with the factor. The median over seeds of the difference of the losses, each "
        "at its own rate, lies in the interval given",
    .kind = Kind::trained,
    .asked_in = {"S0", "S2"},
    .cites = {"loshchilov2019", "kingma2015"},
    .measures =
        "loss_difference:3:nat, loss:4:nat, own_rate:2, start_ratio:3, against:count, "
        "undecided:count",
    .shows = "choice_costs:2:nat, never_started:count"};

inline constexpr Claim gap_closes{
    .id = "training.gap_closes",
    .said = "Given enough steps the difference vanishes.",
    .states =
        "The slope of a gap is that of its line by least squares over log₂ of steps or layers, "
        "seed by seed, and that line's own where the gaps are on one. Its median over seeds lies "
        "in the interval given, as does the gap at each length",
    .kind = Kind::trained,
    .asked_in = {"S0"},
    .cites = {"vaswani2017", "kingma2015"},
    .measures =
        "loss_difference:3:nat, gap_slope:3:nat, loss:4:nat, own_rate:2, against:count, "
        "undecided:count",
    .shows = "choice_costs:2:nat, never_started:count, gap:3:nat"};

inline constexpr Claim width_transfer{
    .id = "training.width_transfer",
    .said = "With the factor the best learning rate carries over to other widths.",
    .states =
        "Adam's first step moves the input of up by √d_model rates, that of a folded table by one, "
        "at every width. The exponent of a power law in the width is that of its line by least "
        "squares over logarithms. The median over seeds of the exponent of the best rate, and of "
        "how far input, first block and logits move in ten steps at one rate, lies in the interval "
        "given",
    .kind = Kind::trained,
    .asked_in = {"mup"},
    .cites = {"yang2022", "kingma2015"},
    .measures =
        "rate_exponent:2, best_rate:2, move_exponent:2, at_end:count, against:count, "
        "undecided:count",
    .shows = "moved:3"};

inline constexpr Claim robust_rate{
    .id = "training.robust_rate",
    .said = "The factor makes training more robust.",
    .states =
        "The good rates of a seed are those around its best at which the loss, linear over log₂ of "
        "the rate between those tried, is within 0.1 nats of the least. Twice the differences "
        "never make them more, and other units of the rate leave them as they are. The median over "
        "seeds of how many octaves they span, and of the difference of two inputs, lies in the "
        "interval given",
    .kind = Kind::trained,
    .asked_in = {"S0"},
    .cites = {"vaswani2017", "kingma2015"},
    .measures =
        "octaves:2, octaves_difference:2, good_rates_from:2, good_rates_to:2, against:count, "
        "undecided:count",
    .shows = "swept_loss:4:nat"};

}  // namespace embedscale::properties::training
