#pragma once
// Model configurations, as `embedscale audit` reads them: any that its README allows, of sizes that
// are audited in well under a millisecond; a draw is a function of (stream, index), like those of
// all domains. configuration_text.hpp writes them.
#include <embedscale/random.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "floats.hpp"
#include "integers.hpp"
#include "laws.hpp"

namespace embedscale::properties::domain {

using Word = std::string_view;

/// A law by its name; the scale counts for the three that have one.
struct LawKeys {
  Word kind = "normal";
  double scale = 1.0;
  friend bool operator==(const LawKeys&, const LawKeys&) = default;
};

/// A norm; without a kind there is none.
struct NormKeys {
  Word kind = "";
  double epsilon = 1e-5;
  Word added_to = "variance";
  friend bool operator==(const NormKeys&, const NormKeys&) = default;
};

/// A further table.
struct ExtraKeys {
  LawKeys law;
  std::uint64_t rows = 1;
  double multiplier = 1.0;
  friend bool operator==(const ExtraKeys&, const ExtraKeys&) = default;
};

/// The simplest configuration, unless members say otherwise. A number 0 stands for one that is not
/// given, where 0 would not be allowed.
struct ModelConfiguration {
  std::uint64_t d_model = 2, heads = 1, d_k = 0, vocabulary = 0, positions = 0;

  LawKeys token_law;
  double token_multiplier = 1.0;
  bool multiplied_by_root = false;  ///< 'sqrt(d_model)' in the place of the multiplier
  Word multiplier_format = "binary32";
  std::uint64_t token_width = 0;  ///< given: the position is set beside the token

  Word position_kind = "none", frequencies = "paper", layout = "interleaved";
  double base = 10000.0, position_multiplier = 1.0;
  std::uint64_t first = 0;
  LawKeys position_law;

  NormKeys embedding_norm;
  Word block = "none";
  NormKeys block_norm{.kind = "layer_norm"};
  Word final_gain = "", final_bias = "";  ///< empty: not given

  LawKeys projection{.kind = "xavier_uniform"};
  double attention_scale = 0.0;

  bool tied = true;
  LawKeys output_law;
  double output_multiplier = 1.0;

  std::vector<ExtraKeys> extras;

  friend bool operator==(const ModelConfiguration&, const ModelConfiguration&) = default;
};

/// Whether a position vector is added to the token's, or set beside it.
inline bool adds_positions(const ModelConfiguration& c) {
  return c.position_kind == "sinusoidal" || c.position_kind == "learned";
}

inline constexpr std::array<Word, 5> position_kinds{"sinusoidal", "learned", "rotary", "relative",
                                                    "none"};
inline constexpr std::array<Word, 3> block_norms{"pre", "post", "none"};
inline constexpr std::array<Word, 4> final_gains{"", "plain", "one_plus", "none"};
inline constexpr std::array<Word, 3> final_biases{"", "true", "false"};
inline constexpr std::array<Word, 3> norm_kinds{"layer_norm", "rms_norm", ""};
inline constexpr std::array<Word, 4> multiplier_formats{"binary64", "binary32", "binary16",
                                                        "bfloat16"};
inline constexpr std::array<Word, 7> projection_laws{
    "normal",         "uniform",       "truncated_normal",
    "xavier_uniform", "xavier_normal", "packed_xavier_uniform",
    "zeros"};

/// Whether the parts suit each other, as the README of the systems says.
inline bool is_valid(const ModelConfiguration& c) {
  if (c.d_model < 2 || c.heads < 1 || c.token_width >= c.d_model) return false;
  if (c.d_k == 0 && c.d_model % c.heads != 0) return false;
  const bool no_gain = c.final_gain == "none" || (c.final_gain.empty() && c.block == "none");
  if (no_gain && c.final_bias == "true") return false;
  if (c.position_kind != "sinusoidal") return true;
  const std::uint64_t width = c.d_model - c.token_width;
  return width % 2 == 0 && (width >= 4 || c.frequencies == "paper");
}

/// Factors: 7/8 of any sign and 2^−10 <= |m| < 2^11, 1/8 zero.
inline constexpr Mixture multipliers{{7, 0, 1, 0, 0}, -10, 10};
/// Epsilons: 2^−40 <= ε < 1, 1/8 zero.
inline constexpr Mixture epsilons{{7, 0, 1, 0, 0}, -40, -1, false};
inline constexpr Integers head_widths{1, 64}, head_counts{1, 16}, vocabulary_sizes{1, 1 << 18},
    lengths{1, 64};

namespace detail {
/// The draws of one configuration, one after the other.
class Draws {
 public:
  Draws(const Stream& stream, std::uint64_t index) : own_(stream.bits(index), "configuration") {}

  std::uint64_t below(std::uint64_t n) { return own_.below(n, next_++); }
  bool one_of(std::uint64_t n) { return below(n) == 0; }
  template <std::size_t N>
  Word word(const std::array<Word, N>& words) {
    return words[below(N)];
  }
  std::uint64_t integer(const Integers& range) { return any_integer(own_, next_++, range); }
  double number(const Mixture& mixture) { return any_float<double>(own_, next_++, mixture); }
  template <std::size_t N>
  LawKeys law(const std::array<Word, N>& kinds) {
    return {word(kinds), number(law_scales)};
  }
  NormKeys norm(Word kind) {
    return {kind, number(epsilons), one_of(2) ? Word("standard_deviation") : Word("variance")};
  }

 private:
  Stream own_;
  std::uint64_t next_ = 0;
};
}  // namespace detail

/// Draw `index` of the valid ones, by rejection: every word in equal shares, numbers on logarithmic
/// scales, what is optional given in half or in three quarters of the draws.
inline ModelConfiguration any_configuration(const Stream& stream, std::uint64_t index) {
  for (detail::Draws draw(stream, index);;) {
    ModelConfiguration c;
    c.heads = draw.integer(head_counts);
    c.d_model = c.heads * draw.integer(head_widths);
    if (draw.one_of(4)) c.d_k = draw.integer(head_widths);
    if (!draw.one_of(4)) c.vocabulary = draw.integer(vocabulary_sizes);
    if (!draw.one_of(4)) c.positions = draw.integer(lengths);
    c.token_law = draw.law(law_names);
    c.token_multiplier = draw.number(multipliers);
    c.multiplied_by_root = draw.one_of(2);
    c.multiplier_format = draw.word(multiplier_formats);
    c.position_kind = draw.word(position_kinds);
    if (draw.one_of(4) && c.d_model > 1) c.token_width = 1 + draw.below(c.d_model - 1);
    if (draw.one_of(2)) c.frequencies = "tensor2tensor";
    if (draw.one_of(2)) c.layout = "halves";
    if (draw.one_of(2)) c.base = draw.number(positive_floats(0, 20));
    if (draw.one_of(2)) c.first = draw.integer({0, 1000});
    c.position_law = draw.law(law_names);
    c.position_multiplier = draw.number(multipliers);
    c.embedding_norm = draw.norm(draw.word(norm_kinds));
    c.block = draw.word(block_norms);
    c.block_norm = draw.norm(norm_kinds[draw.below(2)]);
    c.projection = draw.law(projection_laws);
    if (draw.one_of(2)) c.attention_scale = draw.number(positive_floats(-8, 4));
    c.tied = draw.one_of(2);
    c.output_law = draw.law(law_names);
    c.output_multiplier = draw.number(multipliers);
    for (auto more = draw.below(3); more > 0; --more)
      c.extras.push_back({draw.law(law_names), draw.integer({1, 64}), draw.number(multipliers)});
    c.final_gain = draw.word(final_gains);
    c.final_bias = draw.word(final_biases);
    if (is_valid(c)) return c;
  }
}

}  // namespace embedscale::properties::domain
