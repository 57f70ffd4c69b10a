#pragma once
// Wrong multipliers, look-ups and draws, from the largest defect to the smallest, each with the
// kind of check that rejects it. Where a thread is named, somebody's program had exactly this
// defect.
#include <embedscale/format.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <variant>

#include "../evidence/rounding.hpp"
#include "../primitives.hpp"

namespace embedscale::properties::mutants {

using Primitives = primitives::Library;

/// d in the place of √d: twice the power of the width. Exact.
struct forgets_the_root : Primitives {
  template <Scalar Real>
  static Real multiplier(std::uint64_t d) {
    return static_cast<Real>(static_cast<double>(d));
  }
};

/// √3072 = 55.4256 as bfloat16 has it, 55.5, in every format: 0.134 % there, 0.39 % at most
/// (huggingface/transformers#29402). Exact.
struct keeps_the_root_in_bfloat16 : Primitives {
  template <Scalar Real>
  static Real multiplier(std::uint64_t d) {
    return static_cast<Real>(static_cast<double>(root_multiplier<bfloat16>(d)));
  }
};

/// A root in binary32 serves binary64, too: 6 parts in 10^8 at most. Exact.
struct keeps_the_root_in_binary32 : Primitives {
  template <Scalar Real>
  static Real multiplier(std::uint64_t d) {
    return static_cast<Real>(static_cast<double>(root_multiplier<float>(d)));
  }
};

/// The root is cut off, not rounded: one ulp in half of the widths. Exact; of a smaller effect is
/// only the direction in which a tie is rounded, which no width below 2^52 comes to that is not a
/// square.
struct cuts_the_root_off : Primitives {
  template <Scalar Real>
  static Real multiplier(std::uint64_t d) {
    const auto rounded = static_cast<double>(root_multiplier<Real>(d));
    const bool above = static_cast<long double>(rounded) * rounded > static_cast<long double>(d);
    return static_cast<Real>(above ? rounded - 2.0 * half_ulp<Real>(rounded) : rounded);
  }
};

/// The row as it is in the table: 1/√d of what is meant (SamLynnEvans/Transformer#10). Exact.
struct embeds_without_multiplier : Primitives {
  template <Scalar Real>
  static void embed(const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
    table.look_up(token, Real(1), out);
  }
};

/// An eighth of the embedding in binary16, where a later layer would overflow: the proposed remedy
/// (huggingface/transformers#37226). Exact.
struct scales_down_in_binary16 : Primitives {
  template <Scalar Real>
  static void embed(const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
    Primitives::embed(table, token, out);
    if (std::numeric_limits<Real>::max_exponent > 16) return;
    for (Real& x : out) x = x / Real(8);
  }
};

/// The real root on rows of bfloat16, 33.9411 where the model was trained with 34: 0.17 %
/// (huggingface/transformers#38702). Exact.
struct embeds_by_the_unrounded_root : Primitives {
  template <Scalar Real>
  static void embed(const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
    const double m = std::sqrt(static_cast<double>(table.width()));
    for (std::size_t j = 0; j < out.size(); ++j)
      out[j] = static_cast<Real>(m * static_cast<double>(table.row(token)[j]));
  }
};

/// What overflows becomes the largest number: the smallest effect of all, on those entries alone
/// that are infinite. Exact.
struct saturates : Primitives {
  template <Scalar Real>
  static void embed(const EmbeddingTable<Real>& table, std::size_t token, std::span<Real> out) {
    Primitives::embed(table, token, out);
    const Real largest = std::numeric_limits<Real>::max();
    for (Real& x : out) x = x > largest ? largest : x < Real(-largest) ? Real(-largest) : x;
  }
};

/// N(0, 0.1²) whatever the law: at d = 512, and times √512, 2.3 times what is meant
/// (facebookresearch/fairseq#47). Bounded.
struct draws_a_tenth : Primitives {
  static primitives::TokenAndPosition draw(const Initializer&, const Initializer& of_positions,
                                           const Stream& stream, std::uint64_t index) {
    return Primitives::draw(Normal{0.1}, of_positions, stream, index);
  }
};

/// The scale passed where the mean is meant: rows start almost equal, at a cosine of 0.998
/// (KerasHub T5Backbone, by reading). Bounded.
struct takes_the_scale_for_the_mean : Primitives {
  static primitives::TokenAndPosition draw(const Initializer& of_tokens,
                                           const Initializer& of_positions, const Stream& stream,
                                           std::uint64_t index) {
    const auto [token, position] = Primitives::draw(of_tokens, of_positions, stream, index);
    return {scale_of(of_tokens) + 0.05 * token, position};
  }
};

/// The fan-in of a (V, d) table taken as V: off by √(V/d) (KerasHub Gemma, by reading). Bounded.
struct takes_the_vocabulary_for_the_fan_in : Primitives {
  static primitives::TokenAndPosition draw(const Initializer& of_tokens,
                                           const Initializer& of_positions, const Stream& stream,
                                           std::uint64_t index) {
    const auto* law = std::get_if<XavierNormal>(&of_tokens);
    const Initializer wrong =
        law ? Initializer(XavierNormal{law->vocabulary, law->vocabulary}) : of_tokens;
    return Primitives::draw(wrong, of_positions, stream, index);
  }
};

/// The laws of tokens and positions swapped: a factor 2 on either (KerasHub GPT2Backbone, by
/// reading). Bounded.
struct swaps_the_laws : Primitives {
  static primitives::TokenAndPosition draw(const Initializer& of_tokens,
                                           const Initializer& of_positions, const Stream& stream,
                                           std::uint64_t index) {
    return Primitives::draw(of_positions, of_tokens, stream, index);
  }
};

/// Clamped where a draw should be rejected: another draw for 4.6 % of those of one law. Bounded.
struct clamps_the_cut : Primitives {
  static primitives::TokenAndPosition draw(const Initializer& of_tokens,
                                           const Initializer& of_positions, const Stream& stream,
                                           std::uint64_t index) {
    auto both = Primitives::draw(of_tokens, of_positions, stream, index);
    const auto* cut = std::get_if<TruncatedNormal>(&of_tokens);
    const double z = stream.normal(index);
    if (cut && std::abs(z) > 2.0) both.token = std::copysign(2.0 * cut->standard_deviation, z);
    return both;
  }
};

/// Tokens too large by one part in 2^52: 2u where 2.5u are allowed, above that together with the
/// draw's own rounding in one case of three or so. 2^−53 is seen in none. Bounded.
struct draws_slightly_more : Primitives {
  static primitives::TokenAndPosition draw(const Initializer& of_tokens,
                                           const Initializer& of_positions, const Stream& stream,
                                           std::uint64_t index) {
    auto both = Primitives::draw(of_tokens, of_positions, stream, index);
    both.token *= 1.0 + 0x1p-52;
    return both;
  }
};

}  // namespace embedscale::properties::mutants
