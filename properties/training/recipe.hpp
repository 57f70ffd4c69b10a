#pragma once
// One run of the second training study: a model as people build them today, how it is initialised
// and trained, and from which random numbers. Everything of the first study (setting.hpp) that is
// not named here is the same: sequences of 32 tokens, 16 a step, 512 byte pairs, 4 heads.
#include <embedscale/norm_placement.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

#include "setting.hpp"

namespace embedscale::properties::training {

/// What a model is made of, and how it is trained.
enum class Family {
  /// The first study's: the paper's sinusoids, LayerNorm, a ReLU network, biases, Xavier matrices;
  /// Adam (0.9, 0.98), rate·min(t/w, √(w/t)).
  sinusoidal,
  /// Rotary positions, RMSNorm before each sub-layer and at the end, SwiGLU, no biases, matrices of
  /// σ = 1/√fan_in; AdamW and schedule as below.
  rotary,
  /// Learned positions of σ = 0.01, LayerNorm as for rotary, a GELU network, biases, matrices of
  /// σ = 0.02, those that write to the residual stream of 0.02/√(2·layers).
  learned
};

/// Which rates follow the width: none; or, of the sinusoidal family, those of all matrices but the
/// table as 64/d, with an output matrix of σ = 8/d for 1/√d, as μP has them (at 64 channels both
/// are the same). Attention keeps 1/√d_k, where μP has a multiple of 1/d_k.
enum class Widening { one_rate, by_width };

struct Recipe {
  Family family = Family::sinusoidal;
  NormPlacement norms = NormPlacement::pre;  ///< post: of the sinusoidal family alone
  Output output = Output::untied;
  std::size_t d = 64, depth = 2;  ///< channels, blocks
  int steps = 300;
  double multiplier = 8;  ///< m of m·e
  double sigma = 0.125;   ///< of the token table
  double positions = 1;   ///< c of m·e + c·p: sinusoidal family
  double table_rate = 1;  ///< the token table's rate over that of all else
  Widening widening = Widening::one_rate;

  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// What the rotary and the learned family are trained by: AdamW, decay decoupled, of matrices and
// tables alone; gradients of all parameters together clipped; a linear warm-up over a tenth of the
// steps, then a cosine to a tenth of the rate.
inline constexpr double decoder_beta_1 = 0.9, decoder_beta_2 = 0.95, decoder_epsilon = 1e-8;
inline constexpr double decoder_decay = 0.1, clipped_norm = 1, last_rate = 0.1;
inline constexpr double rms_norm_epsilon = 1e-6, rotary_base = 10000;
inline constexpr double learned_sigma = 0.02, learned_position_sigma = 0.01;

/// Channels of the network between: 4·d, or the multiple of 8 above 8/3·d in SwiGLU, which has
/// three matrices.
constexpr std::size_t inner_width(const Recipe& of) {
  return of.family == Family::rotary ? (8 * of.d / 3 + 7) / 8 * 8 : feed_forward_factor * of.d;
}

struct RecipeRun {
  Recipe recipe;
  double rate;
  std::uint64_t seed;
};

/// What came of it: as an Outcome, of which `ratio` is left empty; and RMS of what changed since
/// the start, on held-out text: of the input, of what the first block adds, and of the logits.
struct RecipeOutcome {
  Outcome outcome;
  std::array<double, 3> moved{};
};

}  // namespace embedscale::properties::training
