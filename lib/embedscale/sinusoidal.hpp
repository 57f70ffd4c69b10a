#pragma once
// Sinusoidal position vectors, in the variants that real systems use.
#include <embedscale/scalar.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace embedscale {

/// How the d/2 angular frequencies w_i are spaced, from 1 down.
enum class FrequencyRule {
  paper,         ///< w_i = base^(−2i/d): the last one is base^(−(d−2)/d)
  tensor2tensor  ///< w_i = base^(−i/(d/2−1)): the last one is 1/base
};

/// Where sine and cosine go.
enum class SinusoidalLayout {
  interleaved,  ///< out[2i] = sin, out[2i+1] = cos
  halves        ///< out[i] = sin, out[d/2+i] = cos
};

/// What divides i in the exponent of frequency w_i: d/2, or d/2 − 1.
///
/// Requires  an even d >= 2 (paper) or d >= 4 (tensor2tensor, whose exponent divides by d/2 − 1).
/// Errors    std::invalid_argument. Systems part ways on an odd d (one pads a zero channel, another
///           fails on the shapes), so it is refused rather than guessed.
inline std::size_t frequency_steps(std::size_t d, FrequencyRule rule) {
  if (d % 2 != 0)
    throw std::invalid_argument("sinusoidal: d_model = " + std::to_string(d) +
                                " is odd, and sines and cosines come in pairs");
  const bool paper = rule == FrequencyRule::paper;
  if (d < (paper ? 2u : 4u))
    throw std::invalid_argument("sinusoidal: d_model = " + std::to_string(d) +
                                " is too small, needs " + (paper ? "2" : "4"));
  return paper ? d / 2 : d / 2 - 1;
}

/// The frequencies of a width-d encoding, largest first; size d/2.
///
/// Requires  a width that frequency_steps takes, base > 0.
/// Errors    std::invalid_argument.
/// Source    Vaswani et al. 2017, section 3.5; tensor2tensor, common_attention.py,
///           get_timing_signal_1d.
template <AnalyticScalar Real>
std::vector<Real> sinusoidal_frequencies(std::size_t d, FrequencyRule rule,
                                         const Real& base = Real(10000)) {
  const Real last = Real(static_cast<int>(frequency_steps(d, rule)));
  if (!(base > Real(0))) throw std::invalid_argument("sinusoidal: needs base > 0");
  using std::pow;
  std::vector<Real> w;
  for (std::size_t i = 0; i < d / 2; ++i)
    w.push_back(pow(base, -(Real(static_cast<int>(i)) / last)));
  return w;
}

/// Encodes position `p` into `out` (d = 2·w.size() channels): sin(p·w_i) and cos(p·w_i).
///
/// The angle is rounded to Real: below position 2^17 that of binary32 is off by up to 0.008
/// [precision.angle_reduction]. Where this matters, position_table.hpp has the exact values,
/// rounded once.
///
/// Requires  |p| <= 2^24, so that it is exact in binary32; out of size d.
/// Ensures   the mean square over channels is 1/2 [sinusoidal.mean_square_is_half].
/// Errors    std::invalid_argument where the size is not 2·w.size().
/// Source    Vaswani et al. 2017, section 3.5.
template <AnalyticScalar Real>
void encode_position(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
  require_size("encode_position: output", out.size(), 2 * w.size());
  using std::sin, std::cos;
  const bool interleaved = layout == SinusoidalLayout::interleaved;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Real angle = Real(static_cast<int>(p)) * w[i];
    out[interleaved ? 2 * i : i] = sin(angle);
    out[interleaved ? 2 * i + 1 : w.size() + i] = cos(angle);
  }
}

}  // namespace embedscale
