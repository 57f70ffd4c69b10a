#pragma once
// Model configurations, as `embedscale audit` reads them: any that its README allows, of sizes that
// are audited in well under a millisecond. configuration_draws.hpp draws and configuration_text.hpp
// writes them.
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

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

  LawKeys projection{.kind = "xavier_uniform"};
  double attention_scale = 0.0;

  bool tied = true;
  LawKeys output_law;
  double output_multiplier = 1.0;

  std::vector<ExtraKeys> extras;

  friend bool operator==(const ModelConfiguration&, const ModelConfiguration&) = default;
};

inline constexpr std::array<Word, 5> position_kinds{"sinusoidal", "learned", "rotary", "relative",
                                                    "none"};
inline constexpr std::array<Word, 3> block_norms{"pre", "post", "none"};
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
  if (c.position_kind != "sinusoidal") return true;
  const std::uint64_t width = c.d_model - c.token_width;
  return width % 2 == 0 && (width >= 4 || c.frequencies == "paper");
}

}  // namespace embedscale::properties::domain
