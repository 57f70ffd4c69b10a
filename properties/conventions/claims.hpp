#pragma once
// What real systems do, and whether it is one thing. The claims.
#include <array>

#include "../claim.hpp"

namespace embedscale::properties::conventions {

inline constexpr Claim multiplier_sets_the_scale{
    .id = "conventions.multiplier_sets_the_scale",
    .said = "Multiplying by √d brings tokens to the scale of positions.",
    .states =
        "beside sinusoids, whose RMS over channels is 1/√2 at every position, a table of RMS σ "
        "times m starts at the token-to-position ratio √2·|m|·σ; so with m = √d it is within a "
        "factor 2 of balance exactly where d^−½/√8 <= σ <= √2·d^−½: the law decides, and some "
        "factor balances two laws at once exactly where their σ are at most a factor 4 apart",
    .kind = Kind::bounded,
    .asked_in = {"S1", "S2", "S3"},
    .cites = {"vaswani2017", "glorot2010", "higham2002"},
    .measures = {{"token_to_position"},
                 {"unbalanced_systems", counted},
                 {"smallest_ratio", 3},
                 {"largest_ratio", 3},
                 {"worst_share_of_bound", 2}},
    .shows = {{"sigma_times_root_d"},
              {"systems_without_a_ratio", counted},
              {"entry_rms"},
              {"multiplier"},
              {"token_rms"},
              {"position_rms"}}};

inline constexpr Claim one_text_one_start{
    .id = "conventions.one_text_one_start",
    .said = "One tutorial with one formula starts from one scale in every framework.",
    .states =
        "at equal m, d and positions the token-to-position ratios of two programs have the "
        "quotient σ/σ′, with σ² = ∫x²f(x)dx of the law that each table is drawn from, and so are "
        "one ratio exactly when the second moments are equal; the frameworks' default laws, normal "
        "of deviation 1 or d^−½ and uniform on ±0.07 or ±0.05, have four, but for d = 1 and "
        "d = 1200, where two of them meet",
    .kind = Kind::quadrature,
    .cites = {"d2l", "glorot2010"},
    .measures = {{"token_to_position", 3},
                 {"programs_that_differ", counted},
                 {"widths_where_defaults_meet", counted},
                 {"worst_share_of_bound", 2}},
    .shows = {{"program", counted},
              {"entry_rms"},
              {"multiplier"},
              {"token_rms"},
              {"position_rms"},
              {"meeting", counted},
              {"quotient_of_ratios"},
              {"ratio_of_law"},
              {"balance"}}};

inline constexpr Claim paper_and_code_agree{
    .id = "conventions.paper_and_code_agree",
    .said = "The paper's code does what the paper specifies (asked of section 3.4).",
    .states =
        "for every even d >= 4 and base > 1, tensor2tensor's frequencies base^(−i/(d/2−1)) are the "
        "paper's formula base^(−2i/d) with base^(d/(d−2)) in the place of base, so equal to the "
        "paper's at i = 0 and lower at every other i; in one layout the two vectors of position p "
        "differ by √((2/d)·Σ_i (1 − cos(p·(w_i − w′_i)))), root mean square over channels",
    .kind = Kind::bounded,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "tensor2tensor", "t2t177"},
    .measures = {{"systems_without_the_papers_frequencies", counted},
                 {"frequency_rule_rms_difference", 3},
                 {"effective_base", 5},
                 {"worst_share_of_bound", 2}},
    .shows = {{"sinusoidal_system", counted},
              {"papers_code", counted},
              {"difference_by_position", 3},
              {"rms_of_a_vector", 3},
              {"converters_difference", 3},
              {"converters_share", 3},
              {"last_frequency", 5, "1e-4"}}};

inline constexpr Claim two_spellings_one_model{
    .id = "conventions.two_spellings_one_model",
    .said = "A table of std d^−½ times √d and a table of std 1 are one model in two spellings.",
    .states =
        "with E′ = m·E, m ≠ 0: m·e + p = e′ + p, and ⟨e, h⟩ = ⟨e′, h⟩/m: one function, if the "
        "second's logits carry the factor 1/m, and for m ≠ 1 another one without it; a gradient "
        "step of rate r on E′ is one of rate r/m² on E, a step by signs (Adam's first, ε → 0) of "
        "rate r one of rate r/|m|: one training only if the rate follows, by m² or by |m|",
    .kind = Kind::exact,
    .asked_in = {"t2t1718", "jadore138"},
    .cites = {"vaswani2017", "press2017", "kingma2015"},
    .measures = {{"function_disagreements", counted},
                 {"step_disagreements", counted},
                 {"systems_by_spelling", counted},
                 {"adam_relative_step"}},
    .shows = {{"token_rms"}, {"logit_std"}}};

inline constexpr std::array claims{multiplier_sets_the_scale, one_text_one_start,
                                   paper_and_code_agree, two_spellings_one_model};

}  // namespace embedscale::properties::conventions
