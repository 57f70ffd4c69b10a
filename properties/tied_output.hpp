#pragma once
// Is the factor there because the table is shared with the output? The claims, and the primitives
// they are about. Their measures stand in tied_output_scales.hpp, tied_output_loss.hpp,
// tied_output_sharing.hpp and tied_output_own.hpp.
//
// A row e of the table enters as m·e + p, and gives the logit c·⟨e, h⟩: m stands at the input, c at
// the output.
#include <embedscale/combination.hpp>
#include <embedscale/embedding.hpp>
#include <embedscale/expected/own_logit.hpp>
#include <embedscale/expected/softmax.hpp>
#include <embedscale/normalization.hpp>
#include <embedscale/tied_output.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "claim.hpp"

namespace embedscale::properties::tied_output {

inline constexpr Claim one_table_two_scales{
    .id = "tied_output.one_table_two_scales",
    .said = "The factor is there because the table is shared with the output projection.",
    .states =
        "over the rows of a table with uncorrelated entries of mean 0 and deviation σ, the token "
        "part m·e has RMS |m|·σ and a logit c·⟨e, h⟩ the deviation |c|·σ·‖h‖, ‖h‖ = √d for a state "
        "of RMS 1; both are 1 exactly when σ = 1/|m| and |m| = |c|·√d: without a factor on the "
        "logits exactly at σ = d^−½, |m| = √d, and for d > 1 never without any factor",
    .kind = Kind::exact,
    .asked_in = {"S0", "S1", "t2t1718"},
    .cites = {"vaswani2017", "press2017", "sylvester1867", "higham2002"},
    .measures = {"input_rms", "logit_std", "unit_scale_disagreements", "parted_by_a_logit_factor",
                 "unit_parametrisations", "worst_share_of_bound"}};

inline constexpr Claim initial_loss{
    .id = "tied_output.initial_loss",
    .said = "A shared N(0, 1) table without 1/√d starts at a loss near 110.",
    .states =
        "for V independent normal logits of deviation s = |c|·σ·√d and a target that does not "
        "depend on them, E[loss] = f(s) = E ln Σ exp(s·z), rising in s, d and V; ln V + s²/2 − f "
        "lies between s²/(2V) and (exp(s²) − 1)/(2V), and is at least (s − s₁)²/2 from "
        "s₁ = √(2 ln V) on, where f <= s·s₁",
    .kind = Kind::quadrature,
    .asked_in = {"hf26441"},
    .cites = {"derrida1981", "press2017"},
    .measures = {"initial_loss", "loss_over_uniform", "annealed_error", "widths_near_110",
                 "near_110_missed", "worst_share_of_bound"}};

inline constexpr Claim multipliers_trade_places{
    .id = "tied_output.multipliers_trade_places",
    .said = "√d at the input and 1/√d at the output are interchangeable.",
    .states =
        "(m, c) on E and (m′, c′) on E·m/m′ give one input m·e + p, and one logit for all rows and "
        "states exactly when m·c′ = m′·c, as √d and 1 beside 1 and 1/√d; on one and the same table "
        "the inputs are parallel for m ≠ m′ only where e ∥ p, and the token-to-position ratio "
        "changes by m/m′; a step by signs is 1/σ of the table, so |m/m′| times as large for one",
    .kind = Kind::exact,
    .asked_in = {"jadore138", "t2t1718"},
    .cites = {"vaswani2017", "press2017", "kingma2015"},
    .measures = {"function_disagreements", "quotient_disagreements", "kept_table_agreements",
                 "token_to_position", "adam_relative_step"}};

inline constexpr Claim sharing_is_not_needed{
    .id = "tied_output.sharing_is_not_needed",
    .said = "Many keep the factor without sharing, so sharing cannot be the reason.",
    .states =
        "some systems multiply by √d that never share, and some that always do; the token part's "
        "RMS |m|·σ has nothing of the output in it, and an output matrix of deviation d^−½ of its "
        "own has logits of deviation 1 beside a table of deviation 1 without any factor; where one "
        "table of deviation d^−½ serves both, √d at the input is what makes both 1",
    .kind = Kind::exhaustive,
    .asked_in = {"S1", "t2t1718"},
    .cites = {"vaswani2017", "press2017", "tensor2tensor"},
    .measures = {"systems_by_sharing", "multiplying_without_sharing", "shared_with_both_scales_one",
                 "census_disagreements"}};

inline constexpr Claim copies_its_input{
    .id = "tied_output.copies_its_input",
    .said = "At initialisation a tied model prefers no token.",
    .states =
        "behind RMSNorm, without the blocks' branches, E⟨e, m·e + p⟩ = m·d·σ² (less 1/d of it "
        "where the mean over channels goes) and the other rows' mean is 0: for normal entries the "
        "own logit is sgn(m)·J(d, ‖p‖/(|m|σ)) deviations c·σ·√d of theirs, J(n, μ) = "
        "(n − 1)·E 1/‖N(μ, I_n)‖, to leading order √d times the token's share |m|σ/RMS(x)",
    .kind = Kind::quadrature,
    .cites = {"press2017", "stein1981", "vaswani2017"},
    .measures = {"own_logit", "other_logit_std", "own_over_others", "leading_order_error",
                 "loss_on_another", "loss_on_itself", "points_without_preference",
                 "worst_share_of_bound"}};

inline constexpr std::array claims{one_table_two_scales, initial_loss, multipliers_trade_places,
                                   sharing_is_not_needed, copies_its_input};

/// What a program offers about sharing the table with the output.
enum class Sharing {
  always,
  by_default,  ///< an option that is on
  on_request,  ///< an option that is off
  optional,    ///< an option whose default is not known
  never
};
inline constexpr std::size_t sharings = 5;

/// One program of a survey.
struct Program {
  Sharing sharing;
  double multiplier;
  std::uint64_t width;
};

/// Programs that multiply by √d, by what they offer.
using Census = std::array<std::uint64_t, sharings>;

/// The primitives of the library, as the properties take them. Write such a type of your own to put
/// your own code under the same properties.
struct Library {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    table.look_up(token, m, out);
  }
  /// One channel of the input.
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return up(e, p, m);
  }
  template <Scalar Real>
  static void logits(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                     std::span<Real> out) {
    tied_logits<Real>(table, h, c, out);
  }
  /// The final norm, with ε = 0.
  template <AnalyticScalar Real>
  static void normalise(std::span<const Real> x, expected::Norm::Kind kind, std::span<Real> out) {
    if (kind == expected::Norm::Kind::layer_norm)
      layer_norm<Real>(x, Real(0), EpsilonPlacement::variance, out);
    else
      rms_norm<Real>(x, Real(0), EpsilonPlacement::variance, out);
  }
  /// E[loss] of V words with a table of deviation σ, logits times c, for a state of RMS 1.
  static expected::Expectation loss(double sigma, std::uint64_t d, double c, std::uint64_t V) {
    return expected::softmax(std::abs(c) * sigma * std::sqrt(static_cast<double>(d)), V)
        .log_sum_exp;
  }
  /// E of the input token's own logit.
  static expected::Expectation own_logit(const expected::TiedToken& token, double p_square) {
    return expected::own_logit(token, p_square);
  }
  /// Whether m is √d, but for what a formula rounds; a multiplier in bfloat16 is told as exact.
  static std::size_t multiplies(const Program& program) {
    const double root = std::sqrt(static_cast<double>(program.width));
    return std::abs(program.multiplier / root - 1) < 1e-12 ? 1 : 0;
  }
  static Census census(std::span<const Program> programs) {
    Census counts{};
    for (const Program& program : programs)
      counts[static_cast<std::size_t>(program.sharing)] += multiplies(program);
    return counts;
  }
};

}  // namespace embedscale::properties::tied_output
