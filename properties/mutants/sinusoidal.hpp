#pragma once
// Wrong position vectors for the claims of sinusoidal.hpp, from the largest defect to the smaller
// ones; the smallest that are still seen stand in sinusoidal_limits.hpp. Others are those of
// conventions.hpp and conventions_frequencies.hpp: a program has one way to encode a position.
#include <embedscale/format.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "../sinusoidal.hpp"

namespace embedscale::properties::mutants {

using Sinusoidal = sinusoidal::Library;

/// Brought to RMS 1, the tokens' size, by √2.
struct has_unit_rms : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    for (Real& x : out) x = x * static_cast<Real>(std::numbers::sqrt2);
  }
};

/// Scaled down by 1/√d (nicklashansen/dreamer4#4).
struct divides_positions_by_root_width : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    const auto root = static_cast<Real>(std::sqrt(static_cast<double>(out.size())));
    for (Real& x : out) x = x / root;
  }
};

/// sin x as x − x³/6 + x⁵/120 within half a turn, where it passes 1 at π/2, by 0.0045.
struct approximates_sines : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    const bool interleaved = layout == SinusoidalLayout::interleaved;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double x = std::remainder(static_cast<double>(Real(static_cast<int>(p)) * w[i]),
                                      2 * std::numbers::pi);
      if (std::abs(x) <= 2.0)
        out[interleaved ? 2 * i : i] =
            static_cast<Real>(x - x * x * x / 6 + x * x * x * x * x / 120);
    }
  }
};

/// Each cosine has a frequency of its own, between its sine's and the next one: near base^(−2j/d)
/// at channel j, as an early version of jadore801120/attention-is-all-you-need-pytorch had it.
struct pairs_two_frequencies : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    std::vector<Real> between(w.begin(), w.end());
    for (std::size_t i = 0; i + 1 < w.size(); ++i) between[i] = (w[i] + w[i + 1]) / Real(2);
    between.back() = between.back() / Real(2);
    Sinusoidal::encode(p, w, layout, out);
    std::vector<Real> others(out.size());
    Sinusoidal::encode(p, std::span<const Real>(between), layout, std::span<Real>(others));
    const bool interleaved = layout == SinusoidalLayout::interleaved;
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t j = interleaved ? 2 * i + 1 : w.size() + i;
      out[j] = others[j];
    }
  }
};

/// A table computed by turning from position to position, p times, here by powers: lengths drift by
/// some u at each step. Of 0 … 2^24.
struct turns_by_powers : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    using std::sin, std::cos;
    const bool interleaved = layout == SinusoidalLayout::interleaved;
    for (std::size_t i = 0; i < w.size(); ++i) {
      Real sine(0), cosine(1), s = sin(w[i]), c = cos(w[i]);
      for (std::int64_t left = p; left > 0; left /= 2) {
        if (left % 2 != 0) {
          const Real next = sine * c + cosine * s;
          cosine = cosine * c - sine * s;
          sine = next;
        }
        const Real twice = s * c + s * c;
        c = c * c - s * s;
        s = twice;
      }
      out[interleaved ? 2 * i : i] = sine;
      out[interleaved ? 2 * i + 1 : w.size() + i] = cosine;
    }
  }
};

/// Each vector less its mean over coordinates: a norm's centring, done too early.
struct centres_each_vector : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    Real sum(0);
    for (const Real& x : out) sum = sum + x;
    const Real mean = sum / Real(static_cast<int>(out.size()));
    for (Real& x : out) x = x - mean;
  }
};

/// The belief as a program: mean 0 and variance ½ over coordinates.
struct standardises_each_vector : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    centres_each_vector::encode(p, w, layout, out);
    using std::sqrt;
    Real sum(0);
    for (const Real& x : out) sum = sum + x * x;
    const Real to_half = sqrt(Real(static_cast<int>(out.size())) / (sum + sum));
    for (Real& x : out) x = x * to_half;
  }
};

/// Vectors as seen from position 0: p(k) − p(0).
struct subtracts_position_zero : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    std::vector<Real> zero(out.size());
    Sinusoidal::encode(0, w, layout, std::span<Real>(zero));
    Sinusoidal::encode(p, w, layout, out);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = out[j] - zero[j];
  }
};

/// No position behind the last one of a table of 64.
struct clips_positions : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(std::min<std::int64_t>(p, 63), w, layout, out);
  }
};

/// Base 1000 for 10000.
struct spaces_by_a_smaller_base : Sinusoidal {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    return Sinusoidal::frequencies(d, rule, Real(base / Real(10)));
  }
};

/// The second half of the pairs is a copy of the first: no more than d/2 directions.
struct repeats_the_first_half : Sinusoidal {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Sinusoidal::frequencies(d, rule, base);
    for (std::size_t i = w.size() / 2; i < w.size(); ++i) w[i] = w[i - w.size() / 2];
    return w;
  }
};

/// Sines alone in the halves layout, concatenated with themselves: slices that overlap
/// (BrianPulfer/PapersReimplementations#9).
struct slices_halves_wrongly : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    if (layout == SinusoidalLayout::halves)
      for (std::size_t i = 0; i < w.size(); ++i) out[w.size() + i] = out[i];
  }
};

/// Cosines before sines in the last pair of the halves layout alone.
struct swaps_the_last_pair_of_halves : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    if (layout == SinusoidalLayout::halves) std::swap(out[w.size() - 1], out[out.size() - 1]);
  }
};

/// A table in binary16 (vllm#54569), kept in the wider format.
struct rounds_entries_to_binary16 : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p, w, layout, out);
    for (Real& x : out)
      x = static_cast<Real>(static_cast<double>(static_cast<binary16>(static_cast<double>(x))));
  }
};

/// Inverse frequencies rounded to binary32 (NVIDIA/TensorRT-LLM#18774).
struct rounds_frequencies_to_binary32 : Sinusoidal {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule rule, const Real& base) {
    auto w = Sinusoidal::frequencies(d, rule, base);
    for (Real& x : w)
      x = static_cast<Real>(static_cast<double>(static_cast<float>(static_cast<double>(x))));
    return w;
  }
};

/// The paper's frequencies in either rule's place (converters of Marian's models, by reading).
struct knows_one_rule : Sinusoidal {
  template <AnalyticScalar Real>
  static std::vector<Real> frequencies(std::size_t d, FrequencyRule, const Real& base) {
    return Sinusoidal::frequencies(d, FrequencyRule::paper, base);
  }
};

/// Positions counted from 1. What depends on offsets alone, or on a mean's length, cannot see it.
struct counts_positions_from_one : Sinusoidal {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Sinusoidal::encode(p + 1, w, layout, out);
  }
};

}  // namespace embedscale::properties::mutants
