#pragma once
// Wrong programs for the claims of embedding.hpp, each beside the defect it stands for, from the
// largest to the smallest: what is done to a looked-up row, and which variance a law is given.
// Where a thread or a file is named, somebody's program had exactly this defect.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "../conventions_scale.hpp"
#include "../embedding.hpp"

namespace embedscale::properties::mutants {

using Embedding = embedding::Library;

/// √d in the table's module and once more around it (EleutherAI/gpt-neox#1087).
struct looks_up_with_d : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Embedding::look_up(table, token, Real(m * m), out);
  }
};

/// Division where multiplication was meant (pytorch/tutorials#2849).
struct looks_up_divided : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Embedding::look_up(table, token, Real(Real(1) / m), out);
  }
};

/// No multiplier on a table of deviation d^−½ (VHellendoorn/ICLR20-Great#10).
struct looks_up_bare : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                      std::span<Real> out) {
    Embedding::look_up(table, token, Real(1), out);
  }
};

/// A mean passed where a deviation was meant: the rows lie around 1 (KerasHub T5Backbone, by
/// reading). No variance sees it, the mean does.
struct looks_up_around_1 : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Embedding::look_up(table, token, m, out);
    for (Real& t : out) t = t + Real(1);
  }
};

/// Rows longer than a limit are shortened, as torch.nn.Embedding's max_norm does; here its entries
/// beyond 2 are cut.
struct clips_the_row : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Embedding::look_up(table, token, m, out);
    for (Real& t : out) t = t > Real(2) ? Real(2) : t;
  }
};

/// The belief as a program: every token is brought to RMS 1, whatever its table.
struct brings_tokens_to_1 : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real&,
                      std::span<Real> out) {
    const double rms = conventions::root_mean_square<Real>(table.row(token));
    Embedding::look_up(table, token, static_cast<Real>(1.0 / rms), out);
  }
};

/// A vectorised loop that leaves the last channel as it is in the table.
struct looks_up_all_but_the_last : Embedding {
  template <Scalar Real>
  static void look_up(const EmbeddingTable<Real>& table, std::size_t token, const Real& m,
                      std::span<Real> out) {
    Embedding::look_up(table, token, m, out);
    out.back() = table.row(token).back();
  }
};

/// √(d + 1): an off-by-one in the width.
struct takes_the_root_of_one_more : Embedding {
  template <Scalar Real>
  static Real root(std::uint64_t d) {
    return Embedding::root<Real>(d + 1);
  }
};

/// The root rounded to bfloat16 whatever the format (huggingface/transformers#29402).
struct takes_the_root_in_bfloat16 : Embedding {
  template <Scalar Real>
  static Real root(std::uint64_t d) {
    return static_cast<Real>(static_cast<double>(Embedding::root<bfloat16>(d)));
  }
};

/// Sines in the place of cosines (BrianPulfer/PapersReimplementations#9).
struct positions_of_sines_alone : Embedding {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Embedding::encode(p, w, layout, out);
    const bool halves = layout == SinusoidalLayout::halves;
    for (std::size_t i = 0; i < w.size(); ++i)
      out[halves ? w.size() + i : 2 * i + 1] = out[halves ? i : 2 * i];
  }
};

/// Positions divided by √d (nicklashansen/dreamer4#4).
struct positions_scaled_down : Embedding {
  template <AnalyticScalar Real>
  static void encode(std::int64_t p, std::span<const Real> w, SinusoidalLayout layout,
                     std::span<Real> out) {
    Embedding::encode(p, w, layout, out);
    for (Real& x : out) x = x / static_cast<Real>(std::sqrt(static_cast<double>(out.size())));
  }
};

/// The whole sum is scaled, the positions with it.
struct scales_positions_too : Embedding {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return m * (e + p);
  }
};

/// The multiplier is missing in the sum (SamLynnEvans/Transformer#10).
struct adds_bare_tokens : Embedding {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real&) {
    return e + p;
  }
};

/// The multiplier's size alone: a factor below 0 turns nothing round, and no energy sees it.
struct adds_with_the_size_of_m : Embedding {
  template <Scalar Real>
  static Real input(const Real& e, const Real& p, const Real& m) {
    return Embedding::input(e, p, m < Real(0) ? Real(-m) : m);
  }
};

/// A deviation of 0.1 of one's own choice, and √d on top of it (facebookresearch/fairseq#47).
struct draws_tenths_for_normals : Embedding {
  static double variance(const Initializer& law) {
    return std::holds_alternative<Normal>(law) ? 0.01 : Embedding::variance(law);
  }
};

/// The half range of a uniform law taken for its deviation.
struct takes_the_range_for_the_deviation : Embedding {
  static double variance(const Initializer& law) {
    const bool uniform =
        std::holds_alternative<Uniform>(law) || std::holds_alternative<XavierUniform>(law);
    return Embedding::variance(law) * (uniform ? 3.0 : 1.0);
  }
};

/// The fan-in of a (V, d) table taken as V, and its fan-out forgotten (KerasHub Gemma, by reading).
struct counts_the_vocabulary_alone : Embedding {
  static double variance(const Initializer& law) {
    if (const auto* l = std::get_if<XavierUniform>(&law)) return 1.0 / double(l->vocabulary);
    if (const auto* l = std::get_if<XavierNormal>(&law)) return 1.0 / double(l->vocabulary);
    return Embedding::variance(law);
  }
};

/// The nominal deviation of a cut normal law taken for its own, as if 0.8796 were 1; and its fourth
/// moment with it.
struct takes_the_nominal_deviation : Embedding {
  static double variance(const Initializer& law) {
    const auto* cut = std::get_if<TruncatedNormal>(&law);
    return cut ? Embedding::variance(Normal{cut->standard_deviation}) : Embedding::variance(law);
  }
  static double fourth_moment(const Initializer& law) {
    const auto* cut = std::get_if<TruncatedNormal>(&law);
    return cut ? Embedding::fourth_moment(Normal{cut->standard_deviation})
               : Embedding::fourth_moment(law);
  }
};

/// Every law's fourth moment that of a normal one of its variance.
struct takes_every_law_for_normal : Embedding {
  static double fourth_moment(const Initializer& law) {
    const double square = Embedding::variance(law);
    return 3.0 * square * square;
  }
};

}  // namespace embedscale::properties::mutants
