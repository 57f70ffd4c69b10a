#pragma once
// Wrong position vectors, from the largest defect to the smallest; all are rejected by derived
// bounds.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "primitives.hpp"

namespace embedscale::properties::mutants {

/// Positions scaled down, by 1/√d (nicklashansen/dreamer4#4).
struct divides_positions_by_the_root : Primitives {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                     std::span<Real> out) {
    Primitives::encode(p, d, rule, layout, out);
    for (Real& x : out) x = x / root_multiplier<Real>(d);
  }
};

/// Slices of one layout in the place of the other's: at position 0, a permutation of zeros and ones
/// (BrianPulfer/PapersReimplementations#9).
struct slices_the_other_way : Primitives {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                     std::span<Real> out) {
    const bool halves = layout == SinusoidalLayout::halves;
    Primitives::encode(p, d, rule,
                       halves ? SinusoidalLayout::interleaved : SinusoidalLayout::halves, out);
  }
};

/// Sine and cosine exchanged in the last pair alone.
struct exchanges_the_last_pair : Primitives {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                     std::span<Real> out) {
    Primitives::encode(p, d, rule, layout, out);
    std::swap(out[layout == SinusoidalLayout::halves ? d / 2 - 1 : d - 2], out[d - 1]);
  }
};

/// Positions, frequencies, angles and sines in Narrow, kept as Real.
template <class Narrow>
struct computes_positions_in : Primitives {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                     std::span<Real> out) {
    const auto w = sinusoidal_frequencies<Narrow>(d, rule);
    std::vector<Narrow> narrow(d);
    encode_position<Narrow>(p, w, layout, narrow);
    for (std::size_t j = 0; j < d; ++j) out[j] = static_cast<Real>(static_cast<double>(narrow[j]));
  }
};
/// In binary16: 0.42 and more off, and no number from position 65520 on (vllm#54569, #54620).
using computes_positions_in_binary16 = computes_positions_in<binary16>;
/// In binary32, where binary64 is meant: the smallest of these, 2^−24 at position 1.
using computes_positions_in_binary32 = computes_positions_in<float>;

/// The power 1/base^x of an exponent x in bfloat16 (huggingface/transformers#46174, fairseq2#65,
/// depthcharge#76): frequencies off by 2^−9·ln(10^4), 1.8 %, at most. The reciprocal alone, in the
/// right precision, is one rounding more, and no defect.
struct raises_the_base_in_bfloat16 : Primitives {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                     std::span<Real> out) {
    const std::size_t last = rule == FrequencyRule::paper ? d / 2 : d / 2 - 1;
    std::vector<Real> w;
    for (std::size_t i = 0; i < d / 2; ++i) {
      const bfloat16 x(static_cast<double>(i) / static_cast<double>(last));
      w.push_back(static_cast<Real>(1.0 / std::pow(10000.0, static_cast<double>(x))));
    }
    encode_position<Real>(p, w, layout, out);
  }
};

/// Inverse frequencies rounded to binary32 in a model of binary64: 6 parts in 10^8, 10^−3 rad at
/// position 32768 (NVIDIA/TensorRT-LLM#18774).
struct rounds_inverse_frequencies : Primitives {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                     std::span<Real> out) {
    auto w = sinusoidal_frequencies<Real>(d, rule);
    for (Real& value : w) value = static_cast<Real>(static_cast<float>(value));
    encode_position<Real>(p, w, layout, out);
  }
};

/// Every channel 2^−52 too large: 2u of binary64, which is all that is allowed where the angle is
/// small, before the rounding of the channel itself. 2^−53 is seen in none.
struct adds_two_roundings : Primitives {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::size_t d, FrequencyRule rule, SinusoidalLayout layout,
                     std::span<Real> out) {
    Primitives::encode(p, d, rule, layout, out);
    for (Real& x : out) x = x + static_cast<Real>(0x1p-52);
  }
};

}  // namespace embedscale::properties::mutants
