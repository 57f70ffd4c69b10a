#pragma once
// Wrong ways to undo a factor, wrong laws of a projection, and the smallest defects of scales that
// are still seen.
#include <embedscale/format.hpp>

#include <cmath>

#include "attention_input.hpp"

namespace embedscale::properties::mutants {

/// The projections stay as they were.
struct absorbs_nothing : AttentionInput {
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real&) {
    return w;
  }
};

/// Multiplied where division was meant (pytorch/tutorials#2849).
struct absorbs_the_wrong_way : AttentionInput {
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real& c) {
    return w * c;
  }
};

/// Divided by c², all that the logits carry, in each of the two.
struct absorbs_the_square : AttentionInput {
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real& c) {
    return w / (c * c);
  }
};

/// Divided by c as bfloat16 holds it.
struct absorbs_a_rounded_factor : AttentionInput {
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real& c) {
    return w / static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(c))));
  }
};

/// Too small by one part in 2^40.
struct absorbs_slightly_more : AttentionInput {
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real& c) {
    return w / c - w / c / Real(1 << 20) / Real(1 << 20);
  }
};

/// Only factors above 1 are undone.
struct absorbs_large_factors_alone : AttentionInput {
  template <Scalar Real>
  static Real absorbed(const Real& w, const Real& c) {
    return Real(1) < c ? Real(w / c) : w;
  }
};

/// A small constant is added to the mixture of values.
struct lifts_the_output : AttentionInput {
  template <Scalar Real>
  static void mix(std::span<const Real> weights, std::span<const Real> rows, std::span<Real> out) {
    AttentionInput::mix(weights, rows, out);
    for (Real& value : out) value = value + Real(1) / Real(1 << 20);
  }
};

/// The mixture is divided by its first channel: the values lose the factor.
struct normalises_the_output : AttentionInput {
  template <Scalar Real>
  static void mix(std::span<const Real> weights, std::span<const Real> rows, std::span<Real> out) {
    AttentionInput::mix(weights, rows, out);
    const Real first = out[0];
    if (!(first == Real(0)))
      for (Real& value : out) value = value / first;
  }
};

/// Tokens too large by one part in 2^`digits`.
template <int digits>
struct enters_tokens_high : AttentionInput {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return AttentionInput::input(Real(e + e * static_cast<Real>(std::ldexp(1.0, -digits))), p, m);
  }
};
using enters_tokens_high_by_20_digits = enters_tokens_high<20>;
using enters_tokens_high_by_44_digits = enters_tokens_high<44>;
/// In the shares: seen in one case of 50, where d is small; 2^−49 in none.
using enters_tokens_high_by_48_digits = enters_tokens_high<48>;
/// At the line of T/P: cases approach it to 2^−40, worth 2^−41 of a token. 2^−42 is seen in none.
using enters_tokens_high_by_41_digits = enters_tokens_high<41>;

/// Positions with no token in their channel are lost.
struct loses_lonely_positions : AttentionInput {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return e == Real(0) ? e : AttentionInput::input(e, p, m);
  }
};

using expected::ProjectionLaw;
using expected::ProjectionShape;

/// Three packed matrices count as three apart.
struct forgets_that_three_are_packed : AttentionInput {
  static Initializer projection_law(ProjectionLaw law, const ProjectionShape& shape, double sigma) {
    return AttentionInput::projection_law(
        law == ProjectionLaw::packed_xavier ? ProjectionLaw::xavier : law, shape, sigma);
  }
};

/// Rows of one head where those of all are one matrix.
struct counts_one_head : AttentionInput {
  static Initializer projection_law(ProjectionLaw law, ProjectionShape shape, double sigma) {
    shape.heads = 1;
    return AttentionInput::projection_law(law, shape, sigma);
  }
};

/// A Xavier law by its fan-in alone: 1/d for 2/(fan_in + fan_out).
struct reads_the_fan_in_alone : AttentionInput {
  static Initializer projection_law(ProjectionLaw law, const ProjectionShape& shape, double sigma) {
    return AttentionInput::projection_law(
        law == ProjectionLaw::normal ? law : ProjectionLaw::normal_by_width, shape, sigma);
  }
};

/// The half range of a uniform law taken for its deviation.
struct takes_the_range_for_sigma : AttentionInput {
  static double variance(const Initializer& law) {
    if (const auto* uniform = std::get_if<XavierUniform>(&law)) {
      const double a = Uniform(*uniform).half_range;
      return a * a;
    }
    return AttentionInput::variance(law);
  }
};

/// Variances too large by one part in 2^`digits`: 2^−47 is seen within a few cases, 2^−48
/// in none.
template <int digits>
struct varies_high : AttentionInput {
  static double variance(const Initializer& law) {
    return AttentionInput::variance(law) * (1.0 + std::ldexp(1.0, -digits));
  }
};
using projects_high_by_20_digits = varies_high<20>;
using projects_high_by_47_digits = varies_high<47>;

/// The last channel of the input is not read.
struct projects_without_the_last_channel : AttentionInput {
  template <Scalar Real>
  static void project(std::span<const Real> w, std::span<const Real> b, std::span<const Real> x,
                      std::span<Real> out) {
    std::vector<Real> y(x.begin(), x.end());
    y.back() = Real(0);
    AttentionInput::project(w, b, std::span<const Real>(y), out);
  }
};

}  // namespace embedscale::properties::mutants
