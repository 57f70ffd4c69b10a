#pragma once
// What real systems do, and whether it is one thing. The claims.
#include <array>

#include "../primitives/claims.hpp"

namespace embedscale::properties::conventions {

inline constexpr Claim multiplier_sets_the_scale{
    .id = "conventions.multiplier_sets_the_scale",
    .said = "Multiplying by √d always brings tokens to the scale of positions.",
    .states =
        "The RMS of sinusoids over channels is 1/√2 at every position. Beside them a table of RMS "
        "σ times m starts at the token-to-position ratio √2·|m|·σ. With m = √d that is within a "
        "factor 2 of balance if and only if d^−½/√8 ≤ σ ≤ √2·d^−½. Some one factor balances two "
        "distributions if and only if their σ are at most a factor 4 apart",
    .kind = Kind::bounded,
    .asked_in = {"S1", "S2", "S3"},
    .cites = {"vaswani2017", "glorot2010", "higham2002"},
    .measures =
        "token_to_position, unbalanced_systems:count, smallest_ratio:3, largest_ratio:3, "
        "worst_share_of_bound:2",
    .shows =
        "sigma_times_root_d, systems_without_a_ratio:count, unscaled_token_to_position, "
        "system_record:count, system_figure, entry_rms, multiplier, token_rms, position_rms"};

inline constexpr Claim one_text_one_start{
    .id = "conventions.one_text_one_start",
    .said = "One tutorial with one formula starts from one scale in every framework.",
    .states =
        "At equal m, d and positions, the token-to-position ratios of two programs have the "
        "quotient σ/σ′, where σ² = ∫x²f(x)dx is the second moment of each table's distribution. So "
        "the ratios are equal if and only if the second moments are. The frameworks' defaults, "
        "normal of standard deviation 1 or d^−½ and uniform on ±0.07 or ±0.05, have four different "
        "second moments, except at d = 1 and d = 1200, where two coincide",
    .kind = Kind::quadrature,
    .cites = {"d2l", "glorot2010"},
    .measures =
        "token_to_position:3, programs_that_differ:count, widths_where_defaults_meet:count, "
        "worst_share_of_bound:2",
    .shows =
        "program:count, entry_rms, multiplier, token_rms, position_rms, meeting:count, "
        "quotient_of_ratios, ratio_of_law, balance"};

inline constexpr Claim paper_and_code_agree{
    .id = "conventions.paper_and_code_agree",
    .said = "The paper's code does what section 3.4 specifies.",
    .states =
        "In tensor2tensor, the paper's code, one table serves both ends: a token enters as √d·e + "
        "p, and a word's logit is ⟨e, h⟩ without a factor, as section 3.4 has it. The code draws "
        "the table with σ = d^−½, which the section does not give. A row of entries ±d^−½ enters "
        "with RMS 1",
    .kind = Kind::read,
    .asked_in = {"S1"},
    .cites = {"vaswani2017", "tensor2tensor"},
    .measures = "departures_from_section_3_4:count, table_disagreements:count",
    .shows = "papers_code:count, beside_the_paper:count, token_rms, logit_std"};

inline constexpr Claim code_uses_the_papers_frequencies{
    .id = "conventions.code_uses_the_papers_frequencies",
    .said = "The paper's code uses the frequencies of section 3.5.",
    .states =
        "For every even d ≥ 4 and base > 1, tensor2tensor's frequencies base^(−i/(d/2−1)) are the "
        "paper's formula base^(−2i/d) with base^(d/(d−2)) in place of base. They equal the paper's "
        "at i = 0 and are lower at every other i. In one layout the two vectors of position p "
        "differ by √((2/d)·Σ_i (1 − cos(p·(w_i − w′_i)))), root mean square over channels",
    .kind = Kind::read,
    .cites = {"vaswani2017", "tensor2tensor", "t2t177"},
    .measures =
        "frequencies_off_the_paper:count, systems_without_the_papers_frequencies:count, "
        "frequency_rule_rms_difference:3, effective_base:5, worst_share_of_bound:2",
    .shows =
        "sinusoidal_system:count, code_off_the_paper:count, difference_by_position:3, "
        "rms_of_a_vector:3, converters_difference:3, converters_share:3, last_frequency:5:1e-4"};

inline constexpr Claim two_spellings_one_model{
    .id = "conventions.two_spellings_one_model",
    .said = "A table of std d^−½ times √d and a table of std 1 are one model in two spellings.",
    .states =
        "With E′ = m·E, m ≠ 0, m·e + p = e′ + p and ⟨e, h⟩ = ⟨e′, h⟩/m. So the two are one "
        "function if the second's logits carry the factor 1/m, and two functions without it if m ≠ "
        "1. A gradient step of rate r on E′ equals one of rate r/m² on E. A step by signs (Adam's "
        "first, ε → 0) of rate r on E′ equals one of rate r/|m| on E. So training is the same only "
        "if the rate follows, by m² or by |m|",
    .kind = Kind::exact,
    .asked_in = {"t2t1718", "jadore138"},
    .cites = {"vaswani2017", "press2017", "kingma2015"},
    .measures =
        "function_disagreements:count, step_disagreements:count, systems_by_spelling:count, "
        "adam_relative_step",
    .shows = "token_rms, logit_std"};

inline constexpr Claim small_models_hide_the_factor{
    .id = "conventions.small_models_hide_the_factor",
    .said = "A round-trip test on a tiny model would show a missing factor.",
    .states =
        "With a branch b that does not know m, a stream is m·e + b, and e + b where the factor is "
        "missing. Behind RMSNorm (ε = 0) the mean square C of the outputs' difference has C(1 − "
        "C/4) = (m−1)²(|e|²|b|² − ⟨e,b⟩²)/(|m·e+b|²|e+b|²). A test with |y − y′| ≤ a + r·|y′| in "
        "each channel fails if √C > a + r, and passes if √(d·C) ≤ a. A test of probabilities with "
        "|p − p′| ≤ a over V rows of norm ρ passes for any two streams if f(2B) − f(−2B) ≤ a, "
        "where B = √d·ρ and f(z) = 1/(1 + (V−1)e^(−z)); the bound is attained",
    .kind = Kind::bounded,
    .asked_in = {"levanter978"},
    .cites = {"zhang2019", "press2017", "higham2002"},
    .measures =
        "least_width:count, widest_certain_pass:count, largest_probability_difference:3, "
        "output_difference:3, worst_share_of_bound:2",
    .shows = "tolerance"};

inline constexpr std::array claims{multiplier_sets_the_scale, one_text_one_start,
                                   paper_and_code_agree,      code_uses_the_papers_frequencies,
                                   two_spellings_one_model,   small_models_hide_the_factor};

inline constexpr Claim inputs_are_scaled_rows = primitives::fact(
    "conventions.inputs_are_scaled_rows",
    "a look-up is m·e in each channel, the input m·e + p, within a rounding for each operation",
    Kind::bounded);

inline constexpr std::array facts{inputs_are_scaled_rows};

}  // namespace embedscale::properties::conventions
