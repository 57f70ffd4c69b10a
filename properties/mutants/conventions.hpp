#pragma once
// Wrong programs, each beside the defect it stands for, from the largest to the smallest: tables,
// look-ups and laws. Where a thread or a file is named, somebody's program had exactly this defect.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "../conventions.hpp"

namespace embedscale::properties::mutants {

using Conventions = conventions::Library;

/// Divides where it should multiply (pytorch/tutorials#2849).
struct divides_the_table : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Conventions::look_up(table, token, Real(Real(1) / m), out);
  }
};

/// √d in the table's module and once more around it (EleutherAI/gpt-neox#1087).
struct multiplies_twice : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Conventions::look_up(table, token, Real(m * m), out);
  }
};

/// No multiplier on a table of deviation d^−½ (VHellendoorn/ICLR20-Great#10).
struct leaves_the_table_alone : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                      std::span<Real> out) {
    Conventions::look_up(table, token, Real(1), out);
  }
};

/// The belief as a program: each token is brought to the positions' RMS, whatever its table.
struct normalises_the_token : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                      std::span<Real> out) {
    const auto row = table.row(token);
    double sum = 0;
    for (const Real& e : row) sum += static_cast<double>(e) * static_cast<double>(e);
    const double rms = std::sqrt(2.0 * sum / static_cast<double>(row.size()));
    Conventions::look_up(table, token, static_cast<Real>(1.0 / rms), out);
  }
};

/// Sines in the place of cosines: slices that overlap (BrianPulfer/PapersReimplementations#9).
struct encodes_sines_twice : Conventions {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Conventions::encode(p, w, layout, out);
    const bool halves = layout == SinusoidalLayout::halves;
    for (std::size_t i = 0; i < w.size(); ++i)
      out[halves ? w.size() + i : 2 * i + 1] = out[halves ? i : 2 * i];
  }
};

/// A vectorised loop that leaves the last channel as it is in the table.
struct forgets_the_last_channel : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Conventions::look_up(table, token, m, out);
    out.back() = table.row(token).back();
  }
};

/// 1.01·√d: an error of one percent.
struct multiplies_by_one_percent_more : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Conventions::look_up(table, token, Real(m + m / Real(100)), out);
  }
};

/// The multiplier rounded to bfloat16 (huggingface/transformers#29402).
struct multiplies_by_bfloat16 : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    const auto rounded = static_cast<double>(bfloat16(static_cast<double>(m)));
    Conventions::look_up(table, token, static_cast<Real>(rounded), out);
  }
};

/// A sinusoidal table kept in binary16 (vllm#54569).
struct keeps_positions_in_binary16 : Conventions {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Conventions::encode(p, w, layout, out);
    for (Real& x : out)
      x = static_cast<Real>(static_cast<double>(binary16(static_cast<double>(x))));
  }
};

/// The half range of a uniform law taken for its deviation.
struct takes_the_half_range_for_sigma : Conventions {
  static double variance(const Initializer& law) {
    const bool uniform =
        std::holds_alternative<Uniform>(law) || std::holds_alternative<XavierUniform>(law);
    return Conventions::variance(law) * (uniform ? 3.0 : 1.0);
  }
};

/// Fan-in of a (V, d) table taken as V, and fan-out with it (KerasHub Gemma, by reading).
struct takes_the_fan_from_the_wrong_axis : Conventions {
  static double variance(const Initializer& law) {
    if (const auto* l = std::get_if<XavierUniform>(&law))
      return 1.0 / static_cast<double>(l->vocabulary);
    if (const auto* l = std::get_if<XavierNormal>(&law))
      return 1.0 / static_cast<double>(l->vocabulary);
    return Conventions::variance(law);
  }
};

/// A truncated normal taken for a normal: √variance = σ instead of 0.8796 σ.
struct forgets_the_cut : Conventions {
  static double variance(const Initializer& law) {
    const auto* cut = std::get_if<TruncatedNormal>(&law);
    return cut ? cut->standard_deviation * cut->standard_deviation : Conventions::variance(law);
  }
};

/// The constant of the cut as it is quoted, 0.8796: four parts in 10^5.
struct quotes_four_digits_of_the_cut : Conventions {
  static double variance(const Initializer& law) {
    const auto* cut = std::get_if<TruncatedNormal>(&law);
    if (!cut) return Conventions::variance(law);
    const double deviation = 0.8796 * cut->standard_deviation;
    return deviation * deviation;
  }
};

/// An adaptive input: only entries below 1 are multiplied.
struct multiplies_small_entries_alone : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    const bool small = std::abs(static_cast<double>(table.row(token)[0])) < 1.0;
    Conventions::look_up(table, token, small ? m : Real(1), out);
  }
};

/// A table kept in bfloat16.
struct keeps_the_table_in_bfloat16 : Conventions {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    const auto row = table.row(token);
    for (std::size_t j = 0; j < row.size(); ++j)
      out[j] = m * static_cast<Real>(static_cast<double>(bfloat16(static_cast<double>(row[j]))));
  }
};

}  // namespace embedscale::properties::mutants
