#pragma once
// Wrong programs around a shared table, each beside the defect it stands for, from the largest to
// the smallest: look-ups, inputs and logits. Where a thread is named, somebody's program had
// exactly this defect. In exact arithmetic no defect is too small to be seen.
#include <embedscale/format.hpp>

#include <span>
#include <vector>

#include "../tied_output.hpp"

namespace embedscale::properties::mutants {

using Tied = tied_output::Library;

/// No multiplier on the way in (SamLynnEvans/Transformer#10).
struct looks_up_bare_rows : Tied {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                      std::span<Real> out) {
    Tied::look_up(table, token, Real(1), out);
  }
};

/// √d in the table's module and once more around it (EleutherAI/gpt-neox#1087).
struct looks_up_times_m_twice : Tied {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Tied::look_up(table, token, Real(m * m), out);
  }
};

/// Divides where it should multiply (pytorch/tutorials#2849).
struct looks_up_divided_rows : Tied {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Tied::look_up(table, token, Real(Real(1) / m), out);
  }
};

/// The multiplier rounded to bfloat16 (huggingface/transformers#29402).
struct looks_up_by_bfloat16 : Tied {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    const auto rounded = static_cast<double>(bfloat16(static_cast<double>(m)));
    Tied::look_up(table, token, static_cast<Real>(rounded), out);
  }
};

/// One part in 2^40 too large.
struct looks_up_a_trifle_high : Tied {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Tied::look_up(table, token, Real(m + m / (Real(1 << 20) * Real(1 << 20))), out);
  }
};

/// The factor goes with the rows to the output, too: logits of the multiplied table
/// (mattn/tensai#248).
struct forgets_the_output_factor : Tied {
  template <Scalar Real>
  static void logits(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real&,
                     std::span<Real> out) {
    Tied::logits(table, h, Real(1), out);
  }
  static expected::Expectation loss(double sigma, std::uint64_t d, double, std::uint64_t V) {
    return Tied::loss(sigma, d, 1.0, V);
  }
};

/// Multiplies the logits where it should divide them (gordicaleksa/pytorch-original-transformer#7).
struct divides_by_the_output_factor : Tied {
  template <Scalar Real>
  static void logits(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                     std::span<Real> out) {
    Tied::logits(table, h, Real(Real(1) / c), out);
  }
};

/// A loop that leaves the last channel out of the product, where there are several.
struct compares_all_but_one_channel : Tied {
  template <Scalar Real>
  static void logits(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                     std::span<Real> out) {
    std::vector<Real> cut(h.begin(), h.end());
    if (cut.size() > 1) cut.back() = Real(0);
    Tied::logits(table, std::span<const Real>(cut), c, out);
  }
};

/// A bias that begins at a millionth and not at 0.
struct begins_with_a_bias : Tied {
  template <Scalar Real>
  static void logits(const EmbeddingTable<Real>& table, std::span<const Real> h, const Real& c,
                     std::span<Real> out) {
    Tied::logits(table, h, c, out);
    for (Real& z : out) z = z + Real(1) / Real(1 << 20);
  }
};

/// The positions are multiplied along with the tokens.
struct multiplies_token_and_position : Tied {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return m * (e + p);
  }
};

/// The positions are divided by the factor that the tokens have (nicklashansen/dreamer4#4).
struct scales_positions_down_too : Tied {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return m * e + p / m;
  }
};

/// One part in 2^40 of the position is lost.
struct adds_a_trifle_less : Tied {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return m * e + (p - p / (Real(1 << 20) * Real(1 << 20)));
  }
};

/// A LayerNorm without its mean, which is an RMSNorm.
struct does_not_centre : Tied {
  template <AnalyticScalar Real>
  static void normalise(std::span<const Real> x, expected::Norm::Kind, std::span<Real> out) {
    Tied::normalise(x, expected::Norm::Kind::rms_norm, out);
  }
};

/// No final norm at all.
struct leaves_the_state_as_it_is : Tied {
  template <AnalyticScalar Real>
  static void normalise(std::span<const Real> x, expected::Norm::Kind, std::span<Real> out) {
    for (std::size_t j = 0; j < x.size(); ++j) out[j] = x[j];
  }
};

/// The mean square by d − 1, as a sample's deviation is taken.
struct divides_by_d_less_1 : Tied {
  template <AnalyticScalar Real>
  static void normalise(std::span<const Real> x, expected::Norm::Kind kind, std::span<Real> out) {
    Tied::normalise(x, kind, out);
    const auto n = static_cast<double>(x.size());
    for (Real& y : out) y = y * static_cast<Real>(std::sqrt((n - 1) / n));
  }
};

/// ε = 10^−3 where none was meant.
struct guards_the_norm : Tied {
  template <AnalyticScalar Real>
  static void normalise(std::span<const Real> x, expected::Norm::Kind kind, std::span<Real> out) {
    if (kind == expected::Norm::Kind::layer_norm)
      layer_norm<Real>(x, Real(0.001), EpsilonPlacement::variance, out);
    else
      rms_norm<Real>(x, Real(0.001), EpsilonPlacement::variance, out);
  }
};

}  // namespace embedscale::properties::mutants
